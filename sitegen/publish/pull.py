"""Fetching runs from the model hub: repositories become run folders of an archive.

What is there with the hub's own hash is not fetched again. `.sitegen-pull` in the archive (never scanned) remembers
what was fetched, so that a file which somebody changed here is kept, and holds files that are on their way: one takes
its place when it is whole and its hash is the one that the hub told. A run that was cut off is continued file by file.

Source: huggingface_hub 2.4 `hf_api.py` (`list_models`, `list_repo_tree`), `file_download.py` (`hf_hub_download`).
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from sitegen import exchange
from sitegen.errors import OutputError
from sitegen.publish.hub_client import HubError, client, hub_errors
from sitegen.publish.parcel import local_file, parents, shown_names
from sitegen.publish.pull_choice import RemoteFile, Skipped, choose, is_evidence
from sitegen.settings import RUN_FILE
from sitegen.text import Text, ui
from sitegen.write import MANIFEST

RepoType = Literal["model", "dataset"]
WORK = ".sitegen-pull"
"""Folder in the archive; its name begins with a dot, so that no build looks into it."""
_STATE = "state.json"
_STATE_SCHEMA = 1
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_OWNER = re.compile(r"[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullOptions:
    """What to fetch, and where to."""

    names: tuple[str, ...]
    """Owners (`ORG`) and repositories (`ORG/NAME`)."""
    to: Path
    """The archive."""
    match: str = "*"
    """Glob on the names of an owner's repositories."""
    repo_type: RepoType = "model"
    """What the names are names of."""
    largest: int = 200_000_000
    """Most bytes of one file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoPlan:
    """What fetching one repository does."""

    repo: str
    """`ORG/NAME`."""
    repo_type: RepoType
    """Kind of repository."""
    revision: str = ""
    """Commit that the files are of."""
    fetch: tuple[RemoteFile, ...] = ()
    """What is new or different, in path order."""
    unchanged: int = 0
    """Files that are here already."""
    skipped: tuple[Skipped, ...] = ()
    """What is not fetched."""
    problem: str | None = None
    """Why nothing of it can be fetched; None when it can."""

    @property
    def folder(self) -> str:
        """Name of its run folder."""
        return self.repo.partition("/")[2]


@dataclass(slots=True)
class _State:
    """What was fetched: repository to path to the hub's name of the content."""

    files: dict[str, dict[str, str]] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    """Folder, case ignored, to its repository."""


