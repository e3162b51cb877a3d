"""Finds the runs of an archive and the files that belong to each; parses nothing, writes nothing.

Each folder is listed once and each file stat-ed once. Only files that a reader names are opened, and of those only
the first bytes, which are let go once a run is put together (`with_heads` reads them again for one run). What makes a
folder a run, and which files are whose, is described in `docs/design.md`.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase, translate
from pathlib import Path

from sitegen.errors import SettingsError
from sitegen.model.problems import Problem, problem
from sitegen.model.run import HEAD_BYTES, RunFolder, RunSettings, SourceFile
from sitegen.readers.base import Reader
from sitegen.settings import RUN_FILE, SiteSettings, is_reserved
from sitegen.text import Text

MAX_DEPTH = 6
"""How deep below the archive a run folder may lie."""
MANIFEST = ".sitegen-manifest.json"
"""Marks a folder as a site of ours."""
LOG_FOLDERS = ("training_logs", "logs")
"""Sub-folders whose own files count as the run folder's."""
EVIDENCE_FOLDERS = (
    *(*LOG_FOLDERS, "logs/exp_tracking", "logs/exp_tracking/rank0", "exp_tracking", "exp_tracking/rank0"),
)
"""Sub-folders whose own files are evidence."""
EVIDENCE_TREES = ("trace_jobs", "wandb", "tensorboard", "tensorboard_log", "tb", "tb_logs")
"""Sub-folders where evidence may lie at any depth."""

MARKERS = frozenset({"wandb-metadata.json", "wandb-summary.json"})
"""Files that are evidence by name: what W&B leaves even of a run that logged nothing."""

