"""Sending a site to the model hub: a static Space of its own, or a folder of a model or data set repository.

Several commits, each of which leaves a place that the next run can go on from: the first brings the manifest of all
that was and will be ours, then come the files that pages load, the pages, what goes, and the final manifest. What is
there already is known by the hub's own hashes and not sent again.

Source: huggingface_hub 2.4 `hf_api.py` (`create_commit`, `list_repo_tree`), hub-docs `storage-limits.md` (files per
commit), `spaces-overview.md`.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sitegen.errors import OutputError
from sitegen.publish.hub_client import HubError, client, hub_errors
from sitegen.publish.hub_space import README, space_readme
from sitegen.publish.parcel import (
    LocalFile,
    Parcel,
    Plan,
    Sent,
    There,
    in_order,
    local_file,
    mark,
    parse_manifest,
    plan_for,
    refuse_foreign,
    shown_names,
)
from sitegen.write import MANIFEST

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

RepoType = Literal["space", "model", "dataset"]
FILES_PER_COMMIT = 90
"""The hub advises fewer than 100."""
BYTES_PER_COMMIT = 40_000_000
"""Small files travel inside the commit's request."""
LARGE = 5_000_000
"""Bytes from which on a file is read once more when it is sent, instead of being kept in memory."""
_INITIAL = frozenset({".gitattributes", README, "index.html", "style.css"})
"""What the hub itself puts into a new Space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubOptions:
    """Which repository, and how."""

    repo: str
    """`ORG/NAME`."""
    repo_type: RepoType = "space"
    """A Space is made when it is missing; the others must be there."""
    folder: str = ""
    """Folder in the repository, without slashes at its ends; empty for its root."""
    public: bool = False
    """Whether a Space that is made can be seen by everybody."""
    models: tuple[str, ...] = ()
    """Model repositories that a Space links to, besides those of the runs' pages."""


