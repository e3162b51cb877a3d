"""No damage makes the reader raise, and what is left undamaged is still read."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.model import tables
from sitegen.readers.console import READER
from tests.readers.console.logs import record
from tests.readers.sources import DATA, SAMPLES, source_of

FIXTURES = [entry for entry in sorted((DATA / "console").rglob("*.out")) if entry.stat().st_size]
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


def check(folder, content):
    location = folder / "run-a_1234567.out"
    location.write_bytes(content)
    source = source_of(location)
    READER.sniff(source)
    result = READER.read(source)
    for name, schema in (
        ("steps", tables.STEPS),
        ("engines", tables.ENGINES),
        ("nonfinite", tables.NONFINITE),
        ("batches", tables.BATCHES),
    ):
        table = getattr(result, name)
        if table is not None:
            assert len(table) > 0
            assert table.equals(tables.conform(table, schema))
            assert table["row"].between(1, content.count(b"\n") + 1).all()
    assert len(result.problems) < 40
    assert len(result.jobs) == 1
    return result


def damaged(data, content):
    content = bytearray(content)
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    lines = bytes(content).split(b"\n")
    if data.draw(st.booleans()):
        lines = data.draw(st.permutations(lines))
    content = b"\n".join(lines)
    return content[: data.draw(st.integers(0, len(content)))]


def short(data, entries):
    entry = data.draw(st.sampled_from(entries))
    content = entry.read_bytes()
    start = data.draw(st.integers(0, max(0, len(content) - 4000)))
    return content[start : start + 4000]


@settings(derandomize=True, max_examples=100, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_a_damaged_log_is_read_as_far_as_it_is_whole(tmp_path, data):
    check(tmp_path, damaged(data, short(data, FIXTURES)))


@pytest.mark.full
@settings(max_examples=1500, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
@pytest.mark.timeout(600)
def test_a_damaged_log_is_read_as_far_as_it_is_whole_in_full(tmp_path, data):
    check(tmp_path, damaged(data, short(data, FIXTURES)))


@settings(derandomize=True, max_examples=40, deadline=None, suppress_health_check=QUIET)
@given(content=st.binary(max_size=400))
def test_any_bytes_are_read(tmp_path, content):
    check(tmp_path, content)


def cuts(content, every):
    return range(0, len(content) + 1, every)


@pytest.mark.parametrize("entry", FIXTURES, ids=lambda entry: entry.parent.name)
def test_a_log_cut_at_every_tenth_byte(tmp_path, entry):
    content = entry.read_bytes()
    seen = -1
    for end in cuts(content, max(10, len(content) // 60)):
        result = check(tmp_path, content[:end])
        rows = 0 if result.steps is None else len(result.steps)
        if re.search(r"_10000\d\d\.out$", entry.name):  # SkyRL's: more of a log never gives fewer records
            assert rows >= seen
        seen = rows


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("entry", FIXTURES, ids=lambda entry: entry.parent.name)
def test_a_log_cut_at_every_byte(tmp_path, entry):
    content = entry.read_bytes()
    for end in cuts(content, 1):
        check(tmp_path, content[:end])


def test_a_log_of_records_cut_anywhere_holds_every_whole_record(tmp_path):
    content = "".join(record(step) for step in range(1, 6)).encode()
    for end in cuts(content, 7):
        result = check(tmp_path, content[:end])
        whole = content[:end].count(b"}")
        assert (0 if result.steps is None else len(result.steps)) == whole


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
@settings(derandomize=True, max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_damaged_samples(tmp_path, data):
    entries = [entry for pattern in ("*.out", "*.log") for entry in sorted(SAMPLES.rglob(pattern))]
    check(tmp_path, damaged(data, short(data, [entry for entry in entries if entry.stat().st_size])))
