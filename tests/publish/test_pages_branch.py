"""`publish pages`: a branch of a local bare repository gets the site; the repository one is in is left as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sitegen import cli
from sitegen.publish import git_work
from sitegen.publish.git_work import GitError, explained, without_secrets
from sitegen.write import MANIFEST
from tests.publish.sites import page, put_site, site_files
from tests.small_archive import contents


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    done = subprocess.run(["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def site(tmp_path):
    return put_site(tmp_path / "site", site_files())


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def bare(tmp_path):
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "bare.git")
    return tmp_path / "bare.git"


@pytest.fixture
def repository(tmp_path, bare, monkeypatch):
    """A clone with a file that is staged and one that is not."""
    folder = tmp_path / "repository"
    git(tmp_path, "init", "-q", "-b", "main", "repository")
    git(folder, "remote", "add", "origin", str(bare))
    (folder / "code.py").write_text("1\n")
    git(folder, "add", "code.py")
    git(folder, "commit", "-q", "-m", "Code")
    git(folder, "push", "-q", "origin", "main")
    (folder / "code.py").write_text("2\n")
    git(folder, "add", "code.py")
    (folder / "new.py").write_text("3\n")
    monkeypatch.chdir(folder)
    return folder


def publish(site, *options, lang="en"):
    return cli.run(["--lang", lang, "publish", "pages", "--site", str(site), *options])


def on_branch(bare: Path, branch: str = "gh-pages") -> dict[str, bytes]:
    names = git(bare, "ls-tree", "-r", "--name-only", branch).splitlines()
    show = (["git", "cat-file", "blob", f"{branch}:{name}"] for name in names)
    found = (subprocess.run(command, cwd=bare, capture_output=True, check=True).stdout for command in show)
    return dict(zip(names, found, strict=True))


def commits(bare: Path, branch: str = "gh-pages") -> list[str]:
    return git(bare, "rev-list", branch).splitlines()


def test_the_branch_is_the_site_and_the_second_time_there_is_no_commit(site, bare, repository, capsys):
    before = contents(repository)
    assert publish(site) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "branch gh-pages" in said.out
    assert "does not exist yet and is made" in said.out
    assert on_branch(bare) == contents(site)
    (first,) = commits(bare)
    assert f"is at commit {first[:10]}" in said.out
    assert publish(site) == 0
    said = capsys.readouterr().out
    assert "Nothing to do" in said
    assert f"is at commit {first[:10]}" in said
    assert commits(bare) == [first]
    assert contents(repository) == before


def test_one_commit_per_publication_and_what_the_site_lost_goes(site, bare, repository, capsys):
    publish(site)
    files = {**site_files(), "index.html": page("en", "second"), "über.csv": b"a,b\n"}
    gone = ("runs/one/index.html", "zh/runs/one/index.html")
    put_site(site, {name: content for name, content in files.items() if name not in gone})
    capsys.readouterr()
    assert publish(site) == 0
    last, first = commits(bare)
    assert git(bare, "rev-parse", f"{last}^") == first
    changed = git(bare, "-c", "core.quotePath=false", "diff", "--name-status", first, last).splitlines()
    expected = [f"M\t{MANIFEST}", "M\tindex.html", *(f"D\t{name}" for name in gone), "A\tüber.csv"]
    assert sorted(changed) == sorted(expected)
    assert git(bare, "log", "-1", "--format=%s", "gh-pages") == "Publish the site: 1 added, 1 changed, 2 removed"


def test_files_that_others_put_on_the_branch_stay(tmp_path, site, bare, repository):
    publish(site)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "-b", "gh-pages", str(bare), "clone")
    (clone / "CNAME").write_text("runs.example.org\n")
    git(clone, "add", "CNAME")
    git(clone, "commit", "-q", "-m", "Domain")
    git(clone, "push", "-q")
    put_site(site, site_files("second"))
    assert publish(site) == 0
    assert on_branch(bare) == {**contents(site), "CNAME": b"runs.example.org\n"}
    assert len(commits(bare)) == 3


def test_an_orphan_branch_has_one_commit_each_time(site, bare, repository, capsys):
    publish(site)
    put_site(site, site_files("second"))
    publish(site)
    assert len(commits(bare)) == 2
    capsys.readouterr()
    assert publish(site, "--orphan") == 0
    assert "keeps no history" in capsys.readouterr().out
    (only,) = commits(bare)
    assert on_branch(bare) == contents(site)
    assert publish(site, "--orphan") == 0
    assert "Nothing to do" in capsys.readouterr().out
    assert commits(bare) == [only]


def test_a_dry_run_pushes_nothing(site, bare, repository, capsys):
    assert publish(site, "--dry-run") == 0
    said = capsys.readouterr().out
    assert "added    index.html" in said
    assert "Nothing was touched" in said
    assert git(bare, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.parametrize("orphan", [(), ("--orphan",)])
def test_a_branch_that_is_not_ours_is_refused(site, bare, repository, capsys, orphan):
    head = git(bare, "rev-parse", "main")
    assert publish(site, "--branch", "main", *orphan) == 1
    assert "is not empty and was not published by sitegen (code.py)" in capsys.readouterr().err
    assert git(bare, "rev-parse", "main") == head


def test_a_remote_may_be_given_by_its_address(tmp_path, site, bare, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert publish(site, "--remote", "bare.git", "--branch", "site") == 0
    assert on_branch(bare, "site") == contents(site)
    capsys.readouterr()
    assert publish(site) == 1
    assert "give the address with --remote" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("--branch", "a..b"), ("--remote", "--upload-pack=touch x"), ("--remote", "gone")])
def test_names_that_cannot_be_are_refused_in_one_line(site, repository, capsys, options):
    assert publish(site, *options) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def hook(bare: Path, text: str) -> Path:
    path = bare / "hooks" / "pre-receive"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_hook_that_declines_is_told_in_one_line(site, bare, repository, capsys):
    hook(bare, "echo 'pages are frozen until Monday' >&2; exit 1")
    assert publish(site) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "pages are frozen until Monday" in said
    assert "refused the commit by a rule of its own" in said


def test_a_publication_that_was_cut_off_is_made_by_the_next_run(site, bare, repository, monkeypatch, capsys):
    publish(site)
    put_site(site, site_files("second"))
    real = git_work.Git.run

    def cut_off(self, *arguments, **given):
        if "push" in arguments:
            raise KeyboardInterrupt
        return real(self, *arguments, **given)

    monkeypatch.setattr(git_work.Git, "run", cut_off)
    assert publish(site) == cli.INTERRUPTED
    assert len(commits(bare)) == 1
    monkeypatch.setattr(git_work.Git, "run", real)
    assert publish(site) == 0
    assert on_branch(bare) == contents(site)
    assert len(commits(bare)) == 2


@pytest.mark.parametrize("orphan", [(), ("--orphan",)])
def test_whoever_publishes_meanwhile_is_not_overwritten(site, bare, repository, monkeypatch, capsys, orphan):
    publish(site)
    put_site(site, site_files("second"))
    tree = git(bare, "rev-parse", "gh-pages^{tree}")
    real = git_work.Git.run

    def overtaken(self, *arguments, **given):
        if "push" in arguments:
            other = git(bare, "commit-tree", tree, "-p", "gh-pages", "-m", "Meanwhile")
            git(bare, "update-ref", "refs/heads/gh-pages", other)
        return real(self, *arguments, **given)

    monkeypatch.setattr(git_work.Git, "run", overtaken)
    capsys.readouterr()
    assert publish(site, *orphan) == 1
    said = capsys.readouterr().err
    assert "somebody else has published meanwhile; run the same command again" in said
    assert len(said.splitlines()) == 1
    assert git(bare, "log", "-1", "--format=%s", "gh-pages") == "Meanwhile"
    monkeypatch.setattr(git_work.Git, "run", real)
    assert publish(site, *orphan) == 0
    assert on_branch(bare) == contents(site)


def test_the_variables_of_a_hook_do_not_lead_elsewhere(site, bare, repository, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git" / "index"))
    before = contents(repository)
    assert publish(site) == 0
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert contents(repository) == before
    assert on_branch(bare) == contents(site)


def test_how_the_repository_reaches_its_remote_is_kept_and_goes_into_no_file(repository, tmp_path):
    git(repository, "config", "http.https://example.org/.extraheader", "AUTHORIZATION: basic c2VjcmV0OnNlY3JldA==")
    git(repository, "config", "core.bare", "false")
    known = git_work.Git(repository).reaching()
    assert known["http.https://example.org/.extraheader"].endswith("c2VjcmV0OnNlY3JldA==")
    assert not any(name.startswith(("core.bare", "remote.")) for name in known)
    other = tmp_path / "other"
    other.mkdir()
    work = git_work.Git(other, known)
    work.run("init", "-q", "--bare")
    assert (
        work.text("config", "http.https://example.org/.extraheader") == known["http.https://example.org/.extraheader"]
    )
    assert b"c2VjcmV0" not in b"".join(contents(other).values())


def test_git_that_is_missing_is_told(site, repository, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(repository))
    assert publish(site) == 1
    assert "git is not installed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fatal: could not read Username for 'https://github.com': terminal prompts disabled", "you may not push"),
        ("remote: Permission to o/r.git denied to bot.\nfatal: unable to access 'x'", "you may not push"),
        ("fatal: unable to access 'x': The requested URL returned error: 403", "you may not push"),
        ("git@github.com: Permission denied (publickey).\nfatal: Could not read from remote.", "you may not push"),
        ("remote: Repository not found.\nfatal: repository 'https://github.com/o/r/' not found", "no such repository"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "the connection failed"),
        ("remote: error: GH006: Protected branch update failed.", "by a rule of its own (error: GH006"),
        ("fatal: something new", "git says: fatal: something new"),
        ("", "git says: nothing"),
    ],
)
def test_refusals_say_what_happened_and_what_to_do(text, expected):
    assert expected in explained(GitError(text))


@pytest.mark.parametrize(
    "text",
    [
        "fatal: could not access https://someone:ghp_0123456789abcdefghij0123456789abcdef@github.com/o/r",
        "remote: header Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== refused",
        "token hf_abcdefghijklmnopqrstuvwx",
    ],
)
def test_no_credential_is_in_a_message(text):
    said = without_secrets(text) + explained(GitError(text))
    assert not any(part in said for part in ("ghp_0123", "someone:", "QWxhZGRpbjpvcGVu", "hf_abc"))
