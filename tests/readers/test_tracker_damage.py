"""Trackers' files cut at any byte, with bytes flipped, lines shuffled, in UTF-16, or empty: nothing raises.

The gate runs a seeded tenth of the cuts and flips; `pytest -m full` all of them.
"""

import random

import pytest

from sitegen.model import tables
from sitegen.model.problems import problem_kinds
from sitegen.readers import READERS
from tests.readers.sources import BY_NAME, DATA, SAMPLES, source_of

OWN = (
    *("verl_jsonl", "xtuner_tracker", "trainer_state", "llamafactory_log", "tinker_metrics", "prime_rl_metrics"),
    *("generic_jsonl", "generic_csv", "wandb_history", "wandb_metadata", "wandb_summary", "wandb_config"),
    *("tensorboard_events", "toml_config", "json_config", "final_results"),
)
SMALL = 3_000
"""Bytes up to which a file is cut at every byte; a longer one at 400 seeded places."""


def _fixtures():
    return [(name, entry) for name in OWN for entry in sorted((DATA / name).rglob("*")) if entry.is_file()]


def _samples():
    if not SAMPLES.is_dir():
        return []
    found = []
    for entry in sorted(SAMPLES.rglob("*")):
        if entry.is_file() and "harbor" not in entry.parts:
            source = source_of(entry, entry.relative_to(SAMPLES).as_posix())
            found += [(reader.name, entry) for reader in READERS if reader.name in OWN and reader.claims(source)]
    return found


FIXTURES = _fixtures()
SAMPLE_FILES = _samples()


def _id(value):
    return value if isinstance(value, str) else "-".join(value.parts[-3:])


def _place(name, entry):
    base = DATA / name
    if entry.is_relative_to(base):
        return "/".join(entry.relative_to(base).parts[1:])
    return entry.relative_to(SAMPLES).as_posix()


def _check(reader, location, place):
    """The contract of a result, whatever the content."""
    source = source_of(location, place)
    BY_NAME[reader].sniff(source)
    result = BY_NAME[reader].read(source)
    for table, schema in ((result.steps, tables.STEPS), (result.nonfinite, tables.NONFINITE)):
        if table is not None:
            assert len(table) > 0
            assert table.equals(tables.conform(table, schema))
            assert set(table["source"]) == {place}
            assert table["row"].min() >= 1
    assert all(problem.path == place for problem in result.problems)
    assert result.rows > 0 or result.problems or reader.endswith("_config")
    return result


def _cuts(size):
    return range(size) if size <= SMALL else sorted(random.Random(size).sample(range(size), 400))


def _damaged(content, share):
    """(kind, bytes) for a seeded share of all cuts, and as many flips; shuffled lines, UTF-16 and nothing always."""
    chosen = random.Random(f"{len(content)}")
    for at in _cuts(len(content)):
        if chosen.random() < share:
            yield "cut", content[:at]
            flipped = bytearray(content)
            flipped[at] ^= 1 << chosen.randrange(8)
            yield "flip", bytes(flipped)
    lines = content.split(b"\n")
    chosen.shuffle(lines)
    yield "shuffled", b"\n".join(lines)
    yield "utf-16", content.decode("utf-8", "replace").encode("utf-16")
    yield "empty", b""


def _try_all(tmp_path, reader, entry, share):
    location = tmp_path / entry.name
    for _, content in _damaged(entry.read_bytes(), share):
        location.write_bytes(content)
        _check(reader, location, _place(reader, entry))


@pytest.mark.parametrize(("reader", "entry"), FIXTURES, ids=_id)
def test_results_keep_the_contract(reader, entry):
    _check(reader, entry, _place(reader, entry))


@pytest.mark.parametrize(("reader", "entry"), FIXTURES, ids=_id)
def test_no_damage_makes_a_reader_raise(tmp_path, reader, entry):
    _try_all(tmp_path, reader, entry, 0.1)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_no_damage_of_a_sample_makes_a_reader_raise(tmp_path):
    for reader, entry in SAMPLE_FILES:
        _try_all(tmp_path, reader, entry, 10 / min(entry.stat().st_size, 400))


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("reader", "entry"), [*FIXTURES, *SAMPLE_FILES], ids=_id)
def test_every_cut_and_flip(tmp_path, reader, entry):
    _try_all(tmp_path, reader, entry, 1.0)


@pytest.mark.parametrize("reader", [name for name in OWN if (DATA / name / "lfs-pointer").is_dir()])
def test_a_pointer_says_what_to_fetch(reader):
    (entry,) = (item for item in (DATA / reader / "lfs-pointer").rglob("*") if item.is_file())
    result = _check(reader, entry, _place(reader, entry))
    (problem,) = result.problems
    assert f"git lfs pull --include={entry.name}" in problem.effect.en


@pytest.mark.parametrize("reader", [name for name in OWN if (DATA / name / "empty").is_dir()])
def test_an_empty_file_is_named(reader):
    (entry,) = (item for item in (DATA / reader / "empty").rglob("*") if item.is_file())
    assert [problem.kind for problem in _check(reader, entry, _place(reader, entry)).problems] == ["file.empty"]


def test_lines_of_a_whole_file_survive_a_cut_behind_them(tmp_path):
    entry = DATA / "tinker_metrics" / "steps_again_after_preemption" / "metrics.jsonl"
    content = entry.read_bytes()
    location = tmp_path / "metrics.jsonl"
    for at in range(len(content)):
        location.write_bytes(content[:at])
        rows = BY_NAME["tinker_metrics"].read(source_of(location)).rows
        ends = content[:at].count(b"\n")
        assert rows == ends + (content[at : at + 1] == b"\n")  # a last line may lack its end only


def test_every_kind_of_problem_is_raised_somewhere():
    import tomllib

    declared = tomllib.loads((DATA.parents[1] / "sitegen/strings/problems/trackers.toml").read_text("utf-8"))
    raised = {item.kind for name, entry in FIXTURES for item in _check(name, entry, _place(name, entry)).problems}
    assert set(declared) <= set(problem_kinds())
    elsewhere = {"tracker.extra-missing", "tracker.too-many-metrics", "tracker.no-step", "tensorboard.not-scalars"}
    assert set(declared) - raised == elsewhere