_TRIAL_NAME = re.compile(r".__[A-Za-z0-9]{7}$")
_TRIAL_FILES = frozenset({"result.json", "trial.log", "exception.txt"})
_TRAJECTORY = ("agent", "trajectory.json")
_STEPS = "steps"
"""Where a trial keeps its agent's dialogue."""
_RESULT = "result.json"
_TRIAL_FOLDERS = frozenset({"agent", "artifacts", "logs", "steps", "verifier"})
_PARTS = re.compile(r"checkpoint-\d+")
"""Folders that a trainer fills with states of one run; their own files are evidence."""
_HF_EVENTS = re.compile(r"[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_")
"""How Transformers names the folders of event files in `runs`."""
_WANDB_RUN = re.compile(r"(?:offline-)?run-\d{8}_\d{6}-")
_JOB_LOG = re.compile(r"(?P<run>.+)_(?P<job>\d+)\.(?:out|log|err|txt)(?:\.gz|\.zst)?$", re.IGNORECASE)
_PART_OF_RUN = re.compile(r"(?:^|/)(?:exports|checkpoints|checkpoint-\d+)(?=/|$)")
"""Folders in which a run keeps its weights."""
_NAMES_SHOWN = 3
"""Names listed of a folder without evidence."""
_NEVER_OPENED = (
    *(".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".distcp", ".npz", ".npy", ".onnx", ".h5"),
    *(".tar", ".zip", ".7z", ".whl", ".so", ".parquet", ".arrow", ".mp4", ".png", ".jpg"),
)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanResult:
    """What an archive holds."""

    runs: tuple[RunFolder, ...]
    """Runs in path order."""
    problems: tuple[Problem, ...]
    """What was noticed outside every run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where each run will stand in the site."""

    slugs: Mapping[str, str]
    """`RunFolder.path` to slug."""
    problems: Mapping[str, tuple[Problem, ...]]
    """`RunFolder.path` to what has to be said of its address."""


def scan_archive(
    archive: Path,
    settings: SiteSettings,
    *,
    output: Path | None = None,
    readers: Sequence[Reader] | None = None,
) -> ScanResult:
    """The runs of an archive with their files, in path order.

    Args:
        archive: The archive's root; may itself be a run.
        settings: `include` and `exclude` are applied.
        output: The site's folder, which is not scanned where it lies inside the archive.
        readers: The formats that decide which files are opened and what is evidence; all of them by default.
    """
    if readers is None:
        from sitegen.readers import READERS

        readers = READERS
    tree = _Tree(archive, settings.exclude, output, readers)
    runs = tuple(sorted(_discover(tree), key=lambda run: (run.path, run.name)))
    inside, outside = _shared_out(tree.problems, runs)
    runs = tuple(replace(run, problems=run.problems + inside.get(run.path, ())) for run in runs)
    if settings.include:
        runs = tuple(run for run in runs if _matches(run.path, settings.include))
    return ScanResult(runs=runs, problems=outside)


def with_heads(folder: RunFolder, readers: Sequence[Reader]) -> RunFolder:
    """The run with the first bytes of the files that a reader names, as they were when the archive was scanned.

    Scanning lets go of them, because those of all files of an archive are more than a process should hold.
    """
    opened = _opened(readers)
    files = [
        replace(source, head=_head(source.location)) if _has_head(source) and opened(source.name) else source
        for source in folder.files
    ]
    return replace(folder, files=tuple(files))


def _has_head(source: SourceFile) -> bool:
    return source.size > 0 and not source.bundled and not source.head


def _head(location: Path) -> bytes:
    try:
        with location.open("rb", buffering=0) as stream:
            return stream.read(HEAD_BYTES)
    except OSError:
        return b""  # said when the archive was scanned, or by the reader


def claimant(source: SourceFile, readers: Sequence[Reader]) -> Reader | None:
    """The reader that takes a file: the first whose names and sniff accept it; None when none does."""
    lowered = source.name.lower()
    for reader in readers:
        if reader.bundle == source.bundled and _names(reader.names)(lowered) and reader.sniff(source):
            return reader
    return None


def settings_file(folder: RunFolder) -> Path | None:
    """The run's `run.toml`, None without one."""
    wanted = RUN_FILE if folder.path == "." else f"{folder.path}/{RUN_FILE}"
    return next((source.location for source in folder.files if source.path == wanted), None)


# Addresses -----------------------------------------------------------------------------------------------------------


def addresses(runs: Sequence[RunFolder], settings: Mapping[str, RunSettings]) -> Addresses:
    """The address of every run: fixed by its `run.toml`, else made from its own path alone.

    Raises:
        SettingsError: two `run.toml` claim one address, or one claims another's as alias.
    """
    slugs: dict[str, str] = {}
    problems: dict[str, tuple[Problem, ...]] = {}
    taken: dict[str, str] = {}
    clashing = _case_clashes(run.path for run in runs)
    for run in runs:
        fixed = settings[run.path].slug if run.path in settings else None
        if fixed is not None:
            _claim_address(taken, fixed, run.path)
            slugs[run.path] = fixed
    for run in runs:
        if run.path in slugs:
            continue
        wanted = given = slug_of(run, clashing)
        if wanted in taken:
            given = f"{wanted}-{_hash(run.path, 12)}"
            problems[run.path] = (
                problem("scan.address-taken", run.path, None, slug=wanted, other=taken[wanted], given=given),
            )
        taken[given] = run.path
        slugs[run.path] = given
    for run in runs:
        for alias in settings[run.path].aliases if run.path in settings else ():
            if taken.get(alias) != run.path:
                _claim_address(taken, alias, run.path)
    return Addresses(slugs=slugs, problems=problems)


def slug_of(run: RunFolder, clashing: frozenset[str] = frozenset()) -> str:
    """The address made from a run's path, lower-case; `clashing` holds the paths that case alone tells apart."""
    if run.path == ".":
        return _slug_part(run.name, run.name, clash=False)
    parts = run.path.split("/")
    prefixes = ["/".join(parts[: index + 1]) for index in range(len(parts))]
    return "/".join(
        _slug_part(part, prefix, clash=prefix in clashing) for part, prefix in zip(parts, prefixes, strict=True)
    )


def _slug_part(part: str, path: str, *, clash: bool) -> str:
    plain = re.sub(r"[^a-z0-9._-]+", "-", part.lower()).strip("-._")[:80].rstrip("-._")
    if plain == part.lower() and part.isascii() and not clash and not is_reserved(plain):
        return plain
    return f"{plain}-{_hash(path, 6)}" if plain else f"run-{_hash(path, 6)}"


def _case_clashes(paths: Iterable[str]) -> frozenset[str]:
    """Folder paths that differ from another one by case alone; the one in lower case keeps its plain address."""
    by_lowered: dict[str, set[str]] = {}
    for path in paths:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            prefix = "/".join(parts[:end])
            by_lowered.setdefault(prefix.lower(), set()).add(prefix)
    return frozenset(path for lowered, same in by_lowered.items() if len(same) > 1 for path in same if path != lowered)


def _hash(path: str, digits: int) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:digits]


