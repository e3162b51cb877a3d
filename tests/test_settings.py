"""sitegen.toml and run.toml: every key checked, typos named."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.errors import SettingsError
from sitegen.settings import (
    RunSettings,
    SiteSettings,
    is_address,
    keys_of,
    load_run_settings,
    load_site_settings,
)
from sitegen.text import Text

DOCS = Path(__file__).parent.parent / "docs" / "settings.md"


def site(tmp_path: Path, text: str) -> SiteSettings:
    (tmp_path / "sitegen.toml").write_text(text, encoding="utf-8")
    return load_site_settings(tmp_path)


def run(tmp_path: Path, text: str) -> RunSettings:
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    return load_run_settings(tmp_path / "run.toml")


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    assert load_site_settings(tmp_path) == SiteSettings()
    assert load_run_settings(tmp_path) == RunSettings()


def test_all_site_keys(tmp_path: Path) -> None:
    found = site(
        tmp_path,
        """
        title = {en = "Runs", zh = "运行"}
        description = "One line"
        base_url = "https://example.org/runs"
        include = ["team/*"]
        exclude = ["old"]
        primary_metric = "reward/x"
        success_threshold = 1
        reward_key = "score"
        overlap_rule = "first"
        save_interval = 5
        ema_alpha = 0.5
        [roles]
        reward = ["reward/x", "r"]
        kl = "kl"
        """,
    )
    assert found == SiteSettings(
        title=Text("Runs", "运行"),
        description=Text("One line", "One line"),
        base_url="https://example.org/runs/",
        include=("team/*",),
        exclude=("old",),
        primary_metric="reward/x",
        success_threshold=1.0,
        reward_key="score",
        overlap_rule="first",
        save_interval=5,
        ema_alpha=0.5,
        roles={"reward": ("reward/x", "r"), "kl": ("kl",)},
    )


def test_all_run_keys_from_a_file_with_bom_and_crlf(tmp_path: Path) -> None:
    text = (
        'title = "T"\r\nslug = "team/run-1"\r\naliases = ["old.name"]\r\ntags = ["synthetic"]\r\nnotes = "N"\r\n'
        'gpus = 8\r\npublish = false\r\ncompare_to = "other"\r\nsave_interval = 2\r\n[links]\r\nA = "http://a.org/x"\r\n'
    )
    (tmp_path / "run.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load_run_settings(tmp_path) == RunSettings(
        title="T",
        slug="team/run-1",
        aliases=("old.name",),
        tags=("synthetic",),
        notes="N",
        gpus=8,
        publish=False,
        compare_to="other",
        save_interval=2,
        links={"A": "http://a.org/x"},
    )


def test_a_typo_names_file_key_and_the_nearest_known_key(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"sitegen\.toml: unknown key 'ovrlap_rule'; did you mean 'overlap_rule'\?"):
        site(tmp_path, 'ovrlap_rule = "last"')
    with pytest.raises(SettingsError, match=r"run\.toml: unknown key 'compare-to'; did you mean 'compare_to'\?"):
        run(tmp_path, 'compare-to = "x"')


def test_an_unknown_key_without_a_neighbour_lists_all(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="unknown key 'zzz'; known keys: title, slug, aliases"):
        run(tmp_path, "zzz = 1")


def test_broken_toml_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"run\.toml: not valid TOML: .*line 2"):
        run(tmp_path, 'title = "x"\ntags = [')
    (tmp_path / "sitegen.toml").write_bytes(b'title = "a"\nx = "\xff"\n')
    with pytest.raises(SettingsError, match=r"sitegen\.toml: line 2 is not UTF-8"):
        load_site_settings(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        'title = ""',
        "title = 3",
        'tags = "one"',
        'tags = ["a", 1]',
        "gpus = 0",
        "gpus = true",
        "gpus = 2.5",
        "save_interval = -1",
        'publish = "no"',
        'slug = "Team/Run"',
        'slug = "../up"',
        'slug = "/abs"',
        'slug = "a//b"',
        'slug = "运行"',
        'slug = "a/data"',
        'slug = "a/metrics.html"',
        'slug = "nul"',
        'aliases = ["a b"]',
        'links = ["https://a.org"]',
        'links = {x = "javascript:alert(1)"}',
        'links = {x = "https:///nohost"}',
        'links = {x = "ftp://a.org"}',
        'links = {x = "https://user:pw@a.org"}',
        'links = {x = "https://[broken"}',
    ],
)
def test_a_wrong_run_value_is_refused_and_the_key_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=rf"run\.toml: {text.split()[0]} "):
        run(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        'title = {en = "only"}',
        'title = {en = "a", zh = "b", fr = "c"}',
        'overlap_rule = "best"',
        "ema_alpha = 0",
        "ema_alpha = 1.5",
        "success_threshold = nan",
        'success_threshold = "0"',
        "save_interval = 0",
        'base_url = "example.org"',
        'base_url = "https://example.org/?a=1"',
        "roles = 1",
        "roles = {reward = [1]}",
        "gpu_hour_price = 1" + "0" * 400,
        "save_interval = 1" + "0" * 400,
        "save_interval = 0x" + "f" * 400,
    ],
)
def test_a_wrong_site_value_is_refused_and_the_key_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=rf"sitegen\.toml: {text.split()[0]} "):
        site(tmp_path, text)


@pytest.mark.parametrize("text", ["gpus = " + "9" * 5000, "gpus = " + "[" * 3000], ids=["digits", "nesting"])
def test_toml_beyond_what_the_parser_takes_is_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=r"run\.toml: a value is nested too deeply or has too many digits"):
        run(tmp_path, text)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_plain_file_is_refused_and_not_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "sitegen.toml")
    with pytest.raises(SettingsError, match=r"sitegen\.toml: is not a plain file"):
        load_site_settings(tmp_path)


def test_addresses() -> None:
    assert all(map(is_address, ["a", "team/run-1", "8b_x.y", "zh"]))
    assert not any(map(is_address, ["", "A", "a/", ".a", "a/card", "x.json", "a.", "con", "a" * 101]))


def test_every_key_is_documented_and_nothing_else() -> None:
    parts = DOCS.read_text(encoding="utf-8").split("## ")
    for heading, settings in (("`sitegen.toml`", SiteSettings), ("`run.toml`", RunSettings)):
        section = next(part for part in parts if part.startswith(heading))
        assert tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == keys_of(settings)
