"""Looking up what a configuration says, whatever nesting its framework uses.

A key is looked for exactly first, then as the end of a longer dotted key, in file order: `hf_save_interval` finds
`trainer.hf_save_interval`, and `harbor.mask_exceptions` finds `terminal_bench.harbor.mask_exceptions`. What is null,
empty, a mandatory-value mark or an interpolation says nothing and is passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from sitegen.model.run import RunConfig


def find_all(config: RunConfig | None, key: str) -> Iterator[Any]:
    """Every stated value under a key or the end of one, exact matches first."""
    if config is None:
        return
    ending = "." + key
    if _stated(config.values.get(key)):
        yield config.values[key]
    for name, value in config.values.items():
        if name.endswith(ending) and _stated(value):
            yield value


def find(config: RunConfig | None, *keys: str) -> Any:
    """The first stated value of the first key that has one; None when none has."""
    return next((value for key in keys for value in find_all(config, key)), None)


def find_int(config: RunConfig | None, *keys: str) -> int | None:
    """The first value that is an integer (no boolean, no text, no fraction); None without one."""
    values = (value for key in keys for value in find_all(config, key))
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def find_float(config: RunConfig | None, *keys: str) -> float | None:
    """The first value that is a finite number (no boolean, no text); None without one."""
    values = (value for key in keys for value in find_all(config, key))
    return next((float(value) for value in values if _is_finite_number(value)), None)


def find_text(config: RunConfig | None, *keys: str) -> str | None:
    """The first value that is text, or a list of texts joined by commas; None without one."""
    for key in keys:
        for value in find_all(config, key):
            if isinstance(value, str):
                return value
            if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
                return ", ".join(value)
    return None


def find_names(config: RunConfig | None, key: str) -> frozenset[str] | None:
    """The names listed under a key; None when no list is given (an empty list is given and empty)."""
    if config is None:
        return None
    for name, value in config.values.items():
        if (name == key or name.endswith("." + key)) and isinstance(value, list | tuple):
            return frozenset(str(item) for item in value)
    return None


def _is_finite_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # false for NaN and infinities, and exact for integers of any size


def _stated(value: Any) -> bool:
    if isinstance(value, str):
        return value not in ("", "???", "null", "None") and "${" not in value
    return value is not None and value not in ([], (), {})
