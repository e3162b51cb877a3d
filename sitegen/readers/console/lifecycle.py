"""Lines that say how a job ended, whoever printed them: the trainer, SLURM, Ray, Torch.

Each becomes an `Evidence`; `ends` decides among them. A line counts only in the shape in which its program prints
it: a model that writes about memory has not run out of it.

Source: SLURM 23-25 `slurmstepd` and `srun` messages (`src/slurmd/slurmstepd/mgr.c`, `src/srun/libsrun/launch.c`);
PyTorch 2 `c10::OutOfMemoryError` and `ProcessGroupNCCL.cpp` (watchdog); Ray 2 memory monitor; MarinSkyRL
`skyrl_train/trainer.py`.
"""

from __future__ import annotations

import re

from sitegen.model.run import EndCause
from sitegen.readers.console.dialect import Dialect, Evidence, Found, Line, Log, shortened

_RANK = r"(?:\[rank\d+\]: ?)?"
_TRAINER: tuple[tuple[re.Pattern[str], EndCause], ...] = (
    (re.compile(r"Training done!"), "finished"),
    (re.compile(r"Reached max training steps"), "finished"),
    (re.compile(r"Training stopped early"), "stopped_early"),
)
"""Lines of the trainer: they need a logger's stamp."""
_SYSTEM: tuple[tuple[re.Pattern[str], EndCause], ...] = (
    (re.compile(r"(?:slurmstepd|srun): error: .*DUE TO TIME LIMIT"), "time_limit"),
    (re.compile(r"(?:slurmstepd|srun): error: .*(?:DUE TO NODE FAIL|NODE FAIL|[Nn]ode failure)"), "node_failure"),
    (re.compile(r"(?:slurmstepd|srun): error: .*(?:oom.kill|Out Of Memory|out-of-memory)"), "out_of_memory"),
    (re.compile(r"(?:slurmstepd|srun): error: (?:.*\bJOB\b.*CANCELLED|.*CANCELLED.*DUE TO)"), "cancelled"),
    (
        re.compile(r"srun: error: .*(?:[Ee]xited with exit code [1-9]|: (?:Killed|Aborted|Terminated|Bus error))"),
        "crashed",
    ),
    (re.compile(r"(?:srun: error: .*: )?Segmentation fault"), "crashed"),
    (re.compile(r"Fatal Python error: "), "crashed"),
    (
        re.compile(
            _RANK + r"(?:[\w.]*\.)?(?:OutOfMemoryError\b|(?:\w+Error|\w+Exception): .*"
            r"(?:CUDA out of memory|Cannot allocate memory))"
        ),
        "out_of_memory",
    ),
    (re.compile(r".*Workers \(tasks / actors\) killed due to memory pressure"), "out_of_memory"),
    (re.compile(r".*Watchdog caught collective operation timeout"), "hang"),
)
"""Lines of the system: they stand at the beginning, after the prefixes."""
_STEP_CANCELLED = re.compile(r"(?:slurmstepd|srun): error: .*\bSTEP\b.*CANCELLED")
_JOB_NUMBER = re.compile(r"\bJOB (\d{1,15}) ON ")
_MAX_STEPS = re.compile(r"Reached max training steps \((\d{1,15})\)")
_LINK = re.compile(r"wandb: .*?(https://[\w.-]+/[\w.-]+/[\w.-]+/runs/[\w-]+)")
MAX_EVIDENCE = 10_000
"""Lines kept; a log that runs out of memory in a loop says so often enough."""


class _Parser:
    """The lines of one log that speak of its end."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._evidence: list[Evidence] = []
        self._facts: dict[str, object] = {}
        self._number: int | None = None

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; none after it is needed."""
        if not marked:
            return False
        text = line.said.text.lstrip()
        cause = _cause(text, stamped=line.said.stamped, level=line.said.level)
        if cause is not None and len(self._evidence) < MAX_EVIDENCE:
            weak = cause == "cancelled" and _STEP_CANCELLED.match(text) is not None and "DUE TO" not in text
            self._evidence.append(Evidence(cause=cause, line=line.number, text=shortened(text), weak=weak))
        if self._number is None and "JOB " in text and (number := _JOB_NUMBER.search(text)) is not None:
            self._number = int(number[1])
        if (steps := _MAX_STEPS.match(text)) is not None:
            self._facts["planned_steps"] = int(steps[1])
        if "wandb_url" not in self._facts and (link := _LINK.search(text)) is not None:
            self._facts["wandb_url"] = link[1]
        return False

    def finish(self) -> Found:
        """The evidence, the scheduler's number and the tracker's address."""
        return Found(evidence=tuple(self._evidence), number=self._number, facts=self._facts)


def _cause(text: str, *, stamped: bool, level: str | None) -> EndCause | None:
    """What a line says of the job's end, if anything."""
    if stamped:
        found = next((cause for pattern, cause in _TRAINER if pattern.match(text)), None)
        if found is not None:
            return found
        if level in ("ERROR", "CRITICAL") and ("CUDA out of memory" in text or "Cannot allocate memory" in text):
            return "out_of_memory"
    found = next((cause for pattern, cause in _SYSTEM if pattern.match(text)), None)
    return "cancelled" if found is None and _STEP_CANCELLED.match(text) else found


DIALECT = Dialect(
    name="lifecycle",
    framework=None,
    needles=(
        b"Training done!",
        b"Reached max training steps",
        b"Training stopped early",
        b"slurmstepd: error: ",
        b"srun: error: ",
        b"OutOfMemoryError",
        b"CUDA out of memory",
        b"Cannot allocate memory",
        b"killed due to memory pressure",
        b"Watchdog caught collective",
        b"Segmentation fault",
        b"Fatal Python error: ",
        b"wandb.ai/",
    ),
    markers=(
        b"slurmstepd: error: ",
        b"srun: error: ",
        b"torch.OutOfMemoryError: ",
        b"Watchdog caught collective",
    ),
    parser=_Parser,
)
