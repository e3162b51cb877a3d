"""The two files a team may write: `sitegen.toml` of an archive and `run.toml` of a run folder.

Both are optional. Every key is checked; an unknown one is an error that names the nearest known key, because a
setting that is silently ignored is worse than none. The keys are documented in `docs/settings.md`.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from sitegen.errors import SettingsError
from sitegen.text import Text

GlossaryPages = Literal["used", "all"]
"""Which glossary entries get a page."""
OverlapRule = Literal["last", "first"]

SITE_FILE = "sitegen.toml"
"""Name of an archive's settings file."""
RUN_FILE = "run.toml"
"""Name of a run folder's settings file; a folder that holds one is a run by declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """Settings of a whole site; every field has a default, so the file is optional."""

    title: Text = Text("RL training runs", "强化学习训练运行")
    """Site title."""
    description: Text | None = None
    """One sentence under the title; None for none."""
    base_url: str | None = None
    """Absolute address of the published site, for feed, sitemap and canonical links; None makes none of these."""
    listed: bool = True
    """False: pages ask search engines to leave them out, and there is no feed, sitemap or link preview."""
    include: tuple[str, ...] = ()
    """Globs on run paths; empty means all."""
    exclude: tuple[str, ...] = ()
    """Globs on paths that are not scanned."""
    primary_metric: str | None = None
    """Logged name used as reward; None: the reward role decides."""
    success_threshold: float = 0.0
    """A trial succeeds when its reward is above this."""
    reward_key: str | None = None
    """Primary reward key of trials; None: `reward`, else the only key."""
    glossary: GlossaryPages = "used"
    """`used`: pages for what this archive logs, sets and links; `all`: for every entry there is."""
    overlap_rule: OverlapRule = "last"
    """`last` segment wins, or `first` seen."""
    save_interval: int | None = None
    """Steps between exports for runs that do not tell."""
    ema_alpha: float = 1 / 3
    """Weight of the newest value in checkpoint selection."""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Role to logged names, before the built-in ones."""
    gpu_hour_price: float | None = None
    """Price of one GPU for one hour; None: no cost is computed."""
    currency: str | None = None
    """Printed behind a cost, as given."""
    trajectories: bool = False
    """Whether agents' dialogues in trial folders are read and get pages."""
    trajectory_pages: int = 1000
    """Most trials of a run that get a page."""
    trajectory_message_chars: int = 8000
    """Characters of one message, reasoning, call or result that are shown."""
    trajectory_page_chars: int = 250_000
    """Characters that one trial's page shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """`run.toml` of a run folder."""

    title: str | None = None
    """Shown instead of the folder's name."""
    slug: str | None = None
    """Fixed address."""
    aliases: tuple[str, ...] = ()
    """Old addresses that redirect."""
    tags: tuple[str, ...] = ()
    """Tags; `synthetic` puts a banner on the page."""
    notes: str | None = None
    """A note shown under the title."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Label to URL."""
    gpus: int | None = None
    """GPUs used, for GPU-hours."""
    publish: bool = True
    """False: absent everywhere."""
    compare_to: str | None = None
    """Slug of the run to compare with."""
    save_interval: int | None = None
    """Steps between exports, when the configuration does not tell."""


def load_site_settings(archive: Path) -> SiteSettings:
    """`sitegen.toml` at the archive's root; the defaults when there is none.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or has a wrong key or value.
    """
    path = archive / SITE_FILE
    if not path.exists():
        return SiteSettings()
    return SiteSettings(**_checked(path, SITE_FILE, _SITE_KEYS))


def load_run_settings(path: Path) -> RunSettings:
    """A run folder's `run.toml`, given the file itself or its folder; the defaults when there is none.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or has a wrong key or value.
    """
    file = path / RUN_FILE if path.is_dir() else path
    if not file.exists():
        return RunSettings()
    return RunSettings(**_checked(file, f"{file.parent.name}/{RUN_FILE}", _RUN_KEYS))


def is_address(value: str) -> bool:
    """Whether a text can be a run's address: lower-case ASCII path parts that no page or data file uses."""
    return all(_ADDRESS_PART.fullmatch(part) and not is_reserved(part) for part in value.split("/"))


def is_reserved(part: str) -> bool:
    """Whether a path part would collide with what a run's own page folder holds, or cannot be a folder name."""
    return (
        part in {"data", "card", "embed"}
        or part.endswith((".html", ".json", "."))
        or part.split(".", 1)[0] in _DEVICE_NAMES
    )


_ADDRESS_PART = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_MOST = 10**9
"""The largest whole number that counts something here: steps between exports, GPUs."""
_DEVICE_NAMES = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
)

_Check = Callable[[Any], Any]


class _Wrong(Exception):
    """A value that does not fit; the text says what would."""


def _checked(path: Path, shown: str, keys: Mapping[str, _Check]) -> dict[str, Any]:
    """The file's values by field name, each one checked."""
    values: dict[str, Any] = {}
    for key, value in _load(path, shown).items():
        if key not in keys:
            raise SettingsError(f"{shown}: unknown key {key!r}; {nearest(key, keys)}")
        try:
            values[key] = keys[key](value)
        except _Wrong as wrong:
            raise SettingsError(f"{shown}: {key} {wrong}") from None
    return values


