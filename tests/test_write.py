"""The site folder: what is written, what stays, what is refused, and what a killed build leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen import exchange
from sitegen.errors import OutputError
from sitegen.write import MANIFEST, Output, WriteError, Written, checked

PAGES = {"index.html": b"index", "runs/a/index.html": b"a", "runs/b/index.html": b"b"}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "log.out").write_bytes(b"a log")
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "out" / "site"


def build(site: Path, archive: Path, pages: dict[str, bytes], swap: exchange.Swap | None = None) -> Written:
    with Output(site, archive, swap=swap) as output:
        for path, content in pages.items():
            output.write(path, content, maker="test")
        return output.publish()


def tree(folder: Path) -> dict[str, bytes]:
    """Path to content of everything below a folder, our manifest left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


def beside(site: Path) -> list[str]:
    return sorted(entry.name for entry in site.parent.iterdir() if entry != site)


def no_exchange(one: Path, other: Path) -> bool:
    """A system that cannot exchange two names."""
    return False


SWAPS = pytest.mark.parametrize("swap", [None, no_exchange], ids=["exchange", "two renames"])


@SWAPS
def test_second_build_replaces_the_first(site: Path, archive: Path, swap: exchange.Swap | None) -> None:
    build(site, archive, PAGES, swap)
    assert tree(site) == PAGES
    changed = {"index.html": b"new index", "runs/a/index.html": b"a"}
    done = build(site, archive, changed, swap)
    assert tree(site) == changed
    assert not (site / "runs" / "b").exists()
    assert done == Written(files=2, pages=2, changed=1, removed=("runs/b/index.html",), kept=())
    assert beside(site) == []


