"""The digest: what is an error, how errors are grouped, and that memory stays bounded."""

import pytest

from sitegen.readers.console.digest import EXAMPLE, LISTED_SHAPES, MAX_SHAPES, shape_of
from tests.readers.console.logs import ACTOR, logged, read, read_log, record
from tests.readers.sources import kinds


def summary(result):
    return [(event.level, event.count, event.first_line, event.last_line, event.first_step) for event in result.events]


def test_lines_of_one_shape_are_one_group_and_words_of_a_model_are_none():
    assert summary(read("errors-and-model-text")) == [
        ("error", 6, 1, 2, 1),
        ("warning", 1, 6, 6, 2),
        ("traceback", 2, 7, 19, 2),
        ("warning", 1, 24, 24, None),
        ("warning", 1, 25, 25, None),
    ]


def test_a_group_has_a_shape_and_an_example():
    error, _, trace, *_ = read("errors-and-model-text").events
    assert error.shape == "Trial t__ID failed after N tries at ADDRESS"
    assert error.example == "Trial t__AbC1234 failed after 3 tries at 10.0.0.7:8000"
    assert trace.shape == "RuntimeError: worker N failed at PATH"
    assert trace.example.startswith("Traceback (most recent call last):\n  File")
    assert "ValueError: bad value 17" in trace.example
    assert "During handling of the above exception" in trace.example
    assert trace.example.endswith("RuntimeError: worker 3 failed at /tmp/ray/session_1/x.py")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("took 3.5 s, -1e-6", "took N s, N"),
        ("id 123e4567-e89b-12d3-a456-426614174000 at 0x7f2a", "id ID at ADDRESS"),
        ("commit 93f8a1c2d0 of job_561901", "commit ID of job_N"),
        ("http://10.0.0.1:80/x?y=1 failed", "PATH?y=N failed"),
        ("decade facade", "decade facade"),
        ("and/or either/neither", "and/or either/neither"),
    ],
)
def test_numbers_ids_addresses_and_paths_are_taken_out(text, shape):
    assert shape_of(text) == shape


def test_a_traceback_of_one_process_between_lines_of_another(tmp_path):
    text = (
        f"{ACTOR} Traceback (most recent call last):\n"
        "(Engine pid=7) INFO 06-05 09:00:00 [x.py:1] busy\n"
        f'{ACTOR}   File "a.py", line 3, in run\n'
        "(Engine pid=7) ERROR 06-05 09:00:01 [x.py:1] cache full\n"
        f"{ACTOR} KeyError: 'a'\n"
    )
    result = read_log(tmp_path, text)
    assert [(event.level, event.shape, event.first_line) for event in result.events] == [
        ("traceback", "KeyError: 'a'", 1),
        ("error", "cache full", 4),
    ]


def test_a_traceback_in_the_middle_of_a_line_is_a_models_text(tmp_path):
    result = read_log(tmp_path, logged("Example: Traceback (most recent call last): File x ValueError: y") + record(1))
    assert result.events == ()


def test_a_traceback_without_end_is_closed_by_the_next_log_line(tmp_path):
    text = f'{ACTOR} Traceback (most recent call last):\n{ACTOR}   File "a.py", line 3\n' + logged("going on")
    (event,) = read_log(tmp_path, text).events
    assert (event.level, event.count, event.first_line) == ("traceback", 1, 1)


def test_a_long_traceback_keeps_its_ends(tmp_path):
    frames = "".join(f'{ACTOR}   File "module_{at}.py", line {at}, in f\n' for at in range(300))
    text = f"{ACTOR} Traceback (most recent call last):\n{frames}{ACTOR} ValueError: x\n" + record(1)
    (event,) = read_log(tmp_path, text).events
    assert len(event.example) <= EXAMPLE
    assert event.example.startswith("Traceback")
    assert event.example.endswith("ValueError: x")
    assert "\n  …\n" in event.example


def test_more_shapes_than_are_listed_are_counted(tmp_path):
    def word(at):
        return "".join("abcdefghij"[int(digit)] for digit in str(at))

    total = MAX_SHAPES + 50
    text = "".join(logged(f"bad {word(at)}", level="WARNING") for at in range(total))
    result = read_log(tmp_path, text + logged("worst", level="ERROR"))
    assert len(result.events) == LISTED_SHAPES
    assert sum(event.count for event in result.events) == LISTED_SHAPES
    assert kinds(result) == {"console.more-shapes": None}
    assert f"{total + 1 - LISTED_SHAPES:,}" in result.problems[0].what.en


def test_many_lines_that_differ_in_digits_are_all_counted(tmp_path):
    text = "".join(logged(f"Slow batch {at}", level="WARNING") for at in range(1000))
    (event,) = read_log(tmp_path, text).events
    assert (event.count, event.first_line, event.last_line) == (1000, 1, 1000)


def test_an_exception_at_the_end_is_told_though_its_header_was_cut_off(tmp_path):
    text = (
        f"{ACTOR} something before\n"
        f'{ACTOR}   File "a.py", line 3, in run\n'
        f"{ACTOR}     args.port\n"
        f"{ACTOR} AttributeError: no attribute 'port'\n"
    )
    result = read_log(tmp_path, text)
    assert summary(result) == [("traceback", 1, 2, 2, None)]
    lines = result.events[0].example.splitlines()
    assert lines == ['File "a.py", line 3, in run', "    args.port", "AttributeError: no attribute 'port'"]
    assert result.jobs[0].end.cause == "crashed"


def test_an_exception_at_the_end_that_was_counted_is_not_counted_again(tmp_path):
    frame = f'{ACTOR}   File "a.py", line 3, in run\n'
    line = f"{frame}{ACTOR} torch.OutOfMemoryError: CUDA out of memory.\n"
    assert summary(read_log(tmp_path, line)) == [("error", 1, 2, 2, None)]
    whole = f"{ACTOR} Traceback (most recent call last):\n{frame}{ACTOR} KeyError: 'a'\n"
    assert summary(read_log(tmp_path, whole)) == [("traceback", 1, 1, 1, None)]
