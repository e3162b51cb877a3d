"""Where templates and static files are: at the top of a checkout, inside the package of an installed wheel."""

from __future__ import annotations

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
