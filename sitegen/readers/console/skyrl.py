"""SkyRL and MarinSkyRL: metric records, batch lines, resumes.

Two ways of logging metrics: `WANDB_MIRROR kind=… step=… metrics={JSON}` on one line, and the older console logger's
`Step N:` followed by a Python dict over many lines, whose floats are strings of four decimals. Both stand at the end
of their step: batch lines and exceptions of step N come before them. The team's own parser gives them to the step
before, so its `batch_errors/*` are one step late. The older logger does not say what it prints: a block of nothing
but an evaluation, such as `Step 0:` before training, is an evaluation.

Source: MarinSkyRL `skyrl_train/trainer.py` (`_log_metrics_stdout`, since 3bf21d52b, 2026-05-12),
`skyrl_train/utils/tracking.py` (`ConsoleLogger`), `examples/terminal_bench/terminal_bench_generator.py` at a559688.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sitegen.model.tables import BATCHES, conform
from sitegen.readers.console.dialect import Dialect, Evidence, Found, Line, Log, shortened
from sitegen.readers.console.payload import json_object, python_dict, split_numbers
from sitegen.readers.console.prefixes import plain
from sitegen.readers.console.records import MAX_STEP, Records
from sitegen.readers.metric_records import kind_of

_MIRROR = re.compile(r"WANDB_MIRROR kind=(?P<kind>[a-z]+) step=(?P<step>\d+) metrics=")
_HEADER = re.compile(r"Step (?P<step>\d+):")
_BATCH = re.compile(r"Batch generation complete: (\d+)/(\d+) successful, (\d+) failed instances, (\d+) masked")
_BREAKDOWN = "Exception breakdown: "
_RESUMED = re.compile(r"Resumed training from global_step (\d+)")
_PROGRESS = re.compile(r"Training Batches Processed:\s+\d+%\|[^|\n]*\|\s*\d+/(\d+)")
_FOUR_DECIMALS = re.compile(r"-?\d+\.\d{4}")
_ZERO = re.compile(r"-?0\.0000")
_SANDBOX = re.compile(r"Daytona|Sandbox|Apptainer|Podman|^Bridge|^EnvironmentStart|^EnvironmentBuild|^AgentEnvironment")
STATUS_S = 1.0
"""A status dict logged within this time of a step's record is of that step."""


def is_sandbox_exception(name: str) -> bool:
    """Whether an exception type is one of the service that runs the sandboxes."""
    return _SANDBOX.search(name) is not None


@dataclass(slots=True, eq=False)
class _Batches:
    """The batch lines of one step."""

    step: int = -1
    line: int = 0
    counts: list[tuple[int, int, int, int]] = field(default_factory=list)
    exceptions: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True, eq=False)
class _Block:
    """A `Step N:` block that has begun."""

    step: int
    line: int
    time: float | None
    process: tuple[str | None, int | None, str | None]
    text: list[str] = field(default_factory=list)


