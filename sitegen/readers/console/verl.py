"""verl's console lines: `step:N - key:value - key:value`, one per call of its logger.

Keys hold `/ @ ( ) -`, so the value is what follows the last colon of a pair. Until mid 2025 values had three decimals
(a learning rate of 1e-6 is `0.000`), since then they are Python's own form, also `np.float64(0.1)`. Step 0 is the
validation before training; a validation after step N is a line of its own or part of that step's line. The SFT
trainer prints the same lines.

Source: volcengine/verl `verl/utils/logger/aggregate_logger.py` (`concat_dict_to_str`), `verl/utils/tracking.py`,
`verl/trainer/ppo/ray_trainer.py` at b178a3cd5 (January 2026).
"""

from __future__ import annotations

import re

from sitegen.readers.console.dialect import Dialect, Found, Line, Log
from sitegen.readers.console.held import Held, Kind, Record
from sitegen.readers.console.payload import number_of
from sitegen.readers.metric_records import kind_of

_HEAD = re.compile(r"(?:.*[\d?](?:it/s|s/it)[^\]]*\])?\s*step:(?P<step>\d{1,18}) - ")
_ACTOR = re.compile(r"\([^()\s]+ pid=\d+(?:, ip=[^)]+)?\)")
_WRAPPED = re.compile(r"[\w.]+\((?P<number>[^(),]+)\)")
_ROUNDED = re.compile(r":-?\d+\.\d{3}(?= - |$)")
_ZERO = re.compile(r":-?0\.000(?= - |$)")
_PLANNED = re.compile(r"Total training steps: (\d{1,15})\b")
_RESUMED = re.compile(r"Setting global step to (\d{1,15})\b")


class _Parser:
    """verl's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held = Held(log)
        self._facts: dict[str, object] = {}
        self._resumed: int | None = None
        self._pairs = 0
        self._rounded = 0
        self._zeros = 0

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line, none after it; of two records that ended up on one line both."""
        if marked:
            for part in _ACTOR.split(line.said.text):
                if (head := _HEAD.match(part)) is not None:
                    self._record(int(head["step"]), part[head.end() :], line)
            if (planned := _PLANNED.match(line.said.text)) is not None:
                self._facts["planned_steps"] = int(planned[1])
            if self._resumed is None and (resumed := _RESUMED.match(line.said.text)) is not None:
                self._resumed = int(resumed[1])
        return False

    def finish(self) -> Found:
        """The records, the planned steps and the step that the job resumed from."""
        if self._pairs and self._rounded == self._pairs:
            self._log.noted.add("console.rounded-three", None, zeros=self._zeros)
            self._facts["rounded_decimals"] = 3
        return Found(records=self._held.finish(), facts=self._facts, resumed_from=self._resumed)

    def _record(self, step: int, text: str, line: Line) -> None:
        values, broken, ends_line = _pairs(text)
        if broken:
            self._log.noted.add("console.pair-broken", line.number, text=broken[:40])
        if not any("/" in name for name in values):
            return  # no line of verl's: all its keys are of a family
        self._pairs += len(values)
        self._rounded += len(_ROUNDED.findall(text))
        self._zeros += len(_ZERO.findall(text))
        kind: Kind = "eval" if kind_of(values) == "eval" else "train"
        time = line.said.time
        self._held.add(Record(step=step, values=values, line=line.number, time=time, kind=kind, ends_line=ends_line))


def _pairs(text: str) -> tuple[dict[str, float], str, bool]:
    """The whole pairs of a line, the first piece that is none, and whether the last piece is a pair.

    A piece without a colon is part of a key.
    """
    values: dict[str, float] = {}
    broken, begun, ends_line = "", "", False
    for piece in text.split(" - "):
        name, colon, value = f"{begun}{piece}".rpartition(":")
        begun = ""
        number = _number(value.strip())
        ends_line = False
        if not colon:
            begun = f"{value} - "
        elif number is None or not name.strip():
            broken = broken or piece
        else:
            values[name.strip()] = number
            ends_line = True
    return values, broken or begun.removesuffix(" - "), ends_line


def _number(text: str) -> float | None:
    wrapped = _WRAPPED.fullmatch(text)
    number = number_of(wrapped["number"] if wrapped is not None else text)
    return {"True": 1.0, "False": 0.0}.get(text) if number is None else number


DIALECT = Dialect(
    name="verl",
    framework="verl",
    needles=(b"step:", b"Total training steps: ", b"Setting global step to "),
    markers=(b" - actor/", b" - critic/", b" - train/loss:", b" - val/loss:", b" - val-core/", b" - timing_s/"),
    parser=_Parser,
)