def test_unchanged_files_keep_inode_and_time(site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    os.utime(site / "index.html", ns=(1, 1))
    os.utime(site / "runs/a/index.html", ns=(1, 1))
    before = {name: (site / name).stat() for name in PAGES}
    build(site, archive, {**PAGES, "runs/a/index.html": b"A"})
    after = {name: (site / name).stat() for name in PAGES}
    assert after["index.html"].st_ino == before["index.html"].st_ino
    assert after["index.html"].st_mtime_ns == 1
    # Same size, same old time, other content: it is the content that counts.
    assert (site / "runs/a/index.html").read_bytes() == b"A"
    assert after["runs/a/index.html"].st_mtime_ns != 1


def test_a_build_that_changes_nothing_leaves_even_the_folders(site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    inode, manifest = site.stat().st_ino, (site / MANIFEST).stat()
    done = build(site, archive, PAGES)
    assert site.stat().st_ino == inode
    assert (site / MANIFEST).stat().st_ino == manifest.st_ino
    assert done.changed == 0


def test_a_page_the_user_deleted_comes_back(site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    (site / "runs/a/index.html").unlink()
    build(site, archive, PAGES)
    assert tree(site) == PAGES


def test_manifest_lists_paths_and_hashes_in_order(site: Path, archive: Path) -> None:
    build(site, archive, {"b.html": b"", "a.html": b"a"})
    first = (site / MANIFEST).read_bytes()
    files = json.loads(first)["files"]
    # `printf a | sha256sum`, `printf '' | sha256sum`
    assert list(files.items()) == [
        ("a.html", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
        ("b.html", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ]
    build(site.with_name("other"), archive, {"a.html": b"a", "b.html": b""})
    assert (site.with_name("other") / MANIFEST).read_bytes() == first


def test_a_file_from_elsewhere_is_linked_and_then_kept(site: Path, archive: Path, tmp_path: Path) -> None:
    source = tmp_path / "cached"
    source.write_bytes(b"page")
    with Output(site, archive) as output:
        output.link("page.html", source, sha256="0" * 64, maker="cache")
        output.publish()
    assert (site / "page.html").stat().st_ino == source.stat().st_ino
    twin = tmp_path / "cached again"
    twin.write_bytes(b"page")
    with Output(site, archive) as output:
        output.link("page.html", twin, sha256="0" * 64, maker="cache")
        assert output.publish().changed == 0
    assert (site / "page.html").stat().st_ino == source.stat().st_ino


def test_what_is_not_ours_is_carried_over(site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    (site / "CNAME").write_text("runs.example.org")
    (site / "runs/a/note.txt").write_text("mine")
    (site / ".git").mkdir()
    (site / ".git/HEAD").write_text("ref")
    (site / "empty").mkdir()
    (site / "latest").symlink_to("runs/a")
    (site / "nowhere").symlink_to("missing")
    done = build(site, archive, {"index.html": b"only this"})
    assert done.kept == (".git/HEAD", "CNAME", "empty", "latest", "nowhere", "runs/a/note.txt")
    assert tree(site) == {
        "index.html": b"only this",
        "CNAME": b"runs.example.org",
        "runs/a/note.txt": b"mine",
        ".git/HEAD": b"ref",
    }
    assert (site / "latest").readlink() == Path("runs/a")
    assert (site / "nowhere").is_symlink()
    assert (site / "empty").is_dir()
    assert set(json.loads((site / MANIFEST).read_bytes())["files"]) == {"index.html"}


@pytest.mark.parametrize("theirs", ["about.html", "about.html/x", "runs"])
def test_a_users_file_is_never_overwritten(site: Path, archive: Path, theirs: str) -> None:
    build(site, archive, {"index.html": b"1"})
    (site / theirs).parent.mkdir(exist_ok=True)
    (site / theirs).write_text("mine")
    with pytest.raises(OutputError, match="not sitegen's"):
        build(site, archive, {"index.html": b"2", "about.html": b"2", "runs/a/index.html": b"2"})
    assert tree(site) == {"index.html": b"1", theirs: b"mine"}
    assert beside(site) == []


def test_a_folder_that_is_not_ours_is_refused(site: Path, archive: Path) -> None:
    site.mkdir(parents=True)
    (site / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="not made by sitegen"):
        build(site, archive, PAGES)
    assert tree(site) == {"thesis.txt": b"mine"}
    assert beside(site) == []


@pytest.mark.parametrize("content", ["", "[]", "{", '{"files": {}}', '{"files":[],"generator":"x","schema":1}'])
def test_a_manifest_that_cannot_be_trusted_makes_nothing_ours(site: Path, archive: Path, content: str) -> None:
    site.mkdir(parents=True)
    (site / MANIFEST).write_text(content)
    (site / "index.html").write_text("mine")
    with pytest.raises(OutputError):
        build(site, archive, PAGES)
    assert (site / "index.html").read_text() == "mine"


def test_an_empty_folder_is_taken(site: Path, archive: Path) -> None:
    site.mkdir(parents=True)
    build(site, archive, PAGES)
    assert tree(site) == PAGES


def test_output_inside_the_archive_is_allowed_when_empty_or_ours(archive: Path) -> None:
    site = archive / "site"
    build(site, archive, PAGES)
    build(site, archive, {"index.html": b"2"})
    assert tree(archive) == {"log.out": b"a log", "site/index.html": b"2"}


@pytest.mark.parametrize("target", ["archive", ".", "archive/../archive", "link"])
def test_output_that_holds_the_archive_is_refused(tmp_path: Path, archive: Path, target: str) -> None:
    (tmp_path / "link").symlink_to(archive, target_is_directory=True)
    with pytest.raises(OutputError, match="holds the archive"):
        build(tmp_path / target, archive, PAGES)


def test_output_that_is_a_file_or_the_current_folder_is_refused(
    site: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OutputError, match="is a file"):
        build(archive / "log.out", archive, PAGES)
    site.mkdir(parents=True)
    monkeypatch.chdir(site)
    with pytest.raises(OutputError, match="you are in"):
        build(site, archive, PAGES)


def test_a_linked_output_folder_stays_a_link(tmp_path: Path, site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    (tmp_path / "www").symlink_to(site, target_is_directory=True)
    build(tmp_path / "www", archive, {"index.html": b"2"})
    assert (tmp_path / "www").is_symlink()
    assert tree(site) == {"index.html": b"2"}


@pytest.mark.parametrize(
    "path",
    ["", "/etc/x", "../x", "a/../x", "a//b", "./a", "a/", "a\\b", "a\0b", "a\nb", "C:/x", "x" * 256, MANIFEST],
)
def test_paths_that_leave_the_site_or_do_not_travel(path: str) -> None:
    with pytest.raises(WriteError):
        checked(path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.html", "a.html"),
        ("a.html", "A.html"),
        ("runs/A/x", "runs/a/y"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("\u00e9.html", "e\u0301.html"),
    ],
)
def test_two_makers_of_one_place_are_named(site: Path, archive: Path, first: str, second: str) -> None:
    with Output(site, archive) as output:
        output.write(first, b"1", maker="glossary")
        with pytest.raises(WriteError) as caught:
            output.write(second, b"2", maker="run b")
    assert "glossary" in str(caught.value)
    assert "run b" in str(caught.value)


def test_leaving_without_publishing_leaves_the_previous_site(site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    broken = {"index.html": b"half", "../outside": b""}
    with pytest.raises(WriteError):
        build(site, archive, broken)
    assert tree(site) == PAGES
    assert beside(site) == []


def test_two_builds_at_once(site: Path, archive: Path) -> None:
    with Output(site, archive) as output:
        output.write("index.html", b"first", maker="test")
        with pytest.raises(OutputError, match="another build"):
            build(site, archive, {"index.html": b"second"})
        output.publish()
    assert tree(site) == {"index.html": b"first"}
    build(site, archive, {"index.html": b"second"})
    assert tree(site) == {"index.html": b"second"}


@pytest.mark.timeout(20)
def test_a_place_where_no_folder_can_be_made_is_not_tried_for_ever(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*args: object, **more: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")  # what /proc answers

    monkeypatch.setattr(Path, "mkdir", refuses)
    with pytest.raises(OutputError, match="cannot build beside it: No such file or directory"):
        exchange.lock(archive.parent / "new" / "site")


def test_a_folder_that_cannot_be_written_is_one_line(site: Path, archive: Path) -> None:
    site.parent.write_text("a file where a folder should be")
    with pytest.raises(OutputError) as caught:
        build(site, archive, PAGES)
    assert "\n" not in str(caught.value)


KILLED = """
import os, pathlib, signal, sys
from sitegen.write import Output
site, archive, at, swaps = sys.argv[1:]
seen = 0
def step(name):
    global seen
    seen += 1
    if seen == int(at):
        os.kill(os.getpid(), signal.SIGKILL)
swap = None if swaps == "exchange" else (lambda one, other: False)
with Output(pathlib.Path(site), pathlib.Path(archive), step=step, swap=swap) as output:
    for number in range(3):
        output.write(f"runs/{number}.html", b"new", maker="test")
    output.write("index.html", b"same", maker="test")
    output.publish()
print(seen)
"""


@pytest.mark.parametrize("mode", ["exchange", "two renames"])
def test_a_build_killed_at_any_step_leaves_a_whole_site(site: Path, archive: Path, mode: str) -> None:
    before = {"runs/0.html": b"old", "runs/9.html": b"old", "index.html": b"same"}
    after = {"runs/0.html": b"new", "runs/1.html": b"new", "runs/2.html": b"new", "index.html": b"same"}
    seen_between = 0
    for at in range(1, 100):
        build(site, archive, before)
        (site / "mine.txt").write_bytes(b"mine")
        arguments = [sys.executable, "-c", KILLED, str(site), str(archive), str(at), mode]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        if not site.exists():  # only between the two renames of a system without an exchange
            seen_between += 1
            assert mode == "two renames"
        else:
            assert {k: v for k, v in tree(site).items() if k != "mine.txt"} in (before, after)
        assert beside(site) == [f".{site.name}.sitegen-work"]
        # The next build finishes, keeps the user's file and cleans up.
        done_next = build(site, archive, after)
        assert tree(site) == {**after, "mine.txt": b"mine"}
        assert done_next.kept == ("mine.txt",)
        assert beside(site) == []
        (site / "mine.txt").unlink()
    assert at > 8
    assert seen_between == (mode == "two renames")


def test_recovery_alone_brings_the_site_back(site: Path, archive: Path) -> None:
    build(site, archive, PAGES)
    work = exchange.work_folder(site)
    work.mkdir()
    site.rename(work / "old")
    exchange.recover(site)
    assert tree(site) == PAGES


def test_the_systems_exchange_is_used_where_it_exists(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "name").write_text(name)
    if exchange.exchange(tmp_path / "one", tmp_path / "other"):
        assert (tmp_path / "one" / "name").read_text() == "other"
    else:
        assert (tmp_path / "one" / "name").read_text() == "one"
    if sys.platform.startswith("linux"):
        with pytest.raises(OSError):  # noqa: PT011 - the errno differs between kernels
            exchange.exchange(tmp_path / "one", tmp_path / "missing")
