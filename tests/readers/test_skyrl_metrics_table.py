"""The metrics table: what a whole file gives, and what every kind of damage costs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.readers import skyrl_metrics_table as table_reader
from sitegen.readers.csv_table import numbers, parse_csv
from tests.readers.sources import SAMPLES, fixture, kinds, read_bytes, read_fixture, source_of

READER = "skyrl_metrics_table"
NAME = "20260101_000000_metrics_table.csv"


def read(oddity):
    return read_fixture(READER, oddity)


def column(result, name):
    return result.steps[name].tolist()


def test_a_plain_table():
    result = read("plain")
    steps = result.steps
    assert column(result, "job") == ["run_1001", "run_1001", "run_1002"]
    assert column(result, "step") == [1, 2, 2]
    assert column(result, "row") == [2, 3, 4]
    assert column(result, "kind") == ["train"] * 3
    assert column(result, "reward/avg_raw_reward") == [0.25, 0.5, 0.75]
    assert [name for name in steps.columns if "/" in name] == [
        "reward/avg_raw_reward",
        "timing/step",
        "trainer/global_step",
    ]
    assert "global_step" not in steps.columns
    assert result.problems == ()
    assert result.nonfinite is None
    assert result.framework == "skyrl"
    assert result.facts == {}
    assert [(job.name, job.number) for job in result.jobs] == [("run_1001", 1001), ("run_1002", 1002)]


@pytest.mark.parametrize("oddity", ["bom-and-crlf", "carriage-returns-only", "utf-16", "utf-16-without-mark"])
def test_encodings_and_line_ends_change_nothing(oddity):
    """Public bug report 10: a byte order mark or CRLF renamed the first column."""
    plain, odd = read("plain"), read(oddity)
    assert odd.steps.equals(plain.steps)
    assert odd.problems == ()


def test_mixed_types_are_numbers_with_gaps():
    """Public bug report 11: `1`, `2.0`, empty, `n/a`, `inf` in one column."""
    result = read("mixed-types")
    assert column(result, "loss")[:2] == [1.0, 2.0]
    assert all(math.isnan(value) for value in column(result, "loss")[2:])
    assert result.nonfinite[["step", "metric", "value"]].values.tolist() == [[5, "loss", "inf"]]
    (problem,) = result.problems
    assert (problem.kind, problem.line) == ("table.text-ignored", 5)
    assert "loss" in problem.what.en
    assert ": 1 " in problem.what.en


def test_columns_added_and_the_header_repeated():
    """Public bug report 9: the wider row shifts nothing, the header is no data point."""
    result = read("header-repeated-and-columns-added")
    assert column(result, "step") == [1, 3]
    assert column(result, "loss") == [1, 3]
    assert column(result, "row") == [2, 5]
    assert kinds(result) == {"table.long-row": 3, "table.repeated-header": 4}


def test_a_changed_header_is_followed():
    result = read("header-changed")
    assert column(result, "step") == [1, 2]
    assert column(result, "loss") == [1, 7]
    assert np.isnan(column(result, "entropy")[0])
    assert column(result, "entropy")[1] == 0.5
    assert kinds(result) == {"table.changed-header": 3}


def test_nan_and_an_empty_cell_are_different_things():
    """Public bug report 5: nan must not become the best or the last value."""
    result = read("nan-beside-empty")
    assert np.nanmax(column(result, "loss")) == 0.3
    assert result.nonfinite[["step", "row", "value"]].values.tolist() == [[2, 3, "nan"], [5, 6, "-inf"]]
    assert result.nonfinite["kind"].tolist() == ["train", "train"]
    assert "absent_or_nonfinite" not in result.facts


def test_a_half_written_last_row_costs_one_row():
    """Public bug report 7: the row that was being written is left out, the others count."""
    result = read("last-row-cut")
    assert column(result, "step") == [1, 2]
    assert kinds(result) == {"table.truncated": 4}


def test_a_whole_last_row_without_line_end_is_used_and_said():
    result = read("last-line-without-end")
    assert column(result, "step") == [1, 2]
    assert kinds(result) == {"table.no-line-end": 3}


@pytest.mark.parametrize(
    ("oddity", "steps", "found"),
    [
        ("short-rows", [1, 3, 5], {"table.short-row": 3}),
        ("cut-inside-quotes", [1, 2], {"table.unclosed-quote": 4}),
        ("quote-left-open-in-the-middle", [1, 3, 4, 5], {"table.unclosed-quote": 3}),
        ("nul-bytes", [1, 3], {"table.nul": 3}),
        ("header-with-nul-bytes", [1, 3], {"table.nul-in-header": 1, "table.nul": 3}),
        ("header-with-a-line-break", [1, 2], {"table.name-line-break": 1}),
        ("fractional-and-missing-steps", [1, 6], {"table.bad-step": 3}),
        ("steps-disagree", [1, 2, 4], {"table.step-disagrees": 3}),
        ("index-column", [1, 2], {"table.unnamed-column": None}),
        ("column-named-twice", [1], {"table.duplicate-column": None}),
        ("column-named-like-ours", [1], {"table.reserved-column": None}),
        ("text-column", [1, 2], {"table.text-column": None}),
        ("not-utf-8", [1], {"file.encoding": 2}),
        ("huge-integers", [1], {"table.bad-step": 3}),
    ],
)
def test_damage_is_named_by_line_and_costs_only_its_rows(oddity, steps, found):
    result = read(oddity)
    assert column(result, "step") == steps
    problems = kinds(result)
    assert {kind: problems.get(kind) for kind in found} == found
    assert set(problems) <= set(found) | {"table.no-line-end"}


def test_a_damaged_header_keeps_the_names_and_lines_of_its_columns():
    mended = read("header-with-nul-bytes")
    assert column(mended, "reward/avg_raw_reward") == [0.5, 0.25]
    assert column(mended, "row") == [2, 4]
    broken = read("header-with-a-line-break")
    assert column(broken, "reward/ avg_raw_reward") == [0.5, 0.25]
    assert column(broken, "row") == [3, 4]


def test_all_lines_of_a_kind_are_in_one_problem():
    (problem,) = read("short-rows").problems
    assert "line 3, 6" in problem.what.en
    assert "第 3, 6 行" in problem.what.zh


def test_a_record_may_span_lines_and_later_lines_keep_their_numbers():
    result = read("line-break-in-quotes")
    assert column(result, "job") == ["two\nlines", "r", "r"]
    assert column(result, "row") == [2, 4, 5]
    assert kinds(result)["table.text-ignored"] == 5


@pytest.mark.parametrize(
    ("oddity", "kind"),
    [
        ("no-step-column", "table.no-step-column"),
        ("header-only", "table.no-rows"),
        ("blank-lines-only", "file.empty"),
        ("annex-pointer", "file.annex-pointer"),
    ],
)
def test_a_table_without_usable_rows_says_why(oddity, kind):
    result = read(oddity)
    assert result.steps is None
    assert [problem.kind for problem in result.problems] == [kind]


def test_the_first_of_two_equal_columns_counts():
    assert column(read("column-named-twice"), "loss") == [1.0]


def test_a_huge_integer_is_a_number():
    assert column(read("huge-integers"), "tokens") == [1.2345678901234568e29]


def test_the_lost_difference_is_said_only_where_it_is_true():
    assert read("difference-lost").facts == {"absent_or_nonfinite": True}
    assert read("only-batch-errors-have-gaps").facts == {}
    assert read("plain-name").facts == {}


def test_a_record_of_only_an_evaluation_is_one():
    assert column(read("evaluation-before-training"), "kind") == ["eval", "train", "train"]


def test_the_job_of_a_per_log_table_is_in_its_name():
    assert column(read("one-log"), "job") == ["run_1001", "run_1001"]


def test_a_plain_table_of_another_trainer_is_read_without_a_framework():
    result = read("plain-name")
    assert result.framework is None
    assert column(result, "loss") == [0.5, 0.25]
    assert column(result, "job") == ["metrics", "metrics"]


def test_an_engine_table_is_not_taken_for_metrics():
    assert not table_reader.READER.claims(fixture("vllm_table", "plain"))
    assert table_reader.READER.names_match(fixture("vllm_table", "plain").name)


names = st.text(alphabet="abc /,\"'éΩ", min_size=1, max_size=8).map(str.strip).filter(bool)
values = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def whole_tables(draw):
    rows = draw(st.lists(st.tuples(names, st.none() | values), min_size=1, max_size=12))
    lines = ["log_file,loss,trainer/global_step"]
    for step, (job, value) in enumerate(rows):
        quoted = '"' + job.replace('"', '""') + '"' if set(job) & set(',"') else job
        lines.append(f"{quoted},{'' if value is None else repr(value)},{step}")
    return rows, "\n".join(lines) + "\n"


@settings(max_examples=60, deadline=None)
@given(table=whole_tables(), data=st.data())
def test_whole_rows_of_a_truncated_file_come_out_right(tmp_path_factory, table, data):
    rows, text = table
    content = text.encode()
    cut = data.draw(st.integers(len(text.split("\n", 1)[0]) + 1, len(content)))
    result = read_bytes(tmp_path_factory.mktemp("cut"), NAME, content[:cut])
    complete = content[:cut].count(b"\n") - 1
    got = [] if result.steps is None else list(zip(column(result, "step"), column(result, "job"), strict=True))
    assert got[:complete] == [(step, job) for step, (job, _) in enumerate(rows[:complete])]
    assert len(got) <= complete + 1
    if content[:cut] != content and not content[:cut].endswith(b"\n"):
        assert result.problems


@settings(max_examples=60, deadline=None)
@given(table=whole_tables(), data=st.data())
def test_shuffled_rows_keep_their_values(tmp_path_factory, table, data):
    rows, text = table
    header, *lines = text.rstrip("\n").split("\n")
    shuffled = data.draw(st.permutations(lines))
    content = "\n".join([header, *shuffled]).encode() + b"\n"
    result = read_bytes(tmp_path_factory.mktemp("shuffled"), NAME, content)
    assert result.problems == ()
    for step, job, row in zip(column(result, "step"), column(result, "job"), column(result, "row"), strict=True):
        assert job == rows[step][0]
        assert shuffled[row - 2] == lines[step]


@given(st.lists(st.sampled_from(["", "1", "2.5", "nan", "-inf", "n/a", "1_0", " 3 ", "1e5", "٣", "0x1f"])))
def test_a_column_is_read_the_same_cell_by_cell_and_at_once(cells):
    together = numbers(cells)
    alone = [numbers([cell]) for cell in cells]
    assert np.array_equal(together.values, [one.values[0] for one in alone], equal_nan=True)
    assert together.texts == [row for row, one in enumerate(alone) if one.texts]
    assert [row for row, _ in together.nonfinite] == [row for row, one in enumerate(alone) if one.nonfinite]


def test_numbers_are_those_of_the_file_format():
    column_of = numbers(["1", "", "n/a", "nan", "inf", "-Infinity", "1_0", "٣", "1e400"])
    assert column_of.values[0] == 1
    assert np.isnan(column_of.values[1:]).all()
    assert column_of.texts == [2, 6, 7]
    assert column_of.nonfinite == [(3, "nan"), (4, "inf"), (5, "-inf"), (8, "inf")]


@pytest.mark.timeout(60)  # quadratic time would be minutes
def test_an_unclosed_quote_on_every_line_is_read_in_linear_time():
    text = "a,step\n" + '"x,1\n' * 20_000
    _, problems = parse_csv("x.csv", text, lambda row: False)
    assert [problem.kind for problem in problems] == ["table.unclosed-quote"]


def test_ten_thousand_rows_are_read(tmp_path):
    lines = ["log_file,a/x,b/y,c/z,trainer/global_step"]
    lines += [f"job_1,{step / 7},{step},,{step}" for step in range(10_000)]
    location = tmp_path / NAME
    location.write_text("\n".join(lines) + "\n")
    result = table_reader.READER.read(source_of(location))
    assert result.rows == 10_000


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_a_table_of_the_parser_agrees_with_its_own_report():
    folder = SAMPLES / "parse_skyrl_GENERATED" / "agentic"
    (location,) = folder.glob("*_metrics_table.csv")
    steps = table_reader.READER.read(source_of(location)).steps
    assert len(steps) == 12
    assert steps.groupby("job", sort=False).size().tolist() == [2, 5, 5]
    assert steps["reward/avg_raw_reward"].mean() == pytest.approx(0.298833, abs=5e-7)
    assert steps["policy/raw_grad_norm"].count() == 11
    assert steps["batch_errors/total_DaytonaError"].dropna().tolist() == [256]
