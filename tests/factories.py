"""Small runs for tests: only what a test says is there, everything else absent."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from sitegen.model import tables
from sitegen.model.run import UNKNOWN_END, EndCause, Job, JobEnd, Run, RunConfig, RunSettings

DATA = Path(__file__).parent / "data"


def make_steps(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A steps table from one mapping per row; `step` is needed, job, kind and the rest have defaults."""
    plain = {"job": "job_1", "source": "run/log.out", "kind": "train"}
    unstitched = {"segment": 0, "superseded_last": 0, "superseded_first": 0}
    filled = [plain | unstitched | {"row": i + 1} | dict(row) for i, row in enumerate(rows)]
    return tables.conform(pd.DataFrame(filled), tables.STEPS) if filled else tables.empty(tables.STEPS)


def make_series(metric: str, values: Sequence[float], *, first: int = 1, job: str = "job_1") -> pd.DataFrame:
    """A steps table with one metric, one row per value, from step `first` on."""
    return make_steps([{"job": job, "step": first + i, metric: value} for i, value in enumerate(values)])


def make_nonfinite(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A table of values logged as NaN or infinite; `step`, `metric` and `value` are needed."""
    filled = [
        {"job": "job_1", "source": "run/log.out", "kind": "train", "row": i + 1, **row} for i, row in enumerate(rows)
    ]
    return tables.conform(pd.DataFrame(filled), tables.NONFINITE) if filled else tables.empty(tables.NONFINITE)


def make_trials(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A trial table from one mapping per trial; `task` has a default."""
    filled = [{"task": "task", "source": "run/trials.csv", "row": i + 2, **row} for i, row in enumerate(rows)]
    return tables.conform(pd.DataFrame(filled), tables.TRIALS) if filled else tables.empty(tables.TRIALS)


def make_engines(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """An engine table from one mapping per sample."""
    filled = [{"job": "job_1", "source": "run/vllm.csv", "row": i + 2, **row} for i, row in enumerate(rows)]
    return tables.conform(pd.DataFrame(filled), tables.ENGINES) if filled else tables.empty(tables.ENGINES)


def make_batches(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A table of batch lines from one mapping per job and step; `step` is needed."""
    filled = [{"job": "job_1", "source": "run/log.out", "row": i + 1, **row} for i, row in enumerate(rows)]
    return tables.conform(pd.DataFrame(filled), tables.BATCHES) if filled else tables.empty(tables.BATCHES)


def make_config(values: Mapping[str, Any], *, header: str = "") -> RunConfig:
    """A configuration of flat keys."""
    return RunConfig(path="run/rl_config.yaml", values=dict(values), lines={}, raw="", header=header)


def make_job(name: str, steps: Sequence[int], *, cause: EndCause = "unknown", **fields: Any) -> Job:
    """A job with the given train steps and cause of its end."""
    end = UNKNOWN_END if cause == "unknown" else JobEnd(cause=cause, path="run/log.out", line=1, text=cause)
    job = Job(
        name=name,
        first_step=min(steps, default=None),
        last_step=max(steps, default=None),
        rows=len(steps),
        redone=0,
        started=None,
        finished=None,
        number=None,
        resumed_from=None,
        end=end,
        sources=(),
    )
    return replace(job, **fields)


def jobs_of(steps: pd.DataFrame) -> tuple[Job, ...]:
    """One job per job name of a steps table, in order of appearance."""
    train = steps[steps["kind"] == "train"]
    return tuple(make_job(str(name), part["step"].tolist()) for name, part in train.groupby("job", sort=False))


def make_run(**fields: Any) -> Run:
    """A run of which only the given fields are known; jobs follow from the steps unless given."""
    steps = fields.pop("steps", None)
    steps = tables.empty(tables.STEPS) if steps is None else steps
    run = Run(
        slug="run",
        path="run",
        name="run",
        title="run",
        framework="skyrl",
        framework_guessed=False,
        jobs=jobs_of(steps),
        steps=steps,
        nonfinite=tables.empty(tables.NONFINITE),
        engines=None,
        trials=None,
        batches=None,
        config=None,
        card=None,
        documents=(),
        published=None,
        steps_from_report=False,
        absent_or_nonfinite=False,
        settings=RunSettings(),
        overlap_rule="last",
        exports=None,
        latest_checkpoint=None,
        events=(),
        facts={},
        sources=(),
        problems=(),
    )
    return replace(run, **fields)


PUBLISHED_COLUMNS = {
    "reward": "reward/avg_raw_reward",
    "pass_at_8": "reward/avg_pass_at_8",
    "loss": "policy/final_loss",
    "step_s": "timing/step",
    "wait_s": "timing/wait_for_generation_buffer",
}


def published_steps() -> pd.DataFrame:
    """The 81 progression rows of the published report, step 47 logged by both jobs.

    Under `last` the first job's row of step 47 is superseded, under `first` the second job's.
    """
    with (DATA / "published_run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    logged = [
        {"job": row["job"], "step": int(row["step"])}
        | {name: float(row[column]) for column, name in PUBLISHED_COLUMNS.items()}
        | {
            "superseded_last": int(row["job"] == "job_561773" and row["step"] == "47"),
            "superseded_first": int(row["job"] == "job_561774" and row["step"] == "47"),
        }
        for row in rows
    ]
    return make_steps(logged)


def published_run(**fields: Any) -> Run:
    """The published run as its report's progression gives it."""
    return make_run(slug="published", title="published", steps=published_steps(), steps_from_report=True, **fields)