def _claim_address(taken: dict[str, str], slug: str, path: str) -> None:
    if slug in taken:
        raise SettingsError(
            f"{path}/{RUN_FILE}: the address {slug!r} is already that of {taken[slug]}; give one of them another"
        )
    taken[slug] = path


# Listing -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _File:
    """A regular file as listed; stat-ed when it is first wanted."""

    name: str
    path: str
    entry: os.DirEntry[str]


@dataclass(frozen=True, slots=True)
class _Member:
    """A file of a trial's folder that comes in a bundle."""

    name: str
    size: int
    stamp: str


@dataclass(slots=True, eq=False)
class _Folder:
    """A folder; listed on first use."""

    path: str
    location: str
    linked: bool
    loaded: bool = False
    files: list[_File] = field(default_factory=list)
    folders: list[_Folder] = field(default_factory=list)
    bundles: list[SourceFile] | None = None
    is_trial: bool | None = None
    """`_Tree.trial`, once asked for."""
    members: tuple[_Member, ...] = ()
    """Of a trial's folder: the files that come in bundles."""

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def declared(self) -> bool:
        """Whether a `run.toml` says that this is a run."""
        return any(file.name == RUN_FILE for file in self.files)

    @property
    def like_trial(self) -> bool:
        """Whether its content is that of a Harbor trial; one that has just begun holds little but `config.json`."""
        names = {file.name for file in self.files}
        inner = {folder.name for folder in self.folders}
        alone = names == {"config.json"} and inner <= _TRIAL_FOLDERS
        return bool(names & _TRIAL_FILES) or alone or ("config.json" in names and "agent" in inner)


