"""TensorBoard event files: by hand, and by TensorBoard's own writer."""

import sys

import numpy as np
import pytest

from sitegen.readers.tensorboard_events import job_name, shortest
from tests.readers.event_files import scalar_event, tensorboard_file
from tests.readers.sources import fixture, kinds, read_bytes, read_fixture, source_of

NAME = "events.out.tfevents.1777138000.node-7.example.org.4242.0"


def test_neighbouring_tags_of_one_step_are_one_row_with_its_wall_time():
    result = read_fixture("tensorboard_events", "neighbouring_tags_are_one_row")
    assert result.steps[["step", "row", "train/loss", "time"]].values.tolist() == [
        [1.0, 2.0, 0.5, 1777138026.0],
        [2.0, 4.0, 0.25, 1777138036.0],
    ]
    assert result.steps["train/reward"].iloc[0] == 0.1  # not 0.10000000149011612
    assert result.nonfinite[["step", "metric", "value"]].values.tolist() == [[2, "train/reward", "nan"]]
    assert result.jobs[0].started == 1777138000.0
    assert result.problems == ()


def test_the_job_is_named_without_the_host(tmp_path):
    assert job_name(fixture("tensorboard_events", "neighbouring_tags_are_one_row")) == "events 1777138000 (4242.0)"
    location = tmp_path / "events.out.tfevents.1777138000.node-7"
    location.write_bytes(b"")
    assert job_name(source_of(location, f"grpo-3/tb/{location.name}")) == "grpo-3 1777138000"


def test_a_torn_tail_costs_what_comes_after_it():
    result = read_fixture("tensorboard_events", "torn_tail")
    assert result.steps["step"].tolist() == [1]
    assert kinds(result) == {"tensorboard.damaged": None}


def test_a_file_without_scalars_says_so():
    assert kinds(read_fixture("tensorboard_events", "no_scalars")) == {"tracker.no-records": None}


def test_xtuner_events_have_two_clocks():
    result = read_fixture("tensorboard_events", "xtuner_two_clocks")
    assert result.framework == "xtuner"
    assert result.facts["second_clock"] == ("train_metrics/worker_0/grad_norm",)
    assert result.steps["step"].tolist() == [1, 2, 1]


def test_without_the_extra_the_problem_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    (problem,) = read_fixture("tensorboard_events", "torn_tail").problems
    assert "pip install 'sitegen[tensorboard]'" in problem.effect.en


def test_a_tag_again_at_the_same_step_is_another_row(tmp_path):
    content = tensorboard_file([scalar_event(1, {"a": 0.5}), scalar_event(1, {"a": 0.25})])
    result = read_bytes(tmp_path, NAME, content)
    assert result.steps[["step", "a"]].values.tolist() == [[1.0, 0.5], [1.0, 0.25]]


def test_scalars_as_tensors_are_read_and_texts_counted(tmp_path):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.plugins.scalar.summary_v2 import scalar_pb
    from tensorboard.plugins.text.summary_v2 import text_pb

    first = Event(wall_time=1777138026.0, step=1, summary=scalar_pb("loss", 0.5))
    later = Event(wall_time=1777138027.0, step=2, summary=scalar_pb("loss", 0.25))
    later.summary.value[0].ClearField("metadata")  # TensorBoard writes it once per tag
    text = Event(wall_time=1777138028.0, step=2, summary=text_pb("args", "hello"))
    result = read_bytes(tmp_path, NAME, tensorboard_file([first, later, text]))
    assert result.steps[["step", "loss"]].values.tolist() == [[1.0, 0.5], [2.0, 0.25]]
    assert kinds(result) == {"tensorboard.not-scalars": None}


def test_what_tensorboards_own_writer_writes_is_read(tmp_path):
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(tmp_path))
    for step in (1, 2, 3):
        writer.add_event(scalar_event(step, {"train/loss": 1 / step}))
    writer.close()
    (location,) = tmp_path.iterdir()
    result = read_bytes(tmp_path, NAME, location.read_bytes())
    assert result.steps["step"].tolist() == [1, 2, 3]
    assert np.allclose(result.steps["train/loss"], [1, 0.5, 1 / 3], rtol=1e-7)
    assert result.problems == ()


def test_a_flipped_bit_among_many_events_costs_what_comes_after_it(tmp_path):
    content = bytearray(tensorboard_file(scalar_event(step, {"loss": 0.5}) for step in range(1, 101)))
    whole = read_bytes(tmp_path, NAME, bytes(content))
    assert whole.steps["step"].tolist() == list(range(1, 101))
    assert whole.problems == ()
    content[len(content) * 3 // 4] ^= 1  # inside the 75th or 76th of 101 records of nearly one length
    broken = read_bytes(tmp_path, NAME, bytes(content))
    assert broken.steps["step"].tolist() == list(range(1, broken.rows + 1))
    assert 70 <= broken.rows <= 76
    assert kinds(broken) == {"tensorboard.damaged": None}


@pytest.mark.parametrize("value", [0.1, 1e-9, -2.5, 16777216.0, 3.4e38])
def test_the_shortest_decimal_stands_for_the_same_float(value):
    single = float(np.float32(value))
    assert shortest(single) == value
    assert np.float32(shortest(single)) == np.float32(value)