class HubRepo:
    """A repository of the hub that gets the site."""

    def __init__(self, parcel: Parcel, options: HubOptions) -> None:
        """For the files of a parcel.

        Raises:
            HubError: there is no token.
        """
        self._options = options
        self._where = options.repo + (f"/{options.folder}" if options.folder else "")
        self._prefix = f"{options.folder}/" if options.folder else ""
        self._files: Mapping[str, LocalFile] = parcel.files
        self._api = client(writing=True)
        self._info: Any = None
        self._made = False
        self._edited: str | None = None

    def plan(self) -> Plan:
        """What has to change there; changes nothing.

        Raises:
            OutputError: the place is not ours, or something in it is in the way.
            HubError: the hub refuses, or is not reached.
        """
        with hub_errors(self._where):
            there, lfs = self._there()
        refuse_foreign(there, self._where, self._instead())

        def name(path: str, file: LocalFile) -> str:
            return file.sha256 if path in lfs else file.sha1

        return plan_for(self._wanted(), there, name, self._where, self._kept())

    def notes(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Who will see it, and what is kept as somebody wrote it."""
        made = self._info is None
        private = not self._options.public if made else bool(self._info.private)
        seen = "private" if private else "public"
        notes = [(f"publish.{'makes' if made else 'is'}-{seen}", {"where": self._options.repo})]
        if self._edited is not None:
            notes.append(("publish.readme-kept", {"where": self._options.repo}))
        return tuple(notes)

    def send(self, sent: Sent) -> None:
        """Makes the Space when it is missing, commits what has to change, and looks whether it is there.

        Raises:
            OutputError: the place is not ours.
            HubError: the hub refuses, or is not reached; what was sent stays and is not sent again.
        """
        if self._info is None:
            with hub_errors(self._options.repo):
                self._api.create_repo(
                    self._options.repo, repo_type="space", space_sdk="static", private=not self._options.public
                )
            self._made = True
        plan = self.plan()
        wanted = [change.path for change in (*plan.added, *plan.changed)]
        gone = [change.path for change in plan.removed]
        done: list[str] = []

        def progress() -> str:
            return f"; {len(done)} of {len(wanted)} files were sent and are not sent again" if done else ""

        with hub_errors(self._where, progress):
            for batch in self._batches(wanted, gone):
                self._commit(batch)
                done += [path for path in batch if path in self._wanted()]
                sent(len(done), len(wanted))
        self._check()

    def addresses(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Where it can be seen, as the hub tells."""
        with hub_errors(self._where):
            info: Any = self._api.repo_info(self._options.repo, repo_type=self._options.repo_type)
        kind = {"space": "spaces/", "dataset": "datasets/", "model": ""}[self._options.repo_type]
        page = f"{self._api.endpoint}/{kind}{info.id}"
        if self._options.repo_type != "space":
            return (("publish.hub-folder", {"address": f"{page}/tree/main/{self._options.folder}".rstrip("/")}),)
        host = info.host or ""
        if not host:
            return (("publish.space-page", {"address": page}), ("publish.no-host", {}))
        return (
            ("publish.space-page", {"address": page}),
            ("publish.space-site", {"address": f"{host.rstrip('/')}/index.html"}),
        )

    # What lies there ----------------------------------------------------------------------------------------------

    def _there(self) -> tuple[There, frozenset[str]]:
        """What the place holds, and which of it the hub knows by SHA-256."""
        from huggingface_hub import RepoFile
        from huggingface_hub.errors import RemoteEntryNotFoundError, RevisionNotFoundError

        self._info = self._repo_info()
        files: list[RepoFile] = []
        if self._info is not None and self._info.sha is not None:
            try:
                listed = self._api.list_repo_tree(
                    self._options.repo,
                    self._options.folder or None,
                    recursive=True,
                    revision=self._info.sha,
                    repo_type=self._options.repo_type,
                )
                files = [item for item in listed if isinstance(item, RepoFile)]
            except (RemoteEntryNotFoundError, RevisionNotFoundError):
                files = []
        by_path = {file.path.removeprefix(self._prefix): file for file in files}
        there = There(
            ids={path: file.lfs.sha256 if file.lfs else file.blob_id for path, file in by_path.items()},
            sizes={path: file.size for path, file in by_path.items()},
            ours=self._ours(by_path),
        )
        self._edited = self._edited_readme(there)
        return there, frozenset(path for path, file in by_path.items() if file.lfs)

    def _repo_info(self) -> Any:
        """What the hub knows of the repository; None when a Space is still to be made."""
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

        try:
            return self._api.repo_info(self._options.repo, repo_type=self._options.repo_type)
        except GatedRepoError:
            raise
        except RepositoryNotFoundError:
            if self._options.repo_type != "space":
                raise
        self._api.whoami()  # a token that the hub does not know sees nothing either
        return None

    def _ours(self, by_path: Mapping[str, Any]) -> Mapping[str, str] | None:
        if MANIFEST in by_path:
            return parse_manifest(self._download(MANIFEST), self._where)
        fresh = self._options.repo_type == "space" and not self._prefix and by_path.keys() <= _INITIAL
        if by_path and fresh and (self._made or self._is_new()):
            return dict.fromkeys(by_path.keys() - {".gitattributes"}, "")
        return None

    def _is_new(self) -> bool:
        """Whether nobody has changed the Space since the hub made it."""
        return len(self._api.list_repo_commits(self._options.repo, repo_type="space")) <= 1

    def _edited_readme(self, there: There) -> str | None:
        """The hash of the README that we published, when somebody has changed it since."""
        recorded = (there.ours or {}).get(README)
        if self._options.repo_type != "space" or self._prefix or not recorded or README not in there.ids:
            return None
        return recorded if hashlib.sha256(self._download(README)).hexdigest() != recorded else None

    def _download(self, path: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="sitegen-publish-") as folder:
            place = self._api.hf_hub_download(
                self._options.repo,
                self._prefix + path,
                repo_type=self._options.repo_type,
                revision=self._info.sha,
                local_dir=folder,
            )
            return Path(place).read_bytes()

    def _instead(self) -> str:
        if self._options.repo_type == "space":
            return "give the name of a new Space, or delete this one there"
        return "give another folder with --path-in-repo"

    # What is sent -------------------------------------------------------------------------------------------------

    def _wanted(self) -> Mapping[str, LocalFile]:
        """The files that are to lie there: the site's, and a Space's README unless somebody has changed it."""
        if self._options.repo_type != "space" or self._prefix:
            return self._files
        if self._edited is not None:
            return {path: file for path, file in self._files.items() if path != README}
        return {**self._files, README: local_file(space_readme(self._files, self._options.models))}

    def _kept(self) -> Mapping[str, str]:
        return {README: self._edited} if self._edited is not None else {}

    def _manifest(self, more: Sequence[str] = ()) -> LocalFile:
        return mark(self._wanted(), {**self._kept(), **dict.fromkeys(more, "")})

    def _batches(self, wanted: Sequence[str], gone: Sequence[str]) -> Iterator[dict[str, LocalFile | None]]:
        """The files of each commit, None for one that goes; the last brings the final manifest."""
        files = self._wanted()
        order = sorted(in_order(wanted), key=lambda path: path != README)  # beside the first manifest, which names it
        steps: list[tuple[str, LocalFile | None]] = [(path, files[path]) for path in order]
        steps += [(path, None) for path in gone]
        batch: dict[str, LocalFile | None] = {}
        size, first = 0, True
        for path, file in steps:
            length = file.size if file is not None else 0
            if batch and (len(batch) >= FILES_PER_COMMIT or size + length > BYTES_PER_COMMIT):
                if first:
                    batch[MANIFEST] = self._manifest(gone)
                yield batch
                batch, size, first = {}, 0, False
            batch[path] = file
            size += length
        yield {**batch, MANIFEST: self._manifest()}

    def _commit(self, batch: Mapping[str, LocalFile | None]) -> None:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the client's own, about itself
            done = self._api.create_commit(
                self._options.repo,
                [_operation(self._prefix + path, file) for path, file in batch.items()],
                commit_message=_message(batch),
                repo_type=self._options.repo_type,
                parent_commit=self._info.sha,
            )
        self._info.sha = done.oid

    def _check(self) -> None:
        """Looks whether everything arrived: a `.gitignore` there leaves files out without a word.

        Raises:
            OutputError: something did not.
        """
        with hub_errors(self._where):
            there, _ = self._there()
        missing = [path for path in (*self._wanted(), MANIFEST) if path not in there.ids]
        if missing:
            raise OutputError(
                f"{self._where}: {shown_names(missing)}: did not arrive; a .gitignore there may leave them out, mend it"
            )


def check_folder(folder: str, repo_type: str) -> str:
    """The folder in a repository, without slashes at its ends.

    Raises:
        HubError: it leaves the repository, or is missing where the site must not take the root.
    """
    parts = folder.strip("/").split("/") if folder.strip("/") else []
    if any(part in ("", ".", "..") for part in parts) or "\\" in folder or not folder.isprintable():
        raise HubError(f"--path-in-repo {folder}: is no folder inside a repository")
    if repo_type != "space" and not parts:
        raise HubError(f"a {repo_type} repository needs a folder for the site; give one with --path-in-repo training")
    if repo_type == "space" and parts:
        raise HubError("a Space shows what lies at its root; leave --path-in-repo out")
    return "/".join(parts)


def _operation(path: str, file: LocalFile | None) -> CommitOperationAdd | CommitOperationDelete:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    if file is None:
        return CommitOperationDelete(path_in_repo=path, is_folder=False)
    content = file.read()
    return CommitOperationAdd(path_in_repo=path, path_or_fileobj=content if len(content) < LARGE else str(file.place))


def _message(batch: Mapping[str, LocalFile | None]) -> str:
    gone = sum(file is None for file in batch.values())
    return f"Publish the site: {len(batch) - gone - 1} files sent, {gone} removed"