class _Tree:
    """The archive's folders, listed lazily, each once."""

    def __init__(self, archive: Path, exclude: Sequence[str], output: Path | None, readers: Sequence[Reader]) -> None:
        self.archive = archive
        self.real_root = os.path.realpath(archive)
        self.output = os.path.realpath(output) if output is not None else None
        self.exclude = exclude
        self.readers = readers
        self.opened = _opened(readers)
        self.sources: dict[str, SourceFile] = {}
        bundled = tuple(pattern for reader in readers if reader.bundle for pattern in reader.names)
        self.bundled = _names(bundled)
        self.looked_up = bundled if not any(set(pattern) & set("*?[") for pattern in bundled) else ()
        self.tracing = _names(tuple(pattern for reader in readers if reader.trace for pattern in reader.names))
        self.evidential = _names(tuple(pattern for reader in readers if reader.evidence for pattern in reader.names))
        self.problems: list[Problem] = []
        self.followed: set[str] = set()
        self.root = _Folder("", str(archive), linked=False)

    def load(self, folder: _Folder) -> _Folder:
        """The folder, listed."""
        if folder.loaded:
            return folder
        folder.loaded = True
        try:
            with os.scandir(folder.location) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self.note("scan.unreadable-folder", folder.path or ".", reason=error.strerror or "unknown")
            return folder
        if any(entry.name == MANIFEST for entry in entries):
            if folder is self.root:
                self.note("scan.own-output", ".")
            return folder
        for entry in entries:
            if not entry.name.startswith("."):
                self._add(folder, entry)
        return folder

    def trial(self, folder: _Folder) -> bool:
        """Whether it is the folder of one Harbor trial, whose inner files are its own record.

        There may be tens of thousands of them: one that holds what comes in bundles is not listed, only asked for it.
        """
        if folder.is_trial is None:
            named = _TRIAL_NAME.search(folder.name) is not None
            folder.is_trial = named and (self._holds_members(folder) or self._listed_trial(folder))
        return folder.is_trial

    def _holds_members(self, folder: _Folder) -> bool:
        if self.exclude or folder.loaded or folder.linked or not self.looked_up:
            return False
        found = []
        for name in self.looked_up:
            try:
                state = os.lstat(f"{folder.location}{os.sep}{name}")
            except OSError:
                return False
            if not stat.S_ISREG(state.st_mode):
                return False
            found.append(_Member(name, state.st_size, _stamp(state)))
        folder.members = tuple(found)
        return not os.path.lexists(f"{folder.location}{os.sep}{RUN_FILE}")

    def _listed_trial(self, folder: _Folder) -> bool:
        self.load(folder)
        if folder.declared or not folder.like_trial:
            folder.members = ()
            return False
        files = [file for file in folder.files if self.bundled(file.name.lower())]
        folder.members = tuple(_Member(file.name, *self.stat(file)) for file in files)
        folder.files, folder.folders = [], []  # the trial's own record: never asked for again
        return True

    def source(self, file: _File) -> SourceFile:
        """The file as readers see it; its head is read when a reader names it, and kept until `forget`."""
        known = self.sources.get(file.path)
        if known is None:
            size, stamp = self.stat(file)
            head = self.head(file.entry.path, file.path) if size and self.opened(file.name) else b""
            known = self.sources[file.path] = SourceFile(
                path=file.path,
                location=Path(file.entry.path),
                size=size,
                head=head,
                fingerprint=f"{stamp}-{zlib.crc32(head):x}",
            )
        return known

    def forget(self) -> None:
        """Lets go of the heads read so far: the folder they were read for is done with."""
        self.sources.clear()

    def stat(self, file: _File) -> tuple[int, str]:
        """Size and a stamp that changes with the content."""
        try:
            state = file.entry.stat()
        except OSError as error:
            self.note("scan.unreadable-file", file.path, reason=error.strerror or "unknown")
            return 0, ""
        return state.st_size, _stamp(state)

    def note(self, kind: str, path: str, **values: object) -> None:
        """Records a problem."""
        self.problems.append(problem(kind, path, None, **values))

    def head(self, location: str, path: str) -> bytes:
        """The file's first bytes; none of one that cannot be read."""
        try:
            with open(location, "rb", buffering=0) as stream:  # noqa: PTH123 - Path costs more than the open itself
                return stream.read(HEAD_BYTES)
        except OSError as error:
            self.note("scan.unreadable-file", path, reason=error.strerror or "unknown")
            return b""

    def _add(self, folder: _Folder, entry: os.DirEntry[str]) -> None:
        name = _printable(entry.name)
        path = f"{folder.path}/{name}" if folder.path else name
        if self.exclude and _matches(path, self.exclude):
            return
        linked = folder.linked
        try:
            if entry.is_symlink():
                if not self._follow(entry, path):
                    return
                linked = True
            if entry.is_dir():
                if name == RUN_FILE:
                    self.note("scan.not-a-file", path)
                self._add_folder(folder, _Folder(path, entry.path, linked))
            elif entry.is_file():
                folder.files.append(_File(name, path, entry))
            elif name == RUN_FILE or self.opened(name):
                self.note("scan.not-a-file", path)
        except OSError as error:
            self.note("scan.unreadable-file", path, reason=error.strerror or "unknown")

    def _add_folder(self, parent: _Folder, folder: _Folder) -> None:
        if self.output is not None and os.path.realpath(folder.location) == self.output:
            return
        if folder.linked:
            real = os.path.realpath(folder.location)
            if real in self.followed:
                return
            self.followed.add(real)
        parent.folders.append(folder)

    def _follow(self, entry: os.DirEntry[str], path: str) -> bool:
        """Whether a link is followed: into the archive, and only to what is not read under its own name."""
        real = os.path.realpath(entry.path)
        if not os.path.exists(real):  # noqa: PTH110 - a text is at hand
            self.note("scan.link-broken", path)
            return False
        if real != self.real_root and not real.startswith(self.real_root.rstrip(os.sep) + os.sep):
            self.note("scan.link-outside", path)
            return False
        parts = Path(os.path.relpath(real, self.real_root)).parts
        if self.exclude and _matches("/".join(parts), self.exclude):
            return False
        if self.output is not None and (real == self.output or real.startswith(self.output + os.sep)):
            return False
        hidden = any(part.startswith(".") and part != "." for part in parts)
        if os.path.isdir(real):  # noqa: PTH112
            return hidden
        if real in self.followed or (not hidden and self.opened(parts[-1])):
            return False
        self.followed.add(real)
        return True


