"""slime's and miles' console dicts: `file.py:123 - rollout N: {…}`, `perf N: {…}`, `step N: {…}`, `eval N: {…}`.

Several dicts make one step: the rollout manager's, the trainer's and its timings, printed by different processes and
out of order where rollouts run ahead. N counts rollouts from 0, except in `step N`, which counts optimiser steps: where
there are several per rollout the values of the last one count, and that is said. A critic's lines are `critic-step N`.
A `model.py:660 - step N: {…}` posted for a SkyRL-agent model is slime's too: `train/lr-pg_<n>` are its keys, and
SkyRL-agent's own trainers (`skyrl_agent/integrations`: SkyRL, verl, tinker) have no such line.

Source: THUDM/slime `slime/backends/megatron_utils/model.py`, `slime/observability/rollout_metrics.py`,
`train_metric_utils.py`, `logging_utils.py` at 624b824a8 (2026); `rollout N` in `slime/utils/data.py` of 2025;
NovaSky-AI/SkyRL#1864 and `skyrl-agent/` at eea40bc7 (2025).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sitegen.readers.console.dialect import Dialect, Found, Line, Log
from sitegen.readers.console.held import Kind, is_cut
from sitegen.readers.console.payload import python_dict, split_numbers
from sitegen.readers.console.records import MAX_STEP, Records

_HEAD = re.compile(
    r"(?:^|[\s\]])[\w./-]+\.py:\d+ - (?:[a-z]{1,20}-)?(?P<what>rollout|perf|step|eval) (?P<number>\d{1,18}): (?=\{)"
)


@dataclass(slots=True, eq=False)
class _Row:
    """What is known of one number of one counter."""

    line: int
    time: float | None
    values: dict[str, float]


@dataclass(slots=True, eq=False)
class _Pass:
    """The dicts between two starts of the trainer, by counter and number."""

    rollouts: dict[int, _Row] = field(default_factory=dict)
    steps: dict[int, _Row] = field(default_factory=dict)
    evals: dict[int, _Row] = field(default_factory=dict)

    def rows(self, what: str) -> dict[int, _Row]:
        """The rows of a counter."""
        return {"step": self.steps, "eval": self.evals}.get(what, self.rollouts)


class _Parser:
    """slime's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._passes = [_Pass()]
        self._broken: list[int] = []

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line, none after it; of two records that ended up on one line both."""
        if marked:
            for head in _HEAD.finditer(line.said.text):
                self._dict(head, line)
        return False

    def finish(self) -> Found:
        """The records, those of a rollout's dicts joined."""
        for line in self._broken:
            self._log.noted.add("console.record-cut" if is_cut(self._log, line) else "console.record-broken", line)
        records = Records()
        for part in self._passes:
            self._join(part, records)
        return Found(records=records if len(records) else None)

    def _dict(self, head: re.Match[str], line: Line) -> None:
        found = python_dict(line.said.text, head.end())
        if found is None:
            self._broken.append(line.number)
            return
        values, others = split_numbers(found[0], texts_are_numbers=False)
        if others:
            self._log.noted.add("console.text-values", line.number, name=others[0])
        number = int(head["number"])
        if number >= MAX_STEP:
            self._log.noted.add("console.bad-step", line.number)
        elif values:
            self._add(head["what"], number, _Row(line.number, line.said.time, values))

    def _add(self, what: str, number: int, row: _Row) -> None:
        known = self._passes[-1].rows(what).get(number)
        if known is None:
            self._passes[-1].rows(what)[number] = row
        elif known.values.keys().isdisjoint(row.values):
            known.values.update(row.values)
        else:  # the counter was here before: the trainer has started anew
            self._passes.append(_Pass())
            self._passes[-1].rows(what)[number] = row

    def _join(self, part: _Pass, records: Records) -> None:
        """Hands on the rows of a pass, the optimiser's steps within their rollouts."""
        share = -(-(max(part.steps, default=-1) + 1) // (max(part.rollouts, default=-1) + 1)) if part.rollouts else 1
        if share > 1:
            self._log.noted.add("console.steps-per-rollout", min(row.line for row in part.steps.values()), share=share)
        rows = dict(part.rollouts)
        for number, row in sorted(part.steps.items()):
            rollout = number // max(share, 1)
            known = rows.get(rollout)
            if known is None:
                rows[rollout] = row
            else:
                known.values.update(row.values)
        kinds: tuple[tuple[Kind, dict[int, _Row]], ...] = (("train", rows), ("eval", part.evals))
        ordered = [(row.line, number, kind, row) for kind, each in kinds for number, row in each.items()]
        for line, number, kind, row in sorted(ordered, key=lambda item: item[:3]):
            records.add(number, row.values, line=line, time=row.time, kind=kind)


DIALECT = Dialect(
    name="slime",
    framework="slime",
    needles=(b"- rollout ", b"- perf ", b"- step ", b"- eval ", b"critic-step "),
    check=re.compile(rb"- (?:[a-z]{1,20}-)?(?:rollout|perf|step|eval) \d+: \{"),
    markers=(b" - perf 0: {'", b" - rollout 0: {'", b" - step 0: {'"),
    parser=_Parser,
)
