"""What tests of console dialects share: a fixture or a sample read, and its values by step."""

from pathlib import Path

import pytest

from sitegen.model.run import ReadResult
from sitegen.readers.console import READER
from tests.readers.sources import DATA, SAMPLES, kinds, source_of

TRAINERS = ("verl", "xtuner", "trl", "prime-rl", "openrlhf", "slime", "areal", "nemo-rl")

__all__ = ["DATA", "TRAINERS", "fixtures", "kinds", "logged", "read", "sample", "values"]


def fixtures() -> list[Path]:
    """All fixtures of the trainers' dialects."""
    found = [entry for name in TRAINERS for entry in sorted((DATA / "console" / name).rglob("*")) if entry.is_file()]
    assert found
    return found


def read(dialect: str, oddity: str) -> ReadResult:
    """The one file of a dialect's oddity."""
    (location,) = (DATA / "console" / dialect / oddity).iterdir()
    return READER.read(source_of(location))


def sample(name: str) -> ReadResult:
    """A real log; the test is skipped where the samples are absent."""
    location = SAMPLES / "console" / name
    if not location.is_file():
        pytest.skip("the folder of samples is absent")
    return READER.read(source_of(location))


def values(result: ReadResult, metric: str, kind: str = "train") -> list[tuple[int, float]]:
    """Step and value of a metric, in the order logged; rows without it are left out."""
    table = result.steps
    assert table is not None
    rows = table[(table["kind"] == kind) & table[metric].notna()]
    return list(zip(rows["step"].tolist(), rows[metric].tolist(), strict=True))


def logged(result: ReadResult) -> list[tuple[int, str, str]]:
    """The values logged as NaN or infinite: step, metric, value."""
    table = result.nonfinite
    if table is None:
        return []
    return list(zip(table["step"].tolist(), table["metric"].tolist(), table["value"].tolist(), strict=True))
