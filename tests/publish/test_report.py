"""`sitegen report`: what it says, that our own reader reads it back, and that it agrees with itself."""

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.crosscheck import counts, cross_check
from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import SourceFile
from sitegen.publish.report import data, escaped, markdown, metrics_report, to_json
from sitegen.readers.skyrl_report import READER
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings, load_site_settings
from tests.factories import (
    make_batches,
    make_config,
    make_engines,
    make_nonfinite,
    make_run,
    make_steps,
    make_trials,
    published_run,
)

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "runs"
GENERATED = ROOT.parent / "shared" / "samples" / "parse_skyrl_GENERATED"
SITE = SiteSettings()
REWARD = "reward/avg_raw_reward"


def made(run, site=SITE):
    return metrics_report(run, analyse(run, site))


def read_back(text: str, folder: Path):
    """What the report reader makes of a report of ours."""
    path = folder / "20260101_000000_metrics_report.md"
    path.write_text(text, encoding="utf-8")
    content = path.read_bytes()
    return READER.read(SourceFile(path=path.name, location=path, size=len(content), head=content[:65536]))


@cache
def sample(name: str, archive: Path = RUNS):
    site = load_site_settings(archive)
    (task,) = [task for task in find_runs(archive, site).tasks if task.folder.name.startswith(name)]
    return read_run(task, site)


@cache
def published_report():
    return made(sample("a3-rl"))


def test_the_published_run_is_read_back_with_the_same_numbers(tmp_path):
    original = sample("a3-rl")
    back = read_back(markdown(published_report(), "en"), tmp_path)
    assert len(back.steps) == 81
    for metric in (REWARD, "reward/avg_pass_at_8", "timing/step", "timing/wait_for_generation_buffer"):
        assert back.steps[metric].tolist() == original.steps.sort_values("row")[metric].tolist(), metric
    told = original.published
    assert back.published.checkpoint_step == 25
    assert set(back.published.metrics) == set(told.metrics)
    assert back.published.engines == told.engines or {
        job: {k: v for k, v in values.items() if not k.endswith("_max")} for job, values in told.engines.items()
    } == dict(back.published.engines)
    assert back.published.trials == told.trials
    assert back.published.timing["run_training"] == told.timing["run_training"]
    for metric, item in back.published.metrics.items():
        if metric not in original.steps.columns:
            assert item == told.metrics[metric]
        else:  # computed from printed rows: 3038.2 where the report prints 3038.23
            assert item.count == told.metrics[metric].count
            assert item.max == pytest.approx(told.metrics[metric].max, abs=0.051)
            assert item.mean == pytest.approx(told.metrics[metric].mean, abs=0.0011)
            assert item.std == pytest.approx(told.metrics[metric].std, abs=0.0011)


def test_the_published_run_says_what_its_report_hides():
    text = markdown(published_report(), "en")
    overview = text.split("## Overview")[1].split("\n## ")[0]
    assert "| job_561774 | 47 | 80 | 34 | 0 | 0.475188 | 0.5898 | 0.6641 | – | 40570.1 |" in overview
    against = text.split("## Against the Published Report")[1]
    assert "the label says final; the last value is 0.5898" in against
    assert "0 printed for missing" in against
    assert "on average 11.1 of 24 slots are busy" in against
    assert "As printed in the published report" in text.split("## Trial-Level Analysis")[1]
    assert "KL" not in text.split("## Training Progression")[1].split("\n## ")[0]


@pytest.mark.parametrize("kind", ["agentic", "standard"] if GENERATED.is_dir() else [])
def test_the_parsers_own_reports_give_the_same_numbers(kind, tmp_path):
    run = sample(kind, GENERATED)
    told = run.published
    back = read_back(markdown(made(run), "en"), tmp_path).published
    assert set(back.metrics) >= set(told.metrics)
    for metric, item in told.metrics.items():
        ours = back.metrics[metric]
        assert ours.count == item.count, metric
        for field in ("mean", "std", "min", "max"):
            theirs, mine = getattr(item, field), getattr(ours, field)
            assert (mine is None) == (theirs is None), (metric, field)
            assert mine is None or mine == pytest.approx(theirs, rel=1e-5, abs=1e-12)
    if kind == "agentic":
        assert back.trials.exceptions == told.trials.exceptions
        assert back.trials.turns == pytest.approx(told.trials.turns)
        assert back.timing["generate"] == told.timing["generate"]
    else:
        assert told.checkpoint_step == 20  # the first log of a step wins there
        assert {job: values["running"] for job, values in told.engines.items()} == {
            job: values["running"] for job, values in back.engines.items() if job != "all"
        }


