"""Text in two languages, and the catalogues in which such text is kept.

Owns the `Text` pair and the loading of `sitegen/strings/**/*.toml`. A catalogue maps an id to a pair:

    ["run.findings"]
    en = "Findings"
    zh = "发现"

A missing language or an unequal set of placeholders is an error at load time, not a silent fallback.
"""

from __future__ import annotations

import string
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

Lang = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Text:
    """The same sentence in English and Simplified Chinese."""

    en: str
    """English."""
    zh: str
    """Simplified Chinese."""

    def of(self, lang: Lang) -> str:
        """The text in one language."""
        return self.en if lang == "en" else self.zh

    def format(self, **values: Any) -> Text:
        """The pair with `{placeholders}` filled; a `Text` value is taken in the matching language."""
        return Text(
            self.en.format(**{k: v.en if isinstance(v, Text) else v for k, v in values.items()}),
            self.zh.format(**{k: v.zh if isinstance(v, Text) else v for k, v in values.items()}),
        )


def same(value: str) -> Text:
    """A name that reads the same in both languages (a logged key, a file name)."""
    return Text(value, value)


def placeholders(template: str) -> frozenset[str]:
    """The field names in a format string."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)


def pair(entry: Any, where: str) -> Text:
    """A checked `Text` from a TOML table with `en` and `zh`.

    Raises:
        ValueError: a language is missing or the placeholders differ (a bug in our own files).
    """
    if not isinstance(entry, dict) or not entry.get("en") or not entry.get("zh"):
        raise ValueError(f"{where}: needs both en and zh")
    text = Text(entry["en"], entry["zh"])
    if placeholders(text.en) != placeholders(text.zh):
        raise ValueError(f"{where}: placeholders differ between en and zh")
    return text


def load_toml(folder: str) -> dict[str, Any]:
    """All tables of `sitegen/strings/<folder>/*.toml`, one id space; an id used twice is a bug."""
    merged: dict[str, Any] = {}
    root = resources.files("sitegen").joinpath("strings", folder)
    for entry in sorted(root.iterdir(), key=lambda item: item.name):
        if not entry.name.endswith(".toml"):
            continue
        for key, value in tomllib.loads(entry.read_text(encoding="utf-8")).items():
            if key in merged:
                raise ValueError(f"strings/{folder}/{entry.name}: id {key} is used twice")
            merged[key] = value
    return merged


@cache
def ui_strings() -> dict[str, Text]:
    """Every interface string by id, from `sitegen/strings/ui/*.toml`."""
    return {key: pair(value, f"ui string {key}") for key, value in load_toml("ui").items()}


def ui(key: str, **values: Any) -> Text:
    """One interface string, its placeholders filled.

    Raises:
        KeyError: no such id (a bug).
    """
    text = ui_strings()[key]
    return text.format(**values) if values else text
