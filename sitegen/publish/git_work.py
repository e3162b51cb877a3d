"""Git in a repository of our own, in a temporary folder: nobody's work tree, index or object store is touched.

What the user's repository knows about reaching its remote (credential helpers, headers, proxies) is handed over in the
environment, where neither process lists nor files show it. Hooks and questions are switched off. Messages of git go
through `without_secrets` before anybody sees them.

Source: git 2.39 `Documentation/git.txt` (environment), `git-config.txt` (`GIT_CONFIG_COUNT`), `push.c`, `remote-curl.c`
(wording of refusals under `LC_ALL=C`).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sitegen.errors import SitegenError
from sitegen.privacy.exposed import exposed

_REACHING = ("http.", "credential.", "core.sshcommand", "core.gitproxy", "core.askpass", "ssh.", "user.", "author.")
"""Settings of a repository that reaching its remote and naming the author depend on."""
_ELSEWHERE = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
    *("GIT_NAMESPACE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_CEILING_DIRECTORIES"),
)
"""Variables that would lead git to another repository; set where we run inside a hook."""
_FIXED = (
    *("-c", f"core.hooksPath={os.devnull}", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "push.gpgSign=false", "-c", "credential.interactive=false", "-c", "advice.detachedHead=false"),
)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
_SECRETS = re.compile(r"\b(?:hf_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-)[\w-]{8,}|(?i:(?:basic|bearer)\s+)[\w+/=.-]{8,}")


class GitError(Exception):
    """Git ended with an error; the text is what it said."""


class Git:
    """Runs git in one folder."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        """For a folder, with settings on top of those that hold there anyway."""
        self.folder = folder
        self._settings = dict(settings or {})

    def run(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
        """What a git command prints.

        Args:
            arguments: The command with its arguments.
            given: Its standard input.
            index: An index file of its own.

        Raises:
            GitError: git ended with an error.
            SitegenError: there is no git.
        """
        environment = self._environment()
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        try:
            done = subprocess.run(
                ["git", *_FIXED, *arguments],
                cwd=self.folder,
                env=environment,
                input=given,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise SitegenError("git is not installed, or not on the PATH; install it first") from None
        if done.returncode:
            raise GitError(done.stderr.decode("utf-8", errors="replace"))
        return done.stdout

    def text(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> str:
        """What a git command prints, as text without the last line break."""
        return self.run(*arguments, given=given, index=index).decode("utf-8", errors="surrogateescape").rstrip("\n")

    def reaching(self) -> dict[str, str]:
        """The settings of this folder's own repository that reaching a remote depends on; none outside of one."""
        try:
            listed = self.text("config", "--local", "--includes", "--list", "-z")
        except GitError:
            return {}
        pairs = (entry.partition("\n") for entry in listed.split("\0") if entry)
        return {name: value for name, _, value in pairs if name.lower().startswith(_REACHING)}

    def _environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in _ELSEWHERE and not name.startswith("GIT_TRACE")
        }
        first = int(kept.get("GIT_CONFIG_COUNT") or 0)
        for number, (name, value) in enumerate(self._settings.items(), first):
            kept[f"GIT_CONFIG_KEY_{number}"], kept[f"GIT_CONFIG_VALUE_{number}"] = name, value
        kept["GIT_CONFIG_COUNT"] = str(first + len(self._settings))
        if "GIT_SSH" not in kept and not any(name.lower() == "core.sshcommand" for name in self._settings):
            kept.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
        return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "LANGUAGE": "C"}


def without_secrets(text: str) -> str:
    """A message without what looks like a credential."""
    text = _SECRETS.sub("***", _CREDENTIALS.sub("", text))
    return "***" if any(item.kind == "secret" for item in exposed(text)) else text


_REASONS = (
    (
        r"hook declined|protected branch|GH006|rule violations",
        "the remote refused the commit by a rule of its own{said}; ask whoever keeps it, or give another --branch",
    ),
    (
        r"non-fast-forward|fetch first|stale info|cannot lock ref|incorrect old value",
        "somebody else has published meanwhile; run the same command again",
    ),
    (
        r"could not read Username|could not read Password|Authentication failed|Permission denied|denied to|"
        r"error: 40[13]|returned 40[13]|unable to create temporary object directory|Permission to|not allowed to push|"
        r"insufficient permission|read-only",
        "you may not push there; log in (ssh key, credential helper, token of the job) as somebody who may write",
    ),
    (
        r"not found|does not appear to be a git repository|does not exist|No such file",
        "there is no such repository, or you may not see it; check the address and that you are logged in",
    ),
    (
        r"Could not resolve|Could not connect|unable to access|Connection|timed out|early EOF|hung up|RPC failed",
        "the connection failed; nothing was changed there, run the same command again",
    ),
)
"""What git says of a refusal, and what that means; the first that fits."""


def explained(error: GitError) -> str:
    """What happened and what to do, in one line."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    remote = " ".join(line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:"))
    said = f" ({remote[:200]})" if remote.strip() else ""
    for pattern, meaning in _REASONS:
        if re.search(pattern, text, re.IGNORECASE):
            return without_secrets(meaning.format(said=said))
    return without_secrets(f"git says: {lines[-1][:300] if lines else 'nothing'}")
