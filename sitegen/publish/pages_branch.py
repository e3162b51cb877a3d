"""Sending a site to a branch of a git remote, as GitHub Pages and others serve it: one commit per publication."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from sitegen.errors import OutputError, SitegenError
from sitegen.publish.git_work import Git, GitError, explained, without_secrets
from sitegen.publish.parcel import (
    LocalFile,
    Parcel,
    Plan,
    Sent,
    There,
    local_file,
    mark,
    parse_manifest,
    plan_for,
    refuse_foreign,
)
from sitegen.write import MANIFEST

NO_JEKYLL = ".nojekyll"
"""Without this file GitHub Pages leaves out what begins with an underscore."""
_FILE, _REMOVED = "100644", "0" * 40
_OURS = ("-c", "user.name=sitegen", "-c", "user.email=sitegen@localhost")
"""Who commits where git knows nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchOptions:
    """Which branch, and how."""

    remote: str = "origin"
    """Name of a remote of the repository one is in, or an address."""
    branch: str = "gh-pages"
    """The branch that is served."""
    orphan: bool = False
    """Whether the branch keeps no history but the last publication."""


class PagesBranch:
    """A branch that gets the site; a context manager that holds a temporary repository."""

    def __init__(self, parcel: Parcel, options: BranchOptions, folder: Path) -> None:
        """For the files of a parcel; `folder` may lie in the repository that knows the remote.

        Raises:
            SitegenError: the name is none of a branch.
        """
        self._files: Mapping[str, LocalFile] = {NO_JEKYLL: local_file(b""), **parcel.files}
        self._options = options
        self._folder = folder
        self._head: str | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        """Makes the temporary repository and finds the remote.

        Raises:
            SitegenError: there is no git, no such remote, or the name is none of a branch.
        """
        users = Git(self._folder)
        self._ref = f"refs/heads/{self._options.branch}"
        self._url = self._address(users)
        self._where = f"branch {self._options.branch} of {without_secrets(self._url)}"
        self._temporary = tempfile.TemporaryDirectory(prefix="sitegen-publish-")
        self._git = Git(Path(self._temporary.name), users.reaching())
        try:
            self._git.run("init", "--quiet", "--bare", "--template=")
            self._git.run("check-ref-format", self._ref)
        except GitError:
            self.__exit__(None, None, None)
            raise SitegenError(f"--branch {self._options.branch}: is no name for a branch") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the temporary repository."""
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def plan(self) -> Plan:
        """What a commit has to change.

        Raises:
            OutputError: the branch is not ours, or something in it is in the way.
            SitegenError: the remote cannot be reached.
        """
        try:
            there = self._there()
        except GitError as error:
            raise SitegenError(f"{self._where}: {explained(error)}") from None
        refuse_foreign(there, self._where, "give another with --branch, or delete it there")
        plan = plan_for(self._files, there, lambda _, file: file.sha1, self._where)
        if self._options.orphan and self._head is not None and self._has_history(self._head):
            return replace(plan, marked=False)
        return plan

    def notes(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Whether the branch is made or loses its history."""
        if self._head is None:
            return (("publish.new-branch", {"where": self._where}),)
        if self._options.orphan and self._has_history(self._head):
            return (("publish.history-goes", {"where": self._where}),)
        return ()

    def send(self, sent: Sent) -> None:
        """Makes one commit and pushes it.

        Raises:
            SitegenError: the remote refuses.
        """
        plan = self.plan()
        try:
            commit = self._commit(plan)
            self._push(commit)
        except GitError as error:
            raise SitegenError(f"{self._where}: not published: {explained(error)}") from None
        self._head = commit
        count = len(plan.added) + len(plan.changed)
        sent(count, count)

    def addresses(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """The commit that the branch is at."""
        return (("publish.pushed", {"where": self._where, "commit": (self._head or "")[:10]}),)

    def _address(self, users: Git) -> str:
        """The address of the remote; a path in full, because git runs elsewhere."""
        remote = self._options.remote
        if remote.startswith("-"):
            raise SitegenError(f"--remote {remote}: is neither a remote nor an address")
        try:
            url, base = users.text("remote", "get-url", "--push", "--", remote), users.text("rev-parse", "--git-dir")
            root = (self._folder / base).resolve()
            root = root.parent if root.name == ".git" else root
        except GitError:
            if not any(char in remote for char in ":/\\") and not (self._folder / remote).exists():
                raise SitegenError(
                    f"{self._folder}: no git repository with a remote {without_secrets(remote)!r}; "
                    "go into the repository, or give the address with --remote"
                ) from None
            url, root = remote, self._folder
        local = root / url
        return str(local.resolve()) if "://" not in url and local.exists() else url

    def _there(self) -> There:
        listed = self._git.text("ls-remote", "--", self._url, self._ref)
        self._head = listed.split("\t")[0] if listed else None
        if self._head is None:
            return There(ids={}, sizes={}, ours=None)
        self._git.run("fetch", "--quiet", "--no-tags", "--depth=2", "--", self._url, f"+{self._ref}:refs/there")
        self._head = self._git.text("rev-parse", "refs/there")
        ids, sizes = {}, {}
        for entry in self._git.run("ls-tree", "-r", "-z", "-l", self._head).split(b"\0")[:-1]:
            facts, _, name = entry.partition(b"\t")
            mode, _, oid, length = facts.decode().split()
            path = name.decode("utf-8", errors="surrogateescape")
            ids[path] = oid if mode == _FILE else f"{mode} {oid}"
            sizes[path] = int(length) if length.isdigit() else 0
        ours = None
        if MANIFEST in ids:
            ours = parse_manifest(self._git.run("cat-file", "blob", f"{self._head}:{MANIFEST}"), self._where)
        return There(ids=ids, sizes=sizes, ours=ours)

    def _has_history(self, head: str) -> bool:
        return self._git.text("rev-list", "--count", head) != "1"

    def _commit(self, plan: Plan) -> str:
        index = Path(self._git.folder) / "publish-index"
        if self._head is not None:
            self._git.run("read-tree", self._head, index=index)
        wanted = [change.path for change in (*plan.added, *plan.changed)]
        on_disk = [path for path in wanted if self._files[path].place is not None]
        lines = self._store(on_disk)
        for path, file in ((path, self._files[path]) for path in wanted if self._files[path].place is None):
            lines[path] = self._stored(file)
        lines[MANIFEST] = self._stored(mark(self._files))
        entries = [f"{_FILE} {oid}\t{path}" for path, oid in lines.items()]
        entries += [f"0 {_REMOVED}\t{change.path}" for change in plan.removed]
        given = "".join(f"{entry}\0" for entry in entries).encode("utf-8", errors="surrogateescape")
        self._git.run("update-index", "-z", "--index-info", given=given, index=index)
        tree = self._git.text("write-tree", index=index)
        parents = () if self._head is None or self._options.orphan else ("-p", self._head)
        message = f"Publish the site: {len(plan.added)} added, {len(plan.changed)} changed, {len(plan.removed)} removed"
        return self._git.text(*self._author(), "commit-tree", tree, *parents, "-m", message)

    def _store(self, paths: list[str]) -> dict[str, str]:
        """Puts files into the temporary repository; path to git's name."""
        places = [(path, self._files[path].place) for path in paths]
        given = "".join(f"{place.resolve()}\n" for _, place in places if place is not None).encode()
        listed = self._git.text("hash-object", "-w", "--no-filters", "--stdin-paths", given=given) if paths else ""
        found = dict(zip(paths, listed.splitlines(), strict=True))
        altered = [path for path, oid in found.items() if oid != self._files[path].sha1]
        if altered:
            raise OutputError(f"{altered[0]}: changed while it was being published; run the same command again")
        return found

    def _stored(self, file: LocalFile) -> str:
        return self._git.text("hash-object", "-w", "--no-filters", "--stdin", given=file.read())

    def _author(self) -> tuple[str, ...]:
        try:
            self._git.run("var", "GIT_COMMITTER_IDENT")
        except GitError:
            return _OURS
        return ()

    def _push(self, commit: str) -> None:
        lease = (f"--force-with-lease={self._ref}:{self._head or ''}",) if self._options.orphan else ()
        self._git.run("push", "--quiet", "--no-signed", *lease, "--", self._url, f"{commit}:{self._ref}")
