"""Finished work on runs: found again when nothing has changed, made anew in every other case."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from sitegen import cache
from sitegen.cache import TAG, Cache, key_of, load, store
from sitegen.errors import OutputError
from sitegen.pages.base import SiteFile
from sitegen.write import WriteError

FILES = [
    SiteFile(path="runs/a/index.html", content=b"<p>a</p>"),
    SiteFile(path="runs/a/data/\u6570\u636e.js", content=b""),
]
ROW = {"title": "run \u4e00", "reward": 0.1 + 0.2, "none": None, "steps": [1, 2]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "entries"
    folder.mkdir()
    store(folder, "key", FILES, ROW)
    return folder


def test_an_entry_comes_back_as_it_was_stored(root: Path) -> None:
    entry = load(root, "key")
    assert entry is not None
    assert entry.row == ROW
    assert {file.path: file.location.read_bytes() for file in entry.files} == {f.path: f.content for f in FILES}
    # printf '<p>a</p>' | sha256sum
    by_path = {file.path: file.sha256 for file in entry.files}
    assert by_path["runs/a/index.html"] == "df5ddd75e1e0e3fee2eb4c4d7a160f2673560df8afb145ba651b43f100c0dc57"
    assert sorted(entry.name for entry in root.iterdir()) == ["key"]


def test_an_unknown_key_is_a_miss(root: Path) -> None:
    assert load(root, "other") is None


BROKEN = ["", "{", "[]", "null", "{}", '{"schema": 2, "row": {}, "files": {"x": 1}}', "[" * 100_000]


@pytest.mark.parametrize("content", BROKEN, ids=lambda content: content[:20])
def test_a_broken_entry_is_a_miss_and_is_replaced(root: Path, content: str) -> None:
    (root / "key" / "row.json").write_text(content)
    assert load(root, "key") is None
    store(root, "key", FILES, ROW)
    assert load(root, "key") is not None


def resealed(root: Path, before: str, after: str) -> None:
    """Changes the entry and its hash with it."""
    row = root / "key" / "row.json"
    content = json.dumps(json.loads(row.read_text())["entry"], ensure_ascii=False)
    assert before in content
    row.write_bytes(cache._sealed("key", content.replace(before, after).encode()))


@pytest.mark.parametrize("change", [('"schema": 3', '"schema": 2'), ('"files": {', '"files": {"x": 1, ')])
def test_an_entry_of_another_layout_is_a_miss(root: Path, change: tuple[str, str]) -> None:
    resealed(root, '"row"', '"row"')
    assert load(root, "key") is not None
    resealed(root, *change)
    assert load(root, "key") is None


@pytest.mark.parametrize("change", [('"row": {"title": "run', '"row": {"title": "ran'), (' "none": null,', "")])
def test_an_entry_that_was_changed_by_hand_is_a_miss(root: Path, change: tuple[str, str]) -> None:
    row = root / "key" / "row.json"
    assert change[0] in row.read_text()
    row.write_text(row.read_text().replace(*change))
    assert load(root, "key") is None


def test_an_entry_without_its_row_is_a_miss(root: Path) -> None:
    row = root / "key" / "row.json"
    content = json.loads(row.read_text())
    content["entry"]["row"] = None
    row.write_text(json.dumps(content, separators=(",", ":")))
    assert load(root, "key") is None


def test_an_entry_of_another_key_is_a_miss(root: Path) -> None:
    (root / "key").rename(root / "other")
    assert load(root, "other") is None


@pytest.mark.timeout(10)
@pytest.mark.parametrize("name", ["row.json", "files/runs/a/index.html"])
def test_a_pipe_in_an_entry_is_a_miss_and_not_waited_for(root: Path, name: str) -> None:
    (root / "key" / name).unlink()
    os.mkfifo(root / "key" / name)
    assert load(root, "key") is None


def test_an_entry_whose_file_was_edited_in_the_site_is_a_miss(root: Path, tmp_path: Path) -> None:
    os.link(root / "key/files/runs/a/index.html", tmp_path / "page in a site")
    assert load(root, "key") is not None
    with (tmp_path / "page in a site").open("r+b") as page:
        page.write(b"<p>b</p>")  # same size
    os.utime(tmp_path / "page in a site", ns=(1, 1))
    assert load(root, "key") is None


def test_an_entry_that_lost_a_file_is_a_miss(root: Path) -> None:
    (root / "key/files/runs/a/index.html").unlink()
    assert load(root, "key") is None


def test_a_run_that_fails_half_way_leaves_no_entry(root: Path) -> None:
    def files():
        yield FILES[0]
        raise RuntimeError("bug")

    with pytest.raises(RuntimeError):
        store(root, "half", files(), ROW)
    assert load(root, "half") is None


@pytest.mark.parametrize("paths", [["../out"], ["a", "a"]])
def test_a_file_outside_the_site_or_made_twice_is_a_bug(root: Path, paths: list[str]) -> None:
    with pytest.raises((WriteError, ValueError)):
        store(root, "bad", [SiteFile(path=path, content=b"") for path in paths], ROW)


def test_a_row_that_json_cannot_hold_is_a_bug(root: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        store(root, "bad", [], {"reward": float("nan")})


def test_the_key_changes_with_everything_it_is_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    first = key_of("a", 1)
    assert key_of("a", 1) == first
    keys = {first, key_of("a", 2), key_of("a1"), key_of("a", "1")}
    monkeypatch.setattr(cache, "code_hash", lambda: "other code")
    keys.add(key_of("a", 1))
    monkeypatch.undo()
    monkeypatch.setattr(cache, "library_versions", lambda: ("pandas 1.0",))
    keys.add(key_of("a", 1))
    assert len(keys) == 6


def test_versions_of_the_libraries_that_matter_are_known() -> None:
    assert {text.split()[0] for text in cache.library_versions()} == set(cache.LIBRARIES)


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    archive = tmp_path / "archive"
    archive.mkdir()
    return tmp_path / "cache", archive, tmp_path / "site"


def test_entries_not_used_are_removed_and_those_of_other_archives_stay_for_a_while(
    places: tuple[Path, Path, Path],
) -> None:
    root, archive, site = places
    with Cache(root, archive, site) as used:
        store(used.entries, "old", FILES, ROW)
        store(used.entries, "new", FILES, ROW)
        (used.entries / "new-killed-123").mkdir()
    (root / "recent").mkdir()
    (root / "forgotten").mkdir()
    ago = time.time() - cache.KEPT_S - 60
    os.utime(root / "forgotten", (ago, ago))
    with Cache(root, archive, site) as used:
        used.prune(["new"])
        assert [entry.name for entry in used.entries.iterdir()] == ["new"]
    assert sorted(entry.name for entry in root.iterdir()) == sorted([TAG, "recent", used.entries.name])


def test_nothing_is_removed_while_another_build_uses_the_cache(places: tuple[Path, Path, Path]) -> None:
    root, archive, site = places
    with Cache(root, archive, site) as first, Cache(root, archive, site.with_name("other")) as second:
        store(first.entries, "of first", FILES, ROW)
        second.prune([])
        assert load(first.entries, "of first") is not None


def test_a_folder_with_other_things_is_no_cache(places: tuple[Path, Path, Path]) -> None:
    root, archive, site = places
    root.mkdir()
    (root / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="no cache of ours"), Cache(root, archive, site):
        pass
    assert [entry.name for entry in root.iterdir()] == ["thesis.txt"]


def test_a_cache_that_would_be_published_or_read_as_runs_is_refused(places: tuple[Path, Path, Path]) -> None:
    _, archive, site = places
    with pytest.raises(OutputError, match="published"), Cache(site / ".cache", archive, site):
        pass
    with pytest.raises(OutputError, match="part of the archive"), Cache(archive / "cache", archive, site):
        pass
    with Cache(archive / ".cache", archive, site):
        pass


def test_a_cache_that_is_a_file_or_below_one_is_one_line(places: tuple[Path, Path, Path]) -> None:
    root, archive, site = places
    root.write_text("")
    for wrong in (root, root / "below"):
        with pytest.raises(OutputError) as caught, Cache(wrong, archive, site):
            pass
        assert "\n" not in str(caught.value)


def test_the_row_file_is_plain_json(root: Path) -> None:
    content = json.loads((root / "key/row.json").read_text())
    assert set(content) == {"sha256", "entry"}
    assert set(content["entry"]) == {"schema", "row", "files"}
