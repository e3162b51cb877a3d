import datetime as dt
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.run_analysis import analyse
from sitegen.model.problems import Problem
from sitegen.model.run import JobEnd, Published, PublishedMetric, PublishedTrials, PublishedValue, RunSettings
from sitegen.publish.run_json import dump, run_json
from sitegen.settings import SiteSettings
from sitegen.text import Text
from tests.factories import (
    make_batches,
    make_config,
    make_engines,
    make_job,
    make_nonfinite,
    make_run,
    make_series,
    make_steps,
    make_trials,
    published_run,
)

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "run-json.md"
REWARD = "reward/avg_raw_reward"
nan, inf = math.nan, math.inf

EXCEPTIONS = {
    "none": 38610,
    "AgentTimeoutError": 4917,
    "AgentSetupTimeoutError": 133,
    "VerifierTimeoutError": 56,
    "DaytonaError": 44,
    "ContextLengthExceededError": 24,
    "DaytonaAuthenticationError": 9,
    "RuntimeError": 1,
    "Timeout": 1,
}
TRIALS = PublishedTrials(
    total=43795,
    graded=43482,
    mean_reward=0.4853,
    success_rate=0.485,
    turns={"mean": 2.1, "median": 2.0, "std": 0.7, "min": 1, "max": 18, "count": 43632},
    exceptions=EXCEPTIONS,
    by_exception={},
    by_outcome={},
)


def metric(mean, count=81):
    return PublishedMetric(mean=mean, std=0.1, min=0.0, max=1.0, count=count)


REPORT = Published(
    path="run/report.md",
    metrics={
        REWARD: metric(0.479843),
        "policy/policy_entropy": metric(0.213363),
        "timing/step": metric(998.994),
        "timing/run_training": metric(83.7054),
        "timing/cleanup_old_checkpoints": metric(0.513695, 40),
    },
    timing={"wait_for_generation_buffer": 0.878, "run_training": 0.094},
    engines={
        "job_561773": {
            "running": 11.1,
            "waiting": 7.4,
            "generation_tps": 470.8,
            "kv_cache_pct": 48.0,
            "prefix_hit_pct": 84.3,
            "running_max": 24,
        },
        "job_561774": {"running": 11.8},
    },
    trials=TRIALS,
    checkpoint_step=None,
    values=(),
)


def document(run, **site):
    return run_json(run, analyse(run, SiteSettings(**site)))


def loaded(run, **site):
    """The document as a script sees it."""
    return json.loads(dump(document(run, **site)).decode("utf-8"), parse_constant=pytest.fail)


def published(**fields):
    header = "assumed, from a sister configuration"
    config = make_config({"trainer.hf_save_interval": 5, "trainer.max_steps": 80}, header=header)
    return published_run(**{"published": REPORT, "config": config, **fields})


def test_published_run():
    found = loaded(published())
    assert [(job["name"], job["first_step"], job["last_step"], job["rows"]) for job in found["jobs"]] == [
        ("job_561773", 1, 47, 47),
        ("job_561774", 47, 80, 34),
    ]
    assert (found["schema"], found["rows"], found["steps"], found["superseded"]) == (1, 81, 80, 1)
    assert round(found["metrics"][REWARD]["mean"], 4) == 0.4798
    assert round(found["metrics"]["reward/avg_pass_at_8"]["mean"], 4) == 0.7426
    assert round(found["checkpoint"].pop("ema"), 4) == 0.5281
    candidates = found["checkpoint"].pop("candidates")
    assert [item["step"] for item in candidates] == list(range(5, 81, 5))
    assert candidates[0] == {
        "step": 5,
        "reward": 0.4883,
        "ema": pytest.approx(0.53275, abs=1e-5),
        "saved": None,
        "eligible": False,
        "exclusion": "first-save",
    }
    assert found["checkpoint"] == {"step": 25, "save_interval": 5, "overlap_rule": "last"}
    assert round(found["timing"]["wait_for_generation_buffer"]["share_of_step"], 3) == 0.878
    assert (found["trials"], found["engines"]) == (None, None)
    trials = found["published"]["trials"]
    assert trials["total"] == 43795
    assert round(100 * trials["exceptions"]["none"] / trials["total"], 1) == 88.2
    assert trials["turns"]["max"] == 18


