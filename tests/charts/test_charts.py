"""Every chart of the runs in `runs.py`: what is in its data, its table and its words."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import vl_convert

from sitegen.analyse.run_analysis import RunAnalysis, analyse
from sitegen.charts import CHARTS, run_charts
from sitegen.charts.base import Chart
from sitegen.charts.compiled import filled
from sitegen.charts.metrics import unchanging
from sitegen.charts.theme import HEIGHTS
from sitegen.model.run import Run
from sitegen.settings import SiteSettings
from tests.charts.runs import (
    HOSTILE,
    PASS,
    REWARD,
    analysed,
    charts_of,
    full_run,
    long_run,
    one_row_run,
)
from tests.factories import make_config, make_engines, make_nonfinite, make_run, make_steps, published_run

RUNS = {
    "full": full_run(),
    "one row": one_row_run(),
    "5 001 rows": long_run(),
    "published": published_run(config=make_config({"trainer.hf_save_interval": 5})),
}
EVERY_CHART = [(name, chart) for name, run in RUNS.items() for chart in charts_of(run).values()]
FULL = charts_of(RUNS["full"])
LONG = charts_of(RUNS["5 001 rows"])


def column(chart: Chart, dataset: str, key: str, **where: object) -> list[object]:
    columns = chart.datasets[dataset]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [row[key] for row in rows if all(row[name] == value for name, value in where.items())]


@pytest.mark.parametrize(("name", "chart"), EVERY_CHART, ids=[f"{name}-{chart.id}" for name, chart in EVERY_CHART])
def test_every_chart_is_whole_and_draws(name: str, chart: Chart) -> None:
    assert chart.height in HEIGHTS
    assert all(len(row) == len(chart.columns) for row in chart.rows)
    for text in (chart.title, chart.caption, chart.summary):
        assert text.en
        assert text.zh
    json.dumps({"datasets": chart.datasets, "params": chart.params}, allow_nan=False)
    lengths = [{len(values) for values in columns.values()} for columns in chart.datasets.values()]
    assert all(len(found) == 1 for found in lengths)
    spec = filled(chart.form, chart.datasets, chart.params)
    assert {entry["name"] for entry in spec["data"] if "values" in entry} >= set(chart.datasets) - {"band"}
    drawn = vl_convert.vega_to_svg(spec)
    assert "NaN" not in drawn
    assert drawn.count("<path") > 3


def test_ids_are_distinct_and_safe_in_addresses() -> None:
    run = make_run(steps=make_steps([{"step": 1, "a b": 1.0, "a.b": 1.0, "A b": 2.0, "运行": 1.0, HOSTILE: 1.0}]))
    ids = [chart.id for chart in run_charts(run, analysed(run))]

    assert len(ids) == len(set(ids)) == 5
    assert all(part.isascii() and not set(part) & set(" ./<>&\"':[]%") for part in ids)


def test_no_two_kinds_of_chart_share_an_id() -> None:
    assert len({spec.id for spec in CHARTS}) == len(CHARTS)


def test_the_charts_of_a_full_run() -> None:
    leading = [key for key in FULL if not key.startswith("metric-")]

    assert leading == [
        "reward",
        "entropy",
        "grad-norm",
        "clip-ratio",
        "step-time",
        "staleness",
        "errors",
        "turns-outcome",
        "engine-requests",
        "engine-throughput",
        "engine-cache",
    ]
    assert [key for key, chart in FULL.items() if chart.static_svg] == ["reward", "step-time", "turns-outcome"]


def test_at_most_three_charts_of_a_run_are_drawn_at_build_time() -> None:
    for run in RUNS.values():
        assert sum(chart.static_svg is not None for chart in charts_of(run).values()) <= 3
    assert charts_of(replace(RUNS["full"], trials=None))["entropy"].static_svg


def test_the_reward_chart_marks_what_happened() -> None:
    reward = FULL["reward"]

    assert reward.metrics == (REWARD, PASS)
    assert column(reward, "marks", "raw", kind="superseded") == [0.9, 0.76]
    assert column(reward, "marks", "step", kind="superseded") == [6, 6]
    assert column(reward, "jobs", "step") == [5.5]
    assert column(reward, "jobs", "label") == ["561774"]
    assert column(reward, "marks", "step", kind="selected") == [12]
    assert column(reward, "marks", "step", kind="candidate") == [2, 4, 6, 8, 10]


def test_the_published_run_shows_step_25_as_selected() -> None:
    reward = charts_of(RUNS["published"])["reward"]

    assert column(reward, "marks", "label", kind="selected") == ["25 · EMA 0.528"]
    assert column(reward, "marks", "raw", kind="superseded", series="1") == [0.6699]
    assert len(reward.rows) == 81
    assert reward.params["y0"] == pytest.approx(-0.02)
    assert reward.params["yTicks"] == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_values_logged_as_nan_or_infinite_are_counted_drawn_and_listed() -> None:
    entropy = FULL["entropy"]

    assert column(entropy, "marks", "step", kind="nonfinite") == [4, 5]
    assert entropy.caption.en.endswith(" · 2 of 12 not finite")
    listed = {row[1]: row[3] for row in entropy.rows}
    assert math.isnan(listed[4])
    assert listed[5] == math.inf
    assert [column(entropy, "points", "raw", step=step) for step in (3, 4, 5)] == [[0.27], [None], [None]]


def test_the_table_is_the_source_with_nothing_thinned() -> None:
    run, chart = RUNS["5 001 rows"], LONG["reward"]
    values = run.steps[REWARD].tolist()

    assert [row[1] for row in chart.rows] == run.steps["step"].tolist()
    for row, value in zip(chart.rows, values, strict=True):
        assert row[3] == (None if math.isnan(value) else value)
    assert len(chart.datasets["points"]["raw"]) <= 500
    assert chart.note is not None
    assert f"Showing {len(chart.datasets['points']['raw'])} of 5,001" in chart.note.en


def test_extremes_and_gaps_survive_thinning() -> None:
    points = LONG["reward"].datasets["points"]
    at = dict(zip(points["step"], points["raw"], strict=True))

    assert (at[1234], at[3210]) == (40, -40)
    assert 2000 in at
    assert at[2000] is None


def test_smoothed_columns_are_the_formulas_on_full_data() -> None:
    rows = [row for row in FULL["reward"].rows if not row[2]]
    raw = [row[3] for row in rows]
    ema = raw[:1]
    for value in raw[1:]:
        ema.append(value / 3 + 2 * ema[-1] / 3)

    assert [row[4] for row in rows] == pytest.approx(ema)
    assert [row[5] for row in rows][:6] == pytest.approx(
        [raw[0], sum(raw[:2]) / 2, sum(raw[:3]) / 3, sum(raw[:4]) / 4, sum(raw[:5]) / 5, sum(raw[1:6]) / 5]
    )
    (superseded,) = [row for row in FULL["reward"].rows if row[2]]
    assert superseded[:6] == ("rl_561773", 6, 1, 0.9, None, None)


def test_a_spike_makes_a_logarithmic_axis_on_which_zero_is_marked() -> None:
    norm = FULL["grad-norm"]

    assert norm.form == "lines-log"
    assert column(norm, "marks", "step", kind="nonpositive") == [8]
    assert column(norm, "points", "raw", step=8) == [None]
    assert {row[1]: row[3] for row in norm.rows}[8] == 0.0
    assert norm.note is not None
    assert "Logarithmic" in norm.note.en


def test_many_metrics_share_the_points_that_a_page_may_load() -> None:
    rows = [{"step": step, **{f"m{at}": float(step * at % 101) for at in range(1, 101)}} for step in range(1, 301)]
    charts = [chart for chart in charts_of(make_run(steps=make_steps(rows))).values() if chart.section == "metrics"]
    drawn = [sum(raw is not None for raw in column(chart, "points", "raw")) for chart in charts]

    assert len(charts) == 100
    assert sum(drawn) <= 20_000
    assert min(drawn) >= 60
    assert len(charts[1].rows) == 300  # the table and the CSV have all
    assert charts[1].note is not None
    assert "of 300" in charts[1].note.en


def test_a_metric_that_never_changes_gets_no_small_chart_unless_it_was_not_finite_once() -> None:
    rows = [{"step": step, "same": 0.5, "odd": 1.0, "other": float(step)} for step in range(1, 9)]
    rows[3]["odd"] = math.nan
    steps = make_steps(rows)
    bad = make_nonfinite([{"step": 4, "metric": "odd", "value": "nan", "row": int(steps["row"].iloc[3])}])
    run = make_run(steps=steps, nonfinite=bad)
    drawn = {chart.metrics[0] for chart in charts_of(run).values() if chart.section == "metrics"}

    assert drawn == {"odd", "other"}
    assert [item.name for item in unchanging(analyse(run, SiteSettings()))] == ["same"]


def test_values_of_both_signs_near_the_largest_float_are_drawn() -> None:
    largest = 1.797e308
    rows = [{"step": step, "odd": largest if step % 2 else -largest} for step in range(1, 9)]
    chart = charts_of(make_run(steps=make_steps(rows)))["metric-odd"]
    svg = vl_convert.vega_to_svg(filled(chart.form, chart.datasets, chart.params))

    assert "NaN" not in svg
    assert "Infinity" not in svg
    assert chart.params["grown"] == 4
    assert max(chart.datasets["points"]["raw"]) * 4 == pytest.approx(largest)
    assert chart.rows[0][3] == largest  # the table has the values themselves
    assert "1.8e308" in svg


def test_a_constant_metric_keeps_its_place_and_says_so() -> None:
    clip = FULL["clip-ratio"]

    assert clip.caption.en == "0 at all 12 steps"
    assert clip.params["yTicks"] == [0.0]
    assert clip.note is not None


def test_staleness_has_its_range_behind_it() -> None:
    staleness = FULL["staleness"]

    assert staleness.datasets["band"]["low"] == [1] * 12
    assert staleness.datasets["band"]["high"] == [5] * 12
    assert staleness.metrics == ("async/staleness_mean", "async/staleness_min", "async/staleness_max")


def test_the_parts_of_a_step_add_up_to_it_and_an_unlogged_span_is_not_zero() -> None:
    time = FULL["step-time"]
    seconds = {part: column(time, "areas", "v", series=part, step=2) for part in ("wait", "train", "sync", "other")}

    assert seconds == {"wait": [0], "train": [10], "sync": [4], "other": [88]}
    assert [row[6] for row in time.rows if row[1] == 2] == [None]
    assert time.note is not None
    assert "other" in time.note.en
    tops = column(time, "areas", "y1", series="other", step=5)
    assert tops == [105]


def test_a_step_without_a_time_is_a_gap_in_the_areas() -> None:
    rows = [{"step": step, "timing/step": math.nan if step == 3 else 10.0} for step in range(1, 6)]
    areas = charts_of(make_run(steps=make_steps(rows)))["step-time"].datasets["areas"]

    assert list(zip(areas["x"], areas["y1"], strict=True)) == [
        (0.5, 10),
        (1.5, 10),
        (2.5, 10),
        (2.5, None),
        (3.5, 10),
        (4.5, 10),
        (5.5, 10),
        (5.5, None),
    ]


def test_a_jump_in_the_steps_is_not_bridged_by_a_bar() -> None:
    rows = [{"step": step, "timing/step": 10.0} for step in (1, 2, 9)]
    areas = charts_of(make_run(steps=make_steps(rows)))["step-time"].datasets["areas"]

    assert areas["x"] == [0.5, 1.5, 2.5, 2.5, 8.5, 9.5, 9.5]


def test_exceptions_are_stacked_by_treatment() -> None:
    errors = FULL["errors"]

    assert errors.metrics == ("AgentTimeoutError", "DaytonaError")
    assert [(item.swatch, item.value) for item in errors.legend] == [("sw-passthrough", "36"), ("sw-mask", "11")]
    assert errors.caption.en == "47 exceptions in 12 steps · most often AgentTimeoutError (36)"
    assert column(errors, "areas", "y1", series="mask", step=1) == [4]
    assert [row[2] for row in errors.rows if row[0] == 9] == [None]


def test_turns_and_outcome_hold_every_graded_trial() -> None:
    chart = FULL["turns-outcome"]

    assert sum(row[1] for row in chart.rows) == sum(at % 3 == 0 for at in range(40)) == 14
    assert sum(row[1] + row[2] for row in chart.rows) == 40
    assert column(chart, "bars", "v", series="solved") == [row[1] for row in chart.rows]


def test_engine_samples_are_dots_and_bucket_means_the_line() -> None:
    cache = FULL["engine-cache"]

    assert len(column(cache, "dots", "v", series="1")) == 60
    assert column(cache, "dots", "x", series="1")[-1] == pytest.approx(59 / 60, abs=1e-6)
    assert {value for value in column(cache, "means", "v", series="1") if value is not None} == {40}
    assert len([value for value in column(cache, "dots", "v", series="2") if value is not None]) == 59
    assert len(cache.rows) == 60
    assert cache.datasets["jobs"]["step"] == [0.5]


def test_engine_samples_without_a_clock_stand_in_the_order_of_the_log() -> None:
    run = RUNS["full"]
    assert run.engines is not None
    blind = replace(run, engines=run.engines.assign(time=math.nan))
    chart = charts_of(blind)["engine-requests"]

    assert chart.datasets["dots"]["x"][:3] == [1, 2, 3]
    assert chart.note is not None
    assert "no clock" in chart.note.en


def _samples_with_a_clock(year_of_log: int = 2026) -> Run:
    """A sample a minute for two hours from 1 June 06:00, steps 1 to 40 every four minutes from 06:02."""
    first = datetime(year_of_log, 6, 1, 6, tzinfo=UTC).timestamp()
    samples = [
        {"time": first + 60 * at, "clock": f"06-01 {6 + at // 60:02}:{at % 60:02}:00", "running": 3.0}
        for at in range(121)
    ]
    ended = datetime(2026, 6, 1, 6, 2, tzinfo=UTC).timestamp()
    steps = [{"step": step, "time": ended + 240 * (step - 1), "reward/avg_raw_reward": 0.5} for step in range(1, 41)]
    return make_run(steps=make_steps(steps), engines=make_engines(samples))


@pytest.mark.parametrize("year_of_log", [2026, 2000], ids=["dated", "without a year"])
def test_ends_of_steps_are_ticks_among_the_engine_samples(year_of_log: int) -> None:
    chart = charts_of(_samples_with_a_clock(year_of_log))["engine-requests"]
    ticks = chart.datasets["steps"]

    assert len(ticks["x"]) == 30  # step 31 ended at 08:02, after the last sample
    assert ticks["x"][9] == pytest.approx(38 / 60, abs=1e-6)  # step 10 at 06:38
    assert [label for label in ticks["label"] if label] == ["5", "10", "15", "20", "25", "30"]
    assert ticks["label"][9] == "10"
    assert chart.note is not None
    assert chart.note.en.endswith("by the clock of its record. Numbers: every 5 steps.")


def test_many_ends_of_steps_are_thinned_to_round_numbers() -> None:
    run = _samples_with_a_clock()
    start = float(run.steps["time"].min())
    many = make_steps([{"step": step, "time": start + 6 * step} for step in range(1, 1001)])
    chart = charts_of(replace(run, steps=many))["engine-requests"]
    ticks = chart.datasets["steps"]

    assert len(ticks["x"]) == 100  # every tenth: one in five would be 200
    assert [label for label in ticks["label"] if label] == ["200", "400", "600", "800", "1,000"]
    assert chart.note is not None
    assert "one step in 10 is drawn. Numbers: every 200 steps." in chart.note.en


def test_no_step_is_marked_where_a_clock_is_missing_or_another() -> None:
    run = _samples_with_a_clock()
    assert run.engines is not None
    without = replace(run, steps=run.steps.assign(time=math.nan))
    blind = replace(run, engines=run.engines.assign(time=math.nan))
    elsewhen = replace(run, steps=run.steps.assign(time=run.steps["time"] + 86400))

    for other in (without, blind, elsewhen):
        chart = charts_of(other)["engine-requests"]
        assert chart.datasets["steps"] == {"x": [], "label": []}
        assert chart.note is not None
        assert "tick" not in chart.note.en


def test_a_hostile_name_reaches_the_data_as_text_only() -> None:
    (chart,) = [chart for chart in FULL.values() if HOSTILE in chart.metrics]

    assert chart.title.en == HOSTILE
    assert set(chart.datasets["points"]) == {"step", "series", "raw", "ema", "mean5", "lone"}
    assert HOSTILE not in json.dumps(filled(chart.form, chart.datasets, chart.params))


def test_an_empty_run_has_no_charts() -> None:
    run = make_run()
    analysis: RunAnalysis = analysed(run)

    assert run_charts(run, analysis) == ()


def test_charts_are_the_same_in_every_build() -> None:
    def once(run: Run) -> str:
        return repr([(c.id, c.datasets, c.params, c.rows, c.static_svg) for c in run_charts(run, analysed(run))])

    assert once(full_run()) == once(full_run())
