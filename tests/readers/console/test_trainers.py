"""The console dialects of prime-rl, OpenRLHF, slime, AReaL and NeMo-RL."""

from tests.readers.console.trainer_logs import kinds, logged, read, sample, values


def test_prime_rl_cells_without_a_colon():
    result = read("prime-rl", "cells-without-colon")
    assert result.framework == "prime-rl"
    assert values(result, "Reward") == [(0, 0.25), (1, 0.5)]
    assert values(result, "Time") == [(0, 0.9), (1, 90.0)]
    assert values(result, "Max Off-Policy") == [(0, 2.0), (1, 3.0)]
    assert values(result, "Error") == [(0, 1.5), (1, 0.0)]
    assert result.facts["planned_steps"] == 200
    assert result.jobs[0].end.cause == "finished"


def test_prime_rl_environments_and_evaluations_have_their_name_before():
    result = read("prime-rl", "cells-without-colon")
    assert values(result, "math/Reward") == [(0, 0.3)]
    assert values(result, "code/Ratio") == [(0, 25.0)]
    assert values(result, "aime/Reward", "eval") == [(1, 0.75)]


def test_prime_rl_micro_steps_and_a_models_words_are_no_steps():
    result = read("prime-rl", "cells-without-colon")
    assert set(result.steps["step"]) == {0, 1}
    assert "Loss" not in result.steps.columns


def test_sample_prime_rl_five_steps():
    result = sample("primerl_sft_5steps.log")
    assert values(result, "Loss") == [(0, 14.3244), (1, 12.5202), (2, 12.7759), (3, 12.4309), (4, 12.1576)]
    assert values(result, "Time") == [(0, 3.51), (1, 0.9), (2, 0.74), (3, 0.75), (4, 0.81)]
    assert values(result, "Throughput") == [(0, 0.0), (1, 2264.0), (2, 2485.0), (3, 2561.0), (4, 2553.0)]
    assert values(result, "LR")[0] == (0, 4e-4)
    assert result.facts["planned_steps"] == 5
    assert (result.jobs[0].end.cause, result.jobs[0].end.line) == ("finished", 21)
    assert not result.problems


def test_openrlhf_dicts_of_two_loggers_and_a_replay():
    result = read("openrlhf", "replay-and-numpy")
    assert result.framework == "openrlhf"
    assert values(result, "reward") == [(1, 0.25), (2, 0.5), (3, 0.5)]
    assert values(result, "response_length") == [(1, 512.0), (2, 600.0)]
    assert values(result, "replay/round") == [(3, 1.0)]
    assert logged(result) == [(1, "kl", "nan")]
    assert kinds(result) == {"console.text-values": 3, "console.record-broken": 5}


def test_slime_dicts_of_three_processes_are_one_step():
    result = read("slime", "dicts-of-three-processes")
    assert result.framework == "slime"
    assert [(row.step, row.kind) for row in result.steps.itertuples()] == [(0, "train"), (1, "train"), (0, "eval")]
    assert values(result, "rollout/response_len/mean") == [(0, 100.0), (1, 110.0)]
    assert values(result, "train/loss") == [(0, 0.125), (1, 0.25)]
    assert values(result, "perf/train_time") == [(0, 7.0)]
    assert values(result, "eval/aime", "eval") == [(0, 0.75)]
    assert not result.problems


def test_slime_several_optimiser_steps_in_a_rollout_are_said():
    result = read("slime", "two-optimiser-steps-per-rollout")
    assert values(result, "train/loss") == [(0, 2.0), (1, 4.0)]
    assert kinds(result) == {"console.steps-per-rollout": 2}


def test_slime_started_anew_keeps_both():
    result = read("slime", "started-anew")
    assert values(result, "rollout/raw_reward") == [(0, 0.25), (1, 0.5), (1, 0.75), (2, 1.0)]


