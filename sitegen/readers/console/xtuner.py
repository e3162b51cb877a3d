"""XTuner's SFT console: `[XTuner][RANK r][time][INFO] Epoch e Step s/S name: value name: value, …`, a line per rank.

The ranks of a step come in any order and may run one step ahead of each other. Values that are reduced over the ranks
agree; of the others (`text_tokens`, `local_…`, times) rank 0's count, as in XTuner's own tracker, or the lowest
rank's where rank 0 says nothing. `time` is a column of the table itself, so the metric is called `time/step_time`, its
name in the tracker. `eta` is left out. Lines of the RL trainer have another text and hold no metrics.

Source: InternLM/xtuner `xtuner/v1/train/trainer.py` (`_log_step`) at b934f4620 (2026-08), and at 4ee7bda76 (2026-01).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sitegen.readers.console.dialect import Dialect, Found, Line, Log
from sitegen.readers.console.held import is_cut
from sitegen.readers.console.payload import number_of
from sitegen.readers.console.prefixes import plain
from sitegen.readers.console.records import MAX_STEP, Records

_LINE = re.compile(
    r"\[XTuner\]\[RANK (?P<rank>\d{1,9})\]\[(?P<time>[^\]]{19})\]\[INFO\] "
    r"(?:Epoch \d+ )?Step (?P<step>\d{1,18})/(?P<all>\d{1,15}) "
)
_PAIR = re.compile(r"(?P<name>[A-Za-z_][^\s:,]*): (?P<value>[^\s,]+)(?: GB)?(?:, |\s+|$)")
RENAMED = {"time": "time/step_time"}
"""Names that the table needs for itself, and what they are called instead."""
LEFT_OUT = frozenset({"eta"})
AHEAD = 3
"""Steps that ranks may run ahead of each other; older ones are handed on."""


@dataclass(slots=True, eq=False)
class _Step:
    """The lines of one step: line, time and values are of the lowest rank so far."""

    line: int
    time: float | None = None
    ranks: set[int] = field(default_factory=set)
    values: dict[str, float] = field(default_factory=dict)


class _Parser:
    """XTuner's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._records = Records()
        self._open: dict[int, _Step] = {}
        self._planned: int | None = None
        self._others = 0
        self._last: tuple[int, str, int] | None = None

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line, none after it."""
        text = plain(line.raw).rstrip()
        found = _LINE.search(text) if marked else None
        if found is None:
            return False
        step, rank = int(found["step"]), int(found["rank"])
        if step >= MAX_STEP:
            self._log.noted.add("console.bad-step", line.number)
            return False
        self._planned = int(found["all"])
        values, rest = _pairs(text[found.end() :])
        if rest:
            self._log.noted.add("console.pair-broken", line.number, text=rest[:40])
        if values:
            self._add(step, rank, values, line.number, _time(found["time"]))
            self._last = None if rest else (step, next(reversed(values)), line.number)
        return False

    def finish(self) -> Found:
        """The records and the planned steps."""
        self._drop_cut_value()
        self._hand_on(list(self._open))
        if self._others:
            self._log.noted.add("console.other-ranks", None, others=self._others)
        facts: dict[str, object] = {"planned_steps": self._planned} if self._planned is not None else {}
        return Found(records=self._records if len(self._records) else None, facts=facts)

    def _add(self, step: int, rank: int, values: dict[str, float], line: int, time: float | None) -> None:
        if (known := self._open.get(step)) is not None and rank in known.ranks:
            self._hand_on(list(self._open))  # logged again after a restart
        self._hand_on([each for each in self._open if each <= step - AHEAD])
        entry = self._open.setdefault(step, _Step(line))
        if entry.ranks:
            self._others += 1
        if not entry.ranks or rank < min(entry.ranks):
            entry.values, entry.time, entry.line = values, time, line
        entry.ranks.add(rank)

    def _drop_cut_value(self) -> None:
        """The last value of a last line without an end may be half a number."""
        if self._last is None or not is_cut(self._log, self._last[2]):
            return
        step, name, line = self._last
        entry = self._open.get(step)
        if entry is not None and entry.line == line:
            entry.values.pop(name, None)
            self._log.noted.add("console.last-value", line)

    def _hand_on(self, steps: list[int]) -> None:
        for step in sorted(steps):
            entry = self._open.pop(step)
            if entry.values:
                self._records.add(step, entry.values, line=entry.line, time=entry.time)


def _pairs(text: str) -> tuple[dict[str, float], str]:
    """The pairs of a line, and what is left over at its end."""
    values: dict[str, float] = {}
    at = 0
    while (pair := _PAIR.match(text, at)) is not None:
        at = pair.end()
        number = number_of(pair["value"])
        if pair["name"] in LEFT_OUT:
            return values, ""  # the last pair; it may be `3 days, 1:02:03`
        if number is not None:
            values[RENAMED.get(pair["name"], pair["name"])] = number
    return values, text[at:].strip()


def _time(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


DIALECT = Dialect(
    name="xtuner",
    framework="xtuner",
    needles=(b"[XTuner][RANK ",),
    markers=(b"[XTuner][RANK ",),
    parser=_Parser,
)
