"""Runs that left only what trackers write, from the folder to the assembled run. Values worked out by hand."""

import json
import shutil
from pathlib import Path

import pytest

from sitegen.analyse.roles import role_metrics
from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import lineage
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.readers.event_files import scalar_event, tensorboard_file
from tests.readers.sources import DATA, SAMPLES

SETTINGS = SiteSettings()
NEEDS_SAMPLES = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")


def runs_of(archive: Path):
    return {task.folder.path: read_run(task, SETTINGS) for task in find_runs(archive, SETTINGS).tasks}


def run_with(archive: Path, files: dict[str, str | bytes | Path]):
    """The only run of an archive with these files in the folder `run`."""
    for name, content in files.items():
        location = archive / "run" / name
        location.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copy(content, location)
        else:
            location.write_bytes(content.encode() if isinstance(content, str) else content)
    (run,) = runs_of(archive).values()
    return run


def fixture_file(reader: str, oddity: str) -> Path:
    (found,) = (entry for entry in (DATA / reader / oddity).rglob("*") if entry.is_file())
    return found


def curve(run, metric):
    rows = lineage(run)[["step", metric]].dropna()
    return dict(zip(rows["step"].tolist(), rows[metric].tolist(), strict=True))


def test_xtuner_ten_rows_a_step_become_one_and_no_resume_is_seen(tmp_path):
    run = run_with(
        tmp_path, {"logs/exp_tracking/tracker.jsonl": fixture_file("xtuner_tracker", "two_clocks_ten_rows_a_step")}
    )
    assert run.path == "run"
    assert (run.framework, run.framework_guessed) == ("xtuner", False)
    assert set(run.steps["segment"]) == {0}
    assert (run.steps["superseded_last"] == 0).all()
    assert curve(run, "response/rewards/mean") == {1: 0.25, 2: 0.5}
    assert curve(run, "train_metrics/worker_0/grad_norm") == {0: 0.5, 1: 0.625, 2: 0.75, 3: 0.875}
    assert curve(run, "time/generation") == {1: 400.0}
    assert sorted(run.nonfinite["value"]) == ["inf", "nan"]


def test_xtuner_mini_batches_are_no_training_steps(tmp_path):
    run = run_with(
        tmp_path, {"logs/exp_tracking/tracker.jsonl": fixture_file("xtuner_tracker", "one_row_a_step_with_nulls")}
    )
    analysis = analyse(run, SETTINGS)
    assert (analysis.facts.steps_done, analysis.facts.last_step) == (2, 2)  # mini-batches go to 3
    last = {item.name: item.last for item in analysis.metrics if item.kind == "train"}
    assert last["response/rewards/mean"] == 0.75
    assert last["train_metrics/worker_0/loss"] == 0.125


def test_a_preempted_tinker_run_is_one_curve_and_the_later_attempt_wins(tmp_path):
    run = run_with(tmp_path, {"metrics.jsonl": fixture_file("tinker_metrics", "steps_again_after_preemption")})
    assert run.framework == "tinker"
    assert curve(run, "env/all/reward/total") == {0: 0.125, 1: 0.5, 2: 0.625, 3: 0.75}
    assert int((run.steps["superseded_last"] != 0).sum()) == 2


def test_states_of_checkpoints_are_beginnings_of_the_last(tmp_path):
    def state(last):
        rows = [{"loss": 1 / step, "step": step} for step in range(1, last + 1)]
        return json.dumps({"log_history": rows, "max_steps": 12}, indent=2)

    files = {f"checkpoint-{step}/trainer_state.json": state(step) for step in (4, 8, 12)}
    for names in (files, {**files, "trainer_state.json": state(12)}):
        run = run_with(tmp_path, names)
        assert run.path == "run"
        assert [job.name for job in run.jobs] == ["run"]
        assert curve(run, "loss") == {step: 1 / step for step in range(1, 13)}
        assert (run.steps["superseded_last"] == 0).all()
        assert run.problems == ()


def test_a_closing_row_is_no_step_logged_twice(tmp_path):
    run = run_with(tmp_path, {"trainer_state.json": fixture_file("trainer_state", "closing_row_shares_the_last_step")})
    assert lineage(run)["step"].tolist() == [5, 10]
    assert analyse(run, SETTINGS).facts.status == "finished"
    assert role_metrics(run, SETTINGS)["reward"] == "reward"


