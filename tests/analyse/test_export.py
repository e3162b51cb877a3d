"""CSV downloads: every number as Python writes it in full, whatever columns stand beside it."""

import csv
import io
import math

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from sitegen.analyse.export import engines_csv
from sitegen.model import tables
from tests.factories import make_run

NUMBERS = st.lists(
    st.one_of(
        st.floats(),
        st.integers(0, 10_000).map(lambda tenths: tenths / 10),
        st.sampled_from([0.0, -0.0, math.nan, math.inf, 1e-4, 9.999e-5, 1e16, 9999999999999998.0]),
    ),
    min_size=4,
    max_size=4,
)


def written(columns: dict[str, list[object]]) -> list[dict[str, str]]:
    size = len(next(iter(columns.values())))
    fixed = {"job": ["a"] * size, "row": range(1, size + 1), "source": ["a.out"] * size, "engine": ["e"] * size}
    table = tables.conform(pd.DataFrame({**fixed, **columns}), tables.ENGINES)
    return list(csv.DictReader(io.StringIO(engines_csv(make_run(engines=table)).decode())))


@given(NUMBERS, NUMBERS, NUMBERS)
def test_numbers_are_written_as_python_writes_them(running, waiting, cache):
    given_numbers = {"running": [1.0, *running], "waiting": [1.0, *waiting], "kv_cache_pct": [1.0, *cache]}
    rows = written(dict(given_numbers))
    for name, values in given_numbers.items():
        assert [row[name] for row in rows] == ["" if math.isnan(value) else repr(value) for value in values]


def test_more_rows_than_are_written_at_once_keep_their_order_and_zeros_their_sign():
    running = np.arange(40_000) / 8
    rows = written({"running": running.tolist(), "waiting": [0.0, -0.0] * 20_000})
    assert [float(row["running"]) for row in rows] == running.tolist()
    assert [row["row"] for row in rows[-2:]] == ["39999", "40000"]
    assert [row["waiting"] for row in rows[:3]] == ["0.0", "-0.0", "0.0"]


def test_missing_and_formula_like_text_beside_text_that_repeats():
    rows = written({"clock": ["06-05", None, "=1"], "running": [1.0, math.nan, 2.0]})
    assert [(row["clock"], row["running"], row["job"]) for row in rows] == [
        ("06-05", "1.0", "a"),
        ("", "", "a"),
        ("'=1", "2.0", "a"),
    ]
