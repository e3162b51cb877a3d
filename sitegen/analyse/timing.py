"""Where step time goes: the tree of timing spans, per-step shares, what no span accounts for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse.numbers import finite
from sitegen.analyse.roles import logged_names, role_metric
from sitegen.model.run import Run, train_rows
from sitegen.settings import SiteSettings

Floats = NDArray[np.float64]

UNATTRIBUTED = "unattributed"
"""Computed row: step time that no recorded child of the step accounts for."""
OVERLAP = "overlap"
"""Computed row: time by which the recorded children of the step exceed it, because they ran side by side."""

SLOW_FACTOR = 1.5
"""A step is slow above this many medians."""
COLD_FACTOR = 3.0
"""The first steps are cold above this many medians: twice what makes a step slow."""
ROUNDING = 1e-6
"""Children may exceed the step by this part of it before that is called overlap: printed seconds are rounded."""
SLOWEST = 5
"""At most so many slow steps are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Which span contains which, in one framework."""

    framework: str
    """Framework, as in `Run.framework`."""
    prefix: str
    """Prefix of every span's logged name."""
    root: str
    """Span that is the step."""
    inside: tuple[tuple[str, str], ...]
    """(span, the span that contains it) for every span within the step."""
    outside: tuple[str, ...]
    """Spans measured beside the step."""
    outside_in: tuple[tuple[str, str], ...] = ()
    """(span, the outside span that contains it)."""
    wait: tuple[str, ...] = ()
    """Spans that are waiting for generation, the first recorded one counts."""
    ignored: tuple[str, ...] = ()
    """Beginnings of names under the prefix that are no spans of the step (statistics, facts, sums over workers)."""


