"""Console dicts of Transformers' trainer, which TRL, Unsloth and LLaMA-Factory print: one Python dict per log call.

Transformers 4 prints bare floats and `nan`, Transformers 5 strings of four digits. A progress bar may stand before a
dict on its line, and a dict may be broken by a line end, even inside a key. A dict begins a line (behind a bar, Ray's
prefix or LLaMA-Factory's `>> `) and names its epoch; a model's words seldom do.

No dict names its step. In a training that ran to its end the steps follow from the epochs, where these are exact
enough; else, where progress bars stand behind the dicts, the interval of logging follows from them, because the n-th
dict of a training is logged at n times the interval; else the n-th dict counts as step n. Each is a guess and said to
be one. `train_runtime` closes a training; what follows is another one in the same file.

Source: huggingface/transformers `src/transformers/trainer_callback.py` (`ProgressCallback.on_log`), `trainer.py`
(`log`), 4.57 and 5.0; hiyouga/LLaMA-Factory `src/llamafactory/train/callbacks.py` (`LogCallback`), 0.9.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass, field

from sitegen.readers.console.dialect import Dialect, Evidence, Found, Line, Log, shortened
from sitegen.readers.console.held import Kind, is_cut
from sitegen.readers.console.payload import Values, python_dict, split_numbers
from sitegen.readers.console.records import Records
from sitegen.readers.trainer_state import CLOSING, EVALUATION

_DICT = re.compile(r"\{'(?:loss|eval_[^'\n]{1,200}|train_runtime)': ")
_BAR = re.compile(r"\s*\d+%\|[^|]*\|\s*(?P<done>\d{1,9})/(?P<all>\d{1,9}) \[[^\]]*\]?")
_BEFORE = re.compile(rf"(?:{_BAR.pattern})?\s*|.*>> *")
_LLAMAFACTORY = re.compile(r"(?:.*\] )?llamafactory\.[\w.]+:\d+ >> ")
TEXT_DIGITS = 4
"""Significant digits of the numbers that Transformers 5 prints as texts."""
MAX_PARTS = 4
"""Lines over which one dict may be broken."""
MAX_AWAY = 200
"""Lines after a dict among which its progress bar is looked for."""
HALF = 0.005
"""Half of the last decimal of an epoch."""
COMMON = frozenset({1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000})
"""Intervals of logging that people choose."""


@dataclass(slots=True, eq=False)
class _Logged:
    """One dict: its row among the records and what the bars said around it."""

    row: int
    counts: bool
    """Whether it is one of the dicts that are logged at every interval: no evaluation, no closing one."""
    before: tuple[int, int] | None
    """Steps done and planned of the bar glued before it."""
    after: tuple[int, int] | None = None
    """The same of the first bar after it."""


@dataclass(slots=True, eq=False)
class _Training:
    """The dicts of one training."""

    logged: list[_Logged] = field(default_factory=list)
    names: frozenset[str] = frozenset()
    """Names in the latest train dict."""
    closed: bool = False
    epoch: float = 0.0
    """The epoch that the closing dict names; 0 without one."""

    @property
    def planned(self) -> int | None:
        """The length of the bar seen most often; evaluations have bars of their own."""
        bars = [bar for each in self.logged for bar in (each.before, each.after) if bar is not None]
        lengths = Counter(length for _, length in bars)
        return max(lengths, key=lambda length: (lengths[length], length)) if lengths else None


@dataclass(slots=True, eq=False)
class _Part:
    """A dict that has begun and not ended."""

    line: int
    text: str
    before: tuple[int, int] | None
    parts: int = 1


class _Parser:
    """The dicts of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._records = Records()
        self._trainings = [_Training()]
        self._part: _Part | None = None
        self._broken: list[tuple[int, int]] = []
        self._evidence: list[Evidence] = []
        self._away = 0
        self._llamafactory = False
        self._texts = False

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; more are wanted to the end of a broken dict, and to the next progress bar."""
        text = line.said.text
        self._see_bar(text)
        if marked and _LLAMAFACTORY.match(text) is not None:
            self._llamafactory = True
        begun = _DICT.search(text) if marked else None
        if begun is not None and (before := _BEFORE.fullmatch(text, 0, begun.start())) is not None:
            self._give_up(line.number)
            bar = (int(before["done"]), int(before["all"])) if before["done"] else None
            self._begin(text[begun.start() :], line.number, bar)
        elif self._part is not None:
            self._go_on(self._part, text, line.number)
        return self._part is not None or self._away > 0

    def finish(self) -> Found:
        """The records, with the steps worked out."""
        if self._part is not None:
            self._give_up(self._log.lines + 1)
        for first, last in self._broken:
            cut = last > self._log.lines or is_cut(self._log, last)
            self._log.noted.add("console.record-cut" if cut else "console.record-broken", first)
        trainings = [each for each in self._trainings if each.logged]
        if len(trainings) > 1:
            row = trainings[-1].logged[0].row
            self._log.noted.add("console.several-trainings", self._records.lines[row], trainings=len(trainings))
        for training in trainings:
            self._number(training)
        planned = trainings[-1].planned if trainings else None
        facts: dict[str, object] = {"planned_steps": planned} if planned else {}
        if self._texts:
            facts["rounded_digits"] = TEXT_DIGITS
        return Found(
            records=self._records if len(self._records) else None,
            evidence=tuple(self._evidence),
            facts=facts,
            framework="llamafactory" if self._llamafactory else None,
        )

    # Dicts -----------------------------------------------------------------------------------------------------------

    def _begin(self, text: str, line: int, bar: tuple[int, int] | None) -> None:
        while (found := python_dict(text, 0)) is not None:
            values, end = found
            self._record(values, line, bar, text[:end])
            again = _DICT.search(text, end)  # two on one line
            if again is None:
                return
            text, bar = text[again.start() :], None
        self._part = _Part(line, text, bar)

    def _go_on(self, part: _Part, text: str, line: int) -> None:
        part.text += text
        part.parts += 1
        found = python_dict(part.text, 0)
        if found is not None:
            self._part = None
            self._record(found[0], part.line, part.before, part.text[: found[1]])
        elif part.parts >= MAX_PARTS:
            self._give_up(line)

    def _give_up(self, line: int) -> None:
        if self._part is not None:
            self._broken.append((self._part.line, line))
            self._part = None

    def _record(self, found: Values, line: int, bar: tuple[int, int] | None, text: str) -> None:
        if "epoch" not in found and bar is None:
            self._log.noted.add("console.dict-without-epoch", line)
            return  # the trainer always says it; whoever prints behind a bar is a trainer too
        values, others = split_numbers(found, texts_are_numbers=True)
        self._texts = self._texts or any(isinstance(found[name], str) for name in values)
        if others:
            self._log.noted.add("console.text-values", line, name=others[0])
        training = self._trainings[-1]
        if training.closed:
            training = _Training()
            self._trainings.append(training)
        kind: Kind = "eval" if any(name.startswith(EVALUATION) for name in values) else "train"
        if CLOSING in values:
            training.closed, training.epoch = True, values.get("epoch", 0.0)
            values = {name: value for name, value in values.items() if name not in training.names}
            self._evidence.append(Evidence(cause="finished", line=line, text=shortened(text)))
        elif kind == "train":
            training.names = frozenset(values)
        if values:
            counts = kind == "train" and CLOSING not in values
            training.logged.append(_Logged(len(self._records), counts, bar))
            self._records.add(0, values, line=line, time=None, kind=kind)
            self._away = MAX_AWAY

    # Steps -----------------------------------------------------------------------------------------------------------

    def _see_bar(self, text: str) -> None:
        """The first bar after the latest dicts is theirs."""
        if not self._away:
            return
        self._away -= 1
        bar = _BAR.match(text)
        if bar is None:
            return
        self._away = 0
        for training in reversed(self._trainings):
            for each in reversed(training.logged):
                if each.after is not None:
                    return
                each.after = (int(bar["done"]), int(bar["all"]))

    def _number(self, training: _Training) -> None:
        """Gives every dict of a training its step; those not logged at every interval that of the one before."""
        train = [each for each in training.logged if each.counts]
        line = self._records.lines[training.logged[0].row]
        epochs = self._by_epoch(train, training)
        interval = _interval(train, training.planned) if train and epochs is None else None
        if interval is not None:
            self._log.noted.add("console.step-from-bar", line, interval=interval)
        else:
            self._log.noted.add("console.step-counted" if epochs is None else "console.step-from-epoch", line)
        steps = epochs or [(at + 1) * (interval or 1) for at in range(len(train))]
        known = dict(zip((each.row for each in train), steps, strict=True))
        latest = 0
        for each in training.logged:
            latest = known.get(each.row, latest)
            self._records.steps[each.row] = latest

    def _by_epoch(self, train: list[_Logged], training: _Training) -> list[int] | None:
        """The steps by the epochs of a training that ran to its end, where these are exact enough to tell them apart.

        The last epoch belongs to the last planned step; epochs have two decimals.
        """
        column = self._records.columns.get("epoch", ())
        rows = [each.row for each in train]
        if not training.closed or not training.planned or not rows or rows[-1] >= len(column):
            return None
        epochs = [column[row] for row in rows]
        if not all(math.isfinite(epoch) and epoch >= 0 for epoch in epochs) or not training.epoch:
            return None
        per_epoch = training.planned / training.epoch
        steps = [round(epoch * per_epoch) for epoch in epochs]
        rising = all(one < next_one for one, next_one in itertools.pairwise(steps)) and steps[0] > 0
        return steps if rising and per_epoch * HALF < 1 / 2 else None


def _interval(train: list[_Logged], planned: int | None) -> int | None:
    """The interval of logging: no bar before the n-th dict is ahead of n intervals, none after it is behind."""
    low, high = 0, None
    for at, each in enumerate(train, 1):
        if each.before is not None and each.before[1] == planned:
            low = max(low, -(-each.before[0] // at))
        if each.after is not None and each.after[1] == planned and each.after[0]:
            high = min(high or each.after[0], each.after[0] // at)
    interval = low or high
    if not interval or (high is not None and interval > high):
        return None
    if len(train) == 1 and not low and interval not in COMMON and interval - 1 in COMMON:
        interval -= 1  # the bar's own line shows the step after
    last = train[-1].after
    behind = last is None or last[1] != planned or last[0] < (len(train) + 1) * interval
    return interval if behind else None


DIALECT = Dialect(
    name="trl",
    framework="trl",
    needles=(b"{'loss': ", b"{'eval_", b"{'train_runtime': ", b"llamafactory."),
    markers=(b"{'loss': ", b"{'train_runtime': ", b"llamafactory.train."),
    parser=_Parser,
)
