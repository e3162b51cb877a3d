"""The sample archive: its synthetic runs are what the script makes, and the published run tells what was published."""

from pathlib import Path

import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import Run, lineage
from sitegen.publish.run_json import run_json
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings, load_site_settings
from tests.sample_archive import calendar_twin, damaged, outage

RUNS = Path(__file__).parents[1] / "runs"
PUBLISHED = "a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8B"


@pytest.fixture(scope="module")
def settings() -> SiteSettings:
    return load_site_settings(RUNS)


@pytest.fixture(scope="module")
def runs(settings: SiteSettings) -> dict[str, Run]:
    return {task.folder.path: read_run(task, settings) for task in find_runs(RUNS, settings).tasks}


@pytest.mark.parametrize("part", [calendar_twin, outage, damaged], ids=lambda part: part.RUN)
def test_a_synthetic_run_is_what_its_script_writes_and_says_so(part) -> None:
    made = part.files()
    assert {path: (RUNS / path).read_bytes() for path in made} == made
    kept = {file.relative_to(RUNS).as_posix() for file in (RUNS / part.RUN).rglob("*") if file.is_file()}
    assert kept == set(made)
    assert b"**This run is synthetic" in made[f"{part.RUN}/README.md"]
    assert b'"synthetic"' in made[f"{part.RUN}/run.toml"]


def test_the_archive_is_small_and_holds_four_runs(runs: dict[str, Run]) -> None:
    assert set(runs) == {PUBLISHED, calendar_twin.RUN, outage.RUN, damaged.RUN}
    assert sum(file.stat().st_size for file in RUNS.rglob("*") if file.is_file()) < 4_000_000


def test_the_published_run_gives_its_published_figures(runs: dict[str, Run], settings: SiteSettings) -> None:
    run = runs[PUBLISHED]
    told = run_json(run, analyse(run, settings))
    assert [(job["name"], job["first_step"], job["last_step"], job["rows"]) for job in told["jobs"]] == [
        ("job_561773", 1, 47, 47),
        ("job_561774", 47, 80, 34),
    ]
    assert (told["rows"], told["steps"], told["superseded"]) == (81, 80, 1)
    assert round(told["metrics"]["reward/avg_raw_reward"]["mean"], 4) == 0.4798
    assert round(told["metrics"]["reward/avg_pass_at_8"]["mean"], 4) == 0.7426
    assert "policy/policy_kl" not in told["metrics"]
    assert (told["checkpoint"]["step"], told["checkpoint"]["save_interval"]) == (25, 5)
    assert round(told["checkpoint"]["ema"], 4) == 0.5281
    assert round(told["timing"]["wait_for_generation_buffer"]["share_of_step"], 3) == 0.878
    assert (told["trials"], told["engines"]) == (None, None)
    published = told["published"]["trials"]
    assert published["total"] == 43_795
    assert round(published["exceptions"]["none"] / published["total"], 3) == 0.882
    assert run.config is not None
    assert run.config.assumed
    assert run.steps_from_report


def test_the_calendar_twin_tells_its_story(runs: dict[str, Run], settings: SiteSettings) -> None:
    run = runs[calendar_twin.RUN]
    told = run_json(run, analyse(run, settings))
    assert (told["rows"], told["steps"], told["superseded"], len(told["jobs"])) == (82, 80, 2, 3)
    assert told["checkpoint"]["step"] == 80
    kept = lineage(run).set_index("step")
    assert kept["reward/avg_pass_at_8"].iloc[:8].tolist().index(1.0) == 7
    assert kept["reward/avg_raw_reward"].idxmax() == 55
    assert told["trials"]["total"] == 4000
    assert told["engines"]["samples"] == 2000


def test_the_outage_has_fewer_trials_with_a_result_than_its_batches_attempted(
    runs: dict[str, Run], settings: SiteSettings
) -> None:
    found = analyse(runs[outage.RUN], settings)
    assert found.trials is not None
    assert found.batch_exceptions is not None
    assert {group.name: group.count for group in found.trials.exceptions} == {"none": 70, "DaytonaError": 250}
    batches = found.batch_exceptions
    assert (batches.steps, batches.attempted, batches.exceptions) == (4, 4 * 256, sum(outage.ERRORS))
