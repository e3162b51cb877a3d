"""A run that says `publish = false` is absent from every file of the site, under every name that could tell of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.build import BuildOptions, build_site
from tests.small_archive import add_run, contents

SECRET = "quuxwombat"
"""Part of every name that only the hidden run has."""

HIDDEN = f"""
publish = false
title = "{SECRET} title"
slug = "{SECRET}-slug"
aliases = ["{SECRET}-old"]
tags = ["{SECRET}-tag"]
notes = "{SECRET} note"
compare_to = "open"

[links]
"{SECRET}" = "https://example.org/{SECRET}"
"""


def add_hidden(archive: Path, name: str) -> Path:
    """A run whose metric, setting, card, trial, exception and unread file all have a name of their own."""
    folder = add_run(archive, name, [0.1, 0.2, 0.9], HIDDEN)
    (folder / "training_logs" / "20260101_000000_metrics_table.csv").write_text(
        f"log_file,reward/avg_raw_reward,reward/{SECRET},trainer/global_step\njob_1,0.5,977.0,1\njob_1,0.6,978.0,2\n"
    )
    (folder / "rl_config.yaml").write_text(f"trainer:\n  {SECRET}_setting: 5\n  run_name: {SECRET}\n")
    (folder / "README.md").write_text(f"---\nbase_model: org/{SECRET}\ntags: [{SECRET}]\n---\n# {SECRET}\n")
    (folder / f"{SECRET}.dat").write_bytes(b"\x00")
    (folder / "training_logs" / f"{SECRET}.json").write_text("{broken")
    (folder / f"{name.rsplit('/', 1)[-1]}_12.out").write_text(f"{SECRET}: started\n")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpublished")
    archive = folder / "archive"
    add_run(archive, "open", [0.2, 0.3], 'aliases = ["old-open"]\ncompare_to = "other"')
    add_run(archive, "other", [0.1, 0.4])
    add_hidden(archive, f"{SECRET}-folder")
    add_hidden(archive, f"open/{SECRET}-inner").joinpath("run.toml").write_text(
        HIDDEN.replace(f"{SECRET}-slug", f"{SECRET}-inner-slug")
    )
    (archive / "sitegen.toml").write_text('base_url = "https://example.org/runs/"\n')
    build_site(archive, folder / "site", BuildOptions(workers=1))
    return folder / "site"


def test_no_file_tells_of_it(site: Path) -> None:
    needle = SECRET.encode()
    found = [path for path, content in contents(site).items() if needle in path.encode() or needle in content.lower()]
    assert found == []


def test_the_others_are_all_there(site: Path) -> None:
    files = contents(site)
    assert {"runs/open/index.html", "runs/other/index.html", "runs/old-open/index.html"} <= files.keys()
    assert b'"open"' in files["archive.js"]
    assert b'"other"' in files["archive.js"]


def test_what_was_published_goes_when_the_run_is_hidden(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    add_run(archive, "open", [0.2, 0.3])
    shown = add_run(archive, f"{SECRET}-folder", [0.5, 0.6])
    build_site(archive, tmp_path / "site", BuildOptions(workers=1))
    assert any(SECRET in path for path in contents(tmp_path / "site"))
    (shown / "run.toml").write_text("publish = false\n")
    build_site(archive, tmp_path / "site", BuildOptions(workers=1))
    assert not any(SECRET.encode() in path.encode() + content for path, content in contents(tmp_path / "site").items())
