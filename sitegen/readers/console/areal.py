"""AReaL's console tables: `Epoch e/E Step s/S Train step g/G done.`, then `Stats (i/n):` and a table in box characters.

The table is tabulate's `fancy_grid` of four pairs a row, filled column by column, with four decimals. A step may have
several tables: their names are joined, and of a name in more than one the last value counts, which is said. The older
form is `Epoch e Step s GlobalStep g done. Detailed time stats:` with tables likewise.

Source: inclusionAI/AReaL `areal/utils/stats_logger.py` at 0d578942c, `areal/utils/printing.py` (`tabulate_stats`);
older: `realhf/system/master_worker.py`; python-tabulate 0.9 `fancy_grid`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sitegen.readers.console.dialect import Dialect, Found, Line, Log
from sitegen.readers.console.payload import number_of
from sitegen.readers.console.records import MAX_STEP, Records

_DONE = re.compile(
    r"(?:.*\bINFO\b\]?:? *)?Epoch \d+(?:/\d+)? Step \d+(?:/\d+)? "
    r"(?:Train step (?P<step>\d{1,18})/(?P<all>\d{1,15})|GlobalStep (?P<old>\d{1,18})) done\."
)
_STATS = re.compile(r"\bStats \((\d{1,6})/(\d{1,6})\):$")
_STAMP = re.compile(r"(\d{8}-\d\d:\d\d:\d\d)\.\d{3} ")
MAX_AWAY = 200
"""Lines without a table after which none is looked for."""


@dataclass(slots=True, eq=False)
class _Step:
    """A step whose tables are being read."""

    step: int
    line: int
    time: float | None
    columns: list[dict[str, float]] = field(default_factory=list)
    """The pairs of the table that is being read, by column."""
    values: dict[str, float] = field(default_factory=dict)
    away: int = 0
    inside: bool = False
    """Whether a table was announced or has begun, and has not ended."""
    last_table: bool = False


class _Parser:
    """AReaL's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._records = Records()
        self._open: _Step | None = None
        self._planned: int | None = None

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; the tables after a step's line are wanted."""
        text = line.said.text.strip()
        done = _DONE.fullmatch(text, 0, _end_of_done(text)) if marked else None
        if done is not None:
            self._close()
            self._begin(done, line)
        elif self._open is not None:
            self._follow(self._open, text, line.number)
        return self._open is not None

    def finish(self) -> Found:
        """The records and the planned steps."""
        if self._open is not None and self._open.inside:
            self._log.noted.add("console.values-cut", self._open.line)
        self._close()
        facts: dict[str, object] = {"planned_steps": self._planned} if self._planned is not None else {}
        return Found(records=self._records if len(self._records) else None, facts=facts)

    def _begin(self, done: re.Match[str], line: Line) -> None:
        step = int(done["step"] or done["old"])
        if step >= MAX_STEP:
            self._log.noted.add("console.bad-step", line.number)
            return
        if done["all"]:
            self._planned = int(done["all"])
        self._open = _Step(step, line.number, line.said.time or _time(line.said.text))

    def _follow(self, step: _Step, text: str, line: int) -> None:
        step.away += 1
        if text.startswith("│"):
            step.away = 0
            self._row(step, text, line)
        elif text.startswith("╒"):
            step.inside, step.columns = True, []
        elif text.startswith("╘"):
            self._end_table(step)
        elif (stats := _STATS.search(text)) is not None:
            step.inside, step.columns, step.last_table = True, [], stats[1] == stats[2]
        if step.away > MAX_AWAY or (step.last_table and not step.inside and bool(step.values)):
            self._close()

    def _row(self, step: _Step, text: str, line: int) -> None:
        cells = [cell.strip() for cell in text.split("│")[1:-1]]
        if not text.endswith("│") or len(cells) % 2:
            self._log.noted.add("console.pair-broken", line, text=text[-40:])
        for at in range(0, len(cells) - 1, 2):
            if not cells[at]:
                continue  # the last column is not full
            number = number_of(cells[at + 1])
            if number is None:
                self._log.noted.add("console.text-values", line, name=cells[at])
                continue
            while len(step.columns) <= at // 2:
                step.columns.append({})
            step.columns[at // 2][cells[at]] = number

    def _end_table(self, step: _Step) -> None:
        found = {name: value for column in step.columns for name, value in column.items()}
        if not step.values.keys().isdisjoint(found):
            self._log.noted.add("console.several-tables", step.line)
        step.values.update(found)
        step.columns, step.inside, step.away = [], False, 0

    def _close(self) -> None:
        step, self._open = self._open, None
        if step is None:
            return
        self._end_table(step)
        if step.values:
            self._records.add(step.step, step.values, line=step.line, time=step.time)
        else:
            self._log.noted.add("console.step-without-values", step.line)


def _end_of_done(text: str) -> int:
    """Where the sentence ends that says that a step is done."""
    at = text.find(" done.")
    return at + len(" done.") if at >= 0 else len(text)


def _time(text: str) -> float | None:
    stamp = _STAMP.match(text)
    if stamp is None:
        return None
    try:
        return datetime.strptime(stamp[1], "%Y%m%d-%H:%M:%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


DIALECT = Dialect(
    name="areal",
    framework="areal",
    needles=(b"Train step ", b"GlobalStep "),
    markers=(b" Train step ", b" GlobalStep "),
    parser=_Parser,
)
