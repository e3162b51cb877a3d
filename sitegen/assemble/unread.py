"""Names every file that no reader takes, with the reason, in a few lines per run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sitegen.model.problems import Problem, problem
from sitegen.model.run import RunFolder, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.known_files import reason_for
from sitegen.settings import RUN_FILE
from sitegen.text import Text

NAMES_SHOWN = 3
"""Names listed per reason."""


def unread_reasons(folder: RunFolder, taken: Collection[str], readers: Sequence[Reader]) -> dict[str, Text]:
    """Path to reason for the files of a run that no reader took; its `run.toml` is read as its settings."""
    own = {RUN_FILE, f"{folder.path}/{RUN_FILE}"}
    unread = (source for source in folder.files if source.path not in taken and source.path not in own)
    return {source.path: reason_for(source, readers) for source in unread}


def unread_problems(folder: RunFolder, reasons: dict[str, Text]) -> list[Problem]:
    """One per reason, with a count and the first names, and one for what trials keep in their own folders."""
    by_reason: dict[Text, list[str]] = {}
    for path, reason in sorted(reasons.items()):
        by_reason.setdefault(reason, []).append(path)
    return [
        problem("scan.unread", folder.path, None, count=len(paths), names=_names(paths, folder), reason=reason)
        for reason, paths in by_reason.items()
    ] + _trial_folders(folder)


def _names(paths: Sequence[str], folder: RunFolder) -> str:
    inside = [path if folder.path == "." else path.removeprefix(f"{folder.path}/") for path in paths]
    return ", ".join(inside[:NAMES_SHOWN]) + (", …" if len(inside) > NAMES_SHOWN else "")


def _trial_folders(folder: RunFolder) -> list[Problem]:
    """What is not listed of trials' folders: everything but the results."""
    bundles = [source for source in folder.files if source.bundled]
    trials = {trial for source in bundles for trial in _trials(source)}
    return [problem("scan.trial-folders", folder.path, None, count=len(trials))] if trials else []


def _trials(source: SourceFile) -> set[str]:
    """Folders of the trials that a bundle speaks of, by their paths in the archive."""
    above = source.path.rpartition("*")[0]
    return {f"{above}{member.rpartition('/')[0]}" for member in source.members} | {
        f"{above}{trial}" for trial in source.absent
    }
