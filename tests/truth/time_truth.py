"""What is true of a story's time: the tree of spans, slow steps, jobs, gaps, GPU-hours, cost, and the run's facts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tests.truth.lineage_truth import Row, line, metrics, superseded, train
from tests.truth.plain import finite, mean, median, total
from tests.truth.step_truth import role, series
from tests.truth.story import Log, Story

ABOVE = {
    "generate": "step",
    "wait_for_generation_buffer": "step",
    "postprocess_generator_output": "step",
    "convert_to_training_input": "step",
    "run_training": "step",
    "sync_weights": "step",
    "fwd_logprobs_values_reward": "run_training",
    "apply_reward_kl_penalty": "run_training",
    "compute_advantages_and_returns": "run_training",
    "train_critic_and_policy": "run_training",
    "critic_train": "train_critic_and_policy",
    "policy_train": "train_critic_and_policy",
    "policy_critic_overlap_train": "train_critic_and_policy",
    "cleanup_old_checkpoints": "save_checkpoints",
}
"""Span to the span that contains it."""
BESIDE = {"save_checkpoints", "save_hf_model", "eval", "update_ref_with_policy", "init_weight_sync_state"}
"""Spans outside the step."""
HAIR = 1e-6
"""Part of the step that is nothing but rounding."""


class Spans:
    """The recorded spans of a story, row by row."""

    def __init__(self, story: Story) -> None:
        self.rows = train(story)
        self.on_line = [not superseded(story, row) for row in self.rows]
        names = [name.removeprefix("timing/") for name in metrics(self.rows) if name.startswith("timing/")]
        seconds = {name: series(self.rows, f"timing/{name}") for name in names}
        self.seconds = {name: values for name, values in seconds.items() if finite(values)}

    def parent(self, name: str) -> str | None:
        """The nearest containing span that was recorded."""
        above = ABOVE.get(name)
        while above is not None and above not in self.seconds:
            above = ABOVE.get(above)
        return above

    def children(self, name: str) -> list[str]:
        """The spans directly in one, the largest first."""
        inner = [span for span in self.seconds if self.parent(span) == name]
        return sorted(inner, key=lambda span: (-(mean(self.seconds[span]) or 0), span))

    def usual(self, name: str) -> float | None:
        """The median along the lineage."""
        return median(value for value, kept in zip(self.seconds[name], self.on_line, strict=True) if kept)

    @property
    def known(self) -> bool:
        """Whether the lineage has a step time."""
        return "step" in self.seconds and self.usual("step") is not None


def timing(story: Story) -> dict[str, Any] | None:
    """Where the step time goes."""
    spans = Spans(story)
    if not spans.known:
        return None
    steps, usual = spans.seconds["step"], spans.usual("step")
    assert usual is not None
    return {
        "spans": _tree(spans),
        "rows": len(finite(steps)),
        "step_metric": "timing/step",
        "median_step_s": usual,
        "total_step_s": total(steps),
        "redone_s": total(value for value, kept in zip(steps, spans.on_line, strict=True) if not kept) or 0.0,
        "slowest": _slowest(spans, usual),
        "wait_span": "wait_for_generation_buffer" if "wait_for_generation_buffer" in spans.seconds else None,
        "cold_start_s": _cold_start(story),
    }


def _tree(spans: Spans) -> list[dict[str, Any]]:
    listed = _below(spans, "step", 0)
    if spans.children("step"):
        listed.append(_rest(spans))
    tops = [name for name in spans.seconds if name != "step" and spans.parent(name) is None]
    for name in sorted(tops, key=lambda span: (not _declared(span), -(mean(spans.seconds[span]) or 0), span)):
        listed += _below(spans, name, 0)
    return listed


def _below(spans: Spans, name: str, depth: int) -> list[dict[str, Any]]:
    listed = [_span(spans, name, depth)]
    for child in spans.children(name):
        listed += _below(spans, child, depth + 1)
    return listed


def _inside(name: str) -> bool:
    return name == "step" or (name in ABOVE and ABOVE[name] not in BESIDE)


def _declared(name: str) -> bool:
    return _inside(name) or name in BESIDE or name in ABOVE


def _span(spans: Spans, name: str, depth: int) -> dict[str, Any]:
    values, parent = spans.seconds[name], spans.parent(name)
    shares = _shares(values, spans.seconds["step"])
    return {
        "name": name,
        "metric": f"timing/{name}",
        "parent": parent,
        "depth": depth,
        "inside": _inside(name),
        "declared": _declared(name),
        "mean_s": mean(values),
        "count": len(finite(values)),
        "share_of_step": shares[0],
        "total_share": shares[1],
        "share_of_parent": None if parent is None else _shares(values, spans.seconds[parent])[1],
    }


def _shares(part: Sequence[float | None], whole: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Mean of the shares, and share of the sums, over rows that have both and a whole above 0."""
    pairs = [(a, b) for a, b in zip(part, whole, strict=True) if a is not None and b is not None and b > 0]
    if not pairs:
        return None, None
    return mean(a / b for a, b in pairs), math.fsum(a for a, _ in pairs) / math.fsum(b for _, b in pairs)


