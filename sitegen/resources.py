"""Where templates and static files are (at the top of a checkout, inside a wheel), and what content hashes to."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The package's own folder."""


@cache
def folder(name: str) -> Path:
    """The folder `templates` or `static`."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def static_bytes(path: str) -> bytes:
    """A static file's content."""
    return folder("static").joinpath(path).read_bytes()


def hashed(assets: Mapping[str, bytes]) -> dict[str, str]:
    """Logical name to site path with a hash of the content: `assets/sitegen.1a2b3c4d5e.css`."""
    paths: dict[str, str] = {}
    for name, content in assets.items():
        stem, _, ending = name.rpartition(".")
        paths[name] = f"assets/{stem}.{hashlib.sha256(content).hexdigest()[:10]}.{ending}"
    return paths


def hash_source(text: str) -> str:
    """A script or style inside a page as Content-Security-Policy names it.

    Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
