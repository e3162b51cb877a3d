"""Which records made the final weights: told by carrying the weights along, launch by launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.truth.story import Launch, Log, Record, Story


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """A record as it stands in its log."""

    job: str
    record: Record
    superseded_last: bool = False
    superseded_first: bool = False

    @property
    def superseded(self) -> tuple[bool, bool]:
        """Under the rules `last` and `first`."""
        return self.superseded_last, self.superseded_first

    @property
    def step(self) -> int:
        return self.record.step

    def value(self, metric: str) -> float | None:
        """What was logged; None when nothing was."""
        return self.record.values.get(metric)


def rows(story: Story) -> tuple[Row, ...]:
    """Every record in the logs, in the order in which they were logged."""
    kept = _made_the_weights(story)
    told = [(log, record) for log in story.logs for record in log.records]
    last_evaluation = {record.step: record for _, record in told if record.kind == "eval"}
    seen: set[tuple[str, int]] = set()
    found: list[Row] = []
    for log, record in told:
        key = (record.kind, record.step)
        replaced = last_evaluation[record.step] is not record if record.kind == "eval" else id(record) not in kept
        found.append(Row(job=story.job(log), record=record, superseded_last=replaced, superseded_first=key in seen))
        seen.add(key)
    return tuple(found)


def _made_the_weights(story: Story) -> set[int]:
    """Records whose updates are in the weights at the end."""
    saved: dict[int, list[Record]] = {0: []}
    weights: list[Record] = []
    for _, launch in _launches(story):
        steps = [record for record in launch.records if record.kind == "train"]
        if not steps:
            continue
        weights = list(saved[launch.resumed])
        for record in steps:
            weights = [*weights, record]
            saved[record.step] = weights
    return {id(record) for record in weights}


def _launches(story: Story) -> list[tuple[Log, Launch]]:
    return [(log, launch) for log in story.logs for launch in log.launches]


def train(story: Story) -> list[Row]:
    """All train records, superseded ones included."""
    return [row for row in rows(story) if row.record.kind == "train"]


def line(story: Story, rule: str | None = None) -> list[Row]:
    """The train records that are not superseded under a rule, by step."""
    rule = rule or story.overlap_rule
    kept = [row for row in train(story) if not (row.superseded_last if rule == "last" else row.superseded_first)]
    return sorted(kept, key=lambda row: row.step)


def superseded(story: Story, row: Row) -> bool:
    """Under the story's own rule."""
    return row.superseded_last if story.overlap_rule == "last" else row.superseded_first


def metrics(found: Sequence[Row]) -> list[str]:
    """Names that these records logged."""
    return list(dict.fromkeys(name for row in found for name in row.record.values))