def _load(path: Path, shown: str) -> dict[str, Any]:
    text = ""
    if path.exists() and not path.is_file():  # reading a pipe would wait for ever
        raise SettingsError(f"{shown}: is not a plain file; it must be a text file in TOML")
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        end = f"at line {text.count(chr(10)) + 1}, the end"
        raise SettingsError(f"{shown}: not valid TOML: {error}".replace("at end of document", end)) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(f"{shown}: line {line} is not UTF-8; save the file as UTF-8") from None
    except (RecursionError, ValueError):
        raise SettingsError(f"{shown}: a value is nested too deeply or has too many digits") from None
    except OSError as error:
        raise SettingsError(f"{shown}: cannot be read: {error.strerror}") from None


def nearest(key: str, known: Iterable[str]) -> str:
    """What to try instead of an unknown key: the known one that is most like it, else all of them."""
    known = tuple(known)
    match = difflib.get_close_matches(key.lower().replace("-", "_"), known, n=1, cutoff=0.5)
    return f"did you mean {match[0]!r}?" if match else f"known keys: {', '.join(known)}"


def _string(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Wrong("must be a text that is not empty")
    return value.strip()


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise _Wrong("must be a list of texts, none of them empty")
    return tuple(item.strip() for item in value)


def _text(value: Any) -> Text:
    if isinstance(value, str) and value.strip():
        return Text(value.strip(), value.strip())
    if not isinstance(value, dict):
        raise _Wrong('must be a text, or a table {en = "…", zh = "…"}')
    for key in value:
        if key not in {"en", "zh"}:
            raise _Wrong(f"has an unknown key {key!r}; known keys: en, zh")
    for lang in ("en", "zh"):
        if not isinstance(value.get(lang), str) or not value[lang].strip():
            raise _Wrong(f"needs a text under {lang!r}: every page exists in both languages")
    return Text(value["en"].strip(), value["zh"].strip())


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("must be true or false")
    return value


def _positive_int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Wrong("must be a whole number above 0")
    if value > _MOST:
        raise _Wrong(f"must be at most {_MOST}")
    return value


def _number(value: Any) -> float:
    try:
        number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _Wrong("must be a finite number")
    return number


def _price(value: Any) -> float:
    number = _number(value)
    if number < 0:
        raise _Wrong("must not be below 0")
    return number


def _weight(value: Any) -> float:
    number = _number(value)
    if not 0 < number <= 1:
        raise _Wrong("must be above 0 and at most 1")
    return number


def _rule(value: Any) -> OverlapRule:
    if value == "last":
        return "last"
    if value == "first":
        return "first"
    raise _Wrong('must be "last" or "first"')


def _pages(value: Any) -> GlossaryPages:
    if value == "used":
        return "used"
    if value == "all":
        return "all"
    raise _Wrong('must be "used" or "all"')


def _url(value: Any) -> str:
    text = _string(value)
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or not text.isprintable() or " " in text:
        raise _Wrong(f"must be an http:// or https:// address, not {text!r}")
    if parts.username is not None:
        raise _Wrong("must not hold a user name or password")
    return text


def _base_url(value: Any) -> str:
    text = _url(value)
    if urlsplit(text).query or urlsplit(text).fragment:
        raise _Wrong("must be the address of a folder, without ? and #")
    return text.rstrip("/") + "/"


def _links(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _Wrong('must be a table of addresses: {"Paper" = "https://…"}')
    links: dict[str, str] = {}
    for label, url in value.items():
        try:
            links[_string(label)] = _url(url)
        except _Wrong as wrong:
            raise _Wrong(f"{label!r} {wrong}") from None
    return links


def _roles(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise _Wrong('must be a table of lists: {reward = ["reward/avg_raw_reward"]}')
    roles: dict[str, tuple[str, ...]] = {}
    for role, names in value.items():
        try:
            roles[role] = _strings([names] if isinstance(names, str) else names)
        except _Wrong as wrong:
            raise _Wrong(f"{role!r} {wrong}") from None
    return roles


def _address(value: Any) -> str:
    text = _string(value)
    if not is_address(text):
        raise _Wrong(
            f"{text!r} cannot be an address: use lower-case letters, digits, '.', '_' and '-' in parts separated by"
            " '/', and no part that a run's page folder uses itself (data, card, embed, *.html, *.json)"
        )
    return text


def _addresses(value: Any) -> tuple[str, ...]:
    return tuple(_address(item) for item in _strings(value))


_SITE_KEYS: Mapping[str, _Check] = {
    "title": _text,
    "description": _text,
    "base_url": _base_url,
    "listed": _truth,
    "include": _strings,
    "exclude": _strings,
    "primary_metric": _string,
    "success_threshold": _number,
    "reward_key": _string,
    "overlap_rule": _rule,
    "glossary": _pages,
    "save_interval": _positive_int,
    "ema_alpha": _weight,
    "roles": _roles,
    "gpu_hour_price": _price,
    "currency": _string,
    "trajectories": _truth,
    "trajectory_pages": _positive_int,
    "trajectory_message_chars": _positive_int,
    "trajectory_page_chars": _positive_int,
}

_RUN_KEYS: Mapping[str, _Check] = {
    "title": _string,
    "slug": _address,
    "aliases": _addresses,
    "tags": _strings,
    "notes": _string,
    "links": _links,
    "gpus": _positive_int,
    "publish": _truth,
    "compare_to": _address,
    "save_interval": _positive_int,
}


def keys_of(settings: type[SiteSettings] | type[RunSettings]) -> tuple[str, ...]:
    """The keys a settings file may hold: the fields of its dataclass, in order."""
    return tuple(item.name for item in fields(settings))