def test_loss_zero_with_rising_reward_is_no_alarm(tmp_path):
    rows = [{"loss": 0.0, "reward": step / 8, "step": step} for step in range(1, 9)]
    run = run_with(tmp_path, {"trainer_state.json": json.dumps({"log_history": rows, "max_steps": 8}, indent=2)})
    assert run.problems == ()
    assert curve(run, "loss") == dict.fromkeys(range(1, 9), 0.0)


def test_nan_between_finite_values_is_neither_best_nor_last(tmp_path):
    lines = "".join(f'{{"step":{n},"loss":{v}}}\n' for n, v in ((1, "0.1"), (2, "NaN"), (3, "0.3")))
    run = run_with(tmp_path, {"metrics.jsonl": lines})
    (loss,) = analyse(run, SETTINGS).metrics
    assert (loss.max, loss.last, loss.count, loss.non_finite) == (0.3, 0.3, 2, 1)


def test_a_wandb_folder_with_metadata_alone_is_a_run_without_metrics(tmp_path):
    name = "wandb/run-20260101_120000-abcd1234/files/wandb-metadata.json"
    run = run_with(tmp_path, {name: fixture_file("wandb_metadata", "crashed_run_has_nothing_else")})
    assert run.path == "run"
    assert run.steps.empty
    assert analyse(run, SETTINGS).facts.status == "no-steps"
    (job,) = run.jobs
    assert (job.name, job.number, job.started) == ("run-20260101_120000-abcd1234", 2029018, 1767265200.5)
    assert {source.note for source in run.sources} == {None}


def test_the_history_goes_before_the_summary_and_they_are_not_added_up(tmp_path):
    folder = "wandb/offline-run-20260101_120000-abcd1234"
    run = run_with(
        tmp_path,
        {
            f"{folder}/run-abcd1234.wandb": fixture_file("wandb_history", "calls_are_not_training_steps"),
            f"{folder}/files/wandb-summary.json": '{"train/global_step": 10, "train/reward": 0.75}',
            f"{folder}/files/config.yaml": fixture_file("wandb_config", "wrapped_values"),
        },
    )
    assert curve(run, "train/reward") == {5: 0.5, 10: 0.75}
    assert len(run.jobs) == 1
    assert run.facts["wandb_url"] == "https://wandb.ai/team/demo/runs/abcd1234"
    assert run.config.values["learning_rate"] == 8e-06
    notes = {source.path.rsplit("/", 1)[-1]: source.note for source in run.sources}
    assert notes == {"run-abcd1234.wandb": None, "wandb-summary.json": "lower-precedence", "config.yaml": None}


def test_a_wandb_launch_is_the_logged_job_of_its_scheduler_number_and_no_further_one(tmp_path):
    table = "log_file,trainer/global_step,reward/avg_raw_reward\nexp_2029018,1,0.5\nexp_2029018,2,0.75\n"
    folder = "wandb/run-20260101_120000-abcd1234/files"
    other = "wandb/run-20260102_120000-efgh5678/files"
    run = run_with(
        tmp_path,
        {
            "20260101_000000_metrics_table.csv": table,
            f"{folder}/wandb-metadata.json": fixture_file("wandb_metadata", "crashed_run_has_nothing_else"),
            f"{other}/wandb-metadata.json": fixture_file("wandb_metadata", "no_time_and_no_scheduler"),
        },
    )
    assert [(job.name, job.number, job.started) for job in run.jobs] == [("exp_2029018", 2029018, 1767265200.5)]


def test_the_date_in_a_wandb_folder_is_no_scheduler_number(tmp_path):
    folder = "wandb/run-20260101_120000-abcd1234/files"
    run = run_with(tmp_path, {f"{folder}/wandb-summary.json": '{"global_step": 3, "loss": 0.5}'})
    assert [(job.name, job.number) for job in run.jobs] == [("run-20260101_120000-abcd1234", None)]


def test_event_files_of_two_launches_are_stitched(tmp_path):
    first = tensorboard_file(scalar_event(step, {"train/reward": step / 8}) for step in (1, 2, 3, 4, 5))
    second = tensorboard_file(scalar_event(step, {"train/reward": step / 4}) for step in (4, 5, 6))
    run = run_with(
        tmp_path,
        {
            "tensorboard/events.out.tfevents.1777138000.h.1.0": first,
            "tensorboard/events.out.tfevents.1777139000.h.2.0": second,
        },
    )
    assert run.path == "run"
    assert curve(run, "train/reward") == {1: 0.125, 2: 0.25, 3: 0.375, 4: 1.0, 5: 1.25, 6: 1.5}


