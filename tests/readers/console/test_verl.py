"""verl's console lines."""

from tests.readers.console.trainer_logs import kinds, logged, read, sample, values


def test_step_0_is_a_validation_and_planned_steps_are_said():
    result = read("verl", "numpy-floats-and-nan")
    assert result.framework == "verl"
    assert values(result, "val-core/openai/gsm8k/reward/mean@1", "eval") == [(0, 0.668)]
    assert result.facts["planned_steps"] == 435
    assert "rounded_decimals" not in result.facts


def test_numpy_floats_and_keys_with_brackets_are_read():
    result = read("verl", "numpy-floats-and-nan")
    assert values(result, "actor/pg_loss") == [(1, -0.25), (2, 0.5), (3, 0.125)]
    assert values(result, "train/total_tokens(B)") == [(1, 0.5), (2, 1.0), (3, 1.5)]
    assert values(result, "actor/lr") == [(1, 1e-6), (2, 1e-6), (3, 1e-6)]


def test_a_metric_that_becomes_nan_is_no_best_value():
    """verl#747: 0.1, nan, 0.3 — best 0.3, last 0.3, one of three not finite."""
    result = read("verl", "numpy-floats-and-nan")
    found = values(result, "critic/score/mean")
    assert found == [(1, 0.1), (3, 0.3)]
    assert logged(result) == [
        (1, "actor/kl_loss", "nan"),
        (2, "actor/kl_loss", "inf"),
        (2, "critic/score/mean", "nan"),
    ]


def test_two_records_on_one_line_are_two_records():
    """ray#48633: lines of two workers fused."""
    result = read("verl", "two-records-on-one-line")
    assert values(result, "actor/entropy") == [(1, 0.5), (2, 0.4), (3, 0.3)]
    assert values(result, "critic/score/mean") == [(1, 0.25), (2, 0.5), (3, 0.75)]


def test_a_models_words_are_no_record():
    result = read("verl", "model-text-looks-like-a-step")
    assert values(result, "actor/entropy") == [(3, 0.3)]
    assert "first" not in result.steps.columns


def test_a_key_may_hold_the_separator_and_a_text_value_is_named():
    result = read("verl", "model-text-looks-like-a-step")
    assert values(result, "a key - with dashes/mean") == [(3, 2.0)]
    assert kinds(result) == {"console.pair-broken": 3}


def test_the_last_value_of_a_cut_line_is_left_out():
    result = read("verl", "cut-inside-a-number")
    assert values(result, "actor/lr") == [(21, 1e-6)]
    assert values(result, "actor/entropy") == [(21, 0.5), (22, 0.4)]
    assert kinds(result) == {"console.last-value": 3}
    assert result.jobs[0].resumed_from == 20


def test_sample_six_steps_with_three_decimals():
    result = sample("verl_taskrunner_geo3k.log")
    assert [value for _, value in values(result, "critic/score/mean")] == [0.394, 0.403, 0.392, 0.406, 0.388, 0.443]
    assert [value for _, value in values(result, "actor/grad_norm")] == [0.23, 0.252, 0.199, 0.21, 0.218, 0.257]
    assert values(result, "val-aux/hiyouga/geometry3k/reward/best@8/mean") == [(5, 0.964)]
    assert result.facts["rounded_decimals"] == 3
    assert set(kinds(result)) == {"console.rounded-three"}


def test_sample_validation_before_training():
    result = sample("verl_step0_val_then_step1.log")
    assert values(result, "val-core/openai/gsm8k/reward/mean@1", "eval") == [(0, 0.668)]
    assert values(result, "perf/throughput") == [(1, 624.599)]


def test_sample_every_line_of_a_step_logged_twice_is_kept():
    """Two runs pasted into one file: both values of step 140 stay reachable, in the order logged."""
    result = sample("verl_sft_duplicate_step.log")
    assert [(row.step, row.kind) for row in result.steps.itertuples()] == [
        *((139, "train"), (140, "train"), (140, "eval")),
        *((139, "train"), (140, "train"), (140, "eval")),
    ]
    assert [round(value, 4) for _, value in values(result, "train/mfu")] == [0.5067, 0.4317, 0.5088, 0.4982]
    assert values(result, "train/total_tokens(B)")[0] == (139, 0.001423574)