def test_published_holds_only_what_the_run_itself_does_not_tell():
    found = loaded(published())["published"]
    assert set(found["metrics"]) == {"policy/policy_entropy", "timing/run_training", "timing/cleanup_old_checkpoints"}
    assert found["metrics"]["policy/policy_entropy"]["last"] is None
    assert found["timing"] == {
        "run_training": {"mean_s": 83.7054, "share_of_step": 0.094},
        "cleanup_old_checkpoints": {"mean_s": 0.513695, "share_of_step": None},
    }
    assert found["engines"]["job_561773"]["generation_tps"] == 470.8
    assert found["engines"]["job_561774"] == {
        "samples": None,
        "running": 11.8,
        "waiting": None,
        "generation_tps": None,
        "kv_cache_pct": None,
        "prefix_hit_pct": None,
    }
    own = published(trials=make_trials([{"reward": 1.0}]), engines=make_engines([{"running": 3.0}]))
    found = loaded(own)
    assert (found["published"]["trials"], found["published"]["engines"]) == (None, None)
    assert (found["trials"]["total"], found["engines"]["running"]) == (1, 3.0)


def test_tokens_are_summed_over_the_trials_that_reported_them():
    rows = [
        {"input_tokens": 1000.0, "cache_tokens": 600.0, "output_tokens": 30.0, "cost_usd": 0.25},
        {"input_tokens": 500.0, "cache_tokens": 0.0, "output_tokens": 20.0},
        {"exception": "EnvironmentStartTimeoutError"},
    ]
    assert loaded(make_run(trials=make_trials(rows)))["trials"]["tokens"] == {
        "input": 1500.0,
        "cache": 600.0,
        "output": 50.0,
        "cost_usd": 0.25,
        "counts": {"input": 2, "cache": 2, "output": 2, "cost_usd": 1},
    }


def test_tokens_that_no_trial_reported_are_null_not_0():
    tokens = loaded(make_run(trials=make_trials([{"reward": 1.0}])))["trials"]["tokens"]
    assert [tokens[name] for name in ("input", "cache", "output", "cost_usd")] == [None] * 4
    assert set(tokens["counts"].values()) == {0}


def test_column_that_never_had_a_value_does_not_hide_the_published_one():
    steps = make_steps([{"step": 1, "policy/policy_entropy": nan, REWARD: 0.5}])
    found = loaded(make_run(steps=steps, published=REPORT))
    assert found["metrics"]["policy/policy_entropy"]["count"] == 0
    assert found["published"]["metrics"]["policy/policy_entropy"]["mean"] == 0.213363


def test_status_says_what_it_rests_on():
    steps = make_series(REWARD, [0.1] * 4)
    planned = loaded(make_run(steps=steps, config=make_config({"max_steps": 4})))["status"]
    assert planned == {"status": "finished", "guessed": False, "basis": "planned-config", "planned_steps": 4}
    bare = loaded(make_run(steps=steps))["status"]
    assert bare == {"status": "stopped-early", "guessed": True, "basis": "no-line", "planned_steps": None}


def test_job_says_how_it_ended_and_where_that_stands():
    killed = JobEnd(cause="out_of_memory", path="run/b_2.out", line=17, text="oom_kill event")
    jobs = (make_job("a_1", [1, 2]), make_job("b_2", [3], end=killed))
    found = loaded(make_run(jobs=jobs))["jobs"]
    assert [job["end"]["cause"] for job in found] == ["unknown", "out_of_memory"]
    nothing = {"path": None, "line": None, "text": None}
    assert found[0]["end"] == {"cause": "unknown", "guessed": False, **nothing}
    told = {"path": "run/b_2.out", "line": 17, "text": "oom_kill event"}
    assert found[1]["end"] == {"cause": "out_of_memory", "guessed": False, **told}


