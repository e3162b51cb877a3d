"""Console dicts of Transformers' trainer."""

import pytest

from sitegen.readers.console import READER
from tests.readers.console.trainer_logs import kinds, logged, read, sample, values
from tests.readers.sources import SAMPLES, read_bytes, source_of


def test_a_bar_glued_before_the_dict_tells_the_step():
    """transformers#28683."""
    result = read("trl", "bar-glued-before-the-dict")
    assert result.framework == "trl"
    assert values(result, "loss") == [(5, 0.1), (10, 0.05)]
    assert kinds(result) == {"console.step-from-bar": 1}
    assert result.facts["planned_steps"] == 250


def test_the_minimal_glued_dict_is_found(tmp_path):
    """transformers#28683, the input of the report."""
    result = read_bytes(tmp_path, "run_4300009.out", "\r 2%|▏ | 5/250 [..]{'loss': 0.1}\n".encode())
    assert values(result, "loss") == [(5, 0.1)]


def test_strings_of_four_digits_are_numbers():
    result = read("trl", "strings-of-four-digits")
    assert values(result, "num_tokens") == [(10, 26850.0), (20, 47750.0)]
    assert values(result, "reward") == [(10, -0.5), (20, 0.5)]
    assert logged(result) == [(20, "grad_norm", "nan")]
    assert result.facts["rounded_digits"] == 4


def test_an_evaluation_is_of_the_step_before():
    assert values(read("trl", "strings-of-four-digits"), "eval_loss", "eval") == [(20, 0.75)]


def test_a_loss_of_zero_is_a_value_and_no_problem():
    """trl#3452, open-r1#255: the loss of GRPO is 0.0 while the reward rises."""
    result = read("trl", "two-trainings-and-a-broken-key")
    assert values(result, "loss")[:2] == [(1, 0.0), (2, 0.0)]
    assert values(result, "reward")[:2] == [(1, 1.0), (2, 2.0)]
    assert not [kind for kind in kinds(result) if "loss" in kind]


def test_a_key_broken_by_a_line_end_is_whole():
    result = read("trl", "two-trainings-and-a-broken-key")
    assert values(result, "completions/max_terminated_length") == [(1, 578.0)]
    assert values(result, "reward")[-1] == (1, 3.0)


def test_an_old_and_a_new_name_are_two_metrics():
    """SkyRL PR#544: a renamed metric is not merged in silence."""
    result = read("trl", "two-trainings-and-a-broken-key")
    assert values(result, "completion_length") == [(1, 200.0), (2, 210.0)]
    assert values(result, "completions/mean_length") == [(1, 220.0)]


def test_two_trainings_in_one_log_are_said():
    result = read("trl", "two-trainings-and-a-broken-key")
    assert kinds(result) == {
        "console.several-trainings": 4,
        "console.step-counted": 1,
        "console.dict-without-epoch": 7,
        "console.record-cut": 8,
    }
    assert values(result, "train_runtime") == [(2, 10.5)]


def test_a_models_words_are_no_record():
    assert max(value for _, value in values(read("trl", "two-trainings-and-a-broken-key"), "reward")) == 3.0


def test_epochs_tell_the_steps_of_a_finished_training():
    result = read("trl", "epochs-tell-the-steps")
    assert values(result, "loss") == [(1, 0.5), (2, 0.4), (19, 0.3), (20, 0.2)]
    assert kinds(result) == {"console.step-from-epoch": 1}
    assert result.jobs[0].end.cause == "finished"
    assert result.jobs[0].end.line == 5


def test_llamafactory_is_recognised_by_its_logger():
    result = read("trl", "llamafactory")
    assert result.framework == "llamafactory"
    assert values(result, "throughput") == [(1, 1234.5), (2, 1240.0)]


def test_sample_two_trainings_with_nan_and_a_broken_key():
    result = sample("trl_unsloth_grpo_gradnorm_nan.log")
    rewards = values(result, "reward")
    assert len(rewards) == 47
    assert [step for step, _ in rewards[:20]] == list(range(1, 21))
    assert [step for step, _ in rewards[20:]] == [*range(1, 25), 48, 49, 50]
    assert [value for _, value in rewards[:3]] == [-3.3125, -3.515625, -3.34375]
    assert [value for _, value in rewards[-3:]] == [-4.75, -0.5, -4.875]
    assert logged(result) == [(step, "grad_norm", "nan") for step in range(1, 21)]
    assert values(result, "completions/max_terminated_length")[-1] == (50, 578.0)
    assert values(result, "train_runtime") == [(20, 1021.5975), (50, 798.1488)]
    assert result.jobs[0].end.cause == "finished"


def test_sample_pasted_into_an_issue():
    result = sample("trl_v4_console_issue_paste.log")
    assert [value for _, value in values(result, "epoch")] == [0.31, 0.33, 0.35, 0.37]
    assert values(result, "loss") == [(1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0)]
    assert values(result, "rewards/hint_reward")[0] == (1, 0.7171093255281449)
    assert set(kinds(result)) == {"console.step-counted"}


@pytest.mark.parametrize(
    ("run", "steps", "first"),
    [
        ("run-20260425_172706-65zju5fx", [5], -0.04899),
        ("run-20260426_032125-bxvg9un9", list(range(5, 51, 5)), 0.1216),
    ],
)
def test_sample_output_log_of_wandb(run, steps, first):
    location = SAMPLES / "wandb_online" / run / "files" / "output.log"
    if not location.is_file():
        pytest.skip("the folder of samples is absent")
    found = values(READER.read(source_of(location)), "loss")
    assert [step for step, _ in found] == steps
    assert found[0][1] == first
