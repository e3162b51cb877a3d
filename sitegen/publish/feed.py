"""`feed.xml`: an Atom feed of new and changed runs, one per language (RFC 4287).

An entry's date is the run's own: when it finished or was last heard of, else when it began. A run whose files tell
no date cannot be in a feed without an invented one, so it is left out, and the subtitle says how many are. An entry's
id is made of the first address that the run ever had, so that readers know it again when it moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape, quoteattr

from sitegen import format as fmt
from sitegen.pages.base import localised, run_page
from sitegen.pages.row import RunRow
from sitegen.settings import SiteSettings
from sitegen.text import Lang, Text, ui

FEED_PATH = "feed.xml"
"""English site path of the feed."""
ENTRIES = 100
"""Most entries of a feed; those that changed last."""
TAG_DATE = "2026"
"""The year in all ids (RFC 4151: a time at which the site's host was its owner's); never changed, or ids would."""
_NO_DATE = 0.0
_CODES: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}


def feed(rows: Sequence[RunRow], settings: SiteSettings, lang: Lang) -> str:
    """The feed in one language; needs `base_url`."""
    base = site_base(settings)
    dated = sorted((row for row in rows if changed(row) is not None), key=lambda row: (-(changed(row) or 0), row.slug))
    newest = changed(dated[0]) if dated else None
    missing = len(rows) - len(dated)
    subtitle = ui("follow.feed-undated", count=missing) if missing else ui("follow.feed-subtitle")
    own, page = base + quote(localised(FEED_PATH, lang)), base + quote(localised("index.html", lang))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{_CODES[lang]}">',
        f"<id>{_tag(base, f'feed/{lang}')}</id>",
        f"<title>{xml(settings.title.of(lang))}</title>",
        f"<subtitle>{xml(subtitle.of(lang))}</subtitle>",
        f"<updated>{rfc3339(newest if newest is not None else _NO_DATE)}</updated>",
        f"<author><name>{xml(settings.title.of(lang))}</name></author>",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(own)}/>',
        f'<link rel="alternate" type="text/html" href={quoteattr(page)}/>',
    ]
    entries = (line for row in dated[:ENTRIES] for line in _entry(row, base, lang))
    return "\n".join([*lines, *entries, "</feed>", ""])


def _entry(row: RunRow, base: str, lang: Lang) -> Iterator[str]:
    page = quoteattr(base + quote(localised(run_page(row.slug), lang)))
    moment = changed(row)
    assert moment is not None
    yield "<entry>"
    yield f"<id>{_tag(base, f'run/{first_address(row)}/{lang}')}</id>"
    yield f"<title>{xml(row.title)}</title>"
    yield f'<link rel="alternate" type="text/html" href={page}/>'
    if row.facts.started is not None:
        yield f"<published>{rfc3339(row.facts.started)}</published>"
    yield f"<updated>{rfc3339(moment)}</updated>"
    yield f"<summary>{xml(summary(row).of(lang))}</summary>"
    yield from (f"<category term={quoteattr(clean(tag))}/>" for tag in row.tags)
    yield "</entry>"


def summary(row: RunRow) -> Text:
    """One or two sentences about a run: status, steps, the reward at the selected checkpoint, the base model."""
    facts = row.facts
    status = ui(f"status.{facts.status}")
    if facts.status_guessed:
        status = ui("status.guessed", status=status)
    steps = ui("follow.one-step") if facts.steps_done == 1 else ui("follow.steps", n=fmt.count(facts.steps_done))
    parts = [ui("follow.entry", status=status, steps=steps)]
    if row.checkpoint_step is not None and row.checkpoint_ema is not None:
        value, step = fmt.fixed(row.checkpoint_ema, 3), fmt.count(row.checkpoint_step)
        parts.append(ui("follow.checkpoint", value=value, step=step))
    if facts.base_model:
        parts.append(ui("follow.base-model", name=facts.base_model))
    return Text(" ".join(part.en for part in parts), "".join(part.zh for part in parts))


def changed(row: RunRow) -> float | None:
    """When a run finished or was last heard of, else began; Unix s."""
    return row.facts.finished if row.facts.finished is not None else row.facts.started


def first_address(row: RunRow) -> str:
    """The oldest address that is known of a run: it does not change when the run moves and leaves an alias."""
    return row.aliases[0] if row.aliases else row.slug


def site_base(settings: SiteSettings) -> str:
    """The published site's address with a slash at its end."""
    assert settings.base_url is not None
    return settings.base_url.rstrip("/") + "/"


def rfc3339(unix: float) -> str:
    """A moment in UTC, to the second."""
    return datetime.fromtimestamp(int(unix), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def clean(text: str) -> str:
    """A text without the characters that XML 1.0 cannot hold."""
    return "".join(char for char in text if char in "\t\n" or (char >= " " and not _unfit(char)))


def xml(text: str) -> str:
    """A text as content of an XML element."""
    return escape(clean(text))


def _unfit(char: str) -> bool:
    return "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"


def _tag(base: str, name: str) -> str:
    parts = urlsplit(base)
    host = (parts.hostname or "").encode("idna").decode("ascii")
    return escape(f"tag:{host},{TAG_DATE}:{quote(parts.path.strip('/') + '/' if parts.path.strip('/') else '')}{name}")
