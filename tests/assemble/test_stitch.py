"""Stitching: segments, lineage and superseded records under both rules."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.assemble.stitch import stitch
from tests.factories import make_steps

RUNBOARD = Path(__file__).parents[3] / "shared" / "samples" / "runboard"


def rows(job: str, *steps: int, kind: str = "train", at: int = 1) -> list[dict[str, object]]:
    return [
        {"job": job, "source": job, "row": at + i, "step": step, "kind": kind, "m": 1.0} for i, step in enumerate(steps)
    ]


def kept(table: pd.DataFrame, rule: str, kind: str = "train") -> list[tuple[str, int]]:
    mine = table[(table[f"superseded_{rule}"] == 0) & (table["kind"] == kind)].sort_values("step")
    return list(zip(mine["job"], mine["step"].tolist(), strict=True))


def test_one_rising_job_is_one_segment() -> None:
    found = stitch(make_steps(rows("a", 1, 2, 3)), ["a"], {})
    assert [(s.job, s.first, s.last, s.parent) for s in found.segments] == [("a", 1, 3, None)]
    assert found.steps[["segment", "superseded_last", "superseded_first"]].to_numpy().sum() == 0


def test_three_overlapping_segments_keep_exactly_the_lineage() -> None:
    table = make_steps(rows("a", 1, 2, 3, 4, 5) + rows("b", 4, 5, 6, 7, 8) + rows("c", 7, 8, 9))
    found = stitch(table, ["a", "b", "c"], {})
    assert kept(found.steps, "last") == [
        *[("a", 1), ("a", 2), ("a", 3)],
        *[("b", 4), ("b", 5), ("b", 6)],
        *[("c", 7), ("c", 8), ("c", 9)],
    ]
    assert kept(found.steps, "first") == [
        *[("a", 1), ("a", 2), ("a", 3), ("a", 4), ("a", 5)],
        *[("b", 6), ("b", 7), ("b", 8)],
        ("c", 9),
    ]
    assert found.lineage == (0, 1, 2)


def test_a_branch_that_was_given_up_is_off_the_lineage() -> None:
    table = make_steps(rows("a", 1, 2, 3, 4, 5, 6) + rows("b", 3, 4) + rows("c", 6, 7))
    found = stitch(table, ["a", "b", "c"], {})  # c goes on from step 5, which only a logged
    assert kept(found.steps, "last") == [*[("a", step) for step in (1, 2, 3, 4, 5)], ("c", 6), ("c", 7)]
    assert [(s.job, s.parent) for s in found.segments] == [("a", None), ("b", None), ("c", 0)]


def test_the_resume_line_chooses_the_parent() -> None:
    table = make_steps(rows("a", 1, 2, 3, 4, 5) + rows("b", 3, 4) + rows("c", 6, 7))
    assert kept(stitch(table, ["a", "b", "c"], {"c": 4}).steps, "last") == [
        *[("a", 1), ("a", 2), ("b", 3), ("b", 4), ("c", 6), ("c", 7)]
    ]
    assert kept(stitch(table, ["a", "b", "c"], {"c": 5}).steps, "last") == [
        *[("a", step) for step in (1, 2, 3, 4, 5)],
        *[("c", 6), ("c", 7)],
    ]


def test_a_restart_from_scratch_supersedes_everything_before() -> None:
    found = stitch(make_steps(rows("a", 1, 2, 3) + rows("b", 1, 2)), ["a", "b"], {})
    assert kept(found.steps, "last") == [("b", 1), ("b", 2)]
    assert kept(found.steps, "first") == [("a", 1), ("a", 2), ("a", 3)]


def test_a_step_that_goes_back_within_a_job_opens_a_segment() -> None:
    found = stitch(make_steps(rows("a", 1, 2, 3, 2, 3, 4, 4)), ["a"], {})
    assert found.steps.sort_values("row")["segment"].tolist() == [0, 0, 0, 1, 1, 1, 2]
    assert found.steps.sort_values("row")["superseded_last"].tolist() == [0, 1, 1, 0, 0, 1, 0]
    assert found.steps.sort_values("row")["superseded_first"].tolist() == [0, 0, 0, 1, 1, 0, 1]


def test_a_format_with_two_clocks_has_no_segments_but_still_one_record_per_step() -> None:
    found = stitch(make_steps(rows("a", 1, 2, 1, 3, 4, 2, 5, 6, 3)), ["a"], {}, frozenset({"a"}))
    in_file = found.steps.sort_values("row")
    assert in_file["segment"].tolist() == [0] * 9
    assert in_file["superseded_last"].tolist() == [1, 1, 0, 1, 0, 0, 0, 0, 0]
    assert in_file["superseded_first"].tolist() == [0, 0, 1, 0, 0, 1, 0, 0, 1]


def test_evaluation_rows_are_superseded_only_by_evaluation_rows_of_their_step() -> None:
    table = make_steps(
        rows("a", 1, 2, 3, 4)
        + rows("a", 0, 4, kind="eval", at=10)
        + rows("b", 3, 4)
        + rows("b", 4, 8, kind="eval", at=10)
    )
    found = stitch(table, ["a", "b"], {})
    assert kept(found.steps, "last", "eval") == [("a", 0), ("b", 4), ("b", 8)]
    assert kept(found.steps, "first", "eval") == [("a", 0), ("a", 4), ("b", 8)]
    assert kept(found.steps, "last") == [("a", 1), ("a", 2), ("b", 3), ("b", 4)]


def test_missing_steps_between_jobs_are_a_gap_but_sparse_logging_is_not() -> None:
    assert stitch(make_steps(rows("a", 1, 2, 3) + rows("b", 7, 8)), ["a", "b"], {}).gaps == ((4, 6),)
    sparse = make_steps(rows("a", 10, 20, 30) + rows("b", 40, 50))
    assert stitch(sparse, ["a", "b"], {}).gaps == ()


def test_jobs_without_train_rows_change_nothing() -> None:
    found = stitch(make_steps(rows("b", 1, 2) + rows("c", 0, kind="eval")), ["a", "b", "c"], {})
    assert found.lineage == (0,)
    assert kept(found.steps, "last") == [("b", 1), ("b", 2)]


def test_no_rows_at_all() -> None:
    found = stitch(make_steps([]), [], {})
    assert (len(found.steps), found.segments, found.lineage) == (0, (), ())


JOBS = ["j1", "j2", "j3", "j4"]
histories = st.lists(st.lists(st.integers(0, 12), max_size=8), min_size=1, max_size=4)
resumes = st.dictionaries(st.sampled_from(JOBS), st.integers(0, 12))


def table_of(history: list[list[int]]) -> pd.DataFrame:
    return make_steps([row for job, steps in zip(JOBS, history, strict=False) for row in rows(job, *steps)])


@settings(deadline=None)
@given(histories, resumes)
def test_nothing_is_lost_and_the_lineage_rises(history: list[list[int]], resumed: dict[str, int]) -> None:
    table = table_of(history)
    found = stitch(table, JOBS, resumed).steps
    key = ["job", "row", "step"]
    assert sorted(found[key].itertuples(index=False)) == sorted(table[key].itertuples(index=False))
    for rule in ("last", "first"):
        assert found[f"superseded_{rule}"].isin([0, 1]).all()
        steps = [step for _, step in kept(found, rule)]
        assert steps == sorted(set(steps))
    logged = {step for steps in history for step in steps}
    assert {step for _, step in kept(found, "first")} == logged
    if logged:  # the very last record is always on the lineage
        job = max(i for i, steps in enumerate(history) if steps)
        assert (JOBS[job], history[job][-1]) in kept(found, "last")


@settings(deadline=None)
@given(histories, resumes, st.randoms(use_true_random=False))
def test_the_order_in_which_files_come_does_not_matter(
    history: list[list[int]], resumed: dict[str, int], random: object
) -> None:
    table = table_of(history)
    order = list(range(len(table)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = table.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(stitch(table, JOBS, resumed).steps, stitch(shuffled, JOBS, resumed).steps)


@settings(deadline=None)
@given(histories)
def test_kept_records_of_a_job_come_before_those_of_later_jobs(history: list[list[int]]) -> None:
    found = stitch(table_of(history), JOBS, {}).steps
    jobs = [job for job, _ in kept(found, "last")]
    assert jobs == sorted(jobs)


@pytest.mark.skipif(not RUNBOARD.exists(), reason="the samples are not beside this repository")
@pytest.mark.parametrize("name", ["lr3e6", "lr5e6"])
def test_real_chains_stitch_to_the_published_curve(name: str) -> None:
    attempts = pd.read_csv(RUNBOARD / f"attempts_{name}.csv")
    curve = pd.read_csv(RUNBOARD / f"currease30b_{name}.csv")
    table = [
        row
        for job, span in zip(attempts["job_id"], attempts["steps"], strict=True)
        if "-" in span.strip("-")
        for row in rows(str(job), *range(int(span.split("-")[0]), int(span.split("-")[1]) + 1))
    ]
    found = stitch(make_steps(table), [str(job) for job in attempts["job_id"]], {})
    assert [step for _, step in kept(found.steps, "last")] == curve["step"].tolist()
    if name == "lr3e6":  # steps 21 and 22 were done twice; the later attempt counts
        assert kept(found.steps, "last")[20:22] == [("1397228", 21), ("1397228", 22)]
        assert kept(found.steps, "first")[20:22] == [("1392692", 21), ("1392692", 22)]
