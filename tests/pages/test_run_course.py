"""Evaluations, phases of trials, tasks by halves, engine verdict and cost on the pages."""

import re

import numpy as np
import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import RunSettings
from sitegen.pages.run_checkpoint import checkpoint_view
from sitegen.pages.run_course import (
    evaluations_sentence,
    evaluations_table,
    funnel_more,
    halves_table,
    phases_table,
    verdict_text,
)
from sitegen.pages.run_header import run_header
from sitegen.pages.run_jobs import job_facts, kept_steps
from sitegen.pages.run_outcomes import errors_view
from sitegen.pages.run_overview import freshness_sentence
from sitegen.pages.run_time import time_view
from sitegen.pages.run_view import RunInput, Voice
from sitegen.settings import SiteSettings
from tests.analyse.findings.runs import REWARD, engines_of
from tests.factories import make_config, make_job, make_run, make_steps, make_trials
from tests.pages.run_fixture import context, files, given

EN, ZH = Voice("en", "runs/run/index.html"), Voice("zh", "zh/runs/run/index.html")


def cells(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_evaluations_by_data_set():
    rows = [
        {"step": 10, "kind": "eval", "eval/gsm8k/avg_score": 0.2, "eval/math/avg_score": 0.5},
        {"step": 20, "kind": "eval", "eval/gsm8k/avg_score": 0.75, "eval/math/avg_score": 0.25},
    ]
    made = given(make_run(steps=make_steps(rows)))
    table = evaluations_table(made, EN)
    assert cells(table)[0] == ["gsm8k", "eval/gsm8k/avg_score", "0.2000", "0.7500", "0.7500", "2"]
    assert cells(table)[1][:2] == ["math", "eval/math/avg_score"]
    assert [cell.note for cell in table.rows[1]][2:5] == ["step 10", "step 20", "step 10"]
    assert "from 0.2000 at step 10 to 0.7500 at step 20" in evaluations_sentence(made, EN)
    assert "数据集 2 个" in evaluations_sentence(made, ZH)
    overview = files(make_run(steps=make_steps([*rows, {"step": 1, REWARD: 0.5}])))["runs/run/index.html"].decode()
    assert 'id="evaluations"' in overview


def test_run_without_evaluations_has_no_such_section():
    run = make_run(steps=make_steps([{"step": 1, REWARD: 0.5}]))
    assert evaluations_table(given(run), EN) is None
    assert evaluations_sentence(given(run), EN) == ""
    assert 'id="evaluations"' not in files(run)["runs/run/index.html"].decode()


def test_phases_of_trials():
    run = make_run(trials=make_trials([{"wall_s": 100.0, "agent_s": 75.0, "verifier_s": 5.0, "reward": 1.0}]))
    assert cells(phases_table(given(run), EN)) == [
        ["Agent", "75", "75", "75", "75.0\u00a0%", "1"],
        ["Verifier", "5", "5", "5", "5.0\u00a0%", "1"],
        ["Unattributed", "20", "20", "20", "20.0\u00a0%", "1"],
    ]
    assert 'id="phases"' in files(run)["runs/run/trials.html"].decode()


def test_tasks_by_halves_largest_change_first():
    rows = [{"task": "same", "started": float(t), "reward": 1.0} for t in (1, 2, 11, 12)]
    rows += [{"task": "learnt", "started": 3.0, "reward": 0.0}, {"task": "learnt", "started": 13.0, "reward": 1.0}]
    run = make_run(trials=make_trials(rows))
    assert cells(halves_table(given(run), EN)) == [
        ["learnt", "0.0\u00a0%", "100.0\u00a0%", "+100.0"],
        ["same", "100.0\u00a0%", "100.0\u00a0%", "0.0"],
    ]
    assert 'id="halves"' in files(run)["runs/run/trials.html"].decode()


def test_trials_without_times_have_no_halves_and_no_phases():
    run = make_run(trials=make_trials([{"reward": 1.0}]))
    assert halves_table(given(run), EN) is None
    assert phases_table(given(run), EN) is None
    page = files(run)["runs/run/trials.html"].decode()
    assert not re.search(r'id="(halves|phases)"', page)


def test_trained_on_is_labelled_as_the_logs_count():
    steps = make_steps([{"step": s, "async/effective_batch_samples": 512.0} for s in (1, 2)])
    run = make_run(steps=steps, trials=make_trials([{"reward": 1.0}] * 1024))
    assert funnel_more(given(run), EN) == (("Trained on, as logged over 2 steps", "1,024", ""),)
    assert funnel_more(given(make_run(trials=make_trials([{"reward": 1.0}]))), EN) == ()
    for page in ("index", "trials"):
        assert "Trained on, as logged over 2 steps" in files(run)[f"runs/run/{page}.html"].decode()


def test_more_trained_on_than_tried_is_said_to_be_of_another_source():
    rows = [{"step": s, "async/effective_batch_samples": 512.0} for s in (1, 2)]
    few = make_run(steps=make_steps(rows), trials=make_trials([{"reward": 1.0}]))
    ((label, count, _),) = funnel_more(given(few), EN)
    assert (count, "another source" in label) == ("1,024", True)
    tried = [row | {"batch_errors/total_instances": 500.0, "batch_errors/total_DaytonaError": 1.0} for row in rows]
    run = make_run(steps=make_steps(tried), trials=make_trials([{"reward": 1.0}] * 2000))
    ((label, _, _),) = funnel_more(given(run), EN)
    assert "counts only 1,000 attempted" in label
    assert "cannot be reconciled" in label


def test_a_part_larger_than_the_whole_is_called_a_contradiction():
    steps = make_steps([{"step": 1, "batch_errors/total_instances": 64.0, "batch_errors/total_DaytonaError": 2.0}])
    run = make_run(steps=steps, trials=make_trials([{"exception": "DaytonaError"}] * 5))
    view = errors_view(given(run), EN, "")
    assert "DaytonaError: 5 in the table, 2 in all batches." in view.other_count
    assert "cannot be reconciled" in view.other_count


@pytest.mark.parametrize(
    ("running", "waiting", "slots", "start"),
    [
        (24.0, 3.0, 24, "Saturated: full in 100.0\u00a0% of 20 active intervals"),
        (11.0, 7.0, 24, "Bursts: requests wait in 100.0\u00a0% of 20"),
        (5.0, 0.0, 24, "Starved: in 100.0\u00a0% of 20"),
        (20.0, 0.0, 24, "Balanced: full in 0.0\u00a0%"),
        (11.0, 7.0, None, "No verdict: the number of slots"),
        (0.0, 0.0, 24, "No verdict: engines never ran"),
    ],
)
def test_verdict_says_its_rule_and_numbers(running, waiting, slots, start):
    config = make_config({"max_num_seqs": slots}) if slots else None
    run = make_run(engines=engines_of(running, waiting), config=config)
    assert verdict_text(given(run), EN).startswith(start)
    assert verdict_text(given(run), ZH)
    assert start in files(run)["runs/run/engines.html"].decode()


def test_cost_stands_beside_the_gpu_hours():
    steps = make_steps([{"step": s, "timing/step": 1800.0} for s in (1, 2)])
    run = make_run(steps=steps, config=make_config({"num_nodes": 1, "gpus_per_node": 8}))
    priced = SiteSettings(gpu_hour_price=2.5, currency="EUR")
    made = RunInput(run=run, analysis=analyse(run, priced), charts=(), context=context())
    notes = [fact.note for fact in run_header(made, EN, "index").facts]
    assert "8 GPU-h in steps, 20 EUR" in notes
    free = RunInput(run=run, analysis=analyse(run, SiteSettings()), charts=(), context=context())
    assert not any("EUR" in fact.note for fact in run_header(free, EN, "index").facts)


def test_only_steps_on_the_lineage_are_gained():
    rows = [{"step": s, "job": "a", "superseded_last": int(s == 3)} for s in (1, 2, 3)]
    rows += [{"step": s, "job": "b"} for s in (3, 4, 6)]
    jobs = (make_job("a", [1, 2, 3]), make_job("b", [3, 4, 6], redone=1))
    kept = kept_steps(make_run(steps=make_steps(rows), jobs=jobs))
    assert kept == {"a": 2, "b": 3}
    assert job_facts(jobs[0], kept["a"], EN) == "steps 1–3 · 2 on the lineage"
    assert job_facts(jobs[1], kept["b"], EN) == "steps 3–6 · 3 on the lineage · 1 re-done"
    assert job_facts(jobs[0], kept["a"], ZH) == "第 1–3 步 · 2 步计入训练链"


def test_a_slow_record_that_was_trained_again_is_said_to_be_superseded():
    rows = [{"step": s, "timing/step": 100.0, "job": "b"} for s in range(1, 6)]
    rows += [{"step": 3, "timing/step": 800.0, "job": "a", "superseded_last": 1}]
    rows += [{"step": 6, "timing/step": 200.0, "job": "b"}]
    view = time_view(given(make_run(steps=make_steps(rows))), EN)
    assert "Slowest steps: 3 (800\xa0s; superseded record), 6 (200\xa0s)." in view.remarks
    assert not any("Cold start" in remark for remark in view.remarks)


def test_a_first_step_that_is_only_slow_is_no_cold_start():
    def said(first):
        rows = [{"step": 1, "timing/step": first}, *({"step": s, "timing/step": 100.0} for s in range(2, 7))]
        return time_view(given(make_run(steps=make_steps(rows))), EN).remarks

    assert any("Cold start" in remark for remark in said(301.0))
    assert not any("Cold start" in remark for remark in said(299.0))


def test_a_largest_step_mean_is_not_called_a_maximum():
    def said(**columns):
        rows = [{"step": s, **{k: float(v[s - 1]) for k, v in columns.items()}} for s in (1, 2)]
        run = make_run(steps=make_steps(rows))
        return freshness_sentence(given(run), EN)

    mean = {"generate/avg_num_tokens": (1000, 1500)}
    assert "1,500 in the step with the largest mean (no maximum is logged)" in said(**mean)
    assert "9,000 at most" in said(**mean, **{"generate/max_num_tokens": (9000, 8000)})


def test_the_lead_of_a_checkpoint_is_given_in_noise():
    rewards = [0.1, 0.35, 0.2, 0.5, 0.3, 0.45, 0.4, 0.75, 0.5, 0.7]
    rows = [{"step": s, "reward/avg_raw_reward": value} for s, value in enumerate(rewards, 1)]
    run = make_run(steps=make_steps(rows), settings=RunSettings(save_interval=2))
    found = given(run)
    view = checkpoint_view(found, EN)
    change = np.diff(rewards)
    noise = 1.4826 * np.median(np.abs(change - np.median(change))) / 2**0.5
    lead = found.analysis.checkpoint.margin / (noise * (1 / 5) ** 0.5)  # alpha 1/3: a / (2 - a) = 1/5
    assert f"one step's reward is off by about {noise:.2g}" in view.sentence
    assert f"the lead is {lead:.2g} times that of the EMA" in view.sentence