def test_event_files_where_transformers_puts_them_belong_to_the_run_above(tmp_path):
    content = tensorboard_file([scalar_event(1, {"train/loss": 0.5})])
    run = run_with(tmp_path, {"runs/Jan02_03-04-05_node7/events.out.tfevents.1777138000.node7.1.0": content})
    assert run.path == "run"


def test_a_verl_file_beside_a_configuration_knows_its_framework_and_settings(tmp_path):
    run = run_with(
        tmp_path,
        {
            "exp.jsonl": fixture_file("verl_jsonl", "null_for_nan"),
            "config.yaml": "actor_rollout_ref:\n  actor:\n    optim:\n      lr: 1e-6\n",
        },
    )
    assert run.framework == "verl"
    assert run.absent_or_nonfinite
    assert analyse(run, SETTINGS).facts.learning_rate == 1e-06
    assert role_metrics(run, SETTINGS)["eval_score"] == "val-core/gsm8k/acc/mean@1"


def test_an_unfinished_llamafactory_run_has_planned_steps(tmp_path):
    run = run_with(tmp_path, {"trainer_log.jsonl": fixture_file("llamafactory_log", "half_written_last_line")})
    facts = analyse(run, SETTINGS).facts
    assert (facts.steps_done, facts.last_step, facts.planned_steps, facts.status) == (6, 6, 100, "stopped-early")


def test_attempts_in_folders_of_their_own_are_jobs_of_their_own(tmp_path):
    run = run_with(
        tmp_path,
        {
            "run.toml": 'title = "x"\n',
            "attempt1/metrics.jsonl": '{"step": 1, "loss": 0.5}\n{"step": 2, "loss": 0.25}\n',
            "attempt2/metrics.jsonl": '{"step": 2, "loss": 0.75}\n{"step": 3, "loss": 0.125}\n',
        },
    )
    assert [job.name for job in run.jobs] == ["attempt1", "attempt2"]
    assert curve(run, "loss") == {1: 0.5, 2: 0.75, 3: 0.125}


def test_the_trainer_and_the_orchestrator_of_prime_rl_log_one_run_in_two_files(tmp_path):
    def line(step, seconds, name, value):
        return f'{{"step": {step}, "time": {1790000000 + seconds}, "{name}": {value}}}\n'

    trainer = "".join(line(step, 9 * step, "loss/mean", step / 8) for step in range(4))
    orchestrator = "".join(line(step, 9 * step + 5, "reward/mean", step / 4) for step in range(5))
    run = run_with(tmp_path, {"metrics.jsonl": trainer, "run_default/metrics.jsonl": orchestrator})
    assert [job.name for job in run.jobs] == ["run"]
    assert (run.steps["superseded_last"] == 0).all()
    assert curve(run, "loss/mean") == {0: 0.0, 1: 0.125, 2: 0.25, 3: 0.375}
    assert curve(run, "reward/mean") == {0: 0.0, 1: 0.25, 2: 0.5, 3: 0.75, 4: 1.0}
    assert {source.note for source in run.sources} == {None}
    assert run.problems == ()


def test_event_files_of_two_writers_of_one_launch_are_one_job(tmp_path):
    loss = tensorboard_file(scalar_event(step, {"train/loss": step / 8}) for step in (1, 2, 3))
    reward = tensorboard_file(scalar_event(step, {"rollout/reward": step / 4}) for step in (1, 2, 3))
    run = run_with(
        tmp_path,
        {
            "tensorboard/events.out.tfevents.1777138000.h.1.0": loss,
            "tensorboard/rollout/events.out.tfevents.1777138000.h.1.1": reward,
        },
    )
    assert len(run.jobs) == 1
    assert curve(run, "train/loss") == {1: 0.125, 2: 0.25, 3: 0.375}
    assert curve(run, "rollout/reward") == {1: 0.25, 2: 0.5, 3: 0.75}
    assert len(lineage(run)) == 3


