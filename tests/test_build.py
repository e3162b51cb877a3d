"""From a folder of runs to a site: the same bytes every time, and only as much work as changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen import run_work
from sitegen.build import BuildOptions, BuildReport, build_site
from sitegen.cache import Cache
from sitegen.errors import OutputError, SettingsError
from sitegen.write import MANIFEST
from tests.small_archive import add_run, contents, table

ROOT = Path(__file__).parents[1]
Build = Callable[[Path, Path], BuildReport]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    add_run(folder, "first", [0.1, 0.2, 0.3])
    add_run(folder, "second", [0.2, 0.4, 0.6])
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests: the chart assets are made once; the entries lie apart for each archive."""
    return tmp_path_factory.mktemp("cache") / "kept"


@pytest.fixture
def build(kept: Path) -> Build:
    return lambda archive, site: build_site(archive, site, BuildOptions(workers=1, cache=kept))


def places(site: Path) -> dict[str, int]:
    return {path.relative_to(site).as_posix(): path.stat().st_ino for path in site.rglob("*") if path.is_file()}


def test_every_run_gets_its_pages_in_both_languages(build: Build, archive: Path, site: Path) -> None:
    report = build(archive, site)
    assert report.runs == 2
    for page in ("index.html", "runs/first/index.html", "runs/second/index.html", "glossary/index.html"):
        assert (site / page).is_file()
        assert (site / "zh" / page).is_file()
    for name in ("first", "second"):
        assert json.loads((site / f"runs/{name}/run.json").read_bytes())["slug"] == name
    files = contents(site)
    assert report.written.files == len(files) - 1
    assert report.written.pages == sum(path.endswith(".html") for path in files)
    assert set(json.loads(files[MANIFEST])["files"]) == set(files) - {MANIFEST}


