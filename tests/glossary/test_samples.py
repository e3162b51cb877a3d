"""The values of real runs fit the units of the entries that explain them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from sitegen.glossary.lookup import load_glossary
from sitegen.model.tables import STEPS
from sitegen.readers import READERS
from sitegen.run_work import find_runs, read_run
from sitegen.scan import claimant, with_heads
from sitegen.settings import load_site_settings

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"


def tables() -> Iterator[tuple[str, str | None, pd.DataFrame]]:
    """Every file with metrics: its path, its framework (else that of its run) and its records."""
    site = load_site_settings(SAMPLES)
    for task in find_runs(SAMPLES, site).tasks:
        framework = read_run(task, site).framework
        for source in with_heads(task.folder, READERS).files:
            reader = claimant(source, READERS)
            result = reader.read(source) if reader is not None else None
            if result is not None and result.steps is not None:
                yield source.path, result.framework or framework, result.steps


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample archive is not beside this checkout")
def test_values_of_the_samples_fit_the_units_of_their_entries() -> None:
    glossary = load_glossary()
    wrong, seen = [], 0
    for path, framework, steps in tables():
        for name in STEPS.measures(steps):
            entry = glossary.explain(name, framework)
            values = steps[name].dropna()
            unit = glossary.units.get(entry.unit)
            if unit is None or values.empty:
                continue
            seen += 1
            low, high = float(values.min()), float(values.max())
            if (unit.low is not None and low < unit.low) or (unit.high is not None and high > unit.high):
                wrong.append((path, name, entry.id, entry.unit, low, high))
            if entry.unit == "percent" and 0 < high <= 1 and len(values) > 2:
                wrong.append((path, name, entry.id, "a share, not a percentage", low, high))
    assert wrong == []
    assert seen > 300