def test_batches_of_a_step_with_the_exceptions_that_were_raised():
    batches = make_batches(
        [
            {"step": 1, "batches": 2.0, "instances": 256.0, "successful": 250.0, "failed": 3.0, "masked": 6.0}
            | {"exception/DaytonaError": 5.0, "exception/AgentTimeoutError": nan},
            {"step": 2, "job": "job_2", "batches": 1.0, "exception/AgentTimeoutError": 1.0},
        ]
    )
    first, second = loaded(make_run(batches=batches))["batch_errors"]
    counts = {"batches": 2, "instances": 256, "successful": 250, "failed": 3, "masked": 6}
    assert first == {"job": "job_1", "step": 1} | counts | {"exceptions": {"DaytonaError": 5}}
    assert (second["job"], second["step"], second["instances"]) == ("job_2", 2, None)
    assert second["exceptions"] == {"AgentTimeoutError": 1}


def test_steps_table_is_named_where_one_is_made():
    assert loaded(make_run(steps=make_steps([{"step": 1, REWARD: 0.5}])))["steps_table"] == "data/steps.csv"
    assert loaded(make_run(steps=make_steps([{"step": 1}])))["steps_table"] is None


def test_run_without_anything():
    found = loaded(make_run(framework=None))
    assert found == {
        "schema": 1,
        "slug": "run",
        "title": "run",
        "framework": None,
        "status": {"status": "no-steps", "guessed": False, "basis": "no-steps", "planned_steps": None},
        "jobs": [],
        "rows": 0,
        "steps": 0,
        "superseded": 0,
        "steps_table": None,
        "metrics": {},
        "checkpoint": None,
        "findings": [],
        "phases": [],
        "evaluations": [],
        "timing": {},
        "batch_errors": [],
        "spending": {
            "gaps": [],
            "outside_s": None,
            "redone_s": None,
            "gpu_hours": None,
            "cost": None,
            "currency": None,
        },
        "trials": None,
        "tasks": [],
        "engines": None,
        "config": {},
        "published": None,
        "crosscheck": [],
        "problems": [],
    }


def test_metric_of_train_and_evaluation_records_is_taken_over_both():
    steps = make_steps(
        [{"step": 0, "kind": "eval", "eval/all/avg_score": 0.2}, {"step": 1, REWARD: 0.5, "eval/all/avg_score": 0.4}]
    )
    found = loaded(make_run(steps=steps))
    assert found["metrics"]["eval/all/avg_score"]["mean"] == pytest.approx(0.3)
    assert (found["metrics"]["eval/all/avg_score"]["count"], found["metrics"]["eval/all/avg_score"]["last"]) == (2, 0.4)
    assert found["rows"] == 1


def test_nothing_that_is_not_strict_json():
    steps = make_steps([{"step": 1, "a": inf, "b": 0.1}, {"step": 2, "a": nan, "b": 0.2}])
    bad = make_nonfinite([{"step": 1, "metric": "a", "value": "inf"}, {"step": 2, "metric": "a", "value": "nan"}])
    config = make_config(
        {"x": nan, "y": -inf, "d": dt.date(2026, 1, 2), "l": [1, inf], "b": b"\xff", "s": {"b", "a"}, "big": 10**30}
    )
    found = loaded(make_run(steps=steps, nonfinite=bad, config=config))
    assert found["metrics"]["a"] == {
        "mean": None,
        "std": None,
        "min": None,
        "max": None,
        "last": None,
        "count": 0,
        "non_finite": 2,
    }
    assert found["metrics"]["b"]["mean"] == (0.1 + 0.2) / 2
    assert found["config"] == {
        "x": ".nan",
        "y": "-.inf",
        "d": "2026-01-02",
        "l": [1, ".inf"],
        "b": "\ufffd",
        "s": ["a", "b"],
        "big": 10**30,
    }


