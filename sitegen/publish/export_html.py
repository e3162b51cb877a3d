"""A run as one HTML file: its pages one below the other, with style, scripts and data inside, and nothing outside.

The pages are the site's own. Here they are taken apart and put together: ids that several pages use get the page's
name in front, links between the pages become jumps, links into the rest of the site become absolute where the site's
address is known and plain text where it is not. A Content-Security-Policy names each script and the style by its hash,
so nothing that a run says can run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from sitegen import __version__
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import run_charts
from sitegen.charts.assets import charts_script, vega_script
from sitegen.glossary.lookup import Glossary
from sitegen.model.run import Run
from sitegen.pages.assets import script_of, site_assets
from sitegen.pages.base import SiteContext, localised, run_page
from sitegen.pages.run_files import run_files
from sitegen.pages.run_view import PageKind
from sitegen.publish.export_parts import Parts, merged_popovers
from sitegen.publish.sitemap import CODES
from sitegen.render import hash_source, js_text
from sitegen.resources import static_bytes
from sitegen.settings import SiteSettings
from sitegen.text import Lang, ui

PAGES: tuple[PageKind, ...] = ("index", "metrics", "engines", "config", "sources")
"""The pages that are put in, as far as the run has them; trials and logs are tables for the data export."""
SCRIPTS = (
    *("lib/namespace", "lib/table", "lib/filter", "lib/hash", "lib/numbers", "lib/place", "texts", "storage"),
    *("themes", "popovers", "tables", "facets", "copy", "language"),
)
"""Scripts of every page, without those that load further files of a site."""
STYLES = ("tokens", "base", "layout", "components", "charts", "vega", "pages", "run", "card", "export", "print")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportContext:
    """What a one-file report is made from beside the run."""

    settings: SiteSettings
    """Settings of the run's archive."""
    glossary: Glossary
    """All entries, the archive's own included."""
    base_url: str | None
    """Absolute address of the site, with a slash at its end; None: links into it become plain text."""


def export_html(
    run: Run, analysis: RunAnalysis, context: ExportContext, names: Mapping[Lang, str]
) -> dict[Lang, bytes]:
    """The file in each language that is asked for. The run must have passed the privacy border.

    Args:
        run: The run.
        analysis: Its analyses.
        context: Settings, glossary and address.
        names: Language to the name of its file; two link to each other, so they must lie in one folder.
    """
    site = SiteContext(
        settings=context.settings,
        assets={name: f"assets/{name}" for name in (*site_assets(), "vega.js", "charts.js")},
        glossary=context.glossary,
        version=__version__,
    )
    files = {file.path: file.content for file in run_files(run, analysis, run_charts(run, analysis), site)}
    made: dict[Lang, bytes] = {}
    for lang in names:
        parts = Parts(context.base_url)
        for kind in PAGES:
            path = localised(run_page(run.slug, kind), lang)
            if path in files:
                parts.add(path, kind, files[path])
        scripts = [_safe(script) for script in _scripts(files, parts)]
        made[lang] = _document(run, parts, scripts, _Tongue(lang=lang, names=names)).encode()
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tongue:
    """The language of one file."""

    lang: Lang
    """Its language."""
    names: Mapping[Lang, str]
    """Name of each language's file."""


def _scripts(files: Mapping[str, bytes], parts: Parts) -> Iterator[str]:
    """The scripts in the order in which they must run."""
    yield "\n".join(script_of(name).decode() for name in SCRIPTS)
    if parts.charted:
        yield vega_script().decode()
        yield charts_script().decode()
    yield script_of("cards").decode()
    for path in parts.scripts:
        yield files[path].decode()


def _document(run: Run, parts: Parts, scripts: Sequence[str], tongue: _Tongue) -> str:
    theme = _safe(static_bytes("js/theme.js").decode())
    style = "\n".join(static_bytes(f"css/{name}.css").decode() for name in STYLES)
    policy = (
        f"default-src 'none'; script-src {' '.join(hash_source(text) for text in (theme, *scripts))};"
        f" style-src {hash_source(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    title, lang = escape(run.title), tongue.lang
    sections = [
        f'<section id="page-{kind}" class="one-page">{_heading(kind, label)}{inner}</section>'
        for kind, label, inner in parts.sections()
    ]
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{CODES[lang]}" data-root="." data-lang="{lang}">',
            '<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">',
            f'<title>{title}</title>\n<meta name="generator" content="sitegen {__version__}">',
            f'<link rel="icon" href="data:,">\n<script>{theme}</script>\n<style>{style}</style>\n</head>',
            f"<body>\n{_bar(title, parts, tongue)}",
            f'<main id="main" class="page run-page one-file" tabindex="-1">{"".join(sections)}</main>',
            f'<footer class="foot"><div class="page"><span>{escape(_say("export.foot", lang))}</span></div></footer>',
            _json_block(merged_popovers(parts.popovers), "popovers"),
            f'<svg class="sprite" aria-hidden="true">{"".join(parts.symbols.values())}</svg>',
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        )
    )


def _heading(kind: str, label: str) -> str:
    return "" if kind == "index" else f'<h2 class="one-head">{escape(label)}</h2>'


def _bar(title: str, parts: Parts, tongue: _Tongue) -> str:
    lang = tongue.lang
    words = escape(_say("theme.system", lang))
    links = "".join(f'<a href="#{anchor}">{escape(label)}</a>' for anchor, label in parts.navigation())
    return (
        f'<header class="bar"><div class="page"><span class="brand">{title}</span>'
        f'<nav aria-label="{escape(_say("run.pages", lang))}">{links}</nav><div class="end">{_switch(tongue)}'
        f'<button class="icon-btn js" type="button" id="theme" title="{words}">'
        '<svg class="i theme-i" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/>'
        '<path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z"/></svg>'
        f'<span class="sr">{words}</span></button></div></div></header>'
    )


def _switch(tongue: _Tongue) -> str:
    """Links to the file in each language, as in a site; nothing where there is one."""
    if len(tongue.names) == 1:
        return ""
    links = []
    for lang, name in tongue.names.items():
        here = ' aria-current="true"' if lang == tongue.lang else ""
        tag = f'<a href="{escape(quote(name))}" lang="{CODES[lang]}" hreflang="{CODES[lang]}"{here} data-keep-hash>'
        links.append(f"{tag}{'EN' if lang == 'en' else '中文'}</a>")
    label = escape(_say("site.language", tongue.lang))
    return f'<div class="seg" role="group" aria-label="{label}">{"".join(links)}</div>'


def _say(key: str, lang: Lang) -> str:
    return ui(key).of(lang)


def _json_block(data: Any, name: str) -> str:
    return f'<script type="application/json" id="{name}">{js_text(data)}</script>'


def _safe(script: str) -> str:
    """A script that no HTML parser ends early; both marks stand in texts and comments only."""
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE).replace("<!--", "<\\!--")