@pytest.mark.parametrize("name", ["synthetic-agent", "synthetic-web"])
def test_a_report_agrees_with_the_run_that_it_is_of(name, tmp_path):
    """No number of our own report differs when it is held against the run."""
    run = sample(name)
    site = load_site_settings(RUNS)
    back = read_back(markdown(made(run, site), "en"), tmp_path).published
    checks = cross_check(replace(run, published=back), site)
    differing = [(c.where, c.name, c.published, c.computed) for c in checks if c.verdict == "differs"]
    assert differing == []
    assert counts(checks)["agrees"] > 100


def test_every_section_in_both_languages():
    report = made(sample("synthetic-agent"))
    keys = [section.key for section in report.sections]
    assert [key for key in keys if not key.startswith("metrics.")] == [
        "overview",
        "progression",
        "timing",
        "comparison",
        "engines",
        "trials",
        "checkpoint",
        "phases",
        "findings",
    ]
    english, chinese = markdown(report, "en"), markdown(report, "zh")
    assert english.count("\n## ") == chinese.count("\n## ") == len(keys)
    assert english.count("\n| ") == chinese.count("\n| ")
    assert "## 训练进程" in chinese
    assert "{" not in english + chinese


def test_what_was_not_logged_has_no_number():
    rows = [
        {"job": "a", "step": 1, "row": 1, REWARD: 0.5, "timing/step": 10.0},
        {"job": "a", "step": 2, "row": 2, REWARD: 0.7},
        {"job": "b", "step": 3, "row": 1, REWARD: 0.9},
    ]
    text = markdown(made(make_run(steps=make_steps(rows))), "en")
    assert "| 2 | 0.7 | – |" in text
    assert "| b | 0.9 | – |" in text.split("## Cross-Log Comparison")[1]
    assert "| a | 1 | 2 | 2 | 0 | 0.6 | 0.7 | 0.7 | – | 10 |" in text


def test_values_that_are_not_finite_are_counted_apart():
    steps = make_steps([{"step": 1, REWARD: 0.5}, {"step": 2, REWARD: math.nan}])
    bad = make_nonfinite([{"step": 2, "metric": REWARD, "value": "nan"}])
    text = markdown(made(make_run(steps=steps, nonfinite=bad)), "en")
    assert f"{REWARD}: values logged as NaN or infinite: 1" in text
    assert f"| {REWARD} | 0.5 | – | 0.5 | 0.5 | 1 |" in text


def test_trials_engines_and_checkpoint():
    trials = make_trials(
        [
            {"turns": 2.0, "reward": 1.0},
            {"turns": 4.0, "reward": 0.0},
            {"turns": 9.0, "exception": "AgentTimeoutError", "wall_s": 10.0, "agent_s": 8.0},
        ]
    )
    engines = make_engines([{"running": 24.0, "waiting": 3.0}, {"running": 23.0, "waiting": 1.0}])
    config = make_config({"engine.max_num_seqs": 24, "trainer.hf_save_interval": 1})
    steps = make_steps([{"step": s, REWARD: v} for s, v in ((1, 0.9), (2, 0.3), (3, 0.6))])
    text = markdown(made(make_run(steps=steps, trials=trials, engines=engines, config=config)), "en")
    assert "- Total trials parsed: 3\n- Trials with reward data: 2\n- Mean reward: 0.5\n- Success rate: 50.0%" in text
    assert "| AgentTimeoutError | 1 | 33.3% |" in text
    assert "| Failure | 4 | 4 | 1 |" in text
    assert "| agent | 8 | 8 | 8 | 1 | 80.0% |" in text
    assert "Verdict: saturated" in text
    assert "| job_1 | 23.5 | 2 | – | – | – |" in text
    # EMA: 0.9, then 0.7, then 0.6667; step 1 is the first save
    assert "- Chosen step: 2\n- Its EMA: 0.7" in text
    assert "| 1 | 0.9 | 0.9 | no | first save |" in text


