"""Lines of console logs as SkyRL's logger prints them, and logs made of them, read."""

from pathlib import Path

from sitegen.model.run import ReadResult
from sitegen.readers.console import READER
from tests.readers.sources import read_fixture, source_of

ACTOR = "(skyrl_entrypoint pid=100)"
"""The process that prints the lines below."""
FIRST = 1780650000.0
"""2026-06-05 09:00:00 UTC, the time of the lines below."""


def logged(text: str, time: str = "09:00:00.000", *, level: str = "INFO") -> str:
    """A line with Ray's and loguru's prefixes."""
    return f"{ACTOR} 2026-06-05 {time} | {level:<8} | skyrl_train.trainer:_log:1965 - {text}\n"


def record(step: int, payload: str = '{"reward/avg_raw_reward": 0.5}') -> str:
    """A metric record of a step."""
    return logged(f"WANDB_MIRROR kind=train step={step} metrics={payload}")


def read(oddity: str) -> ReadResult:
    """The one file of `tests/data/console/<oddity>`, read."""
    return read_fixture("console", oddity)


def read_log(folder: Path, content: str | bytes, name: str = "run-a_1234567.out") -> ReadResult:
    """Some content as a log, read."""
    location = folder / name
    location.write_bytes(content.encode() if isinstance(content, str) else content)
    source = source_of(location)
    assert READER.claims(source)
    return READER.read(source)
