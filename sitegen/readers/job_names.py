"""What a job's name says: the scheduler's number at its end."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sitegen.model.run import JobRecord

_NUMBER = re.compile(r"(?:^|_|-)(\d{4,10})$")


def job_number(name: str) -> int | None:
    """The scheduler's job number of `<run>_<number>`; None when the name ends otherwise."""
    match = _NUMBER.search(name)
    return int(match[1]) if match else None


def job_records(names: Iterable[str], source: str) -> tuple[JobRecord, ...]:
    """One record per distinct name, in order of first appearance."""
    return tuple(JobRecord(name=name, number=job_number(name), source=source) for name in dict.fromkeys(names))