class _Parser:
    """SkyRL's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._records = Records()
        self._batches: list[_Batches] = []
        self._pending = _Batches()
        self._last_batch: tuple[Line, int, Counter[str]] | None = None
        self._exceptions: Counter[str] = Counter()
        self._block: _Block | None = None
        self._status: dict[str, float] = {}
        self._last_record: tuple[int, float | None] | None = None
        self._broken: list[tuple[str, int]] = []
        self._resumed: int | None = None
        self._planned: int | None = None
        self._rounded_zeros = 0
        self._rounded = False

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; the lines after a `Step N:` header are wanted until its dict has ended."""
        if marked:
            self._marked(line)
        elif self._block is not None:
            self._follow(self._block, line)
        return self._block is not None

    def finish(self) -> Found:
        """What was found."""
        if self._block is not None:
            self._log.noted.add("console.record-cut", self._block.line, step=self._block.step)
        for kind, line in self._broken:
            self._log.noted.add("console.record-cut" if line > self._log.lines else kind, line)
        if self._pending.counts:
            self._log.noted.add("console.batches-without-step", self._pending.line, batches=len(self._pending.counts))
        if self._rounded:
            self._log.noted.add("console.rounded", None, zeros=self._rounded_zeros)
        facts: dict[str, object] = {"rounded_decimals": 4} if self._rounded else {}
        if self._planned is not None:
            facts["planned_steps"] = self._planned
        return Found(
            records=self._records if len(self._records) else None,
            batches=self._batch_table(),
            evidence=self._outage(),
            resumed_from=self._resumed,
            facts=facts,
        )

    # Lines -----------------------------------------------------------------------------------------------------------

    def _marked(self, line: Line) -> None:
        if b"WANDB_MIRROR" in line.raw:
            self._mirror(line)
        if b"Training Batches Processed:" in line.raw:
            totals = _PROGRESS.findall(plain(line.raw))
            self._planned = int(totals[-1][:15]) if totals else self._planned
        if not line.said.stamped:
            if self._block is not None:
                self._follow(self._block, line)
            return
        if self._block is not None and line.said.process == self._block.process:
            self._broken_block(self._block)
        self._stamped(line)

    def _stamped(self, line: Line) -> None:
        """A marked line with a logger's stamp: other lines may be a model's words."""
        text = line.said.text
        if (batch := _BATCH.search(text)) is not None:
            self._batch(line, batch)
        elif text.startswith(_BREAKDOWN):
            self._take_exceptions(text)
        elif (header := _HEADER.fullmatch(text)) is not None and line.said.loguru:
            self._block = _Block(int(header["step"][:18]), line.number, line.said.time, line.said.process)
        elif text.startswith("{'final_loss'"):
            self._take_status(line)
        elif (resumed := _RESUMED.search(text)) is not None and self._resumed is None:
            self._resumed = int(resumed[1][:18])

    def _mirror(self, line: Line) -> None:
        text = plain(line.raw)
        for match in _MIRROR.finditer(text):
            found = json_object(text, match.end())
            step = int(match["step"][:18])
            if found is None:
                failed = "_serialize_error" in text[match.end() :]
                self._broken.append(("console.serialize-error" if failed else "console.record-broken", line.number))
                continue
            values = found[0]
            if "_serialize_error" in values:
                self._broken.append(("console.serialize-error", line.number))
                continue
            numbers, others = split_numbers(values, texts_are_numbers=False)
            self._note_texts(others, line.number)
            self._record(step, numbers, line.number, line.said.time, kind=match["kind"])

    def _record(self, step: int, numbers: dict[str, float], line: int, time: float | None, kind: str = "train") -> None:
        if step >= MAX_STEP:
            self._log.noted.add("console.bad-step", line)
            return
        if kind != "eval":
            numbers = {**self._status, **numbers}
            self._status = {}
        self._records.add(step, numbers, line=line, time=time, kind="eval" if kind == "eval" else "train")
        self._last_record = (step, time)
        if self._pending.counts:
            if kind == "eval":
                self._log.noted.add("console.batches-of-eval", self._pending.line)
            else:
                self._pending.step = step
                self._batches.append(self._pending)
            self._pending = _Batches()

    def _take_status(self, line: Line) -> None:
        """A status dict of the policy's training: of the step just logged when logged at the same time."""
        found = python_dict(line.said.text, 0)
        if found is None:
            self._broken.append(("console.record-broken", line.number))
            return
        numbers, _ = split_numbers(found[0], texts_are_numbers=True)
        last, time = self._last_record, line.said.time
        if last is not None and last[1] is not None and time is not None and abs(time - last[1]) <= STATUS_S:
            self._records.add(last[0], numbers, line=line.number, time=time)
        else:
            self._status = numbers

    # Step N: blocks --------------------------------------------------------------------------------------------------

    def _follow(self, block: _Block, line: Line) -> None:
        said = line.said
        if said.process != block.process:
            return  # another process printed in between
        if said.stamped:
            self._broken_block(block)
            return
        block.text.append(said.text)
        if said.text.endswith("}"):
            self._close(block)

    def _close(self, block: _Block) -> None:
        self._block = None
        text = "\n".join(block.text).lstrip()
        found = python_dict(text, 0)
        if found is None:
            self._broken.append(("console.record-broken", block.line))
            return
        self._note_rounding(found[0])
        numbers, others = split_numbers(found[0], texts_are_numbers=True)
        self._note_texts(others, block.line)
        self._record(block.step, numbers, block.line, block.time, kind=kind_of(numbers))

    def _broken_block(self, block: _Block) -> None:
        self._block = None
        self._broken.append(("console.record-broken", block.line))

    def _note_rounding(self, values: dict[str, float | str]) -> None:
        texts = [value for value in values.values() if isinstance(value, str) and _FOUR_DECIMALS.fullmatch(value)]
        self._rounded = self._rounded or bool(texts)
        self._rounded_zeros += sum(_ZERO.fullmatch(value) is not None for value in texts)

    def _note_texts(self, names: list[str], line: int) -> None:
        if names:
            self._log.noted.add("console.text-values", line, name=names[0])

    # Batches ---------------------------------------------------------------------------------------------------------

    def _batch(self, line: Line, batch: re.Match[str]) -> None:
        counts = tuple(int(group[:15]) for group in batch.groups())
        self._pending.line = self._pending.line or line.number
        self._pending.counts.append((counts[0], counts[1], counts[2], counts[3]))
        self._pending.exceptions.update(self._exceptions)
        self._last_batch = (line, counts[0], self._exceptions)
        self._exceptions = Counter()

    def _take_exceptions(self, text: str) -> None:
        found = python_dict(text, len(_BREAKDOWN))
        counts, _ = split_numbers(found[0], texts_are_numbers=False) if found else ({}, [])
        self._exceptions.update({name: int(count) for name, count in counts.items() if 0 <= count < MAX_STEP})

    def _batch_table(self) -> pd.DataFrame | None:
        if not self._batches:
            return None
        sums = np.array([np.sum(np.array(each.counts), axis=0) for each in self._batches], dtype="float64")
        columns: dict[str, object] = {
            "job": [self._log.job] * len(self._batches),
            "step": np.array([each.step for each in self._batches], dtype="int64"),
            "row": np.array([each.line for each in self._batches], dtype="int64"),
            "source": [self._log.path] * len(self._batches),
            "batches": np.array([len(each.counts) for each in self._batches], dtype="float64"),
        }
        for at, name in enumerate(("successful", "instances", "failed", "masked")):
            columns[name] = sums[:, at]
        for name in dict.fromkeys(name for each in self._batches for name in each.exceptions):
            values = [float(each.exceptions.get(name, 0)) for each in self._batches]
            columns[f"exception/{name}"] = np.array(values)
        return conform(pd.DataFrame(columns), BATCHES)

    def _outage(self) -> tuple[Evidence, ...]:
        """The last batch line, when nothing succeeded and most exceptions are the sandbox service's."""
        if self._last_batch is None:
            return ()
        line, successful, exceptions = self._last_batch
        of_sandbox = sum(count for name, count in exceptions.items() if is_sandbox_exception(name))
        if successful or not of_sandbox or of_sandbox * 2 < exceptions.total():
            return ()
        return (Evidence(cause="sandbox_failure", line=line.number, text=shortened(line.said.text), symptom=True),)


DIALECT = Dialect(
    name="skyrl",
    framework="skyrl",
    needles=(
        b"WANDB_MIRROR kind=",
        b" - Step ",
        b"mStep ",  # with colours
        b"{'final_loss': ",
        b"Batch generation complete: ",
        b"Exception breakdown: ",
        b"Resumed training from global_step ",
        b"Training Batches Processed:",
    ),
    markers=(b"WANDB_MIRROR kind=", b"Batch generation complete: ", b"Training Batches Processed:", b"skyrl_train."),
    parser=_Parser,
)