def test_hostile_and_broken_strings_survive():
    steps = make_steps([{"job": "</script>", "step": 1, 'a.b[0]:c "<b>': 1.0}])
    text = dump(document(make_run(title="运行 一", slug="x\udc80", steps=steps)))
    found = json.loads(text.decode("utf-8"))
    assert (found["title"], found["slug"], found["jobs"][0]["name"]) == ("运行 一", "x?", "</script>")
    assert 'a.b[0]:c "<b>' in found["metrics"]
    assert "运行 一".encode() in text


def test_same_run_same_bytes():
    assert dump(document(published())) == dump(document(published()))
    assert dump(document(published())).endswith(b"}\n")


def everything():
    """Documents that together hold every documented field: a run has its own trials, or published ones."""
    problem = Problem(
        kind="k", severity="warning", path="run/a.csv", line=3, what=Text("w", "无"), effect=Text("e", "效")
    )
    own = published(
        problems=(problem,),
        trials=make_trials([{"reward": 1.0, "turns": 2.0}, {"exception": "E"}]),
        engines=make_engines([{"running": 3.0}]),
        batches=make_batches([{"step": 1, "exception/DaytonaError": 2.0}]),
    )
    printed = PublishedValue(where="Overview/job_561773", name="Total Time (s)", text="40348.4", value=40348.4, line=9)
    told = published(
        published=replace(REPORT, checkpoint_step=25, values=(printed,)), config=None, settings=RunSettings()
    )
    jobs = (make_job("a", [1], started=0.0, finished=60.0), make_job("b", [2], started=90.0))
    timed = make_run(
        steps=make_steps([{"step": 1, "kind": "eval", "eval/gsm8k/score": 0.5}]),
        trials=make_trials([{"wall_s": 9.0, "agent_s": 5.0, "started": float(i), "reward": 0.0} for i in (1, 2)]),
        jobs=jobs,
    )
    return [document(own), document(told), document(timed)]


MAPS = {
    "metrics": "name",
    "timing": "span",
    "batch_errors[].exceptions": "type",
    "findings[].values": "name",
    "trials.exceptions": "type",
    "trials.by_exception": "type",
    "trials.by_outcome": "outcome",
    "trials.phases": "phase",
    "config": "key",
    "published.metrics": "name",
    "published.timing": "span",
    "published.trials.exceptions": "type",
    "published.engines": "job",
}


def walk(value, path=""):
    """Every path of a document, free keys and list items generalised."""
    if isinstance(value, dict):
        for key, item in value.items():
            label = f"<{MAPS[path]}>" if path in MAPS else key
            below = f"{path}.{label}" if path else label
            yield below
            yield from walk(item, below)
    elif isinstance(value, list) and not path.startswith("config."):
        for item in value:
            yield from walk(item, f"{path}[]")


def documented():
    return re.findall(r"^\| `([^`]+)` \|", DOCUMENTATION.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_documentation_and_document_name_the_same_fields():
    fields = documented()
    assert len(fields) == len(set(fields))
    assert {path for found in everything() for path in walk(found)} == set(fields)


def test_documentation_gives_the_order_of_the_top_keys():
    top = [path for path in documented() if re.fullmatch(r"[a-z_]+", path)]
    assert top == list(document(published()))


value = st.one_of(st.just(nan), st.just(inf), st.floats(-1e300, 1e300))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries({"step": st.integers(0, 9), "kind": st.sampled_from(["train", "eval"]), REWARD: value}),
        max_size=6,
    ),
    st.dictionaries(
        st.text(max_size=5), st.one_of(st.none(), st.floats(), st.text(max_size=5), st.lists(st.floats())), max_size=4
    ),
)
def test_any_run_gives_strict_json_with_the_same_top_keys(rows, values):
    run = make_run(
        steps=make_steps(rows), config=make_config(values), trials=make_trials([{"reward": r[REWARD]} for r in rows])
    )
    found = loaded(run)
    assert list(found) == list(document(published()))
    assert found["metrics"].get(REWARD, {"count": 0})["count"] == sum(math.isfinite(r[REWARD]) for r in rows)
    assert set(found["config"]) == set(values)
