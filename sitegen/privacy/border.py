"""Masks a whole run: every text in it, wherever a field holds one, each distinct text once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sitegen.model.run import Published, Run, RunConfig
from sitegen.privacy.text import MASK, is_clean, is_harmless, is_secret_key, mask_settings_text, mask_text

if TYPE_CHECKING:
    import pandas as pd

_Any = TypeVar("_Any")

_KEPT = frozenset({"slug", "metric", "frameworks"})
"""Fields and columns that are names of ours or of metrics, not text of a run."""
_METRIC_KEYS = frozenset({"metrics", "timing"})
"""Fields of a published report whose keys are names of metrics."""


def masked(run: Run) -> Run:
    """The run with every text in it masked; metric names, numbers and the address stay. Idempotent."""
    return _Border(run.config).value(run)


def masked_value(value: _Any, config: RunConfig | None) -> _Any:
    """Anything else of a run with every text in it masked, values of its configuration's secrets too.

    Args:
        value: an entity, mapping, sequence or text.
        config: the run's configuration before it was masked; its secrets are looked for.
    """
    return _Border(config).value(value)


class _Border:
    """One pass over one run. Remembers each text, because trial tables repeat the same ones."""

    def __init__(self, config: RunConfig | None) -> None:
        self.known: dict[str, str] = {}
        secrets = _secrets(config.values) if config is not None else set()
        ordered = sorted(secrets, key=lambda secret: (-len(secret), secret))
        self.secrets = re.compile("|".join(re.escape(secret) for secret in ordered)) if ordered else None

    def text(self, text: str) -> str:
        """One text."""
        found = self.known.get(text)
        if found is None:
            found = self.known[text] = mask_text(self._without_known(text))
        return found

    def value(self, value: _Any) -> _Any:
        """Whatever a field may hold."""
        import pandas as pd  # the preflight, which masks nothing, starts without it

        result: Any = value
        if isinstance(value, str):
            result = self.text(value)
        elif isinstance(value, RunConfig):
            result = self._config(value)
        elif isinstance(value, pd.DataFrame):
            result = self._table(value)
        elif isinstance(value, Mapping):
            result = self._mapping(value)
        elif isinstance(value, (tuple, list)):
            result = type(value)(self.value(item) for item in value)
        elif is_dataclass(value) and not isinstance(value, type):
            result = self._entity(value)
        return result  # type: ignore[no-any-return]

    def _without_known(self, text: str) -> str:
        return self.secrets.sub(MASK, text) if self.secrets is not None else text

    def _entity(self, entity: Any) -> Any:
        changed: dict[str, Any] = {}
        for field in fields(entity):
            old = getattr(entity, field.name)
            if field.name in _KEPT:
                continue
            if isinstance(entity, Published) and field.name in _METRIC_KEYS:
                new: Any = {name: self.value(item) for name, item in old.items()}
            else:
                new = self.value(old)
            if new is not old:
                changed[field.name] = new
        return replace(entity, **changed) if changed else entity

    def _mapping(self, mapping: Mapping[Any, Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in mapping.items():
            name = self.text(key) if isinstance(key, str) else key
            found[name] = self._setting(str(key), value) if isinstance(key, str) else self.value(value)
        return found

    def _setting(self, key: str, value: Any) -> Any:
        """A value under a name: hidden when the name is a secret's, else masked like any other."""
        if is_secret_key(key):
            return _hidden(value)
        if isinstance(value, str):
            return mask_text(self._without_known(value), settings=True)
        if isinstance(value, (list, tuple)):
            return type(value)(self._setting("", item) for item in value)
        return self.value(value)

    def _config(self, config: RunConfig) -> RunConfig:
        return dataclasses.replace(
            config,
            path=self.text(config.path),
            values={self.text(key): self._setting(key, value) for key, value in config.values.items()},
            lines={self.text(key): line for key, line in config.lines.items()},
            raw=mask_settings_text(self._without_known(config.raw)),
            header=self.text(config.header),
        )

    def _table(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table with its text columns masked, distinct values once; a column that is clean as a whole stays."""
        import pandas as pd
        from pandas.api.types import is_object_dtype

        changed: dict[str, pd.Series] = {}
        for name, dtype in zip(table.columns, table.dtypes, strict=True):
            if not is_object_dtype(dtype) or name in _KEPT:
                continue
            column = table[name]
            codes, distinct = pd.factorize(column)
            whole = "\n".join(value for value in distinct if isinstance(value, str))
            if is_clean(whole) and self._without_known(whole) is whole:
                continue
            new = [self.text(value) if isinstance(value, str) else value for value in distinct]
            if any(one is not other for one, other in zip(new, distinct, strict=True)):
                values = pd.Series([*new, None], dtype=object).iloc[codes]
                changed[name] = pd.Series(values.to_numpy(), index=column.index, dtype=object)
        return table.assign(**changed) if changed else table


def _secrets(values: Mapping[str, Any]) -> set[str]:
    """Values of secrets' settings that are long and odd enough to be looked for everywhere else."""
    found: set[str] = set()
    for key, value in values.items():
        if isinstance(value, str) and is_secret_key(key) and not is_harmless(value):
            bare = value.strip()
            if len(bare) >= 16 or (len(bare) >= 8 and re.search(r"\d", bare)):
                found.add(bare)
    return found


def _hidden(value: Any) -> Any:
    """A secret's value masked; what is no secret (absent, a switch, a placeholder) stays."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if is_harmless(value) else MASK
    if isinstance(value, (list, tuple)):
        return type(value)(_hidden(item) for item in value)
    if isinstance(value, Mapping):
        return {key: _hidden(item) for key, item in value.items()}
    return MASK
