"""`sitegen export`: one file that loads nothing, and tables that say what they hold."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen import cli
from sitegen.analyse.run_analysis import analyse
from sitegen.errors import SitegenError
from sitegen.glossary.lookup import load_glossary
from sitegen.model import tables
from sitegen.publish.export_html import ExportContext, export_html
from sitegen.publish.export_parts import merged_popovers
from sitegen.publish.export_tables import FORMATS, dictionary, run_tables, table_files
from sitegen.settings import SiteSettings
from tests.factories import (
    make_batches,
    make_engines,
    make_nonfinite,
    make_run,
    make_series,
    make_trials,
    published_run,
)
from tests.small_archive import add_run, contents

REWARD = "reward/avg_raw_reward"
SAMPLE = Path(__file__).parents[2] / "runs" / "synthetic-agent-calendar-80-8B"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def one_file(run, base_url=None, lang="en") -> str:
    settings = SiteSettings()
    context = ExportContext(settings=settings, glossary=load_glossary(), base_url=base_url)
    return export_html(run, analyse(run, settings), context, {lang: "run.html"})[lang].decode()


def found_in(run):
    return run_tables(run, analyse(run, SiteSettings()), load_glossary())


def full_run():
    """A run with every kind of table."""
    steps = make_series(REWARD, [0.1, float("nan"), 0.3])
    return make_run(
        steps=steps,
        nonfinite=make_nonfinite([{"job": "job_1", "step": 2, "row": 2, "metric": REWARD, "value": "nan"}]),
        trials=make_trials([{"task": "t", "trial": "=1+1", "exception": "E", "reward": 0.5, "turns": 2.0}]),
        engines=make_engines([{"job": "job_1", "row": 1, "running": 3.0}]),
        batches=make_batches([{"job": "job_1", "step": 1, "row": 1, "batches": 1, "exception/OtherError": 2}]),
    )


# One file ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_is_loaded_and_every_link_leads_somewhere(lang):
    page = LexborHTMLParser(one_file(published_run(), lang=lang))
    ids = [node.attributes["id"] for node in page.css("[id]")]
    assert len(ids) == len(set(ids))
    assert not page.css("[src], iframe, object, link[rel=stylesheet], [style]")
    assert [link.attributes["href"] for link in page.css("link")] == ["data:,"]
    for link in page.css("a[href]"):
        href = link.attributes["href"]
        assert href.startswith("https://") or href.removeprefix("#") in ids, href
    for attribute in ("aria-labelledby", "aria-describedby", "for", "data-copy"):
        for node in page.css(f"[{attribute}]"):
            assert set(node.attributes[attribute].split()) <= set(ids)
    for use in page.css("use"):
        assert use.attributes["href"][1:] in ids


def test_the_policy_names_every_script_and_the_style():
    text = one_file(published_run())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; ")
    bodies = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    bodies += re.findall(r"<style>(.*?)</style>", text, flags=re.DOTALL)
    assert len(bodies) >= 5
    hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" for body in bodies}
    assert hashes == set(re.findall(r"'sha256-[^']+'", policy))


def test_the_runtime_is_there_once_and_only_with_charts():
    assert one_file(published_run()).count("Vega (BSD-3-Clause)") == 1
    assert "Vega (BSD" not in one_file(make_run())


def test_links_into_the_site_are_absolute_where_it_is_known():
    text = one_file(published_run(), "https://example.org/s/")
    links = re.findall(r'href="(https://example.org/s/[^"]+)"', text)
    assert any(link.startswith("https://example.org/s/glossary/") for link in links)
    assert any(link.endswith("/run.json") for link in links)
    assert not re.search(r'href="\.\./', text)


def test_hostile_names_do_not_run():
    page = LexborHTMLParser(one_file(replace(make_run(steps=make_series(REWARD, [0.1, 0.2])), title=HOSTILE)))
    assert not page.css("img")
    for script in page.css("script"):
        assert "alert(2)>" not in script.text() or "u003c" in script.text()
    assert page.css_first("title").text() == HOSTILE


def test_a_real_run_fits_and_comes_out_the_same(tmp_path, capsys):
    for name in ("a.html", "b.html"):
        assert cli.run(["export", str(SAMPLE), "-o", str(tmp_path / name)]) == 0
    first = (tmp_path / "a.html").read_bytes()
    assert first == (tmp_path / "b.html").read_bytes()
    assert len(first) <= 1_750_000
    sections = LexborHTMLParser(first.decode()).css("main > section")
    assert [node.attributes["id"] for node in sections] == [
        f"page-{kind}" for kind in ("index", "metrics", "engines", "config", "sources")
    ]


def test_two_languages_are_two_files_that_link_to_each_other(tmp_path, capsys):
    add_run(tmp_path, "run", [0.1, 0.4, 0.3])
    target = tmp_path / "out" / "my run #1.html"
    assert cli.run(["export", str(tmp_path / "run"), "-o", str(target), "--lang", "both"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert [line.split(": ")[0] for line in said.out.splitlines()] == [str(target), str(target)[:-5] + ".zh.html"]
    for name, lang, other in (
        ("my run #1.html", "en", "my run #1.zh.html"),
        ("my run #1.zh.html", "zh-CN", "my run #1.html"),
    ):
        page = LexborHTMLParser((target.parent / name).read_text())
        assert page.css_first("html").attributes["lang"] == lang
        (link,) = page.css(".seg a:not([aria-current])")
        assert unquote(link.attributes["href"]) == other
    assert cli.run(["export", str(tmp_path / "run"), "-o", str(target), "--lang", "zh"]) == 0
    assert LexborHTMLParser(target.read_text()).css_first(".seg a") is None


def test_explanations_of_several_pages_keep_their_facts():
    first = {"facts": ["s", "up"], "terms": {"a": {"t": "A", "m": [0, 1], "s": "."}}}
    second = {"facts": ["%"], "terms": {"a": {"t": "A", "m": [0], "s": "."}, "b": {"t": "B", "m": [0], "s": "."}}}
    merged = merged_popovers([first, second])
    assert [merged["facts"][place] for place in merged["terms"]["a"]["m"]] == ["s", "up"]
    assert [merged["facts"][place] for place in merged["terms"]["b"]["m"]] == ["%"]


# Tables --------------------------------------------------------------------------------------------------------------


def test_every_column_is_explained_in_both_languages():
    found = found_in(full_run())
    assert {"steps", "nonfinite", "engines", "trials", "batches", "metrics", "jobs", "tasks"} <= set(found.frames)
    told = {(item.table, item.column) for item in found.meanings}
    assert told == {(name, str(column)) for name, frame in found.frames.items() for column in frame.columns}
    for item in found.meanings:
        assert item.text.en
        assert re.search(r"[\u4e00-\u9fff]", item.text.zh), (item.table, item.column)
    guessed = {(item.table, item.column) for item in found.meanings if item.guessed}
    assert not guessed


def test_no_declared_column_is_explained_by_a_guess():
    rows = {
        schema.name: {
            column.name: 1.0 if column.kind == "float" else 1 if column.kind == "int" else "x"
            for column in schema.columns
        }
        for schema in tables.SCHEMAS
    }
    run = make_run(
        steps=make_series(REWARD, [0.1]),
        engines=make_engines([rows["engines"]]),
        trials=make_trials([rows["trials"]]),
        batches=make_batches([rows["batches"]]),
    )
    assert [(item.table, item.column) for item in found_in(run).meanings if item.guessed] == []


def test_missing_is_missing_and_nonfinite_stands_apart():
    files = dict(table_files(found_in(full_run()), "csv"))
    rows = list(csv.DictReader(io.StringIO(files["steps.csv"].decode())))
    assert [row[REWARD] for row in rows] == ["0.1", "", "0.3"]
    (told,) = csv.DictReader(io.StringIO(files["nonfinite.csv"].decode()))
    assert (told["step"], told["metric"], told["value"]) == ("2", REWARD, "nan")


def test_a_spreadsheet_runs_nothing():
    files = dict(table_files(found_in(full_run()), "csv"))
    (row,) = csv.DictReader(io.StringIO(files["trials.csv"].decode()))
    assert row["trial"] == "'=1+1"


def test_the_three_formats_hold_the_same():
    found = found_in(full_run())
    files = {kind: dict(table_files(found, kind)) for kind in FORMATS}
    for name, frame in {"dictionary": dictionary(found), **found.frames}.items():
        rows = json.loads(files["json"][f"{name}.json"])
        parquet = pd.read_parquet(io.BytesIO(files["parquet"][f"{name}.parquet"]))
        read = list(csv.DictReader(io.StringIO(files["csv"][f"{name}.csv"].decode())))
        assert len(rows) == len(parquet) == len(read) == len(frame)
        assert list(parquet.columns) == list(rows[0]) == list(read[0]) == [str(column) for column in frame.columns]
        for row, cells in zip(rows, read, strict=True):
            for key, value in row.items():
                assert cells[key].removeprefix("'") == ("" if value is None else str(value)), (name, key)
    steps = pd.read_parquet(io.BytesIO(files["parquet"]["steps.parquet"]))
    assert steps[REWARD].isna().tolist() == [False, True, False]


def test_tables_go_into_a_folder_or_an_archive_that_is_always_the_same(tmp_path, capsys):
    archive = tmp_path / "archive"
    folder = add_run(archive, "team/first", [0.1, 0.2])
    assert cli.run(["export", str(folder), "--format", "csv", "-o", str(tmp_path / "t")]) == 0
    assert "files" in capsys.readouterr().out
    for name in ("a.zip", "b.zip"):
        assert cli.run(["export", str(folder), "--format", "csv", "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == contents(tmp_path / "t")


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SitegenError, match=r"sitegen\[parquet\]"):
        dict(table_files(found_in(full_run()), "parquet"))


def test_paths_that_cannot_be_written_are_one_line(tmp_path, capsys):
    folder = add_run(tmp_path / "archive", "first", [0.1, 0.2])
    (tmp_path / "file").write_text("mine")
    for arguments in (["-o", str(tmp_path)], ["--format", "csv", "-o", str(tmp_path / "file")]):
        assert cli.run(["export", str(folder), *arguments]) == 1
        assert capsys.readouterr().err.count("\n") == 1
    assert (tmp_path / "file").read_text() == "mine"


def test_what_is_no_plain_file_is_written_to_and_stays(tmp_path):
    add_run(tmp_path, "run", [0.1, 0.4])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (tmp_path / "read.html").open("wb") as out, subprocess.Popen(["cat", pipe], stdout=out) as reader:
        assert cli.run(["export", str(tmp_path / "run"), "-o", str(pipe)]) == 0
        assert reader.wait(30) == 0
    assert (tmp_path / "read.html").read_bytes().endswith(b"</html>\n")
    assert pipe.is_fifo()
    (tmp_path / "null").symlink_to(os.devnull)
    assert cli.run(["export", str(tmp_path / "run"), "-o", str(tmp_path / "null")]) == 0
    assert Path(os.devnull).is_char_device()


def test_an_interrupted_export_leaves_the_old_file(tmp_path, capsys, monkeypatch):
    folder = add_run(tmp_path / "archive", "first", [0.1, 0.2])
    target = tmp_path / "t.zip"
    target.write_bytes(b"old")

    def refuse(self, target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    assert cli.run(["export", str(folder), "--format", "json", "-o", str(target)]) == 1
    assert "Permission denied; what was there before is unchanged" in capsys.readouterr().err
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "t.zip"]


def test_what_is_secret_is_masked(tmp_path):
    folder = add_run(tmp_path / "archive", "first", [0.1, 0.2])
    (folder / "rl_config.yaml").write_text(
        "trainer:\n  hub_token: hf_QwErTy9m3Kz7Vb1Nc5Xj8Hd2Fg6Ls4Pa\n  mail: jane@example.org\n"
    )
    assert cli.run(["export", str(folder), "-o", str(tmp_path / "run.html")]) == 0
    text = (tmp_path / "run.html").read_text()
    assert "hub_token" in text
    assert "QwErTy9m3Kz7Vb1Nc5Xj8Hd2Fg6Ls4Pa" not in text
    assert "jane@example.org" not in text
