"""How a job ended, and which line says so."""

import pytest

from tests.readers.console.logs import logged, read_log, record

TRACE = (
    '(skyrl_entrypoint pid=100) Traceback (most recent call last):\n(skyrl_entrypoint pid=100)   File "a.py", line 3\n'
)
OOM = "(skyrl_entrypoint pid=100) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.16 GiB.\n"
HANG = (
    "[rank3]:[E605 09:00:00.1 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1) ran for 600000 milliseconds\n"
)
LIMIT = "slurmstepd: error: *** JOB 561901 ON node-7 CANCELLED AT 2026-06-05T09:15:00 DUE TO TIME LIMIT ***\n"
STEP = "slurmstepd: error: *** STEP 561901.0 ON node-7 CANCELLED AT 2026-06-05T09:15:00 ***\n"
SRUN = "srun: error: node-7: task 0: Exited with exit code 1\n"
OUTAGE = logged("Exception breakdown: {'DaytonaError': 60, 'AgentTimeoutError': 4}") + logged(
    "Batch generation complete: 0/64 successful, 8 failed instances, 64 masked (excluded from baseline)"
)


DIED = "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
DIED_MORE = "\tclass_name: InferenceEngine\n\tpid: 77\nThe actor is dead because its worker process has died.\n"


def end(tmp_path, *lines):
    found = read_log(tmp_path, "".join(lines)).jobs[0].end
    return found.cause, found.line


@pytest.mark.parametrize(
    ("lines", "cause", "line"),
    [
        ((record(1), logged("Training done!")), "finished", 2),
        ((record(1), logged("Reached max training steps (40). Stopping.")), "finished", 2),
        ((record(1), logged("Training stopped early by callback")), "stopped_early", 2),
        ((record(1), LIMIT), "time_limit", 2),
        ((record(1), LIMIT.replace("DUE TO TIME LIMIT ", "")), "cancelled", 2),
        ((record(1), LIMIT.replace("TIME LIMIT", "PREEMPTION")), "cancelled", 2),
        ((record(1), LIMIT.replace("TIME LIMIT", "NODE FAILURE")), "node_failure", 2),
        ((record(1), "slurmstepd: error: Detected 1 oom_kill event in StepId=5.0.\n"), "out_of_memory", 2),
        ((record(1), "srun: error: node-1: task 0: Out Of Memory\n"), "out_of_memory", 2),
        ((record(1), OOM), "out_of_memory", 2),
        ((record(1), "OSError: [Errno 12] Cannot allocate memory\n"), "out_of_memory", 2),
        ((record(1), HANG), "hang", 2),
        ((record(1), SRUN), "crashed", 2),
        ((record(1), TRACE, "(skyrl_entrypoint pid=100) ValueError: no\n"), "crashed", 4),
        ((record(1), TRACE, "(skyrl_entrypoint pid=100) daytona.DaytonaError: no sandbox\n"), "sandbox_failure", 4),
        ((record(1), OUTAGE), "sandbox_failure", 3),
        ((OUTAGE, record(1)), "sandbox_failure", 2),
    ],
)
def test_each_cause_with_its_line(tmp_path, lines, cause, line):
    assert end(tmp_path, *lines) == (cause, line)


def test_the_exception_is_cited_before_the_counts_that_it_caused_and_the_exit_is_named(tmp_path):
    failed = "(skyrl_entrypoint pid=100) DaytonaError: Failed to create sandbox: service unavailable (503)\n"
    found = read_log(tmp_path, "".join((OUTAGE, record(1), TRACE, failed, SRUN))).jobs[0].end
    assert (found.cause, found.line, found.last_line) == ("sandbox_failure", 6, 7)
    assert "503" in found.text
    assert read_log(tmp_path, OUTAGE + record(1) + SRUN).jobs[0].end.last_line == 4
    assert read_log(tmp_path, record(1) + logged("Training done!") + SRUN).jobs[0].end.last_line is None