class Puller:
    """Fetches into one archive."""

    def __init__(self, options: PullOptions) -> None:
        """For an archive, which is made when something is fetched.

        Raises:
            OutputError: the folder cannot be an archive.
        """
        self._options = options
        self._to = options.to
        if (self._to / MANIFEST).exists():
            raise OutputError(f"{self._to}: is a site; give the folder of an archive with --to")
        if self._to.exists() and not self._to.is_dir():
            raise OutputError(f"{self._to}: is a file; give a folder with --to")
        self._api = client(writing=False)
        self._state = self._read_state()

    def plan(self) -> tuple[RepoPlan, ...]:
        """What there is to fetch, repository by repository; changes nothing.

        Raises:
            HubError: an owner or the hub itself is not found, or nothing matches.
        """
        plans: list[RepoPlan] = []
        owners = dict(self._state.folders)
        for repo in self._repos():
            planned = RepoPlan(repo=repo, repo_type=self._options.repo_type)
            owner = owners.setdefault(planned.folder.casefold(), repo)
            if owner != repo:
                text = f"{repo}: its folder {planned.folder} is already that of {owner}; give another folder with --to"
                plans.append(replace(planned, problem=text))
                continue
            try:
                with hub_errors(repo):
                    plans.append(self._plan_for(planned))
            except HubError as error:
                plans.append(replace(planned, problem=str(error)))
        return tuple(plans)

    def fetch(self, plans: Sequence[RepoPlan], done: Callable[[int, int], None]) -> tuple[str, ...]:
        """Fetches what the plans say; what went wrong, a line for each repository.

        Raises:
            OutputError: the disk refuses, or somebody else is fetching into the archive.
        """
        total = sum(len(plan.fetch) for plan in plans)
        left = any((self._to / WORK / name).exists() for name in ("lock", "partial"))
        if not total and not left:
            return tuple(plan.problem for plan in plans if plan.problem is not None)
        with self._alone():
            self._state = self._read_state()
            return self._fetch(plans, total, done)

    def _fetch(self, plans: Sequence[RepoPlan], total: int, done: Callable[[int, int], None]) -> tuple[str, ...]:
        count, failed = 0, [plan.problem for plan in plans if plan.problem is not None]
        for plan in plans:
            with self._remembering(plan):
                for file in plan.fetch:
                    try:
                        self._fetch_file(plan, file)
                    except HubError as error:
                        failed.append(str(error))
                        break
                    count += 1
                    done(count, total)
        if not failed:
            shutil.rmtree(self._to / WORK / "partial", ignore_errors=True)
        return tuple(failed)

    # What there is ------------------------------------------------------------------------------------------------

    def _repos(self) -> Iterator[str]:
        """The repositories that are asked for, each once, in the order of asking, those of an owner by name."""
        found: dict[str, None] = {}
        for name in self._options.names:
            if _REPO.fullmatch(name):
                found[name] = None
            elif _OWNER.fullmatch(name):
                found.update(dict.fromkeys(self._of_owner(name)))
            else:
                raise HubError(f"{name}: is neither an owner nor a repository; give ORG or ORG/NAME")
        return iter(found)

    def _of_owner(self, owner: str) -> list[str]:
        listing = self._api.list_models if self._options.repo_type == "model" else self._api.list_datasets
        with hub_errors(owner):
            listed = sorted(str(item.id) for item in listing(author=owner))
        known = [name for name in listed if _REPO.fullmatch(name)]
        matching = [name for name in known if fnmatchcase(name.partition("/")[2], self._options.match)]
        if not known:
            raise HubError(
                f"{owner}: has no {self._options.repo_type} repositories that you may see; check the name, or log in "
                "with: hf auth login"
            )
        if not matching:
            raise HubError(f"{owner}: nothing matches {self._options.match!r}; there are {shown_names(known)}")
        return matching

    def _plan_for(self, planned: RepoPlan) -> RepoPlan:
        from huggingface_hub import RepoFile

        info: Any = self._api.repo_info(planned.repo, repo_type=planned.repo_type)
        if info.sha is None:
            return planned
        listed = self._api.list_repo_tree(planned.repo, recursive=True, revision=info.sha, repo_type=planned.repo_type)
        files = [
            RemoteFile(path=item.path, size=item.size, id=item.lfs.sha256 if item.lfs else item.blob_id)
            for item in listed
            if isinstance(item, RepoFile)
        ]
        wanted, skipped = choose(files, self._options.largest)
        states = {file.path: self._here(planned, file) for file in wanted}
        kept = [file for file in wanted if states[file.path] == "edited"]
        blocked = [file for file in wanted if states[file.path] == "blocked"]
        more = [Skipped(path=file.path, size=file.size, reason=ui("pull.edited")) for file in kept]
        more += [Skipped(path=file.path, size=file.size, reason=ui("pull.blocked")) for file in blocked]
        return replace(
            planned,
            revision=info.sha,
            fetch=tuple(file for file in wanted if states[file.path] == "wanted"),
            unchanged=sum(state == "same" for state in states.values()),
            skipped=tuple(sorted((*skipped, *more), key=lambda item: item.path)),
        )

    def _here(self, plan: RepoPlan, file: RemoteFile) -> Literal["wanted", "same", "edited", "blocked"]:
        """How the file here stands to the one there."""
        root = self._to / plan.folder
        above = [root, *(root / folder for folder in parents(file.path))]
        place = root / file.path
        if any(folder.is_symlink() or (folder.exists() and not folder.is_dir()) for folder in above):
            return "blocked"
        if place.is_symlink() or (place.exists() and not place.is_file()):
            return "blocked"
        if not place.exists():
            return "wanted"
        ids = local_file(place.read_bytes())
        if file.id in (ids.sha1, ids.sha256):
            return "same"
        recorded = self._state.files.get(plan.repo, {}).get(file.path)
        return "wanted" if recorded in (ids.sha1, ids.sha256) else "edited"

    # What is fetched ----------------------------------------------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps others from fetching into the archive meanwhile."""
        place = self._to / WORK / "lock"
        with _disk_errors(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            handle = exchange.held(place)
        if handle is None:
            raise OutputError(f"{self._to}: somebody else is fetching into it; run the same command afterwards")
        with handle:
            try:
                yield
            finally:
                place.unlink(missing_ok=True)

    def _fetch_file(self, plan: RepoPlan, file: RemoteFile) -> None:
        partial = self._to / WORK / "partial" / plan.repo.replace("/", "--")
        with hub_errors(f"{plan.repo}/{file.path}"):
            fetched = Path(
                self._api.hf_hub_download(
                    plan.repo, file.path, repo_type=plan.repo_type, revision=plan.revision, local_dir=partial
                )
            )
            ids = local_file(fetched.read_bytes())
        if file.id not in (ids.sha1, ids.sha256):
            fetched.unlink()
            raise HubError(f"{plan.repo}/{file.path}: what came is not what the hub listed; run the same command again")
        place = self._to / plan.folder / file.path
        with _disk_errors(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            fetched.replace(place)
        self._state.files.setdefault(plan.repo, {})[file.path] = file.id

    @contextmanager
    def _remembering(self, plan: RepoPlan) -> Iterator[None]:
        """Writes down what of a repository is here, however fetching it ends."""
        try:
            yield
            if plan.fetch:
                self._link_back(plan)
        finally:
            if self._state.files.get(plan.repo):
                self._state.folders[plan.folder.casefold()] = plan.repo
                self._write_state()

    def _link_back(self, plan: RepoPlan) -> None:
        """Gives a new run a `run.toml` that links its repository, unless it has one."""
        place = self._to / plan.folder / RUN_FILE
        fetched = self._state.files.get(plan.repo, {})
        if place.exists() or RUN_FILE in fetched or not any(is_evidence(path) for path in fetched):
            return
        kind, label = ("datasets/", "Dataset") if plan.repo_type == "dataset" else ("", "Model")
        link = f'{label} = "{self._api.endpoint}/{kind}{plan.repo}"'
        text = f"# Written by sitegen pull; it is yours to change.\n[links]\n{link}\n"
        with _disk_errors(place):
            place.write_text(text, encoding="utf-8", newline="\n")

    def _read_state(self) -> _State:
        """What earlier runs remembered; nothing where that cannot be read, so that files here count as changed."""
        try:
            found = json.loads((self._to / WORK / _STATE).read_bytes())
            repos = found["repos"] if found["schema"] == _STATE_SCHEMA else {}
            files = {str(repo): {str(path): str(name) for path, name in known.items()} for repo, known in repos.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return _State()
        return _State(files=files, folders={repo.partition("/")[2].casefold(): repo for repo in files})

    def _write_state(self) -> None:
        place = self._to / WORK / _STATE
        content: Mapping[str, Any] = {"schema": _STATE_SCHEMA, "repos": self._state.files}
        partial = place.with_suffix(".partial")
        with _disk_errors(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
            partial.write_text(text, encoding="utf-8")
            partial.replace(place)


@contextmanager
def _disk_errors(place: Path) -> Iterator[None]:
    """Turns what the disk refuses into one line."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{place}: cannot be written: {error.strerror}; when that is mended, run the same command to go on"
        ) from None


def by_reason(skipped: Sequence[Skipped]) -> tuple[tuple[Text, tuple[Skipped, ...]], ...]:
    """Skipped files by reason, the largest amount first."""
    groups: dict[Text, list[Skipped]] = {}
    for item in skipped:
        groups.setdefault(item.reason, []).append(item)
    ordered = sorted(groups.items(), key=lambda group: (-sum(item.size for item in group[1]), group[0].en))
    return tuple((reason, tuple(items)) for reason, items in ordered)
