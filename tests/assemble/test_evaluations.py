"""Dumped evaluations: added only where the logs have nothing of their step."""

from pathlib import Path

from sitegen.assemble import assemble
from sitegen.model.run import ReadResult, RunFolder, RunSettings, SourceFile
from sitegen.settings import SiteSettings
from tests.factories import make_steps

SCORE = "eval/aime/avg_score"


def log(rows):
    steps = make_steps([{"source": "r/a.out", "row": i + 1} | row for i, row in enumerate(rows)])
    return ReadResult(reader="console", source="r/a.out", precedence=40, steps=steps, rows=len(steps))


def dump(step, value):
    source = f"r/exports/dumped_evals/global_step_{step}_evals/aggregated_results.jsonl"
    row = {"job": "dumped_evals", "step": step, "source": source, "kind": "eval", SCORE: value}
    return ReadResult(
        reader="skyrl_evaluation",
        source=source,
        precedence=5,
        steps=make_steps([row]),
        rows=1,
        facts={"evaluation_dump": True},
    )


def run_of(*results):
    files = tuple(SourceFile(path=result.source, location=Path(), size=1) for result in results)
    folder = RunFolder(path="r", name="r", location=Path(), files=files)
    return assemble(folder, results, SiteSettings(), RunSettings(), "r")


def evaluations(run):
    rows = run.steps[run.steps["kind"] == "eval"]
    return list(zip(rows["job"], rows["step"], rows[SCORE], strict=True))


def test_what_the_log_has_is_not_added_again():
    run = run_of(log([{"step": 5, "loss": 1.0, SCORE: 0.25}]), dump(5, 0.25))
    assert len(run.steps) == 1
    assert run.problems == ()
    assert [use.note for use in run.sources] == [None, "lower-precedence"]


def test_a_step_whose_evaluation_the_log_lacks_gets_it_under_its_job():
    rows = [{"job": "a", "step": 5, "loss": 1.0}, {"job": "b", "step": 10, "loss": 1.0}]
    run = run_of(log(rows), dump(5, 0.25), dump(12, 0.5))
    assert evaluations(run) == [("a", 5, 0.25), ("b", 12, 0.5)]
    assert [job.name for job in run.jobs] == ["a", "b"]


def test_without_any_log_every_dump_counts():
    run = run_of(dump(10, 0.5), dump(5, 0.25))
    assert evaluations(run) == [("dumped_evals", 5, 0.25), ("dumped_evals", 10, 0.5)]


def test_a_value_that_differs_from_the_log_is_named():
    run = run_of(log([{"step": 5, SCORE: 0.25}]), dump(5, 0.5))
    (found,) = run.problems
    assert found.what.en == (
        "Averages that differ from those logged at this step: 1, "
        "the first is eval/aime/avg_score (0.5 here, 0.25 there)."
    )
