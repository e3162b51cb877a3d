"""A site to render pages for."""

from __future__ import annotations

from functools import cache
from typing import Any

from sitegen.glossary.lookup import Glossary, load_glossary
from sitegen.pages.assets import hashed, site_assets
from sitegen.pages.base import SiteContext
from sitegen.settings import SiteSettings


@cache
def glossary() -> Glossary:
    """Our own entries, loaded once."""
    return load_glossary()


def site_context(**settings: Any) -> SiteContext:
    """A site with the given settings."""
    assets = hashed(site_assets()) | {"charts.js": "assets/charts.0.js", "vega.js": "assets/vega.0.js"}
    return SiteContext(settings=SiteSettings(**settings), assets=assets, glossary=glossary(), version="0.1.0")
