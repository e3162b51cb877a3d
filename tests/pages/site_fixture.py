"""A site to render pages for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from sitegen.glossary.lookup import Glossary, load_glossary
from sitegen.pages import site_files
from sitegen.pages.assets import hashed, site_assets
from sitegen.pages.base import SiteContext
from sitegen.settings import SiteSettings
from tests.pages.rows import many


@cache
def glossary() -> Glossary:
    """Our own entries, loaded once."""
    return load_glossary()


def site_context(**settings: Any) -> SiteContext:
    """A site with the given settings."""
    assets = hashed(site_assets()) | {"charts.js": "assets/charts.0.js", "vega.js": "assets/vega.0.js"}
    return SiteContext(settings=SiteSettings(**settings), assets=assets, glossary=glossary(), version="0.1.0")


def write_site(root: Path) -> None:
    """Site-level pages of invented runs and their assets, written to disk."""
    site = site_context()
    files = {file.path: file.content for file in site_files(many(), site)}
    files |= {site.assets[name]: content for name, content in site_assets().items()}
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
