import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.readers.sources import BY_NAME, DATA, kinds, read_fixture, source_of

READER = BY_NAME["skyrl_evaluation"]


def test_a_dump_is_one_evaluation_at_the_step_of_its_folder():
    result = read_fixture("skyrl_evaluation", "plain")
    assert result.problems == ()
    (row,) = result.steps.to_dict("records")
    assert (row["job"], row["step"], row["row"], row["kind"]) == ("dumped_evals", 40, 1, "eval")
    assert (row["eval/aime/avg_score"], row["eval/all/pass_at_4"]) == (0.25, 1.0)
    assert (result.framework, result.facts) == ("skyrl", {"evaluation_dump": True})


def test_nan_is_logged_not_absent_and_text_is_left_out():
    result = read_fixture("skyrl_evaluation", "nan-and-text")
    assert result.steps["eval/a/avg_score"].isna().all()
    assert result.nonfinite[["metric", "value", "step"]].to_dict("records") == [
        {"metric": "eval/a/avg_score", "value": "nan", "step": 5}
    ]
    assert kinds(result) == {"evaluation.left-out": 1}


def test_of_several_lines_the_last_whole_one_counts():
    result = read_fixture("skyrl_evaluation", "several-lines-the-last-cut")
    assert result.steps[["row", "eval/a/avg_score"]].to_numpy().tolist() == [[2, 0.5]]
    assert kinds(result) == {"evaluation.broken-line": 3, "evaluation.several": 2}


def test_an_empty_dump_is_named():
    result = read_fixture("skyrl_evaluation", "empty")
    assert (result.steps, kinds(result)) == (None, {"file.empty": None})


def test_an_evaluation_without_training_has_no_step_and_is_not_claimed(tmp_path):
    location = tmp_path / "aggregated_results.jsonl"
    location.write_text("{}")
    assert not READER.claims(source_of(location, "run/exports/dumped_evals/eval_only/aggregated_results.jsonl"))
    assert READER.claims(source_of(location, "run/dumped_evals/global_step_0_evals/aggregated_results.jsonl"))


PLAIN = next((DATA / "skyrl_evaluation" / "plain").rglob("*.jsonl")).read_bytes()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), wide=st.booleans())
def test_no_damage_makes_it_raise(tmp_path, data, wide):
    content = bytearray(PLAIN)
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))]
    location = tmp_path / "aggregated_results.jsonl"
    location.write_bytes(bytes(content).decode("utf-8", "replace").encode("utf-16") if wide else bytes(content))
    result = READER.read(source_of(location, f"dumped_evals/global_step_1_evals/{location.name}"))
    assert result.rows == 1 or result.problems or not json.loads(content)


@pytest.mark.parametrize("value", ["1e999", "1" * 400, "[1]", "true", "null"])
def test_values_that_are_no_numbers_never_raise(tmp_path, value):
    location = tmp_path / "aggregated_results.jsonl"
    location.write_text(f'{{"eval/a": {value}, "step": 9, "eval/b": 2}}')
    result = READER.read(source_of(location, f"dumped_evals/global_step_3_evals/{location.name}"))
    assert result.steps[["step", "eval/b"]].to_numpy().tolist() == [[3, 2.0]]