@pytest.mark.parametrize(
    "lines",
    [
        (record(1),),
        (record(1), logged("Started: 'step'")),
        (OOM, record(1)),  # survived: the next step was logged
        (record(1), TRACE, "(skyrl_entrypoint pid=100) ValueError: no\n", logged("Started: 'step'")),
        (record(1), logged("the model wrote: CUDA out of memory, torch.OutOfMemoryError: CUDA out of memory")),
        (record(1), "(skyrl_entrypoint pid=100) Training done!\n"),  # no logger said so
        (logged("Training done!"), record(2)),  # another launch in the same log went on
    ],
)
def test_a_log_that_does_not_say_how_it_ended_is_unknown(tmp_path, lines):
    assert end(tmp_path, *lines) == ("unknown", None)


@pytest.mark.parametrize(
    ("lines", "cause", "line"),
    [
        ((record(1), DIED, DIED_MORE), "crashed", 2),
        ((record(1), "(skyrl_entrypoint pid=100) ActorDiedError\n"), "crashed", 2),
        ((record(1), logged("Started: 'step'"), "daytona.DaytonaError: no sandbox\n", "\n"), "sandbox_failure", 3),
        ((record(1), "RayTaskError(DaytonaError): no sandbox\n", DIED), "sandbox_failure", 2),  # the first one
    ],
)
def test_a_bare_exception_at_the_very_end_is_a_guess(tmp_path, lines, cause, line):
    found = read_log(tmp_path, "".join(lines)).jobs[0].end
    assert (found.cause, found.line, found.guessed) == (cause, line, True)
    assert found.text in "".join(lines)


@pytest.mark.parametrize(
    "lines",
    [
        (record(1), DIED, logged("Started: 'step'")),  # a logger went on
        (record(1), DIED, "progress: 3 of 9\n" * 10),  # so did something else
        (DIED, record(1)),
        (record(1), "the agent saw a DaytonaError: no sandbox\n"),
    ],
)
def test_an_exception_that_something_follows_is_no_guess(tmp_path, lines):
    assert end(tmp_path, *lines) == ("unknown", None)


def test_a_line_that_tells_the_end_comes_before_a_guess(tmp_path):
    found = read_log(tmp_path, record(1) + DIED + STEP).jobs[0].end
    assert (found.cause, found.line, found.guessed) == ("cancelled", 3, False)


def test_what_is_printed_while_processes_are_torn_down_is_no_cause(tmp_path):
    assert end(tmp_path, record(1), logged("Training done!"), HANG, SRUN) == ("finished", 2)


def test_the_first_cause_brought_about_the_others(tmp_path):
    assert end(tmp_path, record(1), OOM, HANG, LIMIT) == ("out_of_memory", 2)
    assert end(tmp_path, record(1), HANG, LIMIT) == ("hang", 2)


def test_a_step_that_slurm_cancelled_after_a_failure_is_not_the_cause(tmp_path):
    assert end(tmp_path, record(1), STEP, SRUN) == ("crashed", 3)
    assert end(tmp_path, record(1), STEP) == ("cancelled", 2)


def test_a_traceback_whose_header_was_lost_is_a_crash_when_nothing_follows(tmp_path):
    lines = TRACE.splitlines(keepends=True)[1], "(skyrl_entrypoint pid=100) AttributeError: no\n"
    assert end(tmp_path, record(1), *lines) == ("crashed", 3)


def test_the_line_is_kept_as_evidence_and_shortened(tmp_path):
    result = read_log(tmp_path, record(1) + LIMIT.replace("node-7", "node-" + "7" * 400))
    found = result.jobs[0].end
    assert found.path == "run-a_1234567.out"
    assert found.text.startswith("slurmstepd: error: *** JOB 561901 ON node-7")
    assert len(found.text) == 300


def test_number_planned_steps_and_tracker_are_taken_from_the_log(tmp_path):
    text = (
        logged("Reached max training steps (40).")
        + LIMIT
        + "wandb: 🚀 View run at \x1b[34mhttps://wandb.ai/team/project/runs/abc123\x1b[0m\n"
    )
    result = read_log(tmp_path, text, "console.log")
    assert result.jobs[0].number == 561901
    assert result.facts["planned_steps"] == 40
    assert result.facts["wandb_url"] == "https://wandb.ai/team/project/runs/abc123"