def test_an_attempt_that_shares_a_metric_is_an_attempt(tmp_path):
    first = "".join(f'{{"step": {step}, "loss": 0.5, "kl": 0.25}}\n' for step in (1, 2, 3))
    second = "".join(f'{{"step": {step}, "loss": 0.75, "entropy": 0.125}}\n' for step in (2, 3, 4))
    run = run_with(tmp_path, {"run.toml": 'title = "x"\n', "v1/metrics.jsonl": first, "v2/metrics.jsonl": second})
    assert [job.name for job in run.jobs] == ["v1", "v2"]
    assert curve(run, "loss") == {1: 0.5, 2: 0.75, 3: 0.75, 4: 0.75}
    assert curve(run, "kl") == {1: 0.25}


def test_a_value_that_is_not_finite_moves_with_its_record(tmp_path):
    one = "".join(f'{{"step": {step}, "loss": 0.5}}\n' for step in range(3))
    other = "".join(f'{{"step": {step}, "kl": {"NaN" if step == 1 else 0.25}}}\n' for step in range(3))
    run = run_with(tmp_path, {"metrics.jsonl": one, "logs/metrics.jsonl": other})
    assert len(run.steps) == 3
    assert run.nonfinite[["step", "metric", "value"]].values.tolist() == [[1, "kl", "nan"]]
    places = set(zip(run.steps["source"], run.steps["row"], strict=True))
    assert set(zip(run.nonfinite["source"], run.nonfinite["row"], strict=True)) <= places


@NEEDS_SAMPLES
@pytest.mark.parametrize(
    ("sample", "framework", "roles"),
    [
        ("verl_CONSTRUCTED", "verl", {"reward": "critic/rewards/mean", "grad_norm": "actor/grad_norm"}),
        (
            "xtuner_CONSTRUCTED/old_2026-02",
            "xtuner",
            {"reward": "response/rewards/mean", "step_s": "time/step", "mismatch_kl": "mismatch/mismatch_k3_kl"},
        ),
        (
            "xtuner_CONSTRUCTED/new_2026-06",
            "xtuner",
            {"reward": "response/rewards/mean", "step_s": "time/step", "eval_pass_k": "eval/AIME2024_Pass@16"},
        ),
        ("wandb_online/run-20260425_172706-65zju5fx", "trl", {"reward": "train/reward", "kl": "train/kl"}),
    ],
)
def test_roles_of_the_samples_are_found(tmp_path, sample, framework, roles):
    shutil.copytree(SAMPLES / sample, tmp_path / "run", ignore=shutil.ignore_patterns("output.log"))
    (run,) = runs_of(tmp_path).values()
    assert run.framework == framework
    found = role_metrics(run, SETTINGS)
    assert {name: found.get(name) for name in roles} == roles


@NEEDS_SAMPLES
def test_the_console_and_the_history_of_one_wandb_launch_are_one_job(tmp_path):
    shutil.copytree(SAMPLES / "wandb_online", tmp_path / "wandb_online")
    runs = runs_of(tmp_path)
    assert [len(run.jobs) for run in runs.values()] == [1, 1]
    crashed = runs["wandb_online/run-20260425_172706-65zju5fx"].jobs[0]
    assert (crashed.end.cause, crashed.end.text) == ("crashed", "exit_code: 255")
    other = runs["wandb_online/run-20260426_032125-bxvg9un9"].jobs[0]
    assert other.started == 1777173685.459437  # of its metadata


@NEEDS_SAMPLES
def test_the_tinker_sample_keeps_its_best_and_last(tmp_path):
    run = run_with(tmp_path, {"metrics.jsonl": SAMPLES / "tinker" / "metrics_math_75steps.jsonl"})
    reward = curve(run, "env/all/reward/total")
    assert len(reward) == 75
    assert max(reward, key=reward.__getitem__) == 72
    assert (round(reward[72], 4), round(reward[74], 4)) == (0.4357, 0.3937)
    evaluation = curve(run, "test/env/all/reward/total")
    assert list(evaluation) == [0, 20, 40, 60]
    assert role_metrics(run, SETTINGS)["step_s"] == "time/total"


@NEEDS_SAMPLES
def test_the_trl_sample_ends_at_its_minimum(tmp_path):
    run = run_with(tmp_path, {"trainer_state.json": SAMPLES / "trl" / "trainer_state_grpo_200steps.json"})
    reward = curve(run, "reward")
    assert list(reward) == list(range(5, 201, 5))
    assert (round(reward[5], 4), round(reward[85], 4), round(reward[200], 4)) == (-0.0981, 1.4673, -0.4868)
    assert (max(reward.values()), min(reward.values())) == (reward[85], reward[200])
