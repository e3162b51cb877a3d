"""Paths as arguments and options of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class _Named(click.Path):
    """A path that has a name: an empty one would stand for the folder one is in, and comes from an unset variable."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


ARCHIVE = _Named(exists=True, file_okay=False, path_type=Path)
FILE = _Named(dir_okay=False, path_type=Path)
ANY = _Named(path_type=Path)
FOLDER = _Named(file_okay=False, path_type=Path)
