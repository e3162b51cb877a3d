"""For every rule: a run on which it fires, with the values recomputed by hand, and a run just short of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sitegen.model.problems import Problem
from sitegen.model.run import Run, RunSettings
from sitegen.text import Text
from tests.analyse.findings.runs import (
    PASS,
    REWARD,
    engines_of,
    flat,
    metric,
    nan,
    report,
    report_trials,
    steps_of,
    trials_of,
)
from tests.factories import make_config, make_job, make_nonfinite, make_run, make_steps, published_run

STEP, WAIT, SAVE = "timing/step", "timing/wait_for_generation_buffer", "timing/save_checkpoints"


@dataclass(frozen=True)
class Case:
    """One rule."""

    fires: Callable[[], Run]
    quiet: Callable[[], Run]
    values: dict[str, Any]
    severity: str
    published: bool = False


def rewards(values, **columns):
    return make_run(steps=steps_of({REWARD: values, **columns}))


def times(seconds, **columns):
    return make_run(steps=steps_of({STEP: seconds, **columns}))


def close(value, **kind):
    return pytest.approx(value, **(kind or {"rel": 1e-9}))


FLAT = flat(0.5, 60)
RISE = np.concatenate([np.linspace(0.2, 0.8, 40), np.full(40, 0.8)]) + flat(0, 80, spread=0.01)
LINE = np.polyfit(np.arange(1, 61), FLAT, 1)[0]


def with_job_change(values):
    return make_run(steps=steps_of({REWARD: values}, jobs=["a"] * 6 + ["b"] * (len(values) - 6)))


DIP = [0.8, 0.81, 0.79, 0.8, 0.82, 0.5, 0.6, 0.82, 0.8, 0.81, 0.8, 0.79]
BUMP = np.concatenate([flat(0.5, 30, seed=4), [0.66, 0.67, 0.65], flat(0.5, 30, seed=5)])


def settled(values):
    """The first step whose EMA of weight 1/3 is nine tenths of the way from the first ten's mean to the last ten's."""
    ema = [values[0]]
    for value in values[1:]:
        ema.append(value / 3 + ema[-1] * 2 / 3)
    goal = 0.1 * values[:10].mean() + 0.9 * values[-10:].mean()
    return next(step for step, value in enumerate(ema, 1) if value >= goal)


def saved(values, interval=5):
    return make_run(steps=steps_of({REWARD: values}), settings=RunSettings(save_interval=interval))


def twice(seconds):
    rows = [{"step": s, STEP: 100.0} for s in range(1, 11)]
    rows.insert(3, {"step": 4, STEP: seconds, "superseded_last": 1})
    return make_run(steps=make_steps(rows))


def jobs_with_gap(gap):
    jobs = (make_job("a", [1], started=0.0, finished=100.0), make_job("b", [2], started=100.0 + gap))
    return make_run(steps=make_steps([{"step": 1}, {"step": 2}]), jobs=jobs)


def planned(steps, cause="out_of_memory"):
    jobs = (make_job("a", range(1, 5), cause=cause),)
    config = make_config({"trainer.max_steps": steps})
    return make_run(steps=make_steps([{"step": s} for s in range(1, 5)]), jobs=jobs, config=config)


def trials(*groups, **fields):
    return make_run(trials=trials_of(*groups), **fields)


def exceptions(agent, infrastructure, clean):
    return trials(
        (agent, {"exception": "AgentTimeoutError", "turns": 1.0, "reward": 0.0}),
        (infrastructure, {"exception": "DaytonaError", "reward": 0.0}),
        (clean, {"turns": 3.0, "reward": 1.0}),
    )


def turns(failed, solved):
    return trials((60, {"turns": failed, "reward": 0.0}), (100, {"turns": solved, "reward": 1.0}))


def tasks(always, never, mixed):
    groups = [(4, {"task": f"a{i}", "reward": 1.0}) for i in range(always)]
    groups += [(4, {"task": f"n{i}", "reward": 0.0}) for i in range(never)]
    for i in range(mixed):
        groups += [(2, {"task": f"m{i}", "reward": 0.0}), (2, {"task": f"m{i}", "reward": 1.0})]
    return trials(*groups)


def masked(out):
    columns = {
        "batch_errors/total_instances": [100.0, 100.0],
        "batch_errors/total_masked": [out, 0.0],
        "batch_errors/total_failed": [50.0, 50.0],
        "batch_errors/total_InvalidChatHistory": [3.0, 4.0],
        "batch_errors/total_DaytonaError": [1.0, nan],
    }
    return make_run(steps=steps_of(columns))


def engines(running, waiting, slots=24, **fields):
    given = {key: fields.pop(key) for key in ("hit", "cache") if key in fields}
    config = make_config({"generator.max_num_seqs": slots}) if slots else None
    return make_run(engines=engines_of(running, waiting, **given), config=config, **fields)


def told_engines(running, waiting):
    told = report(engines={"a": {"running": running, "waiting": waiting}, "b": {"running": 12.0, "waiting": 1.0}})
    return make_run(published=told, config=make_config({"max_num_seqs": 24}))


def outage(down):
    return trials(
        (down, {"exception": "DaytonaError"}),
        (100 - down, {"reward": 0.0, "turns": 3.0}),
        steps=steps_of({REWARD: [0.4, 0.0, 0.0]}),
    )


def zeros(*values):
    return rewards(list(values))


def bad(*rows):
    return make_run(
        steps=steps_of({"policy/raw_grad_norm": [1.0] * 5}),
        nonfinite=make_nonfinite([{"step": s, "metric": m, "value": "nan"} for s, m in rows]),
    )


def entropy(first, last):
    return make_run(steps=steps_of({"policy/policy_entropy": np.linspace(first, last, 40)}))


def one(metric, values, config=None):
    return make_run(steps=steps_of({metric: values}), config=make_config(config) if config else None)


NORMS = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0, 1.0]
ONE_UPDATE = {"update_epochs_per_batch": 1, "trainer.train_batch_size": 8, "policy_mini_batch_size": 8}
BATCH = {"trainer.train_batch_size": 8, "generator.n_samples_per_prompt": 4}


def problems(*severities):
    what = Text("what", "何")
    given = [
        Problem(kind="k", severity=severity, path=f"run/{i % 3}.csv", line=None, what=what, effect=what)
        for i, severity in enumerate(severities)
    ]
    return make_run(problems=tuple(given))


CASES: dict[str, Case] = {
    "sandbox-down": Case(
        fires=lambda: outage(30),
        quiet=lambda: outage(29),
        values={"first": 2, "last": 3, "n": 30, "total": 100, "share": 0.3, "exception": "DaytonaError"}
        | {"restart": "unknown"},
        severity="bad",
    ),
    "reward-zero": Case(
        fires=lambda: zeros(0.4, 0.3, 0.0, 0.0),
        quiet=lambda: zeros(0.4, 0.0, 0.3, 0.0),
        values={"first": 3, "last": 4, "n": 2},
        severity="bad",
    ),
    "data-problems": Case(
        fires=lambda: problems("error", "warning", "info", "warning"),
        quiet=lambda: problems("warning", "warning", "warning", "warning", "info"),
        values={"errors": 1, "warnings": 2, "files": 2},
        severity="bad",
    ),
    "reward-flat": Case(
        fires=lambda: rewards(FLAT),
        quiet=lambda: rewards(FLAT[:49]),
        values={
            "slope": close(10 * LINE),
            "low": close(-0.0015, abs=0.002),
            "high": close(0.0030, abs=0.003),
            "first": close(FLAT[:10].mean()),
            "last": close(FLAT[-10:].mean()),
            "ends": 10,
            "steps": 60,
        },
        severity="bad",
    ),
    "reward-fell": Case(
        fires=lambda: rewards(RISE[::-1]),
        quiet=lambda: rewards(flat(0.5, 60, seed=8)),
        values={"first": close(RISE[-10:].mean()), "last": close(RISE[:10].mean()), "ends": 10},
        severity="bad",
    ),
    "reward-declined": Case(
        fires=lambda: rewards(np.concatenate([flat(0.3, 30), flat(0.8, 30, seed=1), flat(0.6, 30, seed=2)])),
        quiet=lambda: rewards(np.concatenate([flat(0.3, 30), flat(0.8, 30, seed=1), flat(0.8, 30, seed=2)])),
        values={
            "best": close(flat(0.8, 30, seed=1).mean()),
            "best_first": 31,
            "best_last": 60,
            "last": close(flat(0.6, 30, seed=2).mean()),
            "last_first": 61,
        },
        severity="warn",
    ),
    "reward-rose": Case(
        fires=lambda: rewards(RISE),
        quiet=lambda: rewards(RISE[::-1]),
        values={
            "first": close(RISE[:10].mean()),
            "last": close(RISE[-10:].mean()),
            "ends": 10,
            "goal": close(0.1 * RISE[:10].mean() + 0.9 * RISE[-10:].mean()),
            "step": settled(RISE),
            "of": 80,
        },
        severity="good",
    ),
    "pass-before-mean": Case(
        fires=lambda: rewards(np.linspace(0.1, 0.99, 80), **{PASS: np.clip(np.linspace(0.5, 2.5, 80), 0, 0.96)}),
        quiet=lambda: rewards(np.linspace(0.1, 0.99, 80), **{PASS: np.clip(np.linspace(0.0, 1.0, 80), 0, 0.96)}),
        values={"level": 0.95, "pass_step": 19, "reward_step": 77},  # 0.5+2/79 i >= .95: i=18; .1+.89/79 i: i=76
        severity="info",
    ),
    "transient": Case(
        fires=lambda: rewards(BUMP),
        quiet=lambda: rewards(np.concatenate([BUMP[:32], [0.5], BUMP[33:]])),
        values={
            "first_step": 31,
            "last_step": 33,
            "low": 0.65,
            "high": 0.67,
            "level": close(np.median(BUMP)),
            "side": "above",
            "sigmas": close((0.67 - np.median(BUMP)) / (1.4826 * np.median(np.abs(BUMP - np.median(BUMP))))),
        },
        severity="info",
    ),
    "boundary-dip": Case(
        fires=lambda: with_job_change(DIP),
        quiet=lambda: with_job_change([*DIP[:5], 0.78, 0.8, *DIP[7:]]),
        values={
            "job": "b",
            "step": 6,
            "value": 0.5,
            "before_step": 5,
            "before": 0.82,
            "after_step": 8,
            "after": 0.82,
            "known": "nothing",
        },
        severity="info",
    ),
    "ended-early": Case(
        fires=lambda: planned(9),
        quiet=lambda: planned(4),
        values={"done": 4, "planned": 9, "cause": "out_of_memory"},
        severity="bad",
    ),
    "generation-bound": Case(
        fires=lambda: times([100.0, 300.0], **{WAIT: [40.0, 240.0]}),
        quiet=lambda: times([100.0, 300.0], **{WAIT: [40.0, 170.0]}),
        values={"share": close(0.6), "total": close(0.7), "wait": 140.0, "step": 200.0}
        | {"span": WAIT, "top": STEP, "rows": 2},
        severity="warn",
    ),
    "cold-start": Case(
        fires=lambda: times([1000.0, 400.0, *[100.0] * 18], **{WAIT: [900.0, 1.0, *[5.0] * 18]}),
        quiet=lambda: times([290.0, *[100.0] * 19]),
        values={
            "n": 2,
            "first": 1000.0,
            "median": 100.0,
            "lost": 1200.0,
            "part": close(1200 / 3200),
            "wait": close(0.9),
        },
        severity="warn",
    ),
    "redone-steps": Case(
        fires=lambda: twice(50.0),
        quiet=lambda: times([100.0] * 10),
        values={"n": 1, "steps": "4", "saving": "unknown", "lost": 50.0, "part": close(50 / 1050)},
        severity="info",
    ),
    "job-gap": Case(
        fires=lambda: jobs_with_gap(3600.0),
        quiet=lambda: jobs_with_gap(3599.0),
        values={"idle": 3600.0, "n": 1, "gap": 3600.0, "job": "b"},
        severity="warn",
    ),
    "slow-steps": Case(
        fires=lambda: times([*[100.0] * 9, 900.0], **{WAIT: [*[10.0] * 9, 700.0]}),
        quiet=lambda: times([*[100.0] * 9, 299.0]),
        values={"n": 1, "step": 10, "seconds": 900.0, "median": 100.0, "span": "wait_for_generation_buffer"},
        severity="info",
    ),
    "time-outside": Case(
        fires=lambda: times([100.0, 100.0], **{SAVE: [15.0, 5.0]}),
        quiet=lambda: times([100.0, 100.0], **{SAVE: [14.0, 5.0]}),
        values={"outside": 20.0, "part": close(0.1), "span": "save_checkpoints"},
        severity="info",
    ),
    "timeouts": Case(
        fires=lambda: exceptions(5, 0, 95),
        quiet=lambda: exceptions(4, 0, 96),
        values={"share": close(0.05), "n": 5, "config": "own", "treatment": "not-stated", "turns": 1.0},
        severity="warn",
    ),
    "masked": Case(
        fires=lambda: masked(10.0),
        quiet=lambda: masked(9.0),
        values={"n": 10, "part": close(0.05), "total": 200, "exception": "InvalidChatHistory", "most": 7},
        severity="warn",
    ),
    "exceptions-split": Case(
        fires=lambda: exceptions(3, 6, 291),
        quiet=lambda: exceptions(1, 1, 298),
        values={
            "clean": close(0.97),
            "total": 300,
            "failed": 9,
            "agent": 3,
            "infrastructure": 6,
            "other": 0,
            "most": "DaytonaError",
        },
        severity="info",
    ),
    "ungraded": Case(
        fires=lambda: trials((90, {"reward": 1.0}), (10, {"reward": nan})),
        quiet=lambda: trials((91, {"reward": 1.0}), (9, {"reward": nan})),
        values={"n": 10, "part": close(0.1), "total": 100},
        severity="warn",
    ),
    "listed-twice": Case(
        fires=lambda: make_run(
            config=make_config(
                {"enable_error_classification": True, "mask_exceptions": ["A"], "zero_exceptions": ["A"]}
            )
        ),
        quiet=lambda: make_run(
            config=make_config(
                {"enable_error_classification": True, "mask_exceptions": ["A"], "zero_exceptions": ["B"]}
            )
        ),
        values={"exception": "A", "treatment": "mask"},
        severity="warn",
    ),
    "failures-early": Case(
        fires=lambda: turns(2.0, 3.0),
        quiet=lambda: turns(3.0, 4.0),
        values={"failed": 2.0, "solved": 3.0, "n": 60},
        severity="info",
    ),
    "tasks-solved": Case(
        fires=lambda: tasks(3, 0, 3),
        quiet=lambda: tasks(2, 0, 3),
        values={"n": 3, "tasks": 6, "part": 0.5, "least": 4},
        severity="info",
    ),
    "tasks-unsolved": Case(
        fires=lambda: tasks(0, 1, 4),
        quiet=lambda: tasks(0, 1, 5),
        values={"n": 1, "tasks": 5, "part": close(0.2), "least": 4},
        severity="info",
    ),
    "long-tail": Case(
        fires=lambda: trials((2, {"turns": 11.0}), (98, {"turns": 10.0})),
        quiet=lambda: trials((1, {"turns": 11.0}), (99, {"turns": 10.0})),
        values={"n": 2, "part": close(0.02), "most": 11.0},
        severity="info",
    ),
    "checkpoint-close": Case(
        fires=lambda: published_run(settings=RunSettings(save_interval=5)),
        quiet=lambda: saved(np.linspace(0.1, 0.9, 20)),
        values={},
        severity="warn",
    ),
    "non-finite": Case(
        fires=lambda: bad((4, "x"), (3, "policy/raw_grad_norm"), (5, "x")),
        quiet=lambda: bad(),
        values={"values": 3, "metrics": 2, "metric": "policy/raw_grad_norm", "n": 1, "step": 3},
        severity="warn",
    ),
    "entropy-fall": Case(
        fires=lambda: entropy(1.0, 0.2),
        quiet=lambda: entropy(1.0, 0.4),
        values={  # means of the first and of the last five of 40 equal steps
            "first": close(1 - 0.8 * 2 / 39),
            "last": close(0.2 + 0.8 * 2 / 39),
            "fall": close(1 - (0.2 + 0.8 * 2 / 39) / (1 - 0.8 * 2 / 39)),
        },
        severity="warn",
    ),
    "entropy-rise": Case(
        fires=lambda: entropy(0.2, 1.0),
        quiet=lambda: entropy(0.2, 0.38),
        values={
            "first": close(0.2 + 0.8 * 2 / 39),
            "last": close(1 - 0.8 * 2 / 39),
            "times": close((1 - 0.8 * 2 / 39) / (0.2 + 0.8 * 2 / 39)),
        },
        severity="warn",
    ),
    "grad-spike": Case(
        fires=lambda: one("policy/raw_grad_norm", [*NORMS, 6.0]),
        quiet=lambda: one("policy/raw_grad_norm", [*NORMS, 5.0]),
        values={"n": 1, "step": 9, "value": 6.0, "medians": 6.0, "median": 1.0},
        severity="info",
    ),
    "importance-off": Case(
        fires=lambda: one("policy/tis/imp_ratio_mean", [1.1, 1.2]),
        quiet=lambda: one("policy/tis/imp_ratio_mean", [1.0, 1.19]),
        values={"ratio": close(1.15)},
        severity="warn",
    ),
    "mismatch-high": Case(
        fires=lambda: one("policy/tis/log_ratio_abs_mean", [0.01, 0.05, 0.2]),
        quiet=lambda: one("policy/tis/log_ratio_abs_mean", [0.01, 0.05, 0.1]),
        values={"first": 0.01, "last": 0.2, "metric": "policy/tis/log_ratio_abs_mean"},
        severity="warn",
    ),
    "stale": Case(
        fires=lambda: one("async/staleness_mean", [4.0, 5.0], {"max_staleness_steps": 8}),
        quiet=lambda: one("async/staleness_mean", [4.0, 4.0], {"max_staleness_steps": 8}),
        values={"mean": 4.5, "limit": 8, "max": None},
        severity="warn",
    ),
    "discards": Case(
        fires=lambda: one("async/discard_rate", [0.0, 0.2]),
        quiet=lambda: one("async/discard_rate", [0.0, 0.09]),
        values={"rate": close(0.1)},
        severity="warn",
    ),
    "short-batches": Case(
        fires=lambda: one("async/effective_batch_samples", [32.0, 24.0], BATCH),
        quiet=lambda: one("async/effective_batch_samples", [32.0, 30.0], BATCH),
        values={"mean": 28.0, "configured": 32, "part": close(0.875), "steps": 1},
        severity="warn",
    ),
    "engines-saturated": Case(
        fires=lambda: engines(23.0, 5.0),
        quiet=lambda: engines(23.0, 0.0),
        values={"share": 1.0, "limit": "slots"},
        severity="warn",
    ),
    "engines-starved": Case(
        fires=lambda: engines(8.4, 0.0),
        quiet=lambda: engines(12.0, 0.0),
        values={"share": 1.0, "running": close(8.4), "slots": 24},
        severity="info",
    ),
    "engines-bursts": Case(
        fires=lambda: engines(11.0, 7.0),
        quiet=lambda: engines(11.0, 7.0, slots=None),
        values={"share": 1.0, "running": close(11.0), "slots": 24},
        severity="info",
    ),
    "engines-uneven": Case(
        fires=lambda: told_engines(11.1, 7.4),
        quiet=lambda: told_engines(20.0, 7.4),
        values={"low": 11.1, "high": 12.0, "slots": 24, "waiting": 7.4},
        severity="info",
        published=True,
    ),
    "prefix-cache": Case(
        fires=lambda: engines(8.0, 0.0, hit=76.0),
        quiet=lambda: engines(8.0, 0.0, hit=59.0),
        values={"hit": close(0.76), "overall": close(0.76)},
        severity="info",
    ),
    "prefix-cache-low": Case(
        fires=lambda: engines(8.0, 0.0, hit=19.0, trials=trials_of((3, {"turns": 2.5}))),
        quiet=lambda: engines(8.0, 0.0, hit=19.0, trials=trials_of((3, {"turns": 1.5}))),
        values={"hit": close(0.19), "turns": 2.5},
        severity="warn",
    ),
    "clip-zero": Case(
        fires=lambda: one("policy/ppo_clip_ratio", [0.0, 0.0], ONE_UPDATE),
        quiet=lambda: one("policy/ppo_clip_ratio", [0.0, 0.0], ONE_UPDATE | {"update_epochs_per_batch": 2}),
        values={"share": 0.0},
        severity="info",
    ),
}

TOLD = report(
    trials=report_trials(
        exceptions={"none": 880, "AgentTimeoutError": 112, "DaytonaError": 8},
        by_exception={"AgentTimeoutError": {"mean": 1.3, "median": 1.0, "count": 112.0}},
    ),
    metrics={
        "batch_errors/total_instances": metric(100.0, 81),
        "batch_errors/total_masked": metric(8.0, 81),
        "batch_errors/total_InvalidChatHistory": metric(9.5, 74),
    },
)
"""A report as the only source of trials and batches."""