def _rest(spans: Spans) -> dict[str, Any]:
    """What the children leave of the step, or by how much they exceed it."""
    steps = spans.seconds["step"]
    inner = [spans.seconds[name] for name in spans.children("step")]
    together = [math.fsum(values[at] or 0.0 for values in inner) for at in range(len(steps))]
    left = [None if step is None else step - used for step, used in zip(steps, together, strict=True)]
    average, step = mean(left), mean(steps)
    assert average is not None
    assert step is not None
    overlap = average < -HAIR * step
    signed = [None if value is None else -value for value in left] if overlap else left
    shares = [0.0 if share is not None and abs(share) < HAIR else share for share in _shares(signed, steps)]
    return {
        "name": "overlap" if overlap else "unattributed",
        "metric": "",
        "parent": "step",
        "depth": 1,
        "inside": True,
        "declared": True,
        "mean_s": -average if overlap else max(average, 0.0),
        "count": len(finite(left)),
        "share_of_step": shares[0],
        "total_share": shares[1],
        "share_of_parent": shares[1],
    }


def _slowest(spans: Spans, usual: float) -> list[dict[str, Any]]:
    """The five longest steps above one and a half medians, and the child of the step that grew most."""
    slow = [
        (-seconds, spans.rows[at].step, at)
        for at, seconds in enumerate(spans.seconds["step"])
        if seconds is not None and seconds > 1.5 * usual
    ]
    found = []
    for seconds, step, at in sorted(slow)[:5]:
        excess = {
            name: value - level
            for name in spans.children("step")
            if (value := spans.seconds[name][at]) is not None and (level := spans.usual(name)) is not None
        }
        grown = max(excess, key=lambda name: excess[name], default=None)
        main = grown if grown is not None and excess[grown] > 0 else None
        found.append({"step": step, "job": spans.rows[at].job, "seconds": -seconds, "main_span": main})
        found[-1]["superseded"] = not spans.on_line[at]
    return found


def _cold_start(story: Story) -> float | None:
    first, *rest = series(line(story), "timing/step")
    usual = median(rest)
    return first - usual if first is not None and usual is not None and first > 3 * usual else None


# Jobs and money ------------------------------------------------------------------------------------------------------


def jobs(story: Story) -> list[dict[str, Any]]:
    """The jobs in order of time."""
    found, done = [], set[int]()
    for log in story.logs:
        own = {row.step for row in train(story) if row.job == story.job(log)}
        first = log.launches[0] if log.launches else None
        found.append(
            {
                "name": story.job(log),
                "first_step": min(own, default=None),
                "last_step": max(own, default=None),
                "rows": sum(row.job == story.job(log) for row in train(story)),
                "redone": len(own & done),
                "started": log.started,
                "finished": log.finished,
                "number": log.number,
                "resumed_from": first.resumed if first is not None and first.says_so and first.resumed else None,
                "end": log.end if log.started is not None else "unknown",
            }
        )
        done |= own
    return found


