"""Logs that were rotated while their job went on: the parts are one log, in the order in which they were written."""

import gzip

import pytest

from sitegen.assemble.parts import logged_order
from sitegen.model.run import lineage
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.readers.console.logs import record

SETTINGS = SiteSettings()
RESUMED = (
    "(skyrl_entrypoint pid=100) 2026-06-05 08:59:00.000 | INFO     | skyrl_train.trainer:load:1 - "
    "Resumed training from global_step 4\n"
)
DONE = "(skyrl_entrypoint pid=100) 2026-06-05 11:59:00.000 | INFO     | skyrl_train.trainer:train:1 - Training done!\n"


def parts_of(folder, **parts):
    """A run whose files are the given texts; in names `__` stands for a full stop."""
    logs = folder / "run" / "logs"
    logs.mkdir(parents=True)
    for name, text in parts.items():
        content = text.encode()
        name = name.replace("__", ".")
        (logs / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (task,) = find_runs(folder, SETTINGS).tasks
    return read_run(task, SETTINGS)


def records(first, last):
    return "".join(record(step) for step in range(first, last + 1))


def kinds(run):
    return {item.kind: (item.severity, item.path) for item in run.problems}


def test_parts_are_one_job_whose_records_follow_each_other(tmp_path):
    run = parts_of(
        tmp_path,
        run_1234567__out=records(9, 12) + DONE,
        run_1234567__out__1=records(7, 8),
        run_1234567__out__2__gz=RESUMED + records(5, 6),
    )
    assert lineage(run)["step"].tolist() == list(range(5, 13))
    assert set(run.steps["segment"]) == {0}
    assert (run.steps["superseded_last"] == 0).all()
    (job,) = run.jobs
    assert (job.name, job.number, job.resumed_from, job.rows) == ("run_1234567", 1234567, 4, 8)
    assert (job.end.cause, job.end.path) == ("finished", "run/logs/run_1234567.out")
    assert kinds(run) == {"assemble.rotated-log": ("info", "run/logs/run_1234567.out")}
    (said,) = run.problems
    assert "3 parts (run_1234567.out.2.gz, run_1234567.out.1, run_1234567.out)" in said.what.en


def test_each_row_keeps_its_own_file_and_line(tmp_path):
    run = parts_of(tmp_path, a_1234567__log=records(3, 3), a_1234567__log__1=records(1, 2))
    rows = run.steps.sort_values("step")[["step", "source", "row"]].values.tolist()
    assert [row[:2] for row in rows] == [
        [1, "run/logs/a_1234567.log.1"],
        [2, "run/logs/a_1234567.log.1"],
        [3, "run/logs/a_1234567.log"],
    ]
    assert rows[0][2] == rows[2][2] == 1
    uses = {use.path: (use.reader, use.rows, use.note) for use in run.sources}
    assert uses == {
        "run/logs/a_1234567.log": ("console", 1, None),
        "run/logs/a_1234567.log.1": ("rotated_log", 2, None),
    }


def test_old_parts_alone_are_a_log_and_a_missing_one_is_named(tmp_path):
    run = parts_of(tmp_path, a_1234567__out__3=records(1, 2), a_1234567__out__1=records(5, 6))
    assert lineage(run)["step"].tolist() == [1, 2, 5, 6]
    assert kinds(run)["assemble.rotated-part-missing"] == ("warning", "run/logs/a_1234567.out.1")
    (said,) = [item for item in run.problems if item.kind == "assemble.rotated-part-missing"]
    assert said.what.en == "A rotated log lacks a part: a_1234567.out, a_1234567.out.2."


def test_a_resume_within_a_part_is_a_segment_of_its_own(tmp_path):
    run = parts_of(tmp_path, a_1234567__out=records(4, 6), a_1234567__out__1=records(1, 3) + records(2, 3))
    assert lineage(run)["step"].tolist() == [1, 2, 3, 4, 5, 6]
    assert int((run.steps["superseded_last"] != 0).sum()) == 2


def test_two_logs_are_not_mixed(tmp_path):
    run = parts_of(
        tmp_path,
        run_1000001__out=records(2, 2),
        run_1000001__out__1=records(1, 1),
        run_1000002__out=records(3, 4),
    )
    assert [(job.name, job.rows) for job in run.jobs] == [("run_1000001", 2), ("run_1000002", 2)]
    assert lineage(run)["step"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["notes.txt.1", "model.log.0", "run.out.backup", "run.out.100"])
def test_other_endings_are_no_parts(tmp_path, name):
    logs = tmp_path / "run"
    logs.mkdir()
    (logs / name).write_text("a\nb\n")
    (logs / "x_1234567.out").write_text(records(1, 1))
    (task,) = find_runs(tmp_path, SETTINGS).tasks
    run = read_run(task, SETTINGS)
    assert {use.path: use.reader for use in run.sources}[f"run/{name}"] is None
    assert "scan.unread" in kinds(run)


def test_the_order_is_that_of_writing():
    names = ["a.log", "a.log.10", "a.log.2.gz", "a.out", "b.log.1"]
    assert sorted(names, key=logged_order) == ["a.log.10", "a.log.2.gz", "a.log", "a.out", "b.log.1"]
