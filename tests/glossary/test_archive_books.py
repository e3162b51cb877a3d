"""Glossary files of an archive's own that cannot be used: one line each, and no waiting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.errors import SettingsError
from sitegen.glossary.loader import archive_books
from sitegen.glossary.lookup import load_glossary


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('framework = "mine"\nentry = 5', r"glossary/own\.toml: entry must be a table for each entry"),
        ('framework = "mine"\nx = ' + "[" * 3000, r"glossary/own\.toml: is nested too deeply"),
        ('framework = "mine"\nx = ' + "9" * 5000, r"glossary/own\.toml: "),
    ],
    ids=["entry", "nesting", "digits"],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "glossary").mkdir()
    (tmp_path / "glossary" / "own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=why):
        archive_books(tmp_path)


@pytest.mark.timeout(10)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "glossary").mkdir()
    os.mkfifo(tmp_path / "glossary" / "own.toml")
    with pytest.raises(SettingsError, match="is not a plain file"):
        archive_books(tmp_path)


def test_a_framework_may_not_take_the_addresses_of_the_groups(tmp_path: Path) -> None:
    (tmp_path / "glossary").mkdir()
    (tmp_path / "glossary" / "own.toml").write_text('framework = "group"\nentry = []', encoding="utf-8")
    with pytest.raises(SettingsError, match="framework group would take the groups' pages"):
        load_glossary(tmp_path)