def test_slime_steps_alone_are_slimes_whoever_posted_them():
    """As posted for a SkyRL-agent model, whose own trainers print no such line."""
    result = read("slime", "steps-without-rollouts")
    assert result.framework == "slime"
    assert values(result, "train/loss") == [(1, 0.5), (2, 0.25)]
    assert values(result, "train/lr-pg_0") == [(1, 1e-06), (2, 1e-06)]


def test_sample_slime_one_rollout():
    result = sample("slime_rollout_perf.log")
    assert values(result, "rollout/response_len/mean") == [(0, 2773.71484375)]
    assert values(result, "perf/rollout_time") == [(0, 371.1796889305115)]
    assert values(result, "rollout/zero_std/count_1") == [(0, 14.0)]
    assert not result.problems


def test_areal_tables_of_a_step_are_joined_and_the_last_value_counts():
    result = read("areal", "several-tables")
    assert result.framework == "areal"
    assert values(result, "ppo_actor/task_reward/avg") == [(1, 0.25), (2, 0.5)]
    assert values(result, "ppo_actor/seq_len/avg") == [(1, 1024.0), (2, 1024.0)]
    assert values(result, "timeperf/train_step") == [(1, 12.0), (2, 12.0)]
    assert logged(result) == [(1, "ppo_actor/update/lr", "nan"), (2, "ppo_actor/update/lr", "nan")]
    assert result.facts["planned_steps"] == 2000
    assert set(kinds(result)) == {"console.several-tables"}


def test_areal_rows_before_the_end_of_a_cut_table_are_used():
    result = read("areal", "cut-in-the-table")
    assert values(result, "ppo_actor/task_reward/avg") == [(7, 0.25)]
    assert "ppo_actor/seq_len/avg" not in result.steps.columns
    assert set(kinds(result)) == {"console.values-cut"}


def test_areal_older_form():
    result = read("areal", "older-form")
    assert values(result, "time_perf/e2e") == [(3, 125.0)]
    assert values(result, "actor_train/loss") == [(3, -0.5)]


def test_nemo_rl_steps_count_on_over_epochs():
    result = read("nemo-rl", "two-epochs-and-validation")
    assert result.framework == "nemo-rl"
    assert values(result, "Avg Filtered Reward") == [(1, 0.25), (2, 0.5), (3, 0.75)]
    assert values(result, "Loss") == [(1, 0.5), (3, 0.25)]
    assert logged(result) == [(2, "Loss", "nan")]
    assert "planned_steps" not in result.facts


def test_nemo_rl_a_label_under_two_headings_is_two_metrics():
    result = read("nemo-rl", "two-epochs-and-validation")
    assert values(result, "Throughputs (per GPU)/E2E (Tokens/sec)")[0] == (1, 1073.59)
    assert values(result, "Throughputs (per Group)/E2E (Tokens/sec)")[0] == (1, 8588.75)
    assert values(result, "policy_training")[0] == (1, 10.97)
    assert not any("Worker" in name for name in result.steps.columns)


def test_nemo_rl_validations_are_of_the_step_they_name():
    result = read("nemo-rl", "two-epochs-and-validation")
    assert values(result, "Accuracy", "eval") == [(0, 0.25), (2, 0.5)]
    assert values(result, "Total validation time", "eval") == [(0, 12.5)]


def test_nemo_rl_the_last_value_of_a_cut_block_is_left_out():
    result = read("nemo-rl", "cut-inside-a-number")
    assert values(result, "Loss") == [(3, 0.5)]
    assert "Avg Reward" not in result.steps.columns
    assert result.facts["planned_steps"] == 12


def test_nemo_rl_a_block_without_banner_is_left_out_and_said():
    result = read("nemo-rl", "no-banner")
    assert result.steps is None
    assert result.framework == "nemo-rl"
    assert kinds(result) == {"console.block-without-step": 1}


def test_sample_nemo_rl_block():
    result = sample("nemo_rl_grpo_step_block.log")
    assert result.steps is None
    assert kinds(result) == {"console.block-without-step": 1}
