"""Glossary files as entries: ours (`sitegen/glossary/data/*.toml`) and an archive's (`glossary/*.toml`).

Ours are checked by the tests, an archive's where they are loaded; `docs/glossary-format.md` describes the format.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from sitegen.errors import SettingsError
from sitegen.glossary.entry import KINDS, Blame, Framework, GlossaryEntry, Group, Source, Unit
from sitegen.text import Text

REQUIRED = frozenset(
    {"id", "kind", "names", "group", "direction", "title", "short", "what", "source", "confidence", "checked"}
)
OPTIONAL_TEXTS = ("symbols", "healthy", "worrying", "together", "treatment")
ALLOWED = REQUIRED | {"unit", "versions", "formula", "traps", "related", "blame", *OPTIONAL_TEXTS}
CONFIDENCES = ("code", "docs", "inferred")
HEAD_KEYS = frozenset({"framework", "title", "first", "entry"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """One glossary file."""

    path: str
    """File name, for messages."""
    framework: Framework
    """Its head."""
    entries: tuple[GlossaryEntry, ...]
    """Its entries in file order."""


@cache
def builtin_books() -> tuple[Book, ...]:
    """Our own files, sorted by name; trusted, because the tests check them."""
    root = resources.files("sitegen").joinpath("glossary", "data")
    files = sorted((item for item in root.iterdir() if item.name.endswith(".toml")), key=lambda item: item.name)
    return tuple(parse_book(item.read_text(encoding="utf-8"), item.name) for item in files)


@cache
def units() -> Mapping[str, Unit]:
    """Every unit by code."""
    return {code: _unit(code, table) for code, table in _own_toml("units.toml").items()}


@cache
def groups() -> tuple[Group, ...]:
    """Every group, in the order of the pages."""
    tables = _own_toml("groups.toml").items()
    return tuple(Group(id=code, title=_text(t["title"]), about=_text(t["about"])) for code, t in tables)


def archive_books(archive: Path) -> tuple[Book, ...]:
    """An archive's own files, sorted by name; empty without any.

    Raises:
        SettingsError: a file cannot be read or does not keep the format; the message names file and entry.
    """
    folder = archive / "glossary"
    if not folder.is_dir():
        return ()
    books = []
    for path in sorted(folder.glob("*.toml"), key=lambda item: item.name):
        label = f"glossary/{path.name}"
        if path.exists() and not path.is_file():  # reading a pipe would wait for ever
            raise SettingsError(f"{label}: is not a plain file; it must be a text file in TOML")
        try:
            books.append(parse_book(path.read_text(encoding="utf-8"), label))
        except UnicodeDecodeError as error:
            raise SettingsError(f"{label}: not UTF-8 text; save it as UTF-8") from error
        except OSError as error:
            raise SettingsError(f"{label}: cannot be read ({error.strerror})") from error
        except RecursionError as error:
            raise SettingsError(f"{label}: is nested too deeply") from error
        except ValueError as error:
            raise SettingsError(str(error) if str(error).startswith(label) else f"{label}: {error}") from error
    return tuple(books)


def parse_book(text: str, path: str) -> Book:
    """One file's content.

    Raises:
        ValueError: a key is missing, unknown or of the wrong shape; the message names file and entry.
    """
    data = tomllib.loads(text)
    _only(data, HEAD_KEYS, path)
    framework = data.get("framework")
    if not isinstance(framework, str) or not framework:
        raise ValueError(f'{path}: begin with framework = "…"')
    if not isinstance(data.get("entry", []), list):
        raise ValueError(f"{path}: entry must be a table for each entry: [[entry]]")
    title = _pair(data["title"], f"{path}: title") if "title" in data else Text(framework, framework)
    entries = tuple(
        _entry(table, framework, f"{path}: entry {_label(table, index)}")
        for index, table in enumerate(data.get("entry", []), start=1)
    )
    head = Framework(id=framework, title=title, first=_strings(data.get("first", []), f"{path}: first"))
    return Book(path=path, framework=head, entries=entries)


def _entry(table: Any, framework: str, where: str) -> GlossaryEntry:
    """One `[[entry]]` table; shapes and codes are checked here, wording in `checks`."""
    if not isinstance(table, dict):
        raise ValueError(f"{where}: must be a table")
    _only(table, ALLOWED, where)
    if missing := sorted(REQUIRED - table.keys()):
        raise ValueError(f"{where}: {missing[0]} is missing")
    _one_of(table["kind"], KINDS, f"{where}: kind")
    _one_of(table["confidence"], CONFIDENCES, f"{where}: confidence")
    _one_of(table.get("blame", ""), get_args(Blame), f"{where}: blame")
    optional = {key: _pair(table[key], f"{where}: {key}") for key in OPTIONAL_TEXTS if key in table}
    return GlossaryEntry(
        id=_string(table["id"], f"{where}: id"),
        kind=table["kind"],
        framework=framework,
        versions=_string(table.get("versions", ""), f"{where}: versions"),
        names=_strings(table["names"], f"{where}: names"),
        group=_string(table["group"], f"{where}: group"),
        unit=_string(table.get("unit", ""), f"{where}: unit"),
        direction=_string(table["direction"], f"{where}: direction"),
        title=_pair(table["title"], f"{where}: title"),
        short=_pair(table["short"], f"{where}: short"),
        what=_pair(table["what"], f"{where}: what"),
        formula=_string(table.get("formula", ""), f"{where}: formula"),
        symbols=optional.get("symbols"),
        healthy=optional.get("healthy"),
        worrying=optional.get("worrying"),
        together=optional.get("together"),
        traps=tuple(_pair(trap, f"{where}: traps") for trap in table.get("traps", [])),
        related=_strings(table.get("related", []), f"{where}: related"),
        source=_source(table["source"], f"{where}: source"),
        confidence=table["confidence"],
        checked=_string(table["checked"], f"{where}: checked"),
        blame=table.get("blame", ""),
        treatment=optional.get("treatment"),
    )


def _source(table: Any, where: str) -> Source:
    if not isinstance(table, dict):
        raise ValueError(f"{where}: must hold repository, file and function")
    _only(table, frozenset({"repository", "file", "function"}), where)
    return Source(
        repository=_string(table.get("repository", ""), f"{where}.repository"),
        file=_string(table.get("file", ""), f"{where}.file"),
        function=_string(table.get("function", ""), f"{where}.function"),
    )


def _label(table: Any, index: int) -> str:
    """How an entry is named in a message: its id, else its number in the file."""
    return str(table["id"]) if isinstance(table, dict) and table.get("id") else str(index)


def _only(table: Mapping[str, Any], allowed: frozenset[str], where: str) -> None:
    for key in table:
        if key not in allowed:
            raise ValueError(f"{where}: unknown key {key}{_nearest(key, allowed)}")


def _one_of(value: Any, allowed: tuple[str, ...], where: str) -> None:
    if value not in allowed:
        raise ValueError(f"{where} is {value!r}{_nearest(str(value), frozenset(allowed))}")


def _nearest(word: str, known: frozenset[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else f"; known are {', '.join(sorted(filter(None, known)))}"


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where} must be text")
    return value


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{where} must be a list of text")
    return tuple(value)


def _pair(value: Any, where: str) -> Text:
    if not isinstance(value, dict) or value.keys() != {"en", "zh"}:
        raise ValueError(f'{where} needs both languages: {{en = "…", zh = "…"}}')
    return Text(_string(value["en"], f"{where}.en"), _string(value["zh"], f"{where}.zh"))


def _text(value: Mapping[str, str]) -> Text:
    return Text(value["en"], value["zh"])


def _unit(code: str, table: Mapping[str, Any]) -> Unit:
    return Unit(
        id=code,
        symbol=_text(table["symbol"]),
        name=_text(table["name"]),
        low=table.get("low"),
        high=table.get("high"),
    )


def _own_toml(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("sitegen").joinpath("glossary", name).read_text(encoding="utf-8"))