TREES: tuple[Tree, ...] = (
    Tree(
        framework="skyrl",
        prefix="timing/",
        root="step",
        inside=(
            ("generate", "step"),
            ("wait_for_generation_buffer", "step"),
            ("postprocess_generator_output", "step"),
            ("convert_to_training_input", "step"),
            ("run_training", "step"),
            ("sync_weights", "step"),
            ("fwd_logprobs_values_reward", "run_training"),
            ("apply_reward_kl_penalty", "run_training"),
            ("compute_advantages_and_returns", "run_training"),
            ("train_critic_and_policy", "run_training"),
            ("critic_train", "train_critic_and_policy"),
            ("policy_train", "train_critic_and_policy"),
            ("policy_critic_overlap_train", "train_critic_and_policy"),
        ),
        outside=("save_checkpoints", "save_hf_model", "eval", "update_ref_with_policy", "init_weight_sync_state"),
        outside_in=(("cleanup_old_checkpoints", "save_checkpoints"), ("eval_generate", "eval")),
        wait=("wait_for_generation_buffer",),
    ),
    Tree(
        framework="verl",
        prefix="timing_s/",
        root="step",
        inside=(
            ("gen", "step"),
            ("gen_max", "step"),
            ("reward", "step"),
            ("old_log_prob", "step"),
            ("ref", "step"),
            ("values", "step"),
            ("adv", "step"),
            ("update_critic", "step"),
            ("update_actor", "step"),
            ("update_weights", "step"),
        ),
        outside=("testing", "save_checkpoint"),
        ignored=("agent_loop/", "generation_timing/"),
    ),
    Tree(
        framework="xtuner",
        prefix="time/",
        root="step",
        inside=(
            ("generation", "step"),
            ("produce_batch", "step"),
            ("get_batch", "step"),
            ("save_trajectory", "step"),
            ("rollout_offload", "step"),
            ("onload", "step"),
            ("prepare_data", "step"),
            ("training", "step"),
            ("save_ckpt", "step"),
            ("sync_weight", "step"),
            ("evaluation", "step"),
            ("generation_time", "generation"),
            ("pause_time", "generation"),
            ("get_samples_time", "generation"),
            ("pause_produce", "produce_batch"),
        ),
        outside=(),
        wait=("get_batch",),
    ),
    Tree(
        framework="openrlhf",
        prefix="timing/",
        root="step_total",
        inside=(
            ("generation", "step_total"),
            ("make_experience", "step_total"),
            ("ppo_train", "step_total"),
            ("broadcast", "step_total"),
        ),
        outside=(),
    ),
    Tree(
        framework="slime",
        prefix="perf/",
        root="step_time",
        inside=(
            ("train_wait_time", "step_time"),
            ("train_time", "step_time"),
            ("log_probs_time", "train_time"),
            ("actor_train_time", "train_time"),
        ),
        outside=("rollout_time",),
        wait=("train_wait_time",),
        ignored=(
            "actor_train_tflops",
            "actor_train_tok_per_s",
            "effective_tokens_per_gpu_per_sec",
            "log_probs_tflops",
            "longest_",
            "non_generation_time/",
            "tokens_per_gpu_per_sec",
            "wait_time_ratio",
        ),
    ),
    Tree(
        framework="prime-rl",
        prefix="time/",
        root="step",
        inside=(
            ("wait_for_batch", "step"),
            ("load_data", "step"),
            ("broadcast_weights", "step"),
            ("save_ckpt", "step"),
            ("forward_backward", "step"),
        ),
        outside=(),
        wait=("wait_for_batch",),
    ),
    Tree(
        framework="tinker",
        prefix="time/",
        root="total",
        inside=(
            ("sampling", "total"),
            ("run_evaluations_parallel", "total"),
            ("do_train_step_and_get_sampling_client", "total"),
            ("run_single_evaluation", "run_evaluations_parallel"),
            ("prepare_minibatch", "do_train_step_and_get_sampling_client"),
            ("train_step", "do_train_step_and_get_sampling_client"),
            ("compute_full_batch_metrics_and_get_sampling_client", "do_train_step_and_get_sampling_client"),
            ("assemble_training_data", "prepare_minibatch"),
            ("compute_kl_sample_train", "compute_full_batch_metrics_and_get_sampling_client"),
            (
                "save_checkpoint_and_get_sampling_client",
                "compute_full_batch_metrics_and_get_sampling_client",
            ),
            ("save_checkpoint", "save_checkpoint_and_get_sampling_client"),
        ),
        outside=(),
        ignored=(
            "compute_group_rewards:",
            "do_group_rollout_and_filter_constant_reward:",
            "env_initial_observation:",
            "env_step:",
            "policy_sample:",
        ),
    ),
)
"""Source: the frameworks' trainers, checked against the same spans' glossary entries (SkyRL and its Marin fork,
verl ray trainer, XTuner RL trainer, OpenRLHF, slime, prime-rl, tinker-cookbook)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One timing span."""

    name: str
    """Span without its prefix (`timing/`, `timing_s/`, `time/`)."""
    metric: str
    """Logged name; empty for the computed `unattributed` and `overlap` rows."""
    parent: str | None
    """Containing span that was recorded; None for the root (`step`) and for spans outside of it."""
    depth: int
    """0 for the root and for spans outside that lie in none, 1 for their children, …"""
    inside: bool
    """Whether it lies in `step`, the step itself included."""
    declared: bool
    """False when no table says where the span lies."""
    mean_s: float
    """Mean over all rows that logged it."""
    count: int
    """Rows that logged it."""
    share_of_step: float | None
    """Mean over rows of span/step (0-1), over the rows where both are finite and step > 0; None without such."""
    total_share: float | None
    """Sum of span over sum of step, over the same rows."""
    share_of_parent: float | None
    """Mean span over mean parent, over rows where both are finite and the parent is above 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowStep:
    """A step that took much longer than the median."""

    step: int
    """Train step."""
    job: str
    """Job that ran it."""
    seconds: float
    """Step time."""
    main_span: str | None
    """Depth-1 span with the largest excess over its own median."""
    superseded: bool = False
    """Whether a later job trained the step again, so that this record is not on the lineage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Time analysis of a run."""

    spans: tuple[Span, ...]
    """Tree order: step, its children (largest first) each followed by its own, `unattributed` or `overlap`,
    then spans outside."""
    rows: int
    """Rows with a step time."""
    step_metric: str
    """Logged name of the step time."""
    median_step_s: float
    """Median step time over the lineage."""
    total_step_s: float
    """Sum of step times, superseded rows included."""
    redone_s: float
    """Step time of superseded rows."""
    slowest: tuple[SlowStep, ...]
    """At most five, slowest first; only steps above 1.5 times the median."""
    wait_span: str | None
    """Span that is waiting for generation."""
    cold_start_s: float | None
    """Time of the first step beyond the median of the rest, when above `COLD_FACTOR` times that median; None
    otherwise: a first step that is only slow is no cold start."""


def timing(run: Run, settings: SiteSettings | None = None) -> Timing | None:
    """Where the step time goes; None when no step time was logged.

    Population: all train rows for means, shares and totals (superseded rows took time too), the lineage for medians.
    A share of the step is the mean over rows of span / step, over the rows in which both are finite and the step is
    above 0; a span that was not logged in a row says nothing about that row, except in the computed last row, where
    it took no time.
    """
    found = _tree_of(run, settings or SiteSettings())
    if found is None:
        return None
    tree, root = found
    recorded = _recorded(tree, logged_names(run, "train"), root)
    rows = _rows(run, root, recorded)
    if not np.isfinite(rows.lineage_step_s).any():
        return None
    spans = _spans(tree, rows, recorded)
    children = [span.name for span in spans if span.parent == tree.root and span.metric]
    median = float(np.nanmedian(rows.lineage_step_s))
    return Timing(
        spans=spans,
        rows=int(np.isfinite(rows.step_s).sum()),
        step_metric=root,
        median_step_s=median,
        total_step_s=float(np.nansum(rows.step_s)),
        redone_s=float(np.nansum(rows.step_s[~rows.on_lineage])),
        slowest=_slowest(rows, children, median),
        wait_span=next((name for name in tree.wait if name in recorded), None),
        cold_start_s=_cold_start(rows),
    )


def _tree_of(run: Run, settings: SiteSettings) -> tuple[Tree, str] | None:
    """The tree whose root the run logged (its own framework's first), else the step time of the role alone."""
    logged = frozenset(logged_names(run, "train"))
    ordered = sorted(TREES, key=lambda tree: tree.framework != run.framework)
    for tree in ordered:
        if tree.prefix + tree.root in logged:
            return tree, tree.prefix + tree.root
    alone = role_metric(run, settings, "step_s")
    if alone is None:
        return None
    return Tree(framework="", prefix="", root=alone, inside=(), outside=()), alone


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The train rows of a run in table order, as arrays; seconds that are not finite are NaN."""

    step: NDArray[np.int64]
    job: tuple[str, ...]
    on_lineage: NDArray[np.bool_]
    step_s: Floats
    spans: Mapping[str, Floats]

    @property
    def lineage_step_s(self) -> Floats:
        return self.step_s[self.on_lineage]


def _rows(run: Run, root: str, recorded: Mapping[str, str]) -> _Rows:
    table = train_rows(run)

    def seconds(metric: str) -> Floats:
        values = table[metric].to_numpy(dtype="float64")
        return np.where(np.isfinite(values), values, np.nan)

    return _Rows(
        step=table["step"].to_numpy(dtype="int64"),
        job=tuple(table["job"].tolist()),
        on_lineage=(table[f"superseded_{run.overlap_rule}"] == 0).to_numpy(),
        step_s=seconds(root),
        spans={name: seconds(metric) for name, metric in recorded.items()},
    )


def _recorded(tree: Tree, logged: tuple[str, ...], root: str) -> dict[str, str]:
    """Span to logged name, for every span that was logged with a finite value."""
    if not tree.prefix:
        return {tree.root: root}
    names = {name.removeprefix(tree.prefix): name for name in logged if name.startswith(tree.prefix)}
    return {span: name for span, name in names.items() if span and not span.startswith(tree.ignored)}


def _spans(tree: Tree, rows: _Rows, recorded: Mapping[str, str]) -> tuple[Span, ...]:
    declared = dict(tree.inside) | dict(tree.outside_in)
    parents = {name: _parent(name, declared, recorded) for name in recorded}
    made = {name: _span(tree, rows, recorded, name, parents[name]) for name in recorded}
    ordered = _walk(tree.root, made, 0)
    ordered += _residual(rows, tree.root, [name for name in recorded if parents[name] == tree.root])
    beside = [span for span in made.values() if span.parent is None and span.name != tree.root]
    for top in sorted(beside, key=lambda span: (not span.declared, -span.mean_s, span.name)):
        ordered += _walk(top.name, made, 0)
    return tuple(ordered)


def _parent(span: str, declared: Mapping[str, str], recorded: Mapping[str, str]) -> str | None:
    """The nearest containing span that was recorded."""
    parent = declared.get(span)
    while parent is not None and parent not in recorded:
        parent = declared.get(parent)
    return parent


def _walk(name: str, made: Mapping[str, Span], depth: int) -> list[Span]:
    """A span and what it contains, largest first, each with its depth."""
    found = [replace(made[name], depth=depth)]
    children = [span for span in made.values() if span.parent == name]
    for child in sorted(children, key=lambda span: (-span.mean_s, span.name)):
        found += _walk(child.name, made, depth + 1)
    return found


def _span(tree: Tree, rows: _Rows, recorded: Mapping[str, str], name: str, parent: str | None) -> Span:
    seconds = rows.spans[name]
    inside = frozenset(span for span, _ in tree.inside) | {tree.root}
    beside = frozenset(tree.outside) | frozenset(span for span, _ in tree.outside_in)
    mean_of_shares, share_of_total = _shares(seconds, rows.step_s)
    return Span(
        name=name,
        metric=recorded[name],
        parent=parent,
        depth=0,
        inside=name in inside,
        declared=name in inside or name in beside,
        mean_s=float(np.nanmean(seconds)),
        count=int(np.isfinite(seconds).sum()),
        share_of_step=mean_of_shares,
        total_share=share_of_total,
        share_of_parent=None if parent is None else _shares(seconds, rows.spans[parent])[1],
    )


def _shares(part: Floats, whole: Floats) -> tuple[float | None, float | None]:
    """Mean of the per-row shares, and share of the sums, over rows where both are finite and the whole is above 0."""
    usable = np.isfinite(part) & np.isfinite(whole) & (whole > 0)
    if not usable.any():
        return None, None
    part, whole = part[usable], whole[usable]
    with np.errstate(over="ignore", invalid="ignore"):  # a step of next to no time has no share worth a number
        return finite(float(np.mean(part / whole))), finite(float(part.sum() / whole.sum()))


def _residual(rows: _Rows, root: str, children: list[str]) -> list[Span]:
    """The row that makes the step's children add up to the step; none for a step without recorded children."""
    if not children:
        return []
    together = np.sum([np.nan_to_num(rows.spans[name]) for name in children], axis=0)
    rest = rows.step_s - together
    mean_rest, mean_step = float(np.nanmean(rest)), float(np.nanmean(rows.step_s))
    overlap = mean_rest < -ROUNDING * mean_step
    signed = -rest if overlap else rest
    mean_of_shares, share_of_total = (_rounded_off(share) for share in _shares(signed, rows.step_s))
    return [
        Span(
            name=OVERLAP if overlap else UNATTRIBUTED,
            metric="",
            parent=root,
            depth=1,
            inside=True,
            declared=True,
            mean_s=abs(mean_rest) if overlap else max(mean_rest, 0.0),
            count=int(np.isfinite(rest).sum()),
            share_of_step=mean_of_shares,
            total_share=share_of_total,
            share_of_parent=share_of_total,
        )
    ]


def _rounded_off(share: float | None) -> float | None:
    """The share, exactly 0 when it is nothing but the rounding of printed seconds."""
    return 0.0 if share is not None and abs(share) < ROUNDING else share


def _slowest(rows: _Rows, children: list[str], median: float) -> tuple[SlowStep, ...]:
    slow = [index for index, seconds in enumerate(rows.step_s) if seconds > SLOW_FACTOR * median]
    slow.sort(key=lambda index: (-rows.step_s[index], rows.step[index], index))
    return tuple(
        SlowStep(
            step=int(rows.step[index]),
            job=rows.job[index],
            seconds=float(rows.step_s[index]),
            main_span=_main_span(rows, children, index),
            superseded=not rows.on_lineage[index],
        )
        for index in slow[:SLOWEST]
    )


def _main_span(rows: _Rows, children: list[str], index: int) -> str | None:
    """The child of the step that exceeds its own lineage median most in a row; None when none exceeds it."""
    best: tuple[float, str] | None = None
    for name in children:
        usual = rows.spans[name][rows.on_lineage]
        if not np.isfinite(usual).any():
            continue
        excess = float(rows.spans[name][index] - np.nanmedian(usual))
        if excess > 0 and (best is None or excess > best[0]):
            best = (excess, name)
    return best[1] if best else None


def _cold_start(rows: _Rows) -> float | None:
    lineage_rows = np.flatnonzero(rows.on_lineage)
    ordered = rows.step_s[lineage_rows[np.argsort(rows.step[lineage_rows], kind="stable")]]
    first, rest = float(ordered[0]), ordered[1:][np.isfinite(ordered[1:])]
    if not math.isfinite(first) or not len(rest):
        return None
    usual = float(np.median(rest))
    return first - usual if first > COLD_FACTOR * usual else None
