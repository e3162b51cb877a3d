"""The worked example of docs/adding-a-chart.md works as printed."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitegen.text import pair, ui_strings
from tests.charts.runs import analysed
from tests.factories import make_run, make_steps

GUIDE = Path(__file__).parents[2] / "docs" / "adding-a-chart.md"


def test_the_example_gives_the_chart_that_its_test_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    module, strings, example = re.findall(r"```(?:python|toml)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    for key, entry in tomllib.loads(strings).items():
        monkeypatch.setitem(ui_strings(), key, pair(entry, key))
    names: dict[str, Any] = {"__name__": "groups"}
    exec(compile(module, "groups.py", "exec"), names)

    def charts_of(run: Any) -> dict[str, Any]:
        spec = names["GROUPS"]
        assert spec.needs(run, analysed(run))
        assert not spec.needs(make_run(), analysed(make_run()))
        return {chart.id: chart for chart in spec.build(run, analysed(run))}

    def column(chart: Any, dataset: str, key: str, series: str) -> list[Any]:
        columns = chart.datasets[dataset]
        return [value for value, code in zip(columns[key], columns["series"], strict=True) if code == series]

    names |= {"charts_of": charts_of, "column": column, "make_run": make_run, "make_steps": make_steps}
    exec(compile(example, "test_groups.py", "exec"), names)
    names["test_groups_that_teach_nothing_are_two_lines"]()
