"""What a SIGKILL leaves behind, at a host and in an archive, the next run of the same command mends.

`publish dir` is killed in `test_web_root`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen import cli
from sitegen.scan import scan_archive
from sitegen.settings import SiteSettings
from sitegen.write import MANIFEST
from tests.publish.hub_stand_in import DROP, TOKEN, Hub, Repo
from tests.publish.killing import KILLED, Calls, calls
from tests.publish.sites import put_site, site_files
from tests.publish.test_pages_branch import commits, git, on_branch
from tests.publish.test_pull import RUN, WANTED
from tests.small_archive import contents


@pytest.fixture
def process(tmp_path: Path, hub: Hub) -> Iterator[Calls]:
    """Calls that reach the stand-in."""
    home = tmp_path / "home"
    home.mkdir()
    variables = {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    with calls(home, variables) as found:
        yield found


def killer(hub: Hub, wanted: str, number: int, moment: str) -> dict[str, int]:
    """Has the process that is noted under `pid` killed at the n-th such request: before it is done, or after."""
    seen, told = [], {"pid": 0}

    def strike(request: str) -> int | None:
        if wanted not in request:
            return None
        seen.append(request)
        if len(seen) != number:
            return None
        os.kill(told["pid"], signal.SIGKILL)
        return DROP

    if moment == "before":
        hub.fault = strike
    else:
        hub.answered = strike  # type: ignore[assignment]  # what it gives is not looked at
    return told


def test_publish_hf(tmp_path: Path, hub: Hub, process: Calls) -> None:
    more = {f"runs/one/{number:03}.csv": b"%d\n" % number for number in range(100)}
    site = put_site(tmp_path / "site", {**site_files(), **more, "runs/one/card/og.png": b"\x89PNG" + bytes(range(99))})
    command = ["publish", "hf", "team/runs", "--site", str(site)]
    points = (
        *(("POST /api/repos/create", 1, "after"), ("PUT /lfs/", 1, "after")),
        *(("/commit/", 1, "after"), ("/commit/", 2, "before")),
    )
    for wanted, number, moment in points:
        hub.repos.clear()
        hub.large.clear()
        told = killer(hub, wanted, number, moment)
        assert process.run(command, started=lambda pid, told=told: told.update(pid=pid)) == KILLED
        hub.fault, hub.answered = (lambda request: None), (lambda request: None)
        assert cli.run(command) == 0, f"{moment} {wanted} {number}"
        space = hub.repos["space", "team/runs"]
        kept = {
            name: text for name, text in space.files.items() if name not in (".gitattributes", "README.md", MANIFEST)
        }
        assert kept == {name: text for name, text in contents(site).items() if name != MANIFEST}
        assert json.loads(space.files[MANIFEST])["files"].keys() == {*kept, "README.md"}
    before = list(space.messages)
    assert cli.run(command) == 0
    assert space.messages == before


def test_pull(tmp_path: Path, hub: Hub, process: Calls) -> None:
    hub.add(Repo("model", "team/a3-rl-one")).commit("weights", dict(RUN))
    to, at, ends = tmp_path / "runs", 1, []
    command = ["pull", "team/a3-rl-one", "--to", str(to), "--yes"]
    wanted = {name: RUN[name] for name in WANTED}
    while KILLED not in ends or ends[-1] == KILLED:
        shutil.rmtree(to, ignore_errors=True)
        ends.append(process.run(command, at=at))
        here = {name: text for name, text in contents(to / "a3-rl-one").items() if name != "run.toml"}
        assert here.items() <= wanted.items(), "no half file stands in its place"
        assert cli.run(command) == 0
        found = contents(to / "a3-rl-one")
        assert found.pop(
            "run.toml"
        ) == b'# Written by sitegen pull; it is yours to change.\n[links]\nModel = "%s"\n' % (
            f"{hub.url}/team/a3-rl-one".encode()
        )
        assert found == wanted
        assert [path.name for path in (to / ".sitegen-pull").iterdir()] == ["state.json"]
        (run,) = scan_archive(to, SiteSettings()).runs
        assert run.path == "a3-rl-one"
        at += 25
    assert len(ends) > 3


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "bare.git")
    return tmp_path / "bare.git"


def test_publish_pages(tmp_path: Path, bare: Path) -> None:
    first, site = put_site(tmp_path / "first", site_files()), put_site(tmp_path / "site", site_files("second"))
    options = ["--remote", str(bare), "--branch", "site"]
    assert cli.run(["publish", "pages", *options, "--site", str(first)]) == 0
    (start,) = commits(bare, "site")
    command, at, ends = ["publish", "pages", *options, "--site", str(site)], 1, []
    with calls(tmp_path) as process:
        while KILLED not in ends or ends[-1] == KILLED:
            git(bare, "update-ref", "refs/heads/site", start)
            ends.append(process.run(command, at=at))
            assert on_branch(bare, "site") in (contents(first), contents(site)), "never a part of it"
            assert cli.run(command) == 0
            assert on_branch(bare, "site") == contents(site)
            assert len(commits(bare, "site")) == 2
            at += 9
        assert len(ends) > 2
        git(bare, "update-ref", "refs/heads/site", start)
        hook = bare / "hooks" / "pre-receive"
        hook.write_text(f"#!/bin/sh\nkill -9 $(cat '{tmp_path}/pid')\n")
        hook.chmod(0o755)
        assert process.run(command, started=lambda pid: (tmp_path / "pid").write_text(str(pid))) == KILLED
        hook.unlink()
    assert cli.run(command) == 0, "killed while git pushes: whether that arrived or not"
    assert on_branch(bare, "site") == contents(site)
    assert len(commits(bare, "site")) == 2
