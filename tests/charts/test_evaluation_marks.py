"""Held-out evaluations on the reward chart: diamonds where they fit, a remark where they do not, never left out."""

from __future__ import annotations

from typing import Any

from sitegen.charts.base import Chart
from tests.charts.runs import REWARD, charts_of
from tests.factories import make_run, make_steps

SCORE = "eval/all/avg_score"


def reward_chart(scores: dict[int, float], scale: float = 1.0) -> Chart:
    rows: list[dict[str, Any]] = [{"step": step, REWARD: 0.1 * step} for step in range(1, 6)]
    rows += [{"step": step, "kind": "eval", SCORE: scale * score} for step, score in scores.items()]
    return charts_of(make_run(framework="skyrl", steps=make_steps(rows)))["reward"]


def diamonds(chart: Chart) -> list[tuple[int, float]]:
    marks = chart.datasets["marks"]
    return [(marks["step"][at], marks["raw"][at]) for at, kind in enumerate(marks["kind"]) if kind == "evaluation"]


def test_evaluations_are_diamonds_at_their_values() -> None:
    chart = reward_chart({0: 0.25, 4: 0.75})

    assert diamonds(chart) == [(0, 0.25), (4, 0.75)]
    assert chart.note is not None
    assert f"Diamonds: {SCORE}, held-out, 2 evaluations." in chart.note.en
    assert SCORE in chart.metrics


def test_the_table_has_them_in_a_column_and_rows_for_steps_without_a_record() -> None:
    chart = reward_chart({0: 0.25, 4: 0.75})
    values = {(row[1], row[3]): row[-1] for row in chart.rows}

    assert chart.columns[-1].title.en == SCORE
    assert values[(0, None)] == 0.25
    assert values[(4, 0.4)] == 0.75
    assert values[(5, 0.5)] is None


def test_evaluations_on_another_scale_are_named_and_not_drawn() -> None:
    chart = reward_chart({0: 0.25, 4: 0.75}, scale=100)

    assert diamonds(chart) == []
    assert chart.params["y1"] < 2
    assert chart.note is not None
    assert "another scale" in chart.note.en
    assert SCORE not in chart.metrics
