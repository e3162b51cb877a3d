"""Holds what was found against what is true, field by field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

ALIKE = 1e-9
"""Relative difference of two floats that were summed in another order."""


def agree(found: Any, true: Any, where: str, *, apart: Sequence[str] = (), within: float = ALIKE) -> None:
    """Fails where the two differ; every field of a dataclass has to be told.

    Args:
        found: What an analysis gave.
        true: The same in plain Python: dicts for dataclasses, lists for any sequence.
        where: What it is called in the message.
        apart: Fields of the outermost dataclass that are not told here.
        within: Relative difference of floats that is none.
    """
    if is_dataclass(found) and isinstance(true, Mapping):
        names = [field.name for field in fields(found) if field.name not in apart]
        assert sorted(names) == sorted(true), where
        for name in names:
            agree(getattr(found, name), true[name], f"{where}.{name}", within=within)
    elif isinstance(true, Mapping):
        assert sorted(found) == sorted(true), where
        for name, value in true.items():
            agree(found[name], value, f"{where}[{name}]", within=within)
    elif isinstance(true, list | tuple):
        listed = list(found)
        assert len(listed) == len(true), (where, listed, true)
        for at, (one, two) in enumerate(zip(listed, true, strict=True)):
            agree(one, two, f"{where}[{at}]", within=within)
    else:
        assert _same(found, true, within), (where, found, true)


def _same(found: Any, true: Any, within: float) -> bool:
    """Missing is None; in tables of numbers NaN."""
    if true is None:
        return found is None or (isinstance(found, float) and math.isnan(found))
    if isinstance(true, float) and found is not None:
        return math.isclose(found, true, rel_tol=within, abs_tol=1e-12)
    return type(found) is type(true) and bool(found == true) if isinstance(true, bool) else bool(found == true)