def test_same_input_same_bytes(build: Build, archive: Path, site: Path, tmp_path: Path) -> None:
    build(archive, site)
    moved = tmp_path / "另一个 place" / "deeper"
    shutil.copytree(archive, moved)
    for log in moved.rglob("*.csv"):
        os.utime(log, (1, 1))
    code = (
        "import sys, pathlib; from sitegen.build import *;"
        "build_site(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), BuildOptions(workers=2, keep=False));"
        "sys.exit(' '.join({'altair', 'pandas', 'vl_convert'} & set(sys.modules)) or 0)"  # workers do everything
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Shanghai", "LC_ALL": "C", "HOME": "/nowhere"}
    other = tmp_path / "other"
    command = [sys.executable, "-c", code, str(moved), str(other)]
    subprocess.run(command, check=True, cwd=ROOT, env=environment, timeout=100)
    first, second = contents(site), contents(other)
    assert first.keys() == second.keys()
    assert [path for path in first if first[path] != second[path]] == []


def test_nothing_of_this_machine_is_in_the_site(build: Build, archive: Path, site: Path, tmp_path: Path) -> None:
    build(archive, site)
    for path, content in contents(site).items():
        assert str(tmp_path).encode() not in content, path


def test_only_a_changed_run_is_done_again(build: Build, archive: Path, site: Path) -> None:
    assert build(archive, site).cached == 0
    before = places(site)
    report = build(archive, site)
    assert (report.cached, report.written.changed) == (2, 0)
    assert places(site) == before
    log = next((archive / "second").rglob("*.csv"))
    log.write_text(table("job_1", [0.2, 0.4, 0.9]))
    report = build(archive, site)
    assert report.cached == 1
    after = places(site)
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed
    assert not [path for path in changed if "runs/first/" in path]
    assert json.loads((site / "runs/second/run.json").read_bytes())["metrics"]["reward/avg_raw_reward"]["max"] == 0.9


@pytest.mark.parametrize("file", ["sitegen.toml", "first/run.toml"])
def test_a_changed_setting_counts(build: Build, archive: Path, site: Path, file: str) -> None:
    build(archive, site)
    (archive / file).write_text('title = "Another title"\n')
    report = build(archive, site)
    assert report.cached == (0 if file == "sitegen.toml" else 1)
    assert b"Another title" in (site / "index.html").read_bytes()


def test_an_entry_of_the_archives_own_glossary_counts(build: Build, archive: Path, site: Path) -> None:
    build(archive, site)
    (archive / "glossary").mkdir()
    (archive / "glossary" / "ours.toml").write_text('framework = "common"\n')
    assert build(archive, site).cached == 0


def test_a_broken_cache_costs_time_and_nothing_else(build: Build, kept: Path, archive: Path, site: Path) -> None:
    build(archive, site)
    before = contents(site)
    for row in Cache(kept, archive, site).entries.rglob("row.json"):
        row.write_bytes(row.read_bytes()[:-20])
    report = build(archive, site)
    assert report.cached == 0
    assert contents(site) == before
    assert build(archive, site).cached == 2


def test_an_edited_page_is_mended_and_does_not_poison_the_cache(build: Build, archive: Path, site: Path) -> None:
    build(archive, site)
    page = site / "runs/first/index.html"
    good = page.read_bytes()
    with page.open("ab") as file:
        file.write(b"<!-- edited in place -->")
    build(archive, site)
    assert page.read_bytes() == good


def test_no_cache_keeps_nothing_beside_the_site(archive: Path, site: Path) -> None:
    build_site(archive, site, BuildOptions(workers=1, keep=False))
    assert sorted(path.name for path in site.parent.iterdir()) == ["archive", "site"]


def test_pages_of_a_removed_run_disappear(build: Build, archive: Path, site: Path) -> None:
    build(archive, site)
    shutil.rmtree(archive / "first")
    report = build(archive, site)
    assert not (site / "runs" / "first").exists()
    assert not (site / "zh" / "runs" / "first").exists()
    assert any(path.startswith("runs/first/") for path in report.written.removed)


def test_a_run_that_is_not_to_be_published_is_nowhere(build: Build, archive: Path, site: Path) -> None:
    add_run(archive, "hidden-treasure", [0.5, 0.6], "publish = false\n")
    assert build(archive, site).runs == 2
    for path, content in contents(site).items():
        assert "hidden-treasure" not in path
        assert b"hidden-treasure" not in content, path


def test_an_old_address_leads_to_the_run(build: Build, archive: Path, site: Path) -> None:
    (archive / "first" / "run.toml").write_text('slug = "best"\naliases = ["first"]\n')
    build(archive, site)
    assert (site / "runs/best/index.html").is_file()
    for page, link in (("runs/first/index.html", "../best/index.html"), ("zh/runs/first/index.html", "../best/")):
        assert link in (site / page).read_text()


def test_a_site_inside_the_archive_is_not_read_as_runs(build: Build, archive: Path) -> None:
    site = archive / "site"
    assert build(archive, site).runs == 2
    before = contents(site)
    report = build(archive, site)
    assert (report.runs, report.cached) == (2, 2)
    assert contents(site) == before


def test_a_bug_in_one_run_names_it_and_keeps_the_site(
    build: Build, archive: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(archive, site)
    before = contents(site)

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(run_work, "analyse", broken)
    with (archive / "first" / "run.toml").open("w") as file:
        file.write('notes = "changed"')
    with pytest.raises(ZeroDivisionError) as caught:
        build(archive, site)
    assert any("first" in note for note in caught.value.__notes__)
    assert contents(site) == before


def test_an_archive_without_runs_still_has_a_site(build: Build, tmp_path: Path, site: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert build(tmp_path / "empty", site).runs == 0
    assert (site / "index.html").is_file()


def test_the_archive_itself_may_be_the_run(build: Build, archive: Path, site: Path) -> None:
    report = build(archive / "first", site)
    assert report.runs == 1
    assert len(list(site.glob("runs/*/index.html"))) == 1


@pytest.mark.parametrize(
    ("settings", "error"), [('titel = "x"\n', SettingsError), ("title = ", SettingsError)], ids=["typo", "no toml"]
)
def test_wrong_settings_are_one_line_and_keep_the_site(
    build: Build, archive: Path, site: Path, settings: str, error: type[Exception]
) -> None:
    build(archive, site)
    before = contents(site)
    (archive / "sitegen.toml").write_text(settings)
    with pytest.raises(error) as caught:
        build(archive, site)
    assert "\n" not in str(caught.value)
    assert contents(site) == before


def test_an_output_folder_that_holds_the_archive_is_refused_before_any_work(build: Build, archive: Path) -> None:
    with pytest.raises(OutputError, match="holds the archive"):
        build(archive, archive.parent)


def test_the_pipeline_fits_on_a_screen() -> None:
    lines = (ROOT / "sitegen" / "build.py").read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def build_site"))
    assert len(lines) - start <= 60
