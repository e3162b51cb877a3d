"""Trainers' logs cut, shuffled or with bytes flipped: nothing raises, and no value is there that was not printed."""

import random
import re

import pytest

from sitegen.model import tables
from sitegen.model.problems import problem_kinds
from sitegen.readers.console import READER
from tests.readers.console.trainer_logs import fixtures
from tests.readers.sources import source_of

FIXTURES = fixtures()
ONE_LINE = ("verl", "openrlhf")
"""Dialects whose records stand alone, whatever lines are around them."""
ROW_BY_ROW = ("verl", "trl", "openrlhf", "prime-rl", "nemo-rl")
"""Dialects whose rows come from one place each."""
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?)")


def _id(entry):
    return f"{entry.parts[-3]}-{entry.parent.name}"


def _read(folder, entry, content):
    location = folder / entry.name
    location.write_bytes(content)
    result = READER.read(source_of(location))
    assert {problem.kind for problem in result.problems} <= set(problem_kinds())
    if result.steps is not None:
        assert result.steps.equals(tables.conform(result.steps, tables.STEPS))
    return result


def _cells(result):
    """Row, metric and value of everything that was read."""
    if result.steps is None:
        return set()
    measures = tables.STEPS.measures(result.steps)
    return {
        (row, name, value)
        for row, *found in result.steps[["row", *measures]].itertuples(index=False)
        for name, value in zip(measures, found, strict=True)
        if value == value
    }


SMALL = 1500
"""Bytes up to which the full run cuts at every byte; beyond, at every seventh."""


def _cuts(content, *, full):
    every = range(len(content) + 1)
    if full:
        return every[:: 1 if len(content) <= SMALL else 7]
    return random.Random(1).sample(every, max(20, len(content) // 20))


def _check_cuts(folder, entry, *, full):
    content = entry.read_bytes()
    whole = _cells(_read(folder, entry, content))
    printed = {float(number) for number in NUMBER.findall(content.decode())}
    for end in _cuts(content, full=full):
        found = _cells(_read(folder, entry, content[:end]))
        if entry.parts[-3] in ROW_BY_ROW:
            assert found <= whole, end
        else:
            assert {value for _, _, value in found} <= printed, end


@pytest.mark.parametrize("entry", FIXTURES, ids=_id)
def test_a_cut_log_has_no_value_that_was_not_printed(tmp_path, entry):
    _check_cuts(tmp_path, entry, full=False)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("entry", FIXTURES, ids=_id)
def test_a_log_cut_nearly_anywhere_has_no_value_that_was_not_printed(tmp_path, entry):
    _check_cuts(tmp_path, entry, full=True)


@pytest.mark.parametrize("entry", FIXTURES, ids=_id)
def test_shuffled_lines_lose_no_record_that_stands_alone(tmp_path, entry):
    content = entry.read_bytes()
    lines = [line for line in content.split(b"\n") if line]
    ordered = {(name, value) for _, name, value in _cells(_read(tmp_path, entry, b"\n".join(lines) + b"\n"))}
    for seed in range(10):
        random.Random(seed).shuffle(lines)
        shuffled = {(name, value) for _, name, value in _cells(_read(tmp_path, entry, b"\n".join(lines) + b"\n"))}
        if entry.parts[-3] in ONE_LINE:
            assert shuffled == ordered


@pytest.mark.parametrize("entry", FIXTURES, ids=_id)
def test_flipped_bytes_do_not_raise(tmp_path, entry):
    content = entry.read_bytes()
    for seed in range(25):
        chance = random.Random(seed)
        damaged = bytearray(content)
        for _ in range(10):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        _read(tmp_path, entry, bytes(damaged))


@pytest.mark.parametrize("entry", FIXTURES, ids=_id)
def test_line_ends_and_encodings_change_nothing(tmp_path, entry):
    text = entry.read_bytes().decode()
    plain = _read(tmp_path, entry, text.encode())
    for changed in (text.replace("\n", "\r\n").encode(), text.encode("utf-16"), text.encode("utf-8-sig")):
        other = _read(tmp_path, entry, changed)
        assert _cells(other) == _cells(plain)
        assert other.framework == plain.framework
