import pytest

from sitegen.model.roles import direction_of, metric_for, pattern_k, roles

FRAMEWORKS = {
    "skyrl",
    "verl",
    "xtuner",
    "trl",
    "openrlhf",
    "slime",
    "nemo-rl",
    "areal",
    "prime-rl",
    "tinker",
    "llamafactory",
}


def test_every_role_names_known_frameworks_only_and_each_framework_has_a_reward():
    assert {framework for role in roles().values() for framework in role.names} == FRAMEWORKS
    assert set(roles()["reward"].names) == FRAMEWORKS


def test_no_name_is_listed_twice_in_a_role_of_a_framework():
    for role in roles().values():
        for names in role.names.values():
            assert len(names) == len(set(names)), role.name


def test_no_train_name_serves_two_roles_of_one_framework():
    for framework in FRAMEWORKS:
        listed = [n for role in roles().values() if role.kind == "train" for n in role.names.get(framework, ())]
        assert len(listed) == len(set(listed)), framework


@pytest.mark.parametrize(
    ("role", "framework", "logged", "expected"),
    [
        ("reward", "skyrl", ["loss/avg_final_rewards", "reward/avg_raw_reward"], "reward/avg_raw_reward"),
        ("reward", "skyrl", ["loss/avg_raw_rewards"], "loss/avg_raw_rewards"),
        ("pass_k", "skyrl", ["reward/avg_pass_at_8", "reward/avg_pass_at_16"], "reward/avg_pass_at_16"),
        ("eval_pass_k", "xtuner", ["eval/A_Pass@4", "eval/A_Pass@16", "eval/A_Acc_Mean@32"], "eval/A_Pass@16"),
        ("eval_score", "verl", ["val-core/openai/gsm8k/acc/mean@1"], "val-core/openai/gsm8k/acc/mean@1"),
        ("reward", "tinker", ["test/env/all/reward/total", "env/all/reward/total"], "env/all/reward/total"),
        ("reward", "prime-rl", ["train/e/all/a/reward/std", "train/e/all/a/reward/mean"], "train/e/all/a/reward/mean"),
        ("step_s", "trl", ["step_time", "loss"], "step_time"),
        ("kl", "skyrl", ["policy/policy_entropy"], None),
    ],
)
def test_role_stands_for_the_logged_name(role, framework, logged, expected):
    assert metric_for(role, logged, framework) == expected


def test_unknown_framework_still_finds_the_name():
    assert metric_for("reward", ["critic/score/mean"], None) == "critic/score/mean"
    assert metric_for("reward", ["critic/score/mean"], "skyrl") == "critic/score/mean"


def test_own_framework_comes_before_the_others():
    logged = ["reward", "critic/score/mean"]
    assert metric_for("reward", logged, "verl") == "critic/score/mean"
    assert metric_for("reward", logged, "trl") == "reward"


def test_pattern_that_takes_a_whole_family_counts_for_its_own_framework_only():
    logged = ["eval/set/truncated_ratio"]
    assert metric_for("eval_score", logged, "skyrl") is None
    assert metric_for("eval_score", ["eval/aime"], "slime") == "eval/aime"
    assert direction_of("eval/set/truncated_ratio") == "none"


def test_site_names_come_first_and_may_be_patterns():
    logged = ["reward/avg_raw_reward", "mine@2", "mine@10"]
    assert metric_for("reward", logged, "skyrl", {"reward": ("absent", "mine@{k}")}) == "mine@10"
    assert metric_for("reward", logged, "skyrl", {"reward": ("absent",)}) == "reward/avg_raw_reward"


def test_names_with_pattern_characters_are_taken_literally():
    assert pattern_k("a.b[0]@{k}", "a.b[0]@12") == 12
    assert pattern_k("a.b[0]@{k}", "aXb0@12") is None
    assert pattern_k("pass@{k}", "pass@8\nx") is None


def test_directions():
    assert direction_of("reward/avg_raw_reward") == "up"
    assert direction_of("reward/avg_pass_at_8") == "up"
    assert direction_of("timing/step") == "down"
    assert direction_of("policy/policy_entropy") == "none"
    assert direction_of("something else") == "none"


def test_unknown_role_is_a_bug():
    with pytest.raises(KeyError):
        metric_for("no such role", [], None)
