"""Whole runs from their logs: the published curves come out, whatever the order or dress of the files."""

import csv
import math
import shutil
from pathlib import Path

import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import Run, lineage
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.conftest import RUNS
from tests.readers.console.logs import record
from tests.readers.sources import CURVE_COLUMNS, SAMPLES

RECONSTRUCTED = SAMPLES / "skyrl_RECONSTRUCTED"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")


def run_of(archive: Path) -> Run:
    (task,) = find_runs(archive, SiteSettings()).tasks
    return read_run(task, SiteSettings())


def curve(run: Run) -> list[dict[str, float | None]]:
    rows = lineage(run)
    return [
        {"step": row["step"], **{short: none(row[name]) for short, name in CURVE_COLUMNS.items()}}
        for row in rows.to_dict("records")
    ]


def none(value: float) -> float | None:
    return None if math.isnan(value) else value


def published(name: str) -> list[dict[str, float | None]]:
    with (SAMPLES / "runboard" / name).open() as stream:
        return [{key: float(value) if value else None for key, value in row.items()} for row in csv.DictReader(stream)]


def copied(tmp_path: Path, name: str) -> Path:
    archive = tmp_path / "archive"
    shutil.copytree(RECONSTRUCTED / name, archive / name, copy_function=shutil.copyfile)
    for entry in [archive, *archive.rglob("*")]:
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    return archive


def logs(archive: Path) -> list[Path]:
    return sorted(archive.rglob("*.out"))


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_steps_that_a_resumed_job_logged_again_are_the_later_jobs_and_the_others_stay_reachable(tmp_path, order):
    logs = tmp_path / "archive" / "run-a" / "logs"
    logs.mkdir(parents=True)
    content = {
        "a": ("run-a_1000001.out", [record(step, f'{{"reward/avg_raw_reward": {step}.0}}') for step in range(1, 6)]),
        "b": ("run-a_1000002.out", [record(step, f'{{"reward/avg_raw_reward": {step}.5}}') for step in range(4, 9)]),
    }
    for name in order:
        file, lines = content[name]
        (logs / file).write_text("".join(lines))
    run = run_of(tmp_path / "archive")
    rows = lineage(run)
    assert rows["step"].tolist() == list(range(1, 9))
    assert rows["reward/avg_raw_reward"].tolist() == [1.0, 2.0, 3.0, 4.5, 5.5, 6.5, 7.5, 8.5]
    assert len(run.steps) == 10
    assert run.steps["superseded_last"].sum() == 2
    assert [job.redone for job in run.jobs] == [0, 2]


@needs_samples
def test_nineteen_jobs_stitch_to_the_published_curve_and_checkpoint(tmp_path):
    archive = copied(tmp_path, "currease-lr3e6")
    run = run_of(archive)
    assert curve(run) == published("currease30b_lr3e6.csv")
    assert len(run.jobs) == 19
    assert run.framework == "skyrl"
    with (SAMPLES / "runboard" / "attempts_lr3e6.csv").open() as stream:
        attempts = list(csv.DictReader(stream))
    assert [job.number for job in run.jobs] == [int(row["job_id"]) for row in attempts]
    for job, row in zip(run.jobs, attempts, strict=True):
        first, _, last = row["steps"].partition("-")
        assert (job.first_step, job.last_step) == ((int(first), int(last)) if first else (None, None))
        if row["fate"] == "oom":
            assert job.end.cause == "out_of_memory"
            assert "CUDA out of memory" in job.end.text
        else:
            assert job.end.cause == "unknown"  # these logs do not say it


@needs_samples
def test_the_selected_checkpoint_is_that_of_the_last_attempts(tmp_path):
    archive = copied(tmp_path, "currease-lr3e6")
    (archive / "currease-lr3e6" / "run.toml").write_text("save_interval = 5\n")
    (task,) = find_runs(archive, SiteSettings()).tasks
    choice = analyse(read_run(task, SiteSettings()), SiteSettings()).checkpoint
    assert choice.step == 25
    assert next(item.ema for item in choice.candidates if item.step == 25) == pytest.approx(0.3605, abs=5e-5)


def recoloured(content: bytes) -> bytes:
    import re

    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", content)
    return plain if plain != content else content.replace(b"(skyrl_entrypoint", b"\x1b[36m(skyrl_entrypoint")


@needs_samples
@pytest.mark.parametrize("dress", ["crlf", "colours", "gz", "times"])
def test_order_line_ends_colours_and_compression_change_nothing(tmp_path, dress):
    import gzip
    import os

    archive = copied(tmp_path, "currease-lr3e6")
    plain = run_of(archive)
    for at, entry in enumerate(reversed(logs(archive))):
        content = entry.read_bytes()
        if dress == "crlf":
            entry.write_bytes(content.replace(b"\n", b"\r\n"))
        elif dress == "colours":
            entry.write_bytes(recoloured(content))
        elif dress == "gz":
            entry.unlink()
            (entry.parent / f"{entry.name}.gz").write_bytes(gzip.compress(content))
        os.utime(entry if entry.exists() else entry.parent, (1_000_000 + at, 1_000_000 + at))
    run = run_of(archive)
    assert curve(run) == curve(plain) == published("currease30b_lr3e6.csv")
    assert [job.name for job in run.jobs] == [job.name for job in plain.jobs]
    assert len(run.engines) == len(plain.engines)


@needs_samples
def test_the_legacy_run_stitches_to_its_published_curve(tmp_path):
    run = run_of(copied(tmp_path, "currease-lr5e6-legacy"))
    assert curve(run) == published("currease30b_lr5e6.csv")
    assert [job.end.cause for job in run.jobs] == ["sandbox_failure", "unknown", "out_of_memory", "unknown"]
    assert run.facts["rounded_decimals"] == 4
    outage = run.batches[run.batches["job"].str.endswith("1394836")]
    assert outage["exception/DaytonaError"].tolist() == [128, 128]
    assert outage["step"].tolist() == [1, 2]


def test_a_run_with_a_table_and_a_log_of_the_same_job_counts_each_step_once():
    tasks = find_runs(RUNS, SiteSettings()).tasks
    (task,) = (task for task in tasks if task.folder.name == "synthetic-web-search-outage")
    run = read_run(task, SiteSettings())
    rows = lineage(run)
    assert not rows["step"].duplicated().any()
    log = [use for use in run.sources if use.reader == "console"]
    assert [use.path.rsplit("/", 1)[-1] for use in log] == ["synthetic-web-search-outage_561901.out"]
    assert {"steps", "batches"} <= set(log[0].used_for)
    assert not [problem for problem in run.problems if problem.kind == "assemble.sources-disagree"]
    (job,) = (job for job in run.jobs if job.number == 561901)
    assert (job.end.cause, job.end.line, job.end.last_line) == ("sandbox_failure", 17, 18)