def spending(story: Story) -> dict[str, Any]:
    """Gaps, time outside the step, GPU-hours and their cost."""
    spans = Spans(story)
    pairs = list(zip(story.logs, story.logs[1:], strict=False))
    clocks = [(one, two, one.finished, two.started) for one, two in pairs]
    tops = [name for name in spans.seconds if _declared(name) and not _inside(name) and spans.parent(name) is None]
    hours = gpu_hours(story)
    cost = None if story.price is None or hours is None else story.price * hours
    told = timing(story)
    return {
        "gaps": [
            {"before": story.job(one), "after": story.job(two), "seconds": max(0.0, start - end)}
            for one, two, end, start in clocks
            if start is not None and end is not None
        ],
        "gaps_unknown": sum(start is None or end is None for _, _, end, start in clocks),
        "outside_s": total(v for name in tops for v in spans.seconds[name]) if tops and told else None,
        "redone_s": told["redone_s"] if told else None,
        "gpu_hours": hours,
        "cost": cost,
        "currency": None if cost is None else story.currency,
    }


def gpu_hours(story: Story) -> float | None:
    """GPUs x time of all steps."""
    told = timing(story)
    return None if story.gpus is None or told is None else story.gpus * float(told["total_step_s"]) / 3600


def facts(story: Story) -> dict[str, Any]:
    """What stands in the header of the run's page."""
    along, config = line(story), story.config or {}
    last = along[-1].step if along else None
    planned = story.planned if train(story) else None
    status, basis = _status(story, last, planned)
    starts = [log.started for log in story.logs if log.started is not None]
    ends = [log.finished for log in story.logs if log.finished is not None]
    return {
        "status": status,
        "status_guessed": basis == "no-line",
        "status_basis": basis,
        "steps_done": len(along),
        "last_step": last,
        "planned_steps": planned,
        "rows": len(train(story)),
        "superseded": sum(superseded(story, row) for row in train(story)),
        "base_model": config.get("trainer.policy.model.path"),
        "dataset": ", ".join(config.get("data.train_data", ())) or None,
        "algorithm": config.get("trainer.algorithm.advantage_estimator"),
        "batch_size": config.get("trainer.train_batch_size"),
        "samples_per_prompt": config.get("generator.n_samples_per_prompt"),
        "learning_rate": config.get("trainer.policy.optimizer_config.lr"),
        "engines": config.get("generator.num_inference_engines"),
        "gpus": story.gpus,
        "gpu_hours": gpu_hours(story),
        "started": min(starts, default=None),
        "finished": max(ends, default=None),
        "reward_metric": role(story, "reward"),
        "pass_metric": role(story, "pass_k"),
        "entropy_metric": role(story, "entropy"),
        "step_time_metric": role(story, "step_s"),
        "wait_metric": role(story, "wait_s"),
        "config_assumed": story.assumed,
        "planned_from_config": False,
    }


def _status(story: Story, last: int | None, planned: int | None) -> tuple[str, str]:
    """In order: no steps, finished by its own word or its plan, failed, else stopped early; and what tells it."""
    end: Log = story.logs[-1] if story.logs else Log(number=0, started=None, finished=None)
    cause = end.end if end.started is not None else "unknown"
    if last is None:
        return "no-steps", "no-steps"
    if cause == "finished":
        return "finished", "line"
    if planned is not None and last >= planned:
        return "finished", "planned"
    if cause in ("out_of_memory", "node_failure", "sandbox_failure", "hang", "crashed"):
        return "failed", "line"
    if cause in ("stopped_early", "time_limit", "cancelled"):
        return "stopped-early", "line"
    return "stopped-early", "no-line" if planned is None else "below-plan"


def row_of(found: Sequence[Row], step: int) -> Row:
    """The row of a step."""
    return next(row for row in found if row.step == step)
