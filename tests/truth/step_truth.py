"""What is true of a story's steps: metrics, curves, the checkpoint, progress, stability, freshness, evaluations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import gcd
from typing import Any

from tests.truth.lineage_truth import Row, line, metrics, rows, superseded, train
from tests.truth.plain import finite, mean, median, noise, smoothed, straight_line, total
from tests.truth.story import Story

NAMES = {
    "reward": "reward/avg_raw_reward",
    "pass_k": "reward/avg_pass_at_8",
    "entropy": "policy/policy_entropy",
    "grad_norm": "policy/raw_grad_norm",
    "clip_ratio": "policy/ppo_clip_ratio",
    "kl": "policy/policy_kl",
    "importance": "policy/tis/imp_ratio_mean",
    "mismatch_kl": "policy/tis/log_ratio_abs_mean",
    "step_s": "timing/step",
    "wait_s": "timing/wait_for_generation_buffer",
    "staleness_mean": "async/staleness_mean",
    "staleness_max": "async/staleness_max",
    "discard_rate": "async/discard_rate",
    "discarded": "async/discarded_count",
    "effective_samples": "async/effective_batch_samples",
}
"""The name that SkyRL logs each role under."""
LEVELS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)


def role(story: Story, name: str) -> str | None:
    """The logged name of a role: only one with a finite value can stand for it."""
    metric = NAMES[name]
    return metric if finite(row.value(metric) for row in train(story)) else None


def series(found: Sequence[Row], metric: str | None) -> list[float | None]:
    """Finite values, None elsewhere."""
    values = [None if metric is None else row.value(metric) for row in found]
    return [value if value is not None and math.isfinite(value) else None for value in values]


def logged(found: Sequence[Row], metric: str) -> list[float]:
    """The finite ones alone."""
    return finite(row.value(metric) for row in found)


# Metrics -------------------------------------------------------------------------------------------------------------


def metric_table(story: Story) -> dict[tuple[str, str], dict[str, Any]]:
    """(kind, metric) to its statistics."""
    return {
        (kind, name): _metric(story, [row for row in rows(story) if row.record.kind == kind], name)
        for kind in ("train", "eval")
        for name in metrics([row for row in rows(story) if row.record.kind == kind])
    }


def _metric(story: Story, found: list[Row], name: str) -> dict[str, Any]:
    told = [row for row in found if row.value(name) is not None]
    values = logged(found, name)
    kept = [row for row in found if not superseded(story, row)]
    with_value = [row for row in kept if finite([row.value(name)])]
    course = logged(sorted(with_value, key=lambda row: row.step), name)
    newest = max(with_value, key=lambda row: row.step, default=None)
    ends = line(story) or kept
    end = max((row.step for row in ends), default=None)
    latest = newest.value(name) if newest else None
    return {
        "mean": mean(values),
        "std": _deviation(values),
        "median": median(values),
        "min": min(values, default=None),
        "max": max(values, default=None),
        "last": latest if newest is not None and newest.step == end else None,
        "count": len(values),
        "non_finite": len(told) - len(values),
        "first_step": min(row.step for row in told),
        "last_step": newest.step if newest else None,
        "latest": latest,
        "constant": len(values) > 1 and min(values) == max(values),
        "whole": bool(values) and all(value == int(value) for value in values),
        "never_falls": len(course) > 1 and course == sorted(course),
    }


def _deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def per_log(story: Story) -> dict[str, dict[str, Any]]:
    """Job to what it logged, superseded records included."""
    found = {}
    for log in story.logs:
        own = [row for row in train(story) if row.job == story.job(log)]
        if own:
            found[story.job(log)] = {
                "first_step": min(row.step for row in own),
                "last_step": max(row.step for row in own),
                "records": len(own),
                "superseded": sum(superseded(story, row) for row in own),
                "metrics": {name: _in_log(own, name) for name in metrics(own) if logged(own, name)},
            }
    return found


def _in_log(own: list[Row], name: str) -> dict[str, Any]:
    values = logged(own, name)
    return {
        "mean": mean(values),
        "max": max(values),
        "last": series(own, name)[-1],
        "sum": total(values),
        "count": len(values),
    }


# Curves --------------------------------------------------------------------------------------------------------------


def curve(story: Story, metric: str, direction: str, alpha: float = 1 / 3) -> dict[str, Any]:
    """A metric along the lineage."""
    along = line(story)
    values = series(along, metric)
    off = [row for row in train(story) if superseded(story, row) and finite([row.value(metric)])]
    told = [(row.value(metric), row.step) for row in train(story)]
    best = None
    if finite(values) and direction != "none":
        best = max(finite(values)) if direction == "up" else min(finite(values))
    return {
        "step": [row.step for row in along],
        "raw": values,
        "ema": smoothed(values, alpha),
        "superseded": sorted((row.step, row.value(metric)) for row in off),
        "nonfinite_step": sorted(step for value, step in told if value is not None and not math.isfinite(value)),
        "best": best,
        "best_step": None if best is None else along[values.index(best)].step,
    }


# Checkpoint ----------------------------------------------------------------------------------------------------------


def interval(story: Story) -> tuple[int | None, str | None]:
    """Steps between exports, and who says so."""
    configured = (story.config or {}).get("trainer.hf_save_interval")
    timed = [row.step for row in rows(story) if (finite([row.value("timing/save_hf_model")]) or [0.0])[0] > 0]
    sources = (
        (story.run_interval, "run.toml"),
        (story.site_interval, "sitegen.toml"),
        (configured, "config"),
        (_spacing(story, story.exports or ()), "exports"),
        (_spacing(story, timed), "export times"),
    )
    return next(((steps, source) for steps, source in sources if steps is not None and steps > 0), (None, None))


def _spacing(story: Story, saved: Sequence[int]) -> int | None:
    """What all of two or more exports are multiples of, the one at the very end aside."""
    steps = sorted(set(saved))
    end = max((row.step for row in rows(story)), default=None)
    if len(steps) > 2 and steps[-1] == end:
        steps.pop()
    return gcd(*steps) if len(steps) > 1 else None


def candidates(story: Story, rule: str, alpha: float, *, least: int = 2) -> list[dict[str, Any]]:
    """Every step that was, or could have been, exported, with the reason against it."""
    every, _ = interval(story)
    if every is None:
        return []
    along = line(story, rule)
    told = [row for row in along if finite([_reward(story, row)])]
    rewards = {row.step: _reward(story, row) for row in told}
    levels = dict(zip(rewards, smoothed(list(rewards.values()), alpha), strict=True))
    exports = set(story.exports or ())
    steps = {row.step for row in along if row.step % every == 0} | exports
    found = []
    for step in sorted(step for step in steps if step > 0):
        reason = (
            "not-a-multiple"
            if step % every
            else "first-save"
            if step < least * every
            else "after-latest-checkpoint"
            if story.latest_checkpoint is not None and step > story.latest_checkpoint
            else "not-exported"
            if story.exports is not None and step not in exports
            else "no-reward"
            if step not in rewards
            else None
        )
        found.append(
            {
                "step": step,
                "reward": rewards.get(step),
                "ema": levels.get(step),
                "saved": None if story.exports is None else step in exports,
                "eligible": reason is None,
                "exclusion": reason,
            }
        )
    return found


def _reward(story: Story, row: Row) -> float | None:
    metric = role(story, "reward")
    return None if metric is None else row.value(metric)


Choice = tuple[int | None, float | None]


def _best(found: Sequence[dict[str, Any]], key: str = "ema") -> Choice:
    """The highest of the steps that may be selected, the first on a tie."""
    left = [(-item[key], item["step"]) for item in found if item["eligible"]]
    return (min(left)[1], -min(left)[0]) if left else (None, None)


def checkpoint(story: Story) -> dict[str, Any]:
    """The selection with everything around it."""
    rule, alpha = story.overlap_rule, story.alpha
    every, source = interval(story)
    table = candidates(story, rule, alpha)
    step, level = _best(table)
    rest = [item for item in table if item["step"] != step]
    rewarded = any(finite([_reward(story, row)]) for row in line(story))
    runner_up, next_level = _best(rest)
    spread = noise(finite(_reward(story, row) for row in line(story)))
    known = bool(spread) and len(finite(_reward(story, row) for row in line(story))) >= 8
    missing = "no-reward" if not rewarded else "no-interval" if every is None else "no-candidate"
    return {
        "step": step,
        "ema": level,
        "reward_metric": role(story, "reward"),
        "save_interval": every,
        "interval_source": source,
        "overlap_rule": rule,
        "alpha": alpha,
        "latest_checkpoint": story.latest_checkpoint,
        "candidates": table,
        "alternatives": [
            {"rule": name, "step": at, "value": value, "changes": at != step}
            for name, (at, value) in _alternatives(story).items()
        ],
        "runner_up": runner_up,
        "reason": None if step is not None else missing,
        "by_rule": [(name, *_best(candidates(story, name, alpha))) for name in ("last", "first")],
        "interval_assumed": source == "config" and story.assumed,
        "margin": level - next_level if level is not None and next_level is not None else None,
        "noise": spread if known else None,
        "ema_noise": spread * math.sqrt(alpha / (2 - alpha)) if known else None,
    }


def _alternatives(story: Story) -> dict[str, Choice]:
    rule, alpha = story.overlap_rule, story.alpha
    other = "first" if rule == "last" else "last"
    plain = candidates(story, rule, alpha)
    rewards = [(row.step, value) for row in line(story) if (value := _reward(story, row)) is not None]
    rewards = [(step, value) for step, value in rewards if math.isfinite(value)]
    recent = {
        step: mean(value for _, value in rewards[max(0, at - 4) : at + 1]) for at, (step, _) in enumerate(rewards)
    }
    top = max(rewards, key=lambda item: item[1], default=(None, None))
    return {
        "alpha-0.2": _best(candidates(story, rule, 0.2)),
        "window-5": _best([item | {"recent": recent.get(item["step"])} for item in plain], "recent"),
        "other-overlap": _best(candidates(story, other, alpha)),
        "first-save-allowed": _best(candidates(story, rule, alpha, least=1)),
        "best-raw-any": top,
        "best-raw-eligible": _best(plain, "reward"),
    }


# Progress ------------------------------------------------------------------------------------------------------------


def progress(story: Story) -> dict[str, Any] | None:
    """Trend, levels reached and zeros at the end; phases are told by the named stories."""
    metric = role(story, "reward")
    if metric is None:
        return None
    told = [(row.step, row.value(metric)) for row in line(story) if finite([row.value(metric)])]
    values = [value for _, value in told if value is not None]
    steps = [step for step, _ in told]
    zeros: list[int] = []
    while len(zeros) < len(values) and values[-1 - len(zeros)] == 0:
        zeros.insert(0, steps[-1 - len(zeros)])
    return {
        "metric": metric,
        "trend": _trend(steps, values),
        "reached": _reached(story, told),
        "zero_steps": zeros,
    }


def _trend(steps: Sequence[int], values: Sequence[float]) -> dict[str, Any] | None:
    if len(values) < 8:
        return None
    slope, margin = straight_line([float(step) for step in steps], values)
    ends = min(10, len(values) // 3)
    return {
        "per_step": slope,
        "low": slope - margin,
        "high": slope + margin,
        "first": mean(values[:ends]),
        "last": mean(values[-ends:]),
        "ends": ends,
        "noise": noise(values),
        "count": len(values),
    }


def _reached(story: Story, rewards: Sequence[tuple[int, float | None]]) -> dict[str, Any] | None:
    metric = role(story, "pass_k")
    if metric is None:
        return None
    passes = [(row.step, row.value(metric)) for row in line(story) if finite([row.value(metric)])]
    both = [[(step, value) for step, value in found if value is not None] for found in (rewards, passes)]
    if not all(both) or any(not 0 <= value <= 1 for found in both for _, value in found):
        return None
    for level in LEVELS:
        first = [next((step for step, value in found if value >= level), None) for found in both]
        if None not in first:
            return {"level": level, "reward_step": first[0], "pass_step": first[1]}
    return None


# Stability, freshness, evaluations -----------------------------------------------------------------------------------


def stability(story: Story) -> dict[str, Any]:
    """Signs of an unstable policy along the lineage."""
    along, config = line(story), story.config or {}
    norms = [(row.step, value) for row in along if (value := row.value(NAMES["grad_norm"])) is not None]
    norms = [(step, value) for step, value in norms if math.isfinite(value)]
    keys = ("trainer.update_epochs_per_batch", "trainer.train_batch_size", "trainer.policy_mini_batch_size")
    known = all(key in config for key in keys)
    bad = [(name, row.step) for row in rows(story) for name, v in row.record.values.items() if not math.isfinite(v)]
    counts = {name: [step for other, step in bad if other == name] for name, _ in bad}
    return {
        "entropy": _change(along, story, "entropy"),
        "grad_median": median(value for _, value in norms),
        "spikes": _spikes(norms),
        "clip_mean": mean(series(along, NAMES["clip_ratio"])),
        "one_update": (config[keys[0]] == 1 and config[keys[2]] >= config[keys[1]]) if known else None,
        "kl": _change(along, story, "kl"),
        "importance": mean(series(along, NAMES["importance"])),
        "mismatch": _change(along, story, "mismatch_kl"),
        "non_finite": [
            {"metric": name, "count": len(steps), "first_step": min(steps)}
            for name, steps in sorted(counts.items(), key=lambda item: (-len(item[1]), item[0]))
        ],
    }


def _change(along: list[Row], story: Story, name: str) -> dict[str, Any] | None:
    metric = role(story, name)
    values = [] if metric is None else logged(along, metric)
    if len(values) < 3:
        return None
    ends = min(5, len(values) // 3)
    first, last = mean(values[:ends]), mean(values[-ends:])
    return {"metric": metric, "first": first, "last": last, "noise": noise(values), "count": len(values)}


def _spikes(norms: Sequence[tuple[int, float]]) -> list[dict[str, Any]]:
    """Above five medians and ten robust deviations, from eight values on."""
    middle = median(value for _, value in norms)
    if len(norms) < 8 or not middle or middle < 0:
        return []
    sigma = 1.4826 * (median(abs(value - middle) for _, value in norms) or 0.0)
    high = [(step, value) for step, value in norms if value > 5 * middle and value > middle + 10 * sigma]
    return [
        {"step": step, "value": value, "medians": value / middle}
        for step, value in sorted(high, key=lambda item: (-item[1], item[0]))
    ]


def freshness(story: Story) -> dict[str, Any] | None:
    """Age of the data, and batches against their configured size."""
    names = ("staleness_mean", "staleness_max", "discard_rate", "discarded", "effective_samples")
    if all(role(story, name) is None for name in names):
        return None
    along, config = line(story), story.config or {}
    sizes = [(value, row.step) for row in along for value in series([row], NAMES["effective_samples"]) if value]
    prompts, samples = config.get("trainer.train_batch_size"), config.get("generator.n_samples_per_prompt")
    whole = prompts * samples if prompts and samples else None
    return {
        "staleness_mean": mean(series(along, NAMES["staleness_mean"])),
        "staleness_max": max(logged(along, NAMES["staleness_max"]), default=None),
        "staleness_limit": config.get("trainer.fully_async.max_staleness_steps"),
        "discard_rate": mean(series(along, NAMES["discard_rate"])),
        "discarded": total(series(along, NAMES["discarded"])),
        "effective_batch": mean(size for size, _ in sizes),
        "smallest_batch": min(sizes)[0] if sizes else None,
        "smallest_step": min(sizes)[1] if sizes else None,
        "configured_batch": whole,
        "short_steps": sum(size < whole for size, _ in sizes) if whole and sizes else None,
    }


def evaluations(story: Story) -> dict[str, dict[str, dict[str, Any]]]:
    """Data set to metric to its course."""
    kept = [row for row in rows(story) if row.record.kind == "eval" and not superseded(story, row)]
    kept.sort(key=lambda row: row.step)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for metric in metrics(kept):
        told = [(row.step, value) for row in kept if (value := row.value(metric)) is not None and math.isfinite(value)]
        if told:
            _, name, measure = metric.split("/")
            top = max(value for _, value in told)
            found.setdefault(name, {})[metric] = {
                "metric": metric,
                "measure": measure,
                "first": told[0][1],
                "first_step": told[0][0],
                "last": told[-1][1],
                "last_step": told[-1][0],
                "highest": top,
                "highest_step": next(step for step, value in told if value == top),
                "count": len(told),
            }
    return found


def batches(story: Story) -> dict[tuple[str, int], dict[str, float]]:
    """(job, step) to the sums over the batch lines printed before the record of the step.

    Batches of an evaluation are of no step; a job that logs a step twice has two rows of it.
    """
    found: dict[tuple[str, int], dict[str, float]] = {}
    for log in story.logs:
        for record in log.records:
            if record.kind == "train" and record.batches:
                sums = found.setdefault((story.job(log), record.step), {})
                for batch in record.batches:
                    one = {"batches": 1, "instances": batch.instances, "successful": batch.successful}
                    one |= {"failed": batch.failed, "masked": batch.masked}
                    one |= {f"exception/{name}": count for name, count in batch.exceptions.items()}
                    for name, count in one.items():
                        sums[name] = sums.get(name, 0) + count
    return found


def batch_exceptions(story: Story) -> dict[str, Any] | None:
    """Trials and exceptions of the batches that the records of the lineage were made from."""
    told = [row.record.batches for row in line(story) if row.record.batches]
    every = [batch for batches_of_step in told for batch in batches_of_step]
    met: dict[str, int] = {}
    for batch in every:
        for name, count in batch.exceptions.items():
            met[name] = met.get(name, 0) + count
    tried = sum(batch.instances for batch in every)
    return {"steps": len(told), "attempted": tried, "exceptions": sum(met.values()), "by_type": met} if met else None
