"""OpenRLHF's console lines: `✨ Global step N: {dict}`; a fork that trains on old rollouts writes ` [replay]` before
the colon and counts on.

Values are bare numbers, now and then tensors; texts (generated samples) are left out by OpenRLHF itself.

Source: OpenRLHF/OpenRLHF `openrlhf/trainer/ppo_trainer.py` (`fit`), `ppo_trainer_async.py`, 0.7 to 0.9.
"""

from __future__ import annotations

import re

from sitegen.readers.console.dialect import Dialect, Found, Line, Log
from sitegen.readers.console.held import Held, Record, is_cut
from sitegen.readers.console.payload import python_dict, split_numbers

_HEAD = re.compile(r"(?P<mark>✨ )?Global step (?P<step>\d{1,18})(?: \[replay\])?: (?=\{)")


class _Parser:
    """OpenRLHF's lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held = Held(log)
        self._broken: list[int] = []

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line, none after it."""
        head = _HEAD.match(line.said.text) if marked else None
        if head is None or not (head["mark"] or line.said.stamped):
            return False
        found = python_dict(line.said.text, head.end())
        if found is None:
            self._broken.append(line.number)
            return False
        numbers, others = split_numbers(found[0], texts_are_numbers=False)
        if others:
            self._log.noted.add("console.text-values", line.number, name=others[0])
        if numbers:
            self._held.add(Record(step=int(head["step"]), values=numbers, line=line.number, time=line.said.time))
        return False

    def finish(self) -> Found:
        """The records."""
        for line in self._broken:
            self._log.noted.add("console.record-cut" if is_cut(self._log, line) else "console.record-broken", line)
        return Found(records=self._held.whole())


DIALECT = Dialect(
    name="openrlhf",
    framework="openrlhf",
    needles=(b"Global step ",),
    markers=("✨ Global step ".encode(),),
    parser=_Parser,
)