def _stamp(state: os.stat_result) -> str:
    return f"{state.st_size:x}-{state.st_mtime_ns:x}-{state.st_ctime_ns:x}"


def _printable(name: str) -> str:
    """The name with bytes that are no text, control and direction characters written out."""
    if name.isascii() and name.isprintable():
        return name
    return _UNPRINTABLE.sub(_escaped, name)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as Python keeps it
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _opened(readers: Sequence[Reader]) -> Callable[[str], bool]:
    """A test of whether a file of a name may be opened."""
    named = _names(tuple(pattern for reader in readers for pattern in reader.names))

    def opened(name: str) -> bool:
        lowered = name.lower()
        return named(lowered) and not lowered.endswith(_NEVER_OPENED)

    return opened


_COMPILED: dict[tuple[str, ...], Callable[[str], bool]] = {}


def _names(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """A test of lower-cased names against patterns, remembered by name: trial folders repeat the same few."""
    if patterns not in _COMPILED:
        expression = re.compile("|".join(translate(pattern) for pattern in patterns) or r"(?!)")
        known: dict[str, bool] = {}

        def matches(lowered: str) -> bool:
            found = known.get(lowered)
            if found is None:
                if len(known) > 10_000:
                    known.clear()
                found = known[lowered] = expression.match(lowered) is not None
            return found

        _COMPILED[patterns] = matches
    return _COMPILED[patterns]


def _matches(path: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(path, glob.rstrip("/")) for glob in globs)


# Runs ----------------------------------------------------------------------------------------------------------------


def _discover(tree: _Tree) -> Iterator[RunFolder]:
    """Every run, outermost first; inside a run only folders with a `run.toml` are runs of their own."""
    too_deep: list[str] = []
    found: set[str] = set()
    bare: dict[str, list[_Folder]] = {}
    pending: list[tuple[_Folder, int]] = [(tree.root, 0)]
    while pending:
        folder, depth = pending.pop()
        tree.load(folder)
        if folder.declared or _has_evidence(tree, folder):
            files, inner = _collect(tree, folder)
            runs, absorbed = _split(tree, folder, files, inner)
            found.update(run.path for run in runs)
            yield from runs
            tree.forget()
            pending.extend((child, depth) for child in inner if child not in absorbed)
            continue
        if _traces(tree, folder):
            bare.setdefault(_whole(folder.path), []).append(folder)
        tree.forget()
        if depth < MAX_DEPTH:
            pending.extend((child, depth + 1) for child in reversed(folder.folders))
        elif folder.folders:
            too_deep.append(folder.path)
    _note_bare(tree, bare, found)
    if too_deep:
        tree.note("scan.too-deep", ".", depth=MAX_DEPTH, count=len(too_deep), first=min(too_deep))


def _traces(tree: _Tree, folder: _Folder) -> list[str]:
    """The folder's files that lie in runs only, by name."""
    named = [file for file in folder.files if tree.tracing(file.name.lower())]
    readers = [(file.name, claimant(tree.source(file), tree.readers)) for file in named]
    return [name for name, reader in readers if reader is not None and reader.trace]


def _whole(path: str) -> str:
    """The folder whose part it is: exports and checkpoints lie in their run's folder."""
    return _PART_OF_RUN.split(path, maxsplit=1)[0] or "."


def _note_bare(tree: _Tree, bare: Mapping[str, Sequence[_Folder]], runs: Iterable[str]) -> None:
    """Names the folders that have traces of a run and no evidence, unless runs lie in them, and what else they hold."""
    from sitegen.readers.known_files import reason_for

    above = {"/".join(parts[:end]) for parts in (run.split("/") for run in runs) for end in range(1, len(parts) + 1)}
    for path, folders in bare.items():
        if path in above or (path == "." and above):
            continue
        traces = [name for folder in folders for name in _traces(tree, folder)]
        tree.note("scan.no-evidence", path, names=_listed(traces))
        unread: dict[Text, list[str]] = {}
        for source in (tree.source(file) for folder in folders for file in folder.files):
            if claimant(source, tree.readers) is None:
                unread.setdefault(reason_for(source, tree.readers), []).append(source.name)
        for reason, names in unread.items():
            tree.note("scan.unread", path, count=len(names), names=_listed(names), reason=reason)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")


def _has_evidence(tree: _Tree, folder: _Folder) -> bool:
    own = _child(tree, folder, folder.name) if folder.path else None
    flat = [folder, *(_child(tree, folder, name) for name in EVIDENCE_FOLDERS)]
    if _WANDB_RUN.match(folder.name):
        flat.append(_child(tree, folder, "files"))
    flat += [tree.load(child) for child in folder.folders if _PARTS.fullmatch(child.name)]
    events = _child(tree, folder, "runs")
    flat += [tree.load(child) for child in events.folders if _HF_EVENTS.match(child.name)] if events else []
    deep = [_child(tree, folder, name) for name in EVIDENCE_TREES]
    deep.append(_child(tree, own, "trace_jobs") if own is not None else None)
    return any(_evidence_here(tree, place) for place in flat if place is not None) or any(
        _evidence_below(tree, place) for place in deep if place is not None
    )


def _child(tree: _Tree, folder: _Folder, path: str) -> _Folder | None:
    """The sub-folder at a relative path, listed; None when there is none."""
    found: _Folder | None = folder
    for part in path.split("/"):
        found = next((child for child in tree.load(found).folders if child.name == part), None) if found else None
    return tree.load(found) if found is not None else None


def _evidence_here(tree: _Tree, folder: _Folder) -> bool:
    if any(file.name in MARKERS for file in folder.files):
        return True
    return any(
        _is_evidence(tree, tree.source(file)) for file in folder.files if tree.evidential(file.name.lower())
    ) or any(bundle.members and _is_evidence(tree, bundle) for bundle in _bundles(tree, folder))


def _evidence_below(tree: _Tree, folder: _Folder) -> bool:
    pending = [folder]
    while pending:
        place = tree.load(pending.pop())
        if _evidence_here(tree, place):
            return True
        pending.extend(child for child in place.folders if not tree.trial(child))
    return False


def _is_evidence(tree: _Tree, source: SourceFile) -> bool:
    reader = claimant(source, tree.readers)
    return reader is not None and reader.evidence


def _collect(tree: _Tree, folder: _Folder) -> tuple[list[SourceFile], list[_Folder]]:
    """All files of a run's subtree, and the folders in it that are runs of their own.

    Of a trial's folder only what comes in bundles is listed: the rest is the trial's own record, often thousands
    of files, and no page shows it.
    """
    files: list[SourceFile] = []
    inner: list[_Folder] = []
    pending = [folder]
    while pending:
        place = tree.load(pending.pop())
        files.extend(tree.source(file) for file in place.files)
        files.extend(_bundles(tree, place))
        for child in place.folders:
            if tree.trial(child):
                continue
            if tree.load(child).declared:
                inner.append(child)
            else:
                pending.append(child)
    return files, inner


def _bundles(tree: _Tree, folder: _Folder) -> list[SourceFile]:
    """The files of the folder's trials that come as one source each, by file name."""
    if folder.bundles is None:
        trials = [child for child in folder.folders if tree.trial(child)]
        names = {member.name for child in trials for member in child.members}
        if trials:
            names.update(name for name in tree.looked_up if name not in {known.lower() for known in names})
        folder.bundles = [_bundle(tree, folder, name, trials) for name in sorted(names)]
    return folder.bundles


def _bundle(tree: _Tree, folder: _Folder, name: str, trials: list[_Folder]) -> SourceFile:
    """The files of one name, and the trials that lack it; both in path order."""
    start = len(folder.location.rstrip(os.sep)) + 1
    members: list[str] = []
    absent: list[str] = []
    talks: list[str] = []
    digest = hashlib.sha256()
    total = 0
    for child in trials:
        inner = child.location[start:].replace(os.sep, "/")
        found = next((member for member in child.members if member.name == name), None)
        if found is None:
            absent.append(inner)
        else:
            members.append(f"{inner}/{name}")
            total += found.size
        digest.update(f"{child.path}\0{found.stamp if found else ''}\n".encode())
        for below, talk in _trajectories(child, tree) if name == _RESULT else ():
            talks.append(f"{inner}{below}")
            digest.update(f"\0{below}{talk}\n".encode())
    above = f"{folder.path}/" if folder.path else ""
    return SourceFile(
        path=f"{above}*/{name}",
        location=Path(folder.location),
        size=total,
        fingerprint=digest.hexdigest(),
        members=tuple(sorted(members)),
        absent=tuple(sorted(absent)),
        trajectories=tuple(sorted(talks)),
    )


def _trajectories(trial: _Folder, tree: _Tree) -> Iterator[tuple[str, str]]:
    """Where in a trial's folder trajectories lie, with their stamps: its own (empty), then those of its steps."""
    for below in ("", *_steps(trial, tree)):
        stamp = _trajectory_stamp(f"{trial.location}{below.replace('/', os.sep)}", f"{trial.path}{below}", tree)
        if stamp is not None:
            yield below, stamp


def _steps(trial: _Folder, tree: _Tree) -> list[str]:
    """The folders of a trial's steps, below its own, in the order of their names."""
    place = f"{trial.location}{os.sep}{_STEPS}"
    try:
        with os.scandir(place) as listing:
            found = sorted(entry.name for entry in listing if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
    if os.path.islink(place):  # noqa: PTH114 - a text is at hand
        return []
    below = [f"/{_STEPS}/{name}" for name in found if name.isprintable()]
    outside = {
        name for name in (f"/{_STEPS}", *below) if tree.exclude and _matches(f"{trial.path}{name}", tree.exclude)
    }
    return [] if f"/{_STEPS}" in outside else [name for name in below if name not in outside]


def _trajectory_stamp(location: str, path: str, tree: _Tree) -> str | None:
    """A stamp of the trajectory in a folder; None without one, and for one that is a link or lies behind one."""
    agent, name = _TRAJECTORY
    place = f"{location}{os.sep}{agent}"
    try:
        state = os.lstat(f"{place}{os.sep}{name}")
    except OSError:
        return None
    if not stat.S_ISREG(state.st_mode) or os.path.islink(place):  # noqa: PTH114 - a text is at hand
        return None
    if tree.exclude and any(_matches(f"{path}/{part}", tree.exclude) for part in (agent, f"{agent}/{name}")):
        return None
    return _stamp(state)


# Whose files ---------------------------------------------------------------------------------------------------------


def _split(
    tree: _Tree, folder: _Folder, files: list[SourceFile], inner: list[_Folder]
) -> tuple[list[RunFolder], list[_Folder]]:
    """The runs that share a folder, and the inner run folders that were joined to one of them."""
    names = [] if folder.declared else _log_names(tree, folder, files)
    joined = [child for child in inner if child.name in names and _parent(child.path) == folder.path]
    if len(names) < 2 and not joined:
        return [_run_folder(tree, folder.path, folder, files)], []
    for child in joined:
        files = files + _collect(tree, child)[0]
    mine: dict[str, list[SourceFile]] = {name: [] for name in names}
    shared: list[SourceFile] = []
    loose: list[SourceFile] = []
    for source in files:
        owner = _owner(source.path.removeprefix(f"{folder.path}/"), names)
        if owner is not None:
            mine[owner].append(source)
        else:
            (loose if _is_evidence(tree, source) else shared).append(source)
    if len(names) == 1:
        mine[names[0]] += loose
        loose = []
    runs = [_shared_run(tree, folder, name, mine[name] + shared) for name in names]
    if loose:
        tree.note("scan.shared-evidence", folder.path or ".", names=", ".join(names))
        runs.append(_run_folder(tree, folder.path, folder, loose + shared))
    return runs, joined


def _log_names(tree: _Tree, folder: _Folder, files: list[SourceFile]) -> list[str]:
    """The different `<run>` of the folder's logs `<run>_<job>`."""
    places = {folder.path, *(f"{folder.path}/{name}".lstrip("/") for name in LOG_FOLDERS)}
    names: set[str] = set()
    for source in files:
        match = _JOB_LOG.match(source.name) if _parent(source.path) in places else None
        if match and match["run"] not in names and _is_evidence(tree, source):
            names.add(match["run"])
    return sorted(names)


def _owner(path: str, names: Sequence[str]) -> str | None:
    """The run a file belongs to: by the folder it lies in, else by how its name begins; the longest name wins."""
    parts = path.split("/")
    for name in sorted(names, key=len, reverse=True):
        if name in parts[:-1] or re.match(rf"{re.escape(name)}(?![A-Za-z0-9])", parts[-1]):
            return name
    return None


def _shared_run(tree: _Tree, folder: _Folder, name: str, files: list[SourceFile]) -> RunFolder:
    own = next((child for child in folder.folders if child.name == name), folder)
    return _run_folder(tree, f"{folder.path}/{name}" if folder.path else name, own, files)


def _run_folder(tree: _Tree, path: str, folder: _Folder, files: list[SourceFile]) -> RunFolder:
    name = path.rsplit("/", 1)[-1] if path else _printable(Path(tree.real_root).name or "archive")
    return RunFolder(
        path=path or ".",
        name=name,
        location=Path(folder.location),
        files=tuple(replace(source, head=b"") for source in sorted(files, key=lambda source: source.path)),
    )


def _parent(path: str) -> str:
    return path.rsplit("/", 1)[0] if "/" in path else ""


def _shared_out(
    problems: Sequence[Problem], runs: Sequence[RunFolder]
) -> tuple[dict[str, tuple[Problem, ...]], tuple[Problem, ...]]:
    """Each problem to the innermost run it lies in, and the rest."""
    paths = {run.path for run in runs}
    inside: dict[str, tuple[Problem, ...]] = {}
    outside: list[Problem] = []
    for found in sorted(problems, key=lambda item: (item.path, item.kind)):
        place = found.path
        while place not in paths and place not in {"", "."}:
            place = _parent(place)
        place = place or "."
        if place in paths:
            inside[place] = (*inside.get(place, ()), found)
        else:
            outside.append(found)
    return inside, tuple(outside)
