"""Cross-check of a report's engine section against the engine samples, job by job."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from sitegen.analyse import printed as st
from sitegen.analyse.checked import Candidate, CrossCheck, judge, unchecked
from sitegen.analyse.config_keys import find_int
from sitegen.analyse.printed import Bounded, Column, Printed
from sitegen.analyse.verdict import engine_verdict
from sitegen.assemble.sources import same_job
from sitegen.model.run import Published, Run
from sitegen.readers.report_published import ENGINE_COLUMNS
from sitegen.text import Text, same, ui

SECTION = "vLLM Inference Engine Analysis"
"""Beginning of the section's heading."""
BULLETS = {
    "Running requests/engine": "running",
    "Waiting requests": "waiting",
    "Generation throughput/engine": "generation_tps",
    "KV cache usage": "kv_cache_pct",
    "Prefix cache hit rate": "prefix_hit_pct",
}
"""Bullets per log: `avg=…, max=…`."""
VERDICT = "Well-utilized"
"""Bullet that calls the engines saturated."""
PARTS = re.compile(r"(avg|max)=([-+\d.eE]+(?:\s*(?:%|tok/s))?)")
"""The numbers of a bullet."""


def check_engines(item: Printed, run: Run, part: str) -> CrossCheck:
    """One engine number: `part` is `avg` or `max`."""
    field = ENGINE_COLUMNS.get(item.name) or BULLETS.get(item.name.rpartition(" (")[0])
    samples = samples_of(run, item.where.rpartition("/")[2])
    if field is None:
        return unchecked(item, ui("check.unbound"))
    if samples is None or samples.empty:
        return unchecked(item, ui("check.only-report"))
    return judge(item, _means(field, samples) if part == "avg" else _peaks(field, samples))


def check_saturated(item: Printed, run: Run, published: Published) -> CrossCheck:
    """The report's verdict, which asks only whether anything ever waited, against ours."""
    log = item.where.rpartition("/")[2]
    samples = samples_of(run, log)
    found = None if samples is None else engine_verdict(replace(run, engines=samples))
    if found is None:
        return unchecked(item, ui("check.only-report"), _busy_slots(log, run, published))
    if found.verdict is None:
        return unchecked(item, ui("check.no-limit"), ui("check.saturated-rule"))
    share = 100 * (found.full_share or 0.0)
    check = unchecked(item, ui("check.full-share", share=same(f"{share:.0f}"), n=found.active))
    agrees = found.verdict == "saturated"
    return replace(
        check,
        verdict="agrees" if agrees else "differs",
        computed=share,
        tolerance=0.0,
        reason=None if agrees else ui("check.saturated-rule"),
    )


def samples_of(run: Run, log: str) -> pd.DataFrame | None:
    """The engine samples of a log as the report names it; None without a table of samples."""
    if run.engines is None:
        return None
    job = same_job(log, [str(name) for name in run.engines["job"].dropna().unique()])
    return run.engines[(run.engines["job"] == job).to_numpy()]


def _means(field: str, samples: pd.DataFrame) -> list[Candidate]:
    column, sums = _column(samples, field), _sums(samples, field)
    busy = (_values(samples, "running") > 0) | (_values(samples, "waiting") > 0)
    n = int(st.count(column).value or 0)
    seconds = samples.assign(value=column.values).groupby("clock", sort=False)["value"].mean().to_numpy()
    return [
        _made("mean", st.mean(column), ui("check.samples", n=n)),
        _made("mean", st.mean(_exact(seconds)), ui("check.samples-seconds", n=len(seconds))),
        _made("mean", st.mean(column.at(busy)), ui("check.samples-active", n=int(busy.sum())), fair=False),
        _made("mean", st.mean(sums), ui("check.samples", n=n), fair=False, note=ui("check.sum-over-engines")),
    ]


def _peaks(field: str, samples: pd.DataFrame) -> list[Candidate]:
    column, sums = _column(samples, field), _sums(samples, field)
    n = int(st.count(column).value or 0)
    found = []
    if f"{field}_max" in samples.columns and np.isfinite(_values(samples, f"{field}_max")).any():
        found.append(_made("max", st.largest(_column(samples, f"{field}_max")), ui("check.samples-engines", n=n)))
    return [
        *found,
        _made("max", st.largest(column), ui("check.samples", n=n)),
        _made("max", st.largest(sums), ui("check.samples", n=n), fair=False, note=ui("check.sum-over-engines")),
    ]


def _sums(samples: pd.DataFrame, field: str) -> Column:
    """Each sample times the engines it is a mean of: what all engines that reported had together."""
    return _exact(_values(samples, field) * _values(samples, "engines_reporting"))


def _busy_slots(log: str, run: Run, published: Published) -> Text:
    """What is known of the slots where no samples are: the printed mean, and the limit or the printed maximum."""
    told = published.engines.get(log, {})
    slots = find_int(run.config, "max_num_seqs") or told.get("running_max")
    running = told.get("running")
    if running is None or not slots:
        return ui("check.saturated-rule")
    values = {
        "running": same(f"{running:g}"),
        "slots": same(f"{slots:g}"),
        "share": same(f"{100 * running / slots:.0f}"),
    }
    return ui("check.saturated-slots", **values)


def _made(key: str, result: Bounded, over: Text, *, fair: bool = True, note: Text | None = None) -> Candidate:
    how = ui("check.how", what=ui(f"check.agg.{key}"), over=over)
    return Candidate(result=result, how=how, fair=fair, note=note)


def _column(samples: pd.DataFrame, field: str) -> Column:
    return _exact(_values(samples, field))


def _values(samples: pd.DataFrame, field: str) -> np.ndarray:
    values = samples[field].to_numpy(dtype="float64")
    return np.where(np.isfinite(values), values, np.nan)


def _exact(values: np.ndarray) -> Column:
    return Column(values=values, half=np.zeros(len(values)))
