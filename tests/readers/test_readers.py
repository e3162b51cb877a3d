"""What holds for every reader: one claims each file, pointers and empty files are named, nothing raises."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.model import tables
from sitegen.model.problems import problem_kinds
from sitegen.readers import READERS
from tests.readers.sources import BY_NAME, DATA, SAMPLES, source_of

OWN = (
    "skyrl_metrics_table",
    "vllm_table",
    "trial_table",
    "run_config",
    "rl_config_json",
    "skyrl_report",
    "written_report",
    "model_card",
    "latest_checkpoint",
    "export_folder",
)


def _fixtures(names):
    return [(name, entry) for name in names for entry in sorted((DATA / name).rglob("*")) if entry.is_file()]


FIXTURES = _fixtures(OWN)
ALL = _fixtures(reader.name for reader in READERS if not reader.bundle)


def _id(value):
    return value if isinstance(value, str) else value.relative_to(DATA).parts[1]


def _source(reader: str, entry: Path):
    oddity = DATA / reader / entry.relative_to(DATA / reader).parts[0]
    return source_of(entry, entry.relative_to(oddity).as_posix())


@pytest.mark.parametrize(("reader", "entry"), ALL, ids=_id)
def test_exactly_one_reader_claims_a_file(reader, entry):
    source = _source(reader, entry)
    assert [candidate.name for candidate in READERS if candidate.claims(source)] == [reader]


@pytest.mark.parametrize(("reader", "entry"), FIXTURES, ids=_id)
def test_results_keep_the_contract(reader, entry):
    result = BY_NAME[reader].read(_source(reader, entry))
    assert result.reader == reader
    for name, schema in (
        ("steps", tables.STEPS),
        ("engines", tables.ENGINES),
        ("trials", tables.TRIALS),
        ("nonfinite", tables.NONFINITE),
    ):
        table = getattr(result, name)
        if table is not None:
            assert len(table) > 0
            assert table.equals(tables.conform(table, schema))
            assert set(table["source"]) == {result.source}
            assert table["row"].min() >= 1
    assert all(problem.path == result.source for problem in result.problems)
    assert result.rows > 0 or result.problems


@pytest.mark.parametrize("reader", [name for name in OWN if (DATA / name / "lfs-pointer").is_dir()])
def test_a_pointer_says_what_to_fetch_and_how(reader):
    (entry,) = (DATA / reader / "lfs-pointer").iterdir()
    result = BY_NAME[reader].read(_source(reader, entry))
    (problem,) = result.problems
    assert problem.severity == "error"
    assert "123,456 bytes" in problem.what.en
    assert f"git lfs pull --include={entry.name}" in problem.effect.en
    assert f"git lfs pull --include={entry.name}" in problem.effect.zh
    assert result.rows == 0


@pytest.mark.parametrize("reader", [name for name in OWN if (DATA / name / "empty").is_dir()])
def test_an_empty_file_is_named_not_unreadable(reader):
    (entry,) = (DATA / reader / "empty").iterdir()
    result = BY_NAME[reader].read(_source(reader, entry))
    assert [problem.kind for problem in result.problems] == ["file.empty"]


def test_a_pointer_without_a_size_still_says_how(tmp_path):
    location = tmp_path / "metrics.csv"
    location.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\n")
    (problem,) = BY_NAME["skyrl_metrics_table"].read(source_of(location)).problems
    assert problem.kind == "file.lfs-pointer"
    assert "git lfs pull --include=metrics.csv" in problem.effect.en


def test_a_hostile_name_is_quoted_in_the_command(tmp_path):
    location = tmp_path / "$(rm -rf ~)_metrics_table.csv"
    location.write_text("version https://git-lfs.github.com/spec/v1\n")
    (problem,) = BY_NAME["skyrl_metrics_table"].read(source_of(location)).problems
    assert "git lfs pull '--include=$(rm -rf ~)_metrics_table.csv'" in problem.effect.en


def test_a_file_that_vanished_is_a_problem(tmp_path):
    location = tmp_path / "metrics.csv"
    location.write_text("step,loss\n1,2\n")
    source = source_of(location)
    location.unlink()
    assert [problem.kind for problem in BY_NAME["skyrl_metrics_table"].read(source).problems] == ["file.unreadable"]


def test_names_are_distinct_and_lower_case():
    assert len({reader.name for reader in READERS}) == len(READERS)
    for reader in READERS:
        assert all(pattern == pattern.lower() for pattern in reader.names)
        assert reader.title.en
        assert re.search("[\u4e00-\u9fff]", reader.title.zh)


def test_every_problem_kind_of_a_reader_is_raised_by_a_fixture_or_named_here():
    raised = {
        problem.kind for reader, entry in FIXTURES for problem in BY_NAME[reader].read(_source(reader, entry)).problems
    }
    elsewhere = {"file.unreadable", "file.lfs-pointer"}
    declared = _declared("tables", "config", "report", "card")
    assert declared <= set(problem_kinds())
    assert declared - raised == elsewhere


def _declared(*names):
    folder = Path(__file__).parents[2] / "sitegen" / "strings" / "problems"
    return {key for name in names for key in tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))}


DAMAGED = [(reader, entry) for reader, entry in FIXTURES if 0 < entry.stat().st_size < 20_000]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_makes_a_reader_raise(tmp_path, data):
    _, entry = data.draw(st.sampled_from(DAMAGED))
    content = bytearray(entry.read_bytes())
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    lines = bytes(content).split(b"\n")
    if data.draw(st.booleans()):
        lines = data.draw(st.permutations(lines))
    content = b"\n".join(lines)
    content = content[: data.draw(st.integers(0, len(content)))]
    location = tmp_path / entry.name
    location.write_bytes(content)
    source = source_of(location)
    for candidate in READERS:
        if candidate.claims(source) and candidate.name in OWN:
            result = candidate.read(source)
            assert result.rows > 0 or result.problems or candidate.name in ("run_config", "model_card")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300), reader=st.sampled_from(OWN))
def test_any_bytes_are_read_without_raising(tmp_path, content, reader):
    location = tmp_path / "20260101_000000_metrics_table.csv"
    location.write_bytes(content)
    source = source_of(location)
    BY_NAME[reader].sniff(source)
    BY_NAME[reader].read(source)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_every_sample_of_these_formats_is_read_by_one_reader():
    for entry in sorted((SAMPLES / "parse_skyrl_GENERATED").rglob("*")):
        if entry.is_file():
            source = source_of(entry)
            (reader,) = (candidate for candidate in READERS if candidate.claims(source))
            result = reader.read(source)
            assert result.rows > 0, entry
            assert result.problems == (), entry


def test_the_example_in_the_documentation_works(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "adding-a-reader.md").read_text("utf-8")
    code = text.split("```python\n", 1)[1].split("```", 1)[0]
    names: dict[str, object] = {}
    exec(code, names)
    location = tmp_path / "example_metrics.csv"
    location.write_text("iteration,loss\n1,0.5\n2,n/a\nx,0.1\n3\n")
    source = source_of(location)
    assert names["READER"].claims(source)
    result = names["read"](source)
    assert result.steps["step"].tolist() == [1, 2]
    assert result.steps["row"].tolist() == [2, 3]
    assert [problem.kind for problem in result.problems] == [
        "table.short-row",
        "table.text-ignored",
        "table.text-ignored",
    ]
