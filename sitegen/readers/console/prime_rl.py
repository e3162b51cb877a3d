"""prime-rl's console lines: `HH:MM:SS SUCCESS Step N | Time: 3.51s | Loss: 14.3 | …`, without a date, steps from 0.

Since 2026 the cells have no colon (`Loss 14.3`) and the first one is a bare duration. A metric is called what its
cell is called; durations are in seconds, percentages and throughputs as printed, and of `a/b` the first. Evaluations
(`Evaluated <env> (Step N) | …`, `Validation | Step N | …`) and the lines of single environments below a step
(`╰─ <env> | …`) have the environment before the name. `Starting from step 0` and `Micro Step …` are no steps.

Source: PrimeIntellect-ai/prime-rl `src/prime_rl/trainer/sft/train.py`, `trainer/rl/train.py`,
`orchestrator/orchestrator.py`, `utils/logger.py` at 559b44772 (2026); older form at 4a7ec4344.
"""

from __future__ import annotations

import re

from sitegen.readers.console.dialect import Dialect, Evidence, Found, Line, Log, shortened
from sitegen.readers.console.held import Held, Kind, Record
from sitegen.readers.console.payload import number_of
from sitegen.readers.console.prefixes import plain

_LINE = re.compile(r"(?:\[\w+\]:? ?)?\d\d:\d\d:\d\d +(?P<level>SUCCESS|INFO) (?:\[[^\]]{1,60}\] )?(?P<text>.*)")
_STEP = re.compile(r"Step (?P<step>\d{1,18}) \| ")
_VALIDATION = re.compile(r"(?P<env>Validation) \| Step (?P<step>\d{1,18}) \| ")
_EVALUATED = re.compile(r"Evaluated (?P<env>.{1,200}?) \(Step (?P<step>\d{1,18})\) \| ")
_ENVIRONMENT = re.compile(r"\s*╰─ (?P<env>.{1,200}?) +\| ")
_CELL = re.compile(r"(?P<name>\S.*?):?\s+v?(?P<number>[+-]?(?:\d[\d.]*(?:[eE][+-]?\d+)?|nan|inf))(?P<unit>.*)")
_DURATION = re.compile(r"\d+(?:\.\d+)?(?:ms|[smhd])(?: \d+[smh])?")
_PARTS = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PLANNED = re.compile(r"Starting training loop \(.*?\bmax_steps=(\d{1,15})\b")
_FINISHED = re.compile(r"(?:SFT|RL|SFT trainer|RL trainer) (?:trainer )?finished!")


class _Parser:
    """prime-rl's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held = Held(log)
        self._facts: dict[str, object] = {}
        self._evidence: list[Evidence] = []
        self._last: int | None = None

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line, none after it."""
        if not marked:
            return False
        raw = plain(line.raw).rstrip()
        found = _LINE.match(raw)
        if found is not None:
            self._logged(found["text"], found["level"], line.number)
        elif self._last is not None and (environment := _ENVIRONMENT.match(raw)) is not None:
            self._add(self._last, raw[environment.end() :], line.number, environment["env"], "train")
        return False

    def finish(self) -> Found:
        """The records, the planned steps, and whether the trainer said that it is done."""
        return Found(records=self._held.finish(), facts=self._facts, evidence=tuple(self._evidence))

    def _logged(self, text: str, level: str, line: int) -> None:
        if (planned := _PLANNED.match(text)) is not None:
            self._facts["planned_steps"] = int(planned[1])
        elif level != "SUCCESS":
            return
        elif (step := _STEP.match(text)) is not None:
            self._last = int(step["step"])
            self._add(self._last, text[step.end() :], line, "", "train")
        elif (evaluation := _EVALUATED.match(text) or _VALIDATION.match(text)) is not None:
            self._add(int(evaluation["step"]), text[evaluation.end() :], line, evaluation["env"], "eval")
        elif _FINISHED.match(text) is not None:
            self._evidence.append(Evidence(cause="finished", line=line, text=shortened(text)))

    def _add(self, step: int, text: str, line: int, environment: str, kind: Kind) -> None:
        values: dict[str, float] = {}
        named: tuple[str, float] | None = None
        for cell in text.split(" | "):
            named = _value(cell.strip())
            if named is None:
                self._log.noted.add("console.pair-broken", line, text=cell.strip()[:40])
            else:
                values[f"{environment}/{named[0]}" if environment else named[0]] = named[1]
        if values:
            whole = named is not None
            self._held.add(Record(step=step, values=values, line=line, kind=kind, ends_line=whole))


def _value(cell: str) -> tuple[str, float] | None:
    """Name and number of a cell; a bare duration is the step's time."""
    if _DURATION.fullmatch(cell):
        return "Time", _seconds(cell)
    found = _CELL.fullmatch(cell)
    if found is None:
        return None
    number, unit = number_of(found["number"]), found["unit"]
    if number is None:
        return None
    text = f"{found['number']}{unit}"
    return found["name"], _seconds(text) if _DURATION.fullmatch(text) else number


def _seconds(text: str) -> float:
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _PARTS.findall(text))


DIALECT = Dialect(
    name="prime-rl",
    framework="prime-rl",
    needles=(b"SUCCESS", "╰─ ".encode(), b"Starting training loop ("),
    markers=(b" SUCCESS Step ", b" | Grad. Norm", b" | Max Off-Policy "),
    parser=_Parser,
)
