from dataclasses import replace

import pytest

from sitegen.analyse.facts import configured_gpus, run_facts
from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import JobEnd, ModelCard, RunSettings
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_job, make_run, make_series, make_steps, published_run

REWARD = "reward/avg_raw_reward"
SKYRL = {
    "trainer.algorithm.advantage_estimator": "rloo_n",
    "trainer.max_steps": 80,
    "trainer.train_batch_size": 64,
    "trainer.policy.model.path": "Qwen/Qwen3-8B",
    "trainer.policy.optimizer_config.lr": 8e-6,
    "trainer.placement.colocate_all": False,
    "trainer.placement.policy_num_nodes": 2,
    "trainer.placement.policy_num_gpus_per_node": 4,
    "generator.n_samples_per_prompt": 8,
    "generator.eval_n_samples_per_prompt": 4,
    "generator.num_inference_engines": 48,
    "generator.inference_engine_tensor_parallel_size": 1,
    "data.train_data": ["tasks/a", "tasks/b"],
}


def card(**fields):
    return ModelCard(
        path="run/README.md",
        front_matter={},
        body="",
        base_models=fields.get("base_models", ()),
        datasets=fields.get("datasets", ()),
        license=None,
        tags=(),
    )


def facts(run, **site):
    return analyse(run, SiteSettings(**site)).facts


def test_published_run():
    config = make_config(SKYRL, header="assumed, from a sister configuration")
    found = facts(published_run(config=config, card=card(base_models=("Qwen/Qwen3-8B-base",))))
    assert (found.rows, found.steps_done, found.superseded, found.last_step) == (81, 80, 1, 80)
    assert (found.status, found.status_guessed, found.planned_steps) == ("finished", True, 80)
    assert (found.batch_size, found.samples_per_prompt, found.learning_rate) == (64, 8, 8e-6)
    assert (found.algorithm, found.engines, found.gpus) == ("rloo_n", 48, 56)
    assert found.base_model == "Qwen/Qwen3-8B-base"  # an assumed configuration does not overrule the card
    assert found.gpu_hours == pytest.approx(56 * 80918.6 / 3600)
    assert found.config_assumed
    assert found.reward_metric == REWARD
    assert found.pass_metric == "reward/avg_pass_at_8"
    assert (found.step_time_metric, found.wait_metric) == ("timing/step", "timing/wait_for_generation_buffer")
    assert found.entropy_metric is None


def test_own_configuration_comes_before_the_card():
    found = facts(make_run(config=make_config(SKYRL), card=card(base_models=("other",), datasets=("d",))))
    assert (found.base_model, found.dataset) == ("Qwen/Qwen3-8B", "tasks/a, tasks/b")
    bare = facts(make_run(card=card(base_models=("m",), datasets=("d", "e"))))
    assert (bare.base_model, bare.dataset) == ("m", "d, e")


@pytest.mark.parametrize(
    ("last", "planned", "cause", "expected"),
    [
        (0, 80, "crashed", ("no-steps", False, "no-steps")),
        (80, 80, "unknown", ("finished", False, "planned-config")),
        (80, 80, "crashed", ("finished", False, "planned-config")),
        (40, 80, "finished", ("finished", False, "line")),
        (40, 80, "running", ("running", False, "line")),
        (40, 80, "out_of_memory", ("failed", False, "line")),
        (40, None, "crashed", ("failed", False, "line")),
        (40, 80, "time_limit", ("stopped-early", False, "line")),
        (40, 80, "unknown", ("stopped-early", False, "below-plan")),
        (40, None, "cancelled", ("stopped-early", False, "line")),
        (40, None, "unknown", ("stopped-early", True, "no-line")),
    ],
)
def test_status_and_what_it_rests_on(last, planned, cause, expected):
    steps = make_series(REWARD, [0.1] * last)
    config = make_config({"max_steps": planned})
    run = make_run(
        steps=steps, config=config, jobs=(make_job("a", [1], cause="crashed"), make_job("b", [2], cause=cause))
    )
    found = facts(run)
    assert (found.status, found.status_guessed, found.status_basis) == expected


def test_an_exception_at_the_end_of_the_log_fails_the_run_as_a_guess():
    end = JobEnd(cause="sandbox_failure", path="run/log.out", line=7, text="DaytonaError: gone", guessed=True)
    job = replace(make_job("a", [1]), end=end)
    found = facts(make_run(steps=make_series(REWARD, [0.1] * 40), jobs=(job,)))
    assert (found.status, found.status_guessed, found.status_basis) == ("failed", True, "last-lines")


