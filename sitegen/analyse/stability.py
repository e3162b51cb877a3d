"""Signs of an unstable policy: entropy, gradient spikes, clipping, mismatch, values that are not finite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sitegen.analyse.config_keys import find_int
from sitegen.analyse.numbers import mean
from sitegen.analyse.trend import SIGMA_OF_MAD, Floats, Ints, noise
from sitegen.model.run import Run, lineage

ENDS = 5
"""Values at each end of a series whose means are compared."""
SPIKE_MEDIANS = 5.0
"""A gradient norm is a spike above this many medians of the run ..."""
SPIKE_SIGMAS = 10.0
"""... that is also this many robust standard deviations above the median."""

UPDATES = ("update_epochs_per_batch", "ppo_epochs", "num_iterations", "ppo_n_minibatches")
"""Configuration keys of passes over a batch: SkyRL, verl, TRL, AReaL."""
MINI_BATCH = ("policy_mini_batch_size", "ppo_mini_batch_size")
TRAIN_BATCH = ("trainer.train_batch_size", "data.train_batch_size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A series from its beginning to its end."""

    metric: str
    """Logged name."""
    first: float
    """Mean of the first five finite values (of a third of the series when it is shorter than 15)."""
    last: float
    """Mean of the last ones, as many."""
    noise: float
    """Noise of one value, see `trend.noise`."""
    count: int
    """Finite values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """One gradient norm far above the run's own median."""

    step: int
    """Train step."""
    value: float
    """Gradient norm."""
    medians: float
    """In medians of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NonFinite:
    """Values of one metric that were logged as NaN or infinite."""

    metric: str
    """Logged name."""
    count: int
    """How many."""
    first_step: int
    """First such step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """Stability of a run; None: not logged."""

    entropy: Change | None
    """Policy entropy; None below three values."""
    grad_median: float | None
    """Median gradient norm."""
    spikes: tuple[Spike, ...]
    """Gradient spikes, highest first."""
    clip_mean: float | None
    """Mean share of clipped tokens."""
    one_update: bool | None
    """Whether every batch is used for one update: the ratio is then 1 and nothing can be clipped, by construction;
    None when the configuration does not tell."""
    kl: Change | None
    """Divergence from the reference policy."""
    importance: float | None
    """Mean importance ratio between trainer and sampler; 1 when they agree."""
    mismatch: Change | None
    """Difference of log-probabilities between trainer and sampler."""
    non_finite: tuple[NonFinite, ...]
    """Metrics with values that are not finite, most first."""


def stability(run: Run, roles: Mapping[str, str]) -> Stability:
    """Stability of a run.

    Population: finite values of lineage rows; `non_finite` over all records, superseded ones included.
    """
    rows = lineage(run)
    step = rows["step"].to_numpy(dtype="int64")

    def series(role: str) -> Floats:
        name = roles.get(role)
        values = rows[name].to_numpy(dtype="float64") if name else np.full(len(rows), np.nan)
        return np.where(np.isfinite(values), values, np.nan)

    norms = series("grad_norm")
    return Stability(
        entropy=_change(roles.get("entropy"), series("entropy")),
        grad_median=float(np.nanmedian(norms)) if np.isfinite(norms).any() else None,
        spikes=grad_spikes(step, norms),
        clip_mean=mean(series("clip_ratio")),
        one_update=_one_update(run),
        kl=_change(roles.get("kl"), series("kl")),
        importance=mean(series("importance")),
        mismatch=_change(roles.get("mismatch_kl"), series("mismatch_kl")),
        non_finite=_non_finite(run),
    )


def grad_spikes(step: Ints, norms: Floats) -> tuple[Spike, ...]:
    """Values above 5 medians and above the median by 10 robust standard deviations, highest first.

    The run's own median is the measure, because the size of a gradient norm depends on model and loss. None below
    eight finite values or with a median of 0.
    """
    kept = np.isfinite(norms)
    values, steps = norms[kept], step[kept]
    if len(values) < 8:
        return ()
    median = float(np.median(values))
    sigma = SIGMA_OF_MAD * float(np.median(np.abs(values - median)))
    if median <= 0:
        return ()
    high = np.flatnonzero((values > SPIKE_MEDIANS * median) & (values > median + SPIKE_SIGMAS * sigma))
    order = sorted(high.tolist(), key=lambda index: (-values[index], steps[index]))
    found = [(int(steps[i]), float(values[i])) for i in order]
    with np.errstate(over="ignore"):
        return tuple(
            Spike(step=at, value=value, medians=value / median) for at, value in found if np.isfinite(value / median)
        )


def _change(metric: str | None, values: Floats) -> Change | None:
    kept = values[np.isfinite(values)]
    if metric is None or len(kept) < 3:
        return None
    ends = min(ENDS, max(1, len(kept) // 3))
    first, last = mean(kept[:ends]), mean(kept[-ends:])
    if first is None or last is None:
        return None
    return Change(metric=metric, first=first, last=last, noise=noise(kept), count=len(kept))


def _one_update(run: Run) -> bool | None:
    passes = find_int(run.config, *UPDATES)
    whole, part = find_int(run.config, *TRAIN_BATCH), find_int(run.config, *MINI_BATCH)
    if passes is None or whole is None or part is None:
        return None
    return passes == 1 and part >= whole


def _non_finite(run: Run) -> tuple[NonFinite, ...]:
    if run.nonfinite.empty:
        return ()
    grouped = run.nonfinite.groupby("metric", sort=True)["step"].agg(["size", "min"])
    found = [
        NonFinite(metric=str(name), count=int(size), first_step=int(first))
        for name, size, first in zip(grouped.index, grouped["size"], grouped["min"], strict=True)
    ]
    return tuple(sorted(found, key=lambda item: (-item.count, item.metric)))
