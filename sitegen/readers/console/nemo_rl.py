"""NeMo-RL's console blocks: a banner `=== Step k/K ===`, then `Training Results:`, `Timing:`, `Performance Metrics:`.

Only the banner names the step; a block without one is left out and said. Banners count from 1 within an epoch
(`=== Epoch e/E ===`), so with K steps an epoch the step is (e - 1) K + k. A metric is called what its line says;
throughputs, whose labels occur under several headings, have the heading before theirs. Percentages in brackets are
shares of the step's time and are left out: timers are nested and do not add up. `Validation Results` are an evaluation
of the step that `Starting validation at step N` names.

Source: NVIDIA-NeMo/RL `nemo_rl/algorithms/grpo.py`, `sft.py`, `dpo.py`, `utils.py` (`print_performance_metrics`) at
7ea279abf (2026).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sitegen.readers.console.dialect import Dialect, Found, Line, Log
from sitegen.readers.console.held import Kind, is_cut
from sitegen.readers.console.payload import number_of
from sitegen.readers.console.records import MAX_STEP, Records

_BANNER = re.compile(r"={5,} (?P<what>Step|Epoch) (?P<number>\d{1,15})/(?P<all>\d{1,15}) ={5,}")
_RESULTS = re.compile(r"\W*(?P<what>Training|Validation) Results(?: for `(?P<name>[^`]{1,200})` set)?:")
_HEADING = re.compile(r"\W*(?:Validation )?(?:Timing|Performance Metrics)(?: for `[^`]*` set)?:")
_VALIDATING = re.compile(r"\W*Starting validation at step (?P<step>\d{1,18})\b")
_ITEM = re.compile(
    r"\s*(?P<bullet>[•-]) (?P<name>[^:]{1,200}):(?: (?P<number>[+-]?(?:\d[\d.]*(?:[eE][+-]?\d+)?|nan|inf)).*)?"
)
MAX_AWAY = 60
"""Lines without a metric after which a block has ended."""


@dataclass(slots=True, eq=False)
class _Block:
    """A block that is being read."""

    step: int | None
    line: int
    kind: Kind
    prefix: str
    values: dict[str, float] = field(default_factory=dict)
    group: str = ""
    away: int = 0
    last_line: int = 0


class _Parser:
    """NeMo-RL's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._records = Records()
        self._block: _Block | None = None
        self._step: int | None = None
        self._validating: int | None = None
        self._epoch = 1
        self._planned: int | None = None
        self._seen = False

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; those of a block are wanted."""
        text = line.said.text.rstrip()
        if marked and self._marked(text.strip(), line.number):
            return self._block is not None
        if self._block is not None:
            self._follow(self._block, text, line.number)
        return self._block is not None

    def finish(self) -> Found:
        """The records and, where the log has one epoch, the planned steps."""
        block = self._block
        if block is not None and block.values and is_cut(self._log, block.last_line):
            block.values.popitem()
            self._log.noted.add("console.last-value", block.last_line)
        self._close()
        facts: dict[str, object] = {"planned_steps": self._planned} if self._planned and self._epoch == 1 else {}
        return Found(records=self._records if len(self._records) else None, facts=facts, framework=self._framework())

    def _framework(self) -> str | None:
        """The framework, also where the blocks have no step and are left out."""
        return "nemo-rl" if self._seen else None

    def _marked(self, text: str, line: int) -> bool:
        """Takes a banner or the head of a block; returns whether it was one."""
        if (banner := _BANNER.fullmatch(text)) is not None:
            self._close()
            self._banner(banner)
        elif (results := _RESULTS.fullmatch(text)) is not None:
            self._close()
            evaluation = results["what"] == "Validation"
            step = self._validating if evaluation and self._validating is not None else self._step
            prefix = f"{results['name']}/" if results["name"] else ""
            self._seen = True
            self._block = _Block(step, line, "eval" if evaluation else "train", prefix)
        elif (validating := _VALIDATING.match(text)) is not None:
            self._close()
            self._validating = int(validating["step"])
        else:
            return False
        return True

    def _banner(self, banner: re.Match[str]) -> None:
        number, whole = int(banner["number"]), int(banner["all"])
        self._validating = None
        if banner["what"] == "Epoch":
            self._epoch = max(number, 1)
            return
        self._step, self._planned = (self._epoch - 1) * whole + number, whole

    def _follow(self, block: _Block, text: str, line: int) -> None:
        item = _ITEM.fullmatch(text)
        block.away = 0 if item is not None else block.away + 1
        if item is None:
            if _HEADING.fullmatch(text.strip()) is not None:
                block.group, block.away = "", 0
            elif block.away > MAX_AWAY:
                self._close()
            return
        if item["bullet"] == "•":
            block.group = ""
        if item["number"] is None:
            block.group = f"{item['name'].strip()}/"
            return
        number = number_of(item["number"])
        if number is not None:
            block.values.setdefault(f"{block.prefix}{block.group}{item['name'].strip()}", number)
            block.last_line = line

    def _close(self) -> None:
        block, self._block = self._block, None
        if block is None or not block.values:
            return
        if block.step is None or block.step >= MAX_STEP:
            self._log.noted.add("console.block-without-step", block.line)
        else:
            self._records.add(block.step, block.values, line=block.line, time=None, kind=block.kind)


DIALECT = Dialect(
    name="nemo-rl",
    framework="nemo-rl",
    needles=(b"= Step ", b"= Epoch ", b"Training Results:", b"Validation Results", b"Starting validation at step "),
    markers=("📊 Training Results:".encode(), "📊 Validation Results".encode(), b"===== Step "),
    parser=_Parser,
)