@pytest.mark.parametrize(("last", "basis"), [(80, "planned-assumed"), (40, "below-assumed")])
def test_the_steps_of_an_assumed_configuration_prove_nothing(last, basis):
    config = make_config({"max_steps": 80}, header="assumed, from a sister configuration")
    found = facts(make_run(steps=make_series(REWARD, [0.1] * last), config=config))
    assert (found.status_guessed, found.status_basis) == (True, basis)


def test_a_plan_of_the_log_is_no_plan_of_the_configuration():
    found = facts(make_run(steps=make_series(REWARD, [0.1] * 40), facts={"planned_steps": 40}))
    assert (found.status, found.status_guessed, found.status_basis) == ("finished", False, "planned")


def test_log_says_the_plan_before_the_configuration():
    steps = make_series(REWARD, [0.1] * 40)
    found = facts(make_run(steps=steps, config=make_config({"max_steps": 80}), facts={"planned_steps": 40}))
    assert (found.planned_steps, found.planned_from_config, found.status) == (40, False, "finished")
    odd = facts(make_run(steps=steps, facts={"planned_steps": float("inf")}))
    assert odd.planned_steps is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"num_nodes": 40, "gpus_per_node": 4, "trainer.placement.colocate_all": False}, 160),
        ({"trainer.nnodes": 2, "trainer.n_gpus_per_node": 8}, 16),
        (SKYRL, 56),
        ({**SKYRL, "trainer.placement.colocate_all": True}, 8),
        ({**SKYRL, "generator.num_inference_engines": None}, None),
        ({}, None),
    ],
)
def test_configured_gpus(values, expected):
    assert configured_gpus(make_config(values)) == expected


def test_gpus_of_the_run_settings_come_first():
    found = facts(
        make_run(steps=make_series("timing/step", [3600.0]), config=make_config(SKYRL), settings=RunSettings(gpus=4))
    )
    assert (found.gpus, found.gpu_hours) == (4, 4.0)


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        ({"data.train_batch_size": 256, "actor_rollout_ref.rollout.n": 5}, "samples_per_prompt", 5),
        ({"actor_rollout_ref.actor.optim.lr": 1e-6, "critic.optim.lr": 1e-5}, "learning_rate", 1e-6),
        ({"algorithm.adv_estimator": "grpo"}, "algorithm", "grpo"),
        ({"actor_rollout_ref.model.path": "m"}, "base_model", "m"),
        ({"trainer.total_training_steps": 100}, "planned_steps", 100),
        ({"grpo.num_prompts_per_step": 32}, "batch_size", 32),
        ({"policy.model_name": "m", "policy.optimizer.kwargs.lr": 2e-5}, "learning_rate", 2e-5),
        ({"model_name_or_path": "m", "learning_rate": 4e-5}, "learning_rate", 4e-5),
        ({"model_name_or_path": "m", "num_generations": 4}, "samples_per_prompt", 4),
        ({"max_steps": -1}, "planned_steps", None),
        ({"trainer.policy.model.path": "${oc.env:MODEL}"}, "base_model", None),
    ],
)
def test_configurations_of_other_frameworks(values, field, expected):
    assert getattr(facts(make_run(config=make_config(values))), field) == expected


def test_times_come_from_jobs_then_from_records():
    steps = make_steps([{"step": 1, "time": 100.0}, {"step": 2, "time": 250.0}])
    found = facts(make_run(steps=steps))
    assert (found.started, found.finished) == (100.0, 250.0)
    jobs = (make_job("a", [1], started=50.0, finished=120.0), make_job("b", [2], started=130.0))
    found = facts(make_run(steps=steps, jobs=jobs))
    assert (found.started, found.finished) == (50.0, 120.0)


def test_site_names_the_reward():
    run = make_run(steps=make_steps([{"step": 1, REWARD: 0.5, "mine": 0.7}]))
    assert facts(run, primary_metric="mine").reward_metric == "mine"
    assert facts(run, roles={"reward": ("mine",)}).reward_metric == "mine"
    assert facts(run, primary_metric="absent").reward_metric == REWARD


def test_metric_that_never_was_finite_stands_for_no_role():
    steps = make_steps([{"step": 1, REWARD: float("nan"), "loss/avg_final_rewards": 0.5}])
    assert facts(make_run(steps=steps)).reward_metric == "loss/avg_final_rewards"


def test_facts_of_an_empty_run():
    found = run_facts(make_run(), {})
    assert (found.status, found.rows, found.steps_done, found.gpu_hours, found.started) == (
        "no-steps",
        0,
        0,
        None,
        None,
    )
