"""Where templates and static files are: at the top of a checkout, inside the package of an installed wheel."""

from __future__ import annotations

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
