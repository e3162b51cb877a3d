"""`publish dir`: a folder gets the site, twice, cut off in the middle, and where it must not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen import cli, exchange
from sitegen.publish import web_root
from sitegen.write import MANIFEST, manifest
from tests.publish.killing import KILLED, calls
from tests.publish.sites import page, put_site, site_files
from tests.small_archive import contents


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return put_site(tmp_path / "site", site_files())


def publish(site: Path, root: Path, *options: str, lang: str = "en") -> int:
    return cli.run(["--lang", lang, "publish", "dir", str(root), "--site", str(site), *options])


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    found = [path for path in root.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}


def test_the_folder_is_the_site_and_the_second_time_nothing_is_touched(tmp_path, site, capsys):
    root = tmp_path / "www"
    assert publish(site, root) == 0
    said = capsys.readouterr()
    assert "To add: 8 files" in said.out
    assert f"See {root / 'index.html'}" in said.out
    assert said.err == ""
    assert contents(root) == contents(site)
    before = stamps(root)
    assert publish(site, root) == 0
    assert "Nothing to do" in capsys.readouterr().out
    assert stamps(root) == before


def test_only_what_changed_is_written_and_what_the_site_lost_goes(tmp_path, site, capsys):
    root = tmp_path / "www"
    publish(site, root)
    (root / "CNAME").write_text("runs.example.org")
    (root / "runs" / "notes.txt").write_text("of somebody else")
    before = stamps(root)
    files = {**site_files(), "index.html": page("en", "second"), "about.csv": b"step,reward\n"}
    gone = ["runs/one/index.html", "zh/runs/one/index.html"]
    put_site(site, {name: content for name, content in files.items() if name not in gone})
    capsys.readouterr()
    assert publish(site, root) == 0
    assert "To add: 1 files" in capsys.readouterr().out
    after = stamps(root)
    moved = {name for name in after if before.get(name) != after[name]}
    assert moved == {str(root / name) for name in ("index.html", "about.csv", MANIFEST)}
    assert {name for name in before if name not in after} == {str(root / name) for name in gone}
    assert not (root / "zh" / "runs").exists()
    assert (root / "CNAME").read_text() == "runs.example.org"
    assert (root / "runs" / "notes.txt").exists()


def test_a_dry_run_lists_every_change_and_touches_nothing(tmp_path, site, capsys):
    root = tmp_path / "www"
    assert publish(site, root, "--dry-run") == 0
    said = capsys.readouterr().out
    assert not root.exists()
    assert f"added    index.html  {len(site_files()['index.html'])} B" in said
    publish(site, root)
    put_site(site, {"index.html": page("en", "second"), "zh/index.html": site_files()["zh/index.html"]})
    before = stamps(root)
    capsys.readouterr()
    assert publish(site, root, "--dry-run") == 0
    said = capsys.readouterr().out
    assert "changed  index.html" in said
    assert "removed  runs/one/index.html" in said
    assert "Nothing was touched" in said
    assert stamps(root) == before


def test_a_folder_that_is_not_ours_is_refused(tmp_path, site, capsys):
    root = tmp_path / "www"
    root.mkdir()
    (root / "index.html").write_text("of somebody else")
    assert publish(site, root) == 1
    assert "is not empty and was not published by sitegen (index.html)" in capsys.readouterr().err
    assert contents(root) == {"index.html": b"of somebody else"}


def test_what_others_put_where_the_site_needs_the_place_is_not_replaced(tmp_path, site, capsys):
    root = tmp_path / "www"
    publish(site, root)
    (root / "about.csv").write_text("of somebody else")
    (root / "feed").mkdir()
    (root / "feed" / "theirs.xml").write_text("")
    (root / "glossary").write_text("a file")
    before = contents(root)
    for name in ("about.csv", "feed", "glossary/terms.csv"):
        put_site(site, {**site_files("second"), name: b"new"})
        capsys.readouterr()
        assert publish(site, root) == 1
        assert "not sitegen's, and the site needs the place" in capsys.readouterr().err
    assert contents(root) == before


def test_nothing_is_written_through_a_link(tmp_path, site, capsys):
    root, elsewhere = tmp_path / "www", tmp_path / "elsewhere"
    publish(site, root)
    elsewhere.mkdir()
    (root / "glossary").symlink_to(elsewhere)
    put_site(site, {**site_files(), "glossary/terms.csv": b"new"})
    capsys.readouterr()
    assert publish(site, root) == 1
    assert "is a link" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("place", ["site", "site/inside", "."])
def test_a_folder_that_holds_the_site_or_lies_in_it_is_refused(tmp_path, site, capsys, place):
    assert publish(site, tmp_path / place) == 1
    assert "give a folder elsewhere" in capsys.readouterr().err


def test_a_run_that_was_killed_is_continued(tmp_path, site, monkeypatch, capsys):
    root = tmp_path / "www"
    publish(site, root)
    put_site(site, {**site_files("second"), "about.csv": b"step,reward\n"})
    real, done = web_root.WebRoot._put, []

    def put_some(self, path, file):
        if len(done) == 3:
            (root / f".{Path(path).name}.sitegen-partial").write_bytes(file.read()[:10])
            raise KeyboardInterrupt
        done.append(path)
        real(self, path, file)

    monkeypatch.setattr(web_root.WebRoot, "_put", put_some)
    assert publish(site, root) == cli.INTERRUPTED
    assert contents(root) != contents(site)
    monkeypatch.undo()
    assert publish(site, root) == 0
    assert contents(root) == contents(site)


def test_killed_before_any_of_its_changes_the_next_run_mends_it(tmp_path, site):
    first, root = tmp_path / "first", tmp_path / "www"
    publish(site, first)
    old = contents(first)
    put_site(site, {**{name: text for name, text in site_files("second").items() if "one" not in name}, "a/b.csv": b""})
    new, killed = contents(site), 0
    with calls(tmp_path) as process:
        while True:
            shutil.copytree(first, root)
            end = process.run(["publish", "dir", root, "--site", site], at=2 * killed + 1)
            lying = contents(root)
            if end == 0:
                break
            assert end == KILLED
            for name, content in lying.items():
                if not name.endswith((".sitegen-partial", ".sitegen-lock", MANIFEST)):
                    assert content in (old.get(name), new.get(name)), f"{name} is neither the old nor the new one"
            assert publish(site, root) == 0
            assert contents(root) == new
            shutil.rmtree(root)
            killed += 1
    assert lying == new
    assert killed > 10


def test_two_at_once_do_not_mix(tmp_path, site, capsys):
    root = tmp_path / "www"
    publish(site, root)
    put_site(site, site_files("second"))
    before = contents(root)
    holder = exchange.held(root / ".sitegen-lock")
    assert holder is not None
    with holder:
        capsys.readouterr()
        assert publish(site, root) == 1
        assert "somebody else is publishing there" in capsys.readouterr().err
        assert publish(site, root, "--dry-run") == 0
        assert contents(root) == {**before, ".sitegen-lock": b""}
    assert publish(site, root) == 0
    assert contents(root) == contents(site)


@pytest.mark.parametrize("name", [".sitegen-lock", ".index.html.sitegen-partial"])
def test_a_link_in_the_place_of_what_passes_is_not_followed(tmp_path, site, name):
    root, elsewhere = tmp_path / "www", tmp_path / "elsewhere"
    publish(site, root)
    elsewhere.write_text("of somebody else")
    (root / name).symlink_to(elsewhere)
    put_site(site, site_files("second"))
    assert publish(site, root) == int(name == ".sitegen-lock")
    assert elsewhere.read_text() == "of somebody else"
    if name != ".sitegen-lock":
        assert contents(root) == contents(site)


@pytest.mark.parametrize("broken", ["{", '{"generator": "other", "schema": 1, "files": {}}', '{"files": []}'])
def test_a_marker_that_cannot_be_read_stops_everything(tmp_path, site, capsys, broken):
    root = tmp_path / "www"
    root.mkdir()
    (root / MANIFEST).write_text(broken)
    assert publish(site, root) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert contents(root) == {MANIFEST: broken.encode()}


def test_a_refused_permission_is_one_line(tmp_path, site):
    root = tmp_path / "www"
    root.mkdir()
    root.chmod(0o555)
    command = [sys.executable, "-m", "sitegen", "publish", "dir", str(root), "--site", str(site)]
    if os.geteuid() == 0:  # root may write anywhere: ask as somebody else
        full = tmp_path / "www" / "file"
        root.chmod(0o755)
        full.write_text("")
        command[5] = str(full / "deeper")
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be" in done.stderr


def test_errors_of_the_preflight_stop_it_unless_forced(tmp_path, site, capsys):
    put_site(site, {**site_files(), "runs/one/run.json": b'{"token": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"}'})
    root = tmp_path / "www"
    assert publish(site, root) == 1
    said = capsys.readouterr()
    assert "runs/one/run.json:1" in said.out
    assert "--force" in said.err
    assert not root.exists()
    assert publish(site, root, "--force") == 0
    assert contents(root) == contents(site)


def test_files_of_others_in_the_site_stay_at_home_and_are_named(tmp_path, site, capsys):
    (site / "draft.txt").write_text("mine")
    assert publish(site, tmp_path / "www", lang="zh") == 0
    assert "不会发布：draft.txt" in capsys.readouterr().out
    assert not (tmp_path / "www" / "draft.txt").exists()


def test_odd_files_of_others_in_the_site_do_not_stop_it(tmp_path, site):
    (site / "draft\nof mine.html").write_text("<a href=nowhere.html>")
    assert publish(site, tmp_path / "www") == 0
    assert contents(tmp_path / "www") == {n: c for n, c in contents(site).items() if not n.startswith("draft")}


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "a\nb.html", "a//b.html"])
def test_a_manifest_that_names_what_is_no_path_in_the_site_is_refused(tmp_path, site, capsys, name):
    (tmp_path / "secret.txt").write_text("secret")
    files = json.loads((site / MANIFEST).read_bytes())["files"]
    (site / MANIFEST).write_bytes(manifest({**files, name: "0"}))
    assert publish(site, tmp_path / "www", "--force") == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "no path in a site" in said
    assert not (tmp_path / "www").exists()


@pytest.mark.parametrize("name", ["index.html", "runs", "runs/one"])
def test_a_link_in_the_site_is_not_published(tmp_path, site, capsys, name):
    elsewhere = tmp_path / "elsewhere"
    (site / name).rename(elsewhere)
    (site / name).symlink_to(elsewhere)
    assert publish(site, tmp_path / "www", "--force") == 1
    assert f"{site / name}: is a link" in capsys.readouterr().err
    assert not (tmp_path / "www").exists()


def test_a_site_that_is_built_anew_meanwhile_is_told(tmp_path, site, monkeypatch, capsys):
    root = tmp_path / "www"
    real = web_root.WebRoot._put

    def late(self, path, file):
        put_site(site, site_files("second"))
        real(self, path, file)

    monkeypatch.setattr(web_root.WebRoot, "_put", late)
    assert publish(site, root) == 1
    assert "changed while it was being published; run the same command again" in capsys.readouterr().err
    monkeypatch.undo()
    assert publish(site, root) == 0
    assert contents(root) == contents(site)


def test_a_full_disk_names_the_file_and_the_next_run_goes_on(tmp_path, site, monkeypatch, capsys):
    root = tmp_path / "www"
    real = Path.replace

    def full(self, target):
        if Path(target).name == "index.html":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    assert publish(site, root) == 1
    said = capsys.readouterr().err
    assert "index.html: cannot be written: No space left on device; when that is mended" in said
    monkeypatch.undo()
    assert publish(site, root) == 0
    assert contents(root) == contents(site)


def test_a_link_that_leads_nowhere_is_refused(tmp_path, site, capsys):
    (tmp_path / "www").symlink_to(tmp_path / "gone")
    assert publish(site, tmp_path / "www") == 1
    assert "is a link that leads nowhere" in capsys.readouterr().err


def test_what_is_no_site_is_refused(tmp_path, capsys):
    assert publish(tmp_path / "missing", tmp_path / "www") == 1
    assert "build one with: sitegen build" in capsys.readouterr().err
