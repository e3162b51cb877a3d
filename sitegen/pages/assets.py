"""The site's own assets: style sheet, scripts and icon, put together from `static/`.

Third-party bytes (the Vega runtime) are not here. Hashing and writing are `hashed`'s and the writer's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from sitegen.render import js_text
from sitegen.resources import hashed as hashed
from sitegen.resources import static_bytes
from sitegen.text import ui_strings

STYLE_SHEETS = (
    "tokens",
    "base",
    "layout",
    "components",
    "charts",
    "vega",
    "pages",
    "index",
    "run",
    "trials",
    "card",
    "glossary",
    "compare",
    "embed",
    "search",
    "print",
)
"""`static/css/*.css` in cascade order."""

SCRIPTS = (
    "lib/namespace",
    "lib/table",
    "lib/filter",
    "lib/hash",
    "lib/numbers",
    "lib/keys",
    "lib/place",
    "lib/search",
    "texts",
    "storage",
    "language",
    "themes",
    "popovers",
    "tables",
    "facets",
    "copy",
    "sections",
    "tabs",
    "search",
    "keyboard",
)
"""`static/js/*.js` of every page, in order of use; `texts` is made here."""

RUN_SCRIPTS = ("lib/run_rows", "lib/trial_rows", "cards", "trials", "trial", "link_run")
"""`static/js/*.js` of the run pages: chart cards, the table of all trials, the page of one, links to copy."""

INDEX_SCRIPTS = (
    "lib/run_colors",
    "lib/columns",
    "lib/run_rows",
    "lib/plots",
    "index_data",
    "index_table",
    "index_select",
    "index_filters",
    "index_picker",
    "index_wall",
    "index_outcome",
    "index_start",
)
"""`static/js/*.js` of the index: the table of all runs and what is done with it."""

COMPARE_SCRIPTS = (
    "lib/run_colors",
    "lib/columns",
    "lib/run_rows",
    "lib/compare_state",
    "lib/compare_lines",
    "lib/compare_settings",
    "index_data",
    "compare_parts",
    "compare_picker",
    "compare_tables",
    "compare_charts",
    "compare",
)
"""`static/js/*.js` of the page that compares runs."""

_TEXT_AREAS = ("theme.", "help.", "language.", "popover.", "copy.", "table.", "filter.", "search.")


@cache
def site_assets() -> Mapping[str, bytes]:
    """Logical name to content: `sitegen.css`, `app.js`, `index.js`, `compare.js`, `run.js`, `theme.js`, `icon.svg`."""
    return {
        "sitegen.css": b"\n".join(static_bytes(f"css/{name}.css") for name in STYLE_SHEETS),
        "app.js": b"\n".join(_script(name) for name in SCRIPTS),
        "index.js": b"\n".join(_script(name) for name in INDEX_SCRIPTS),
        "compare.js": b"\n".join(_script(name) for name in COMPARE_SCRIPTS),
        "run.js": b"\n".join(_script(name) for name in RUN_SCRIPTS),
        "theme.js": static_bytes("js/theme.js"),
        "redirect.js": static_bytes("js/redirect.js"),
        "embed.js": static_bytes("js/embed.js"),
        "embed_size.js": static_bytes("js/embed_size.js"),
        "icon.svg": static_bytes("img/icon.svg"),
    }


def script_of(name: str) -> bytes:
    """One script by its name in the lists above, as the bundles hold it."""
    return _script(name)


def _script(name: str) -> bytes:
    return _texts() if name == "texts" else static_bytes(f"js/{name}.js")


def _texts() -> bytes:
    """The interface strings that scripts show, in both languages."""
    chosen = {key: pair for key, pair in sorted(ui_strings().items()) if key.startswith(_TEXT_AREAS)}
    by_lang = {lang: {key: pair.of(lang) for key, pair in chosen.items()} for lang in ("en", "zh")}
    return f"sitegen.texts = {js_text(by_lang)};\n".encode()
