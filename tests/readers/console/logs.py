"""What the tests of console logs share: fixtures read, and lines as SkyRL's logger prints them."""

from pathlib import Path

from sitegen.model.run import ReadResult
from tests.readers.sources import read_bytes, read_fixture

ACTOR = "(skyrl_entrypoint pid=100)"
"""The process that prints the lines below."""
FIRST = 1780650000.0
"""2026-06-05 09:00:00 UTC, the time of the lines below."""


def read(oddity: str) -> ReadResult:
    """The one file of `tests/data/console/<oddity>`."""
    return read_fixture("console", oddity)


def read_log(folder: Path, text: str, name: str = "run_561901.out") -> ReadResult:
    """A log of the given text."""
    return read_bytes(folder, name, text.encode())


def logged(text: str, clock: str = "09:00:00.000", *, level: str = "INFO") -> str:
    """A line with a logger's stamp."""
    return f"{ACTOR} 2026-06-05 {clock} | {level:<8} | skyrl_train.trainer:_log:1965 - {text}\n"


def record(step: int, metrics: str = '{"a": 1.0}') -> str:
    """A metric record of a step."""
    return logged(f"WANDB_MIRROR kind=train step={step} metrics={metrics}")
