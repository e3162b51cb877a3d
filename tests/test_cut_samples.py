"""Every sample cut at every byte: its reader names what is lost and never raises.

What is cut, and how: a sample of at most `WHOLE` bytes is cut at each byte as it stands, and so is one of any size
whose format is not made of lines (JSON, Markdown). A longer one is cut as it stands at the end of each line; and each
byte of each of its lines is cut with only `BEFORE` bytes of whole lines in front of it (and a table's header), since
what a reader makes of a half-written line does not hang on what stands farther back. A file without lines (W&B's
history) is cut as it stands at each byte of its first and last `EDGE` bytes, at each byte around the ends of its
blocks, and at every `STRIDE`th byte between.

Tables are made once for what was read and taken again where a further cut gives the same records: nearly all do.
The gate cuts at a seeded share of these places, `pytest -m full` at all. Skipped where the samples are absent.
"""

import os
import pickle
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sitegen.model import tables
from sitegen.model.run import HEAD_BYTES, ReadResult, SourceFile
from sitegen.readers import READERS
from sitegen.readers.base import Reader
from sitegen.readers.console.records import Records
from sitegen.readers.metric_records import metric_tables
from sitegen.scan import claimant
from tests.readers.sources import SAMPLES

WHOLE = 4_000
"""Bytes up to which a file of lines is cut as it stands."""
BEFORE = 1_000
"""Bytes of whole lines that stand before a half-written one."""
EDGE, STRIDE, BLOCK = 4_096, 7, 32_768
SHARE = 0.01
"""Of the places, in the gate."""

WITH_HEADER = frozenset({"skyrl_metrics_table", "vllm_table", "trial_table", "generic_csv"})
BY_LINES = WITH_HEADER | {
    *("console", "generic_jsonl", "verl_jsonl", "xtuner_tracker", "llamafactory_log", "tinker_metrics"),
    *("prime_rl_metrics", "run_config", "wandb_config", "toml_config"),
}
"""Readers of files whose records (or settings) are lines or a few lines each."""
BINARY = frozenset({"wandb_history", "tensorboard_events"})


def _samples() -> list[tuple[str, Path]]:
    """Reader and file, for the samples that a reader takes."""
    if not SAMPLES.is_dir():
        return []
    found = []
    for entry in sorted(SAMPLES.rglob("*")):
        if entry.is_file() and entry.parent != SAMPLES:
            reader = claimant(_source(entry, entry, entry.read_bytes()), READERS)
            if reader is not None:
                found.append((reader.name, entry))
    return found


def _source(entry: Path, location: Path, content: bytes) -> SourceFile:
    path = f"run/{entry.relative_to(SAMPLES).as_posix()}"
    return SourceFile(path=path, location=location, size=len(content), head=content[:HEAD_BYTES])


FILES = _samples()
pytestmark = pytest.mark.skipif(not FILES, reason="the samples are not beside this repository")
Part = tuple[bytes, Sequence[int]]
"""A content, and the places to cut it."""


def parts(reader: str, content: bytes) -> Iterator[Part]:
    """What to cut, and where."""
    size = len(content)
    if reader in BINARY:
        near = {end + at for end in range(BLOCK, size, BLOCK) for at in range(-40, 41)} | set(range(0, size, STRIDE))
        near |= set(range(min(EDGE, size))) | set(range(max(0, size - EDGE), size))
        yield content, sorted(near)
    elif size <= WHOLE or reader not in BY_LINES:
        yield content, range(size)
    else:
        yield from _windows(content, with_header=reader in WITH_HEADER)


def _windows(content: bytes, *, with_header: bool) -> Iterator[Part]:
    lines = content.splitlines(keepends=True)
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line))
    for number, line in enumerate(lines):
        first = next(at for at in range(number + 1) if ends[number] - ends[at] <= BEFORE)
        before = content[ends[first] : ends[number]]
        header = lines[0] if first and with_header else b""
        start = len(header) + len(before)
        yield header + before + line, range(start, start + len(line))
        yield content, range(ends[number], ends[number] + 1)


def test_the_parts_of_a_long_file_hold_each_of_its_bytes() -> None:
    lines = [b"step,x\n", *(b"%d," % number * (number % 50) + b"\n" for number in range(400))]
    content = b"".join(lines)
    for reader in ("console", "vllm_table"):
        cut = list(parts(reader, content))
        whole = [places for text, places in cut if text == content]
        short = [(text, places) for text, places in cut if text != content]
        assert [tuple(places) for places in whole] == [(len(b"".join(lines[:at])),) for at in range(len(lines))]
        assert [text[places[0] :] for text, places in short] == lines
        assert all(len(places) == len(text) - places[0] for text, places in short)
        assert all(text.startswith(b"step,x\n") for text, _ in short) == (reader == "vllm_table")
        assert max(len(text) for text, _ in short) <= BEFORE + 50 * 4 + 8
    assert [places for _, places in parts("trainer_state", content)] == [range(len(content))]


@pytest.fixture
def tables_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the tables of equal records once: most of the time that reading a short file takes goes there."""
    for function in (metric_tables, tables.table_of, tables.conform):
        again = _remembered(function)
        for module in [module for name, module in sys.modules.items() if name.startswith("sitegen.")]:
            for name in [name for name, value in vars(module).items() if value is function]:
                monkeypatch.setattr(module, name, again)
    for name in ("table", "nonfinite_table"):
        monkeypatch.setattr(Records, name, _remembered(getattr(Records, name)))


def _remembered(function):
    known = {}

    def remembered(*arguments):
        key = pickle.dumps(arguments)
        if key not in known:
            if len(known) > 50:
                known.clear()
            known[key] = function(*arguments)
        return known[key]

    return remembered


def _cut(folder: Path, reader: Reader, entry: Path, share: float) -> int:
    """Reads the file cut at the share of the places; returns at how many."""
    location = folder / "content"
    chosen = random.Random(entry.relative_to(SAMPLES).as_posix())
    count = 0
    for content, places in parts(reader.name, entry.read_bytes()):
        ends = places if share == 1 else [at for at in places if chosen.random() < share]
        if ends:
            location.write_bytes(content)
        for end in reversed(ends):
            os.truncate(location, end)
            source = _source(entry, location, content[:end])
            reader.sniff(source)
            _check(reader.read(source), source)
            count += 1
    return count


def _check(result: ReadResult, source: SourceFile) -> None:
    assert {problem.path for problem in result.problems} <= {source.path}
    for table in (result.steps, result.engines, result.trials, result.batches, result.nonfinite):
        assert table is None or len(table) > 0


def _id(value: str | Path) -> str:
    return value if isinstance(value, str) else "-".join(value.parts[-2:])


@pytest.mark.parametrize("name", sorted({name for name, _ in FILES}))
def test_samples_cut_at_some_bytes_are_read(tmp_path: Path, tables_once: None, name: str) -> None:
    (reader,) = (each for each in READERS if each.name == name)
    for entry in (entry for taker, entry in FILES if taker == name):
        _cut(tmp_path, reader, entry, SHARE)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("name", "entry"), FILES, ids=_id)
def test_samples_cut_at_any_byte_are_read(tmp_path: Path, tables_once: None, name: str, entry: Path) -> None:
    (reader,) = (each for each in READERS if each.name == name)
    assert _cut(tmp_path, reader, entry, 1) >= min(entry.stat().st_size, 1)