def test_batch_lines_count_to_their_own_step(tmp_path):
    batches = make_batches(
        [
            {"step": 1, "batches": 2.0, "failed": 10.0, "exception/DaytonaError": 4.0},
            {"step": 2, "batches": 1.0, "failed": 20.0},
        ]
    )
    text = markdown(made(make_run(steps=make_steps([{"step": 1, REWARD: 0.5}]), batches=batches)), "en")
    assert "each batch line counts to the step whose header follows it" in text
    back = read_back(text, tmp_path).published.metrics
    failed = back["batch_errors/total_failed"]
    assert (failed.mean, failed.min, failed.max, failed.count) == (15.0, 10.0, 20.0, 2)
    assert back["batch_errors/avg_DaytonaError"].mean == 2.0
    assert "batch_errors/avg_failed" not in back


def test_batch_counts_of_the_parsers_table_are_said_to_be_late():
    steps = make_steps([{"step": 1, "batch_errors/total_failed": 30.0}])
    text = markdown(made(make_run(steps=steps)), "en")
    assert "to the step before its own" in text.split("## Batch_Errors Metrics")[1]


def test_json_has_the_same_at_full_precision():
    report = made(published_run())
    content = json.loads(to_json(report), parse_constant=pytest.fail)
    assert content == json.loads(json.dumps(data(report)))
    logs = content["sections"]["overview"]["logs"]
    assert [(log["log"], log["records"], log["last_step"]) for log in logs] == [
        ("job_561773", 47, 47),
        ("job_561774", 34, 80),
    ]
    assert logs[0]["time_s"] == pytest.approx(40348.5)
    assert len(content["sections"]["progression"]["job_561773"]) == 47
    assert content["sections"]["timing"]["total_step_s"] == pytest.approx(80918.6)


def test_a_run_without_anything_still_has_a_report():
    text = markdown(made(make_run(framework=None)), "en")
    assert text.startswith("# Training metrics: run\n\n## Overview\n")
    assert json.loads(to_json(made(make_run())))["sections"]["overview"]


def test_hostile_names_are_no_markdown_and_no_html():
    assert escaped("a|b\nc <script> *x* `y` [z](u) _w_ a_b \\") == (
        "a\\|b c &lt;script> \\*x\\* \\`y\\` \\[z\\](u) \\_w\\_ a_b \\\\"
    )
    steps = make_steps([{"job": "x|<b>\n# y", "step": 1, "row": 1, "m|n": 1.0}])
    text = markdown(made(make_run(title="<img src=x>|", steps=steps)), "en")
    assert "<b>" not in text
    assert "<img" not in text
    assert "\n# y" not in text
    table = [line for line in text.split("\n") if "m\\|n" in line and "1 | – | 1 | 1 | 1" in line]
    assert len(table) == 1


def test_the_same_run_gives_the_same_bytes():
    run = sample("synthetic-web")
    assert markdown(made(run), "zh") == markdown(made(run), "zh")
    assert to_json(made(run)) == to_json(made(run))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "job": st.sampled_from(["a", "b"]),
                "step": st.integers(0, 20),
                REWARD: st.one_of(st.just(math.nan), st.floats(-1e3, 1e3)),
                "timing/step": st.one_of(st.just(math.nan), st.floats(0, 1e4)),
            }
        ),
        max_size=12,
    )
)
def test_the_summaries_of_any_run_are_read_back(tmp_path_factory, rows):
    steps = make_steps([{"row": i + 1, **row} for i, row in enumerate(rows)])
    run = make_run(steps=steps)
    analysis = analyse(run, SITE)
    text = markdown(metrics_report(run, analysis), "en")
    json.loads(to_json(metrics_report(run, analysis)), parse_constant=pytest.fail)
    back = read_back(text, tmp_path_factory.mktemp("back")).published
    known = {item.name: item for item in analysis.metrics if item.count}
    found = back.metrics if back else {}
    assert set(found) == set(known)
    for name, item in known.items():
        assert found[name].count == item.count
        for field in ("mean", "std", "min", "max"):
            ours, theirs = getattr(item, field), getattr(found[name], field)
            assert (ours is None) == (theirs is None)
            assert ours is None or theirs == pytest.approx(ours, rel=1e-5, abs=1e-300)
