"""A complete synthetic run that tells the story of a calendar-agent run: 80 steps, 3 jobs, 4 000 trials.

Story: step 1 waits hours for sandboxes (cold start); the reward dips at steps 2-3, where the first job is cut,
and recovers in the step that the second job re-does; pass@8 is 1.0 from step 8 on now and then while the mean
reward reaches 0.99 only at step 55; jobs overlap at steps 3 and 75; one trial in twenty ends in an exception,
most of them agent time-outs in the first turn; failures have a median of 2 turns.
"""

import math
import random
from pathlib import Path

from tests.sample_archive import dialogues
from tests.sample_archive.tables import ENGINE_COLUMNS, TRIAL_COLUMNS, metrics_table, table

RUN = "synthetic-agent-calendar-80-8B"
STAMP = "20260602_174231"
JOBS = (("job_554408", 1, 3), ("job_554409", 3, 75), ("job_554410", 75, 80))
TRIALS = 4000
ENGINE_SAMPLES = 2000
EXCEPTIONS = (  # share of trials, median turns, share of these that are graded
    ("AgentTimeoutError", 0.031, 1, 0.6),
    ("ContextLengthExceededError", 0.005, 6, 0.5),
    ("DaytonaError", 0.006, 2, 0.0),
    ("AgentSetupTimeoutError", 0.004, 0, 0.0),
    ("VerifierTimeoutError", 0.003, 3, 0.0),
    ("EnvironmentStartTimeoutError", 0.002, 0, 0.0),
)


def files() -> dict[str, bytes]:
    """Every file of the run by path under `runs/`."""
    rng = random.Random(80)
    here = Path(__file__).parent / "calendar_twin"
    logs = f"{RUN}/training_logs"
    metrics = metrics_table(_steps(rng))
    engines = _engines(rng)
    trials = _trials(rng)
    made = {
        f"{logs}/{STAMP}_metrics_table.csv": metrics,
        f"{logs}/metrics.csv": metrics,  # the writer leaves a byte copy under the short name
        f"{logs}/{STAMP}_vllm_metrics_table.csv": table(ENGINE_COLUMNS, engines),
        f"{logs}/{STAMP}_trial_results.csv": table(TRIAL_COLUMNS, trials),
        f"{RUN}/latest_ckpt_global_step.txt": b"80",
    }
    for name in ("README.md", "run.toml", "rl_config.yaml"):
        made[f"{RUN}/{name}"] = (here / name).read_bytes()
    for step in range(5, 81, 5):
        made[f"{RUN}/exports/global_step_{step}/policy/config.json"] = b'{"model_type": "qwen3"}\n'
    return made | dialogues.files(RUN, trials)


def _mean_reward(step: int, job: int, rng: random.Random) -> float:
    """Reward before it is cut into 512ths."""
    if job == 0:
        return {1: 0.330, 2: 0.262, 3: 0.221}[step]
    if step == 3:
        return 0.770
    climb = 0.965 - 0.195 * math.exp(-(step - 3) / 14)
    level = climb + rng.gauss(0, 0.011)
    if step == 55:
        return 0.9902
    if step >= 75:
        return min(0.986, 0.970 + (step - 75) * 0.0028 + rng.gauss(0, 0.002))
    return min(level, 0.984)


def _pass_at_8(step: int, job: int, reward: float, rng: random.Random) -> float:
    if job == 0:
        return {1: 53, 2: 50, 3: 48}[step] / 64
    if step == 8 or step >= 75:
        return 1.0
    missing = rng.choice((0, 0, 1, 1, 2)) if step > 8 else 8 - step + rng.choice((0, 1))
    return (64 - missing) / 64


def _wait_s(step: int, job: int, rng: random.Random) -> float:
    """Seconds waiting for generation: hours while sandboxes start, minutes afterwards."""
    if job == 0:
        return {1: 16028.4, 2: 13844.9, 3: 13402.7}[step]
    if step == 75 and job == 2:
        return 612.8
    return 215.0 + abs(rng.gauss(0, 70)) + (90 if step % 17 == 0 else 0)


def _steps(rng: random.Random) -> list[dict[str, object]]:
    return [
        _step_row(name, job, step, rng)
        for job, (name, first, last) in enumerate(JOBS)
        for step in range(first, last + 1)
    ]


def _step_row(name: str, job: int, step: int, rng: random.Random) -> dict[str, object]:
    reward = round(_mean_reward(step, job, rng) * 512) / 512
    row: dict[str, object] = {"log_file": name}
    row |= _async(step, job, rng)
    row |= _lengths(step, reward, rng)
    row |= _policy(step, job, rng)
    row |= {
        "loss/avg_final_rewards": reward,
        "loss/avg_raw_advantages": round(rng.gauss(-0.0006, 0.004), 6),
        "loss/avg_raw_advantages_abs": round(
            0.42 * math.sqrt(max(reward * (1 - reward), 0.002)) + rng.gauss(0, 0.006), 6
        ),
        "reward/avg_pass_at_8": _pass_at_8(step, job, reward, rng),
        "reward/avg_raw_reward": reward,
    }
    row |= _timing(step, job, rng)
    row |= {"trainer/epoch": 0 if step <= 45 else 1, "trainer/global_step": step}
    row |= _batch_errors(step, job, rng)
    return row


def _async(step: int, job: int, rng: random.Random) -> dict[str, object]:
    start = job != 1 and step in (1, 75)
    mean = 0.0 if start else max(0.4, rng.gauss(3.75, 0.7))
    discarded = rng.choice((0, 0, 0, 1)) if step > 4 else 0
    return {
        "async/discard_rate": round(discarded / 64, 6),
        "async/discarded_count": discarded,
        "async/effective_batch_groups": 64,
        "async/effective_batch_samples": 512,
        "async/staleness_max": 0 if start else math.ceil(mean + 2 + rng.random() * 2),
        "async/staleness_mean": round(mean, 6),
        "async/staleness_min": 0 if start else max(0, math.floor(mean - 3)),
        "async/staleness_ratio": 0.0 if start else round(min(1.0, 0.93 + rng.gauss(0, 0.04)), 6),
    }


def _lengths(step: int, reward: float, rng: random.Random) -> dict[str, object]:
    mean = 2450 - 7 * step + rng.gauss(0, 70)
    solved = mean * (0.97 + rng.gauss(0, 0.01))
    return {
        "generate/avg_num_tokens": round(mean, 4),
        "generate/avg_tokens_non_zero_rewards": round(solved, 4),
        "generate/avg_tokens_zero_rewards": round((mean - reward * solved) / (1 - reward), 4),
        "generate/max_num_tokens": rng.randint(9000, 31900),
        "generate/min_num_tokens": rng.choice((1, 1, 212, 388, 451)),
        "generate/std_num_tokens": round(abs(rng.gauss(1220, 190)), 4),
    }


def _policy(step: int, job: int, rng: random.Random) -> dict[str, object]:
    first_of_resume = job > 0 and step in (3, 75)
    spike = 0.19 if step == 46 else 0.0
    return {
        "policy/final_loss": round(rng.gauss(-0.0009, 0.0016), 6),
        "policy/log_ratio_abs_max": 0.0,
        "policy/log_ratio_abs_mean": 0.0,
        "policy/log_ratio_abs_p99": 0.0,
        "policy/policy_entropy": round(0.232 - 0.0011 * step + rng.gauss(0, 0.004), 6),
        "policy/policy_loss": round(rng.gauss(-0.0009, 0.0016), 6),
        "policy/policy_lr": 8e-06,
        "policy/policy_update_steps": 1,
        "policy/ppo_clip_ratio": 0.0,
        # the first step after a resume trains a partial batch and logs no gradient norm
        "policy/raw_grad_norm": None if first_of_resume else round(abs(rng.gauss(0.036, 0.006)) + spike, 6),
        "policy/tis/imp_ratio_mean": round(rng.gauss(0.9992, 0.0011), 6),
        "policy/tis/log_ratio_abs_mean": round(abs(rng.gauss(0.0125, 0.0012)), 6),
        "policy/tis/clip_frac": round(abs(rng.gauss(0.0007, 0.0003)), 6),
    }


def _timing(step: int, job: int, rng: random.Random) -> dict[str, object]:
    wait = _wait_s(step, job, rng)
    forward = abs(rng.gauss(12.4, 1.2))
    advantages = abs(rng.gauss(0.045, 0.012))
    train = abs(rng.gauss(139.7, 9.0))
    critic_and_policy = train + 0.16
    run_training = forward + advantages + critic_and_policy + 0.03
    convert = abs(rng.gauss(2.4, 0.5))
    sync = abs(rng.gauss(21.2, 1.6))
    row: dict[str, object] = {
        "timing/compute_advantages_and_returns": advantages,
        "timing/convert_to_training_input": convert,
        "timing/fwd_logprobs_values_reward": forward,
        "timing/policy_train": train,
        "timing/run_training": run_training,
        "timing/step": wait + convert + run_training + sync + 0.02,
        "timing/sync_weights": sync,
        "timing/train_critic_and_policy": critic_and_policy,
        "timing/wait_for_generation_buffer": wait,
    }
    if step % 2 == 0:
        row["timing/save_checkpoints"] = abs(rng.gauss(9.8, 1.9))
        row["timing/cleanup_old_checkpoints"] = abs(rng.gauss(0.4, 0.2))
    if step % 5 == 0:
        row["timing/save_hf_model"] = abs(rng.gauss(6.4, 0.5))
    return {name: round(float(str(value)), 4) for name, value in row.items()}


def _batch_errors(step: int, job: int, rng: random.Random) -> dict[str, object]:
    # more than the 64 groups that a step trains on: some are discarded, none comes from nowhere
    batches = 75 if job == 0 else rng.randint(66, 76)
    masked = 38 if job == 0 else rng.choice((0, 2, 4, 7))
    failed = 9 if job == 0 else rng.choice((0, 0, 1, 2))
    row: dict[str, object] = {
        "batch_errors/total_batches": float(batches),
        "batch_errors/total_instances": float(batches * 8),
        "batch_errors/total_successful": float(batches * 8 - masked - failed),
        "batch_errors/total_failed": float(failed),
        "batch_errors/total_masked": float(masked),
    }
    for name, count in (
        ("DaytonaError", masked),
        ("AgentSetupTimeoutError", failed),
        ("AgentTimeoutError", rng.choice((13, 15, 17))),
    ):
        if count:
            row[f"batch_errors/avg_{name}"] = round(count / batches, 6)
            row[f"batch_errors/total_{name}"] = float(count)
    return row


def _engines(rng: random.Random) -> list[dict[str, object]]:
    rows = []
    minutes = 0
    for index in range(ENGINE_SAMPLES):
        job = 0 if index < 420 else (1 if index < 1880 else 2)
        minutes += 2
        cold = index < 380
        busy = 0.25 if cold else 8.4 + 5.5 * math.sin(index / 23) + rng.gauss(0, 1.2)
        running = max(0, min(24, round(busy)))
        waiting = rng.choice((0, 0, 0, 2, 5)) if running > 17 else 0
        reporting = rng.choice((1, 1, 1, 2))
        generation = round(running * rng.uniform(36, 46), 1)
        prompt = round(generation * rng.uniform(2.2, 3.4), 1)
        day, rest = divmod(minutes + 9 * 60, 24 * 60)
        rows.append(
            dict(
                zip(
                    ENGINE_COLUMNS,
                    (
                        JOBS[job][0], f"05-{29 + day:02d} {rest // 60:02d}:{rest % 60:02d}:{rng.randint(0, 59):02d}"
                        if day < 3 else f"06-{day - 2:02d} {rest // 60:02d}:{rest % 60:02d}:{rng.randint(0, 59):02d}",
                        reporting, reporting, round(prompt * reporting, 1), round(generation * reporting, 1),
                        running * reporting, waiting * reporting, prompt, generation, float(running), float(waiting),
                        round(min(99.0, running * 3.1 + rng.uniform(0, 4)), 1) if running else 0.0,
                        round(min(96.0, max(0.0, rng.gauss(31 if cold else 76, 5))), 1),
                        running, running, generation, generation,
                    ),
                    strict=True,
                )
            )
        )  # fmt: skip
    return rows


def _turns(rng: random.Random, median: int) -> int:
    return max(1, min(27, round(rng.lognormvariate(math.log(max(median, 1)), 0.34))))


def _trials(rng: random.Random) -> list[dict[str, object]]:
    rows = []
    for index in range(TRIALS):
        task = f"calendar-{rng.randint(1, 640):04d}"
        suffix = "".join(rng.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=7))
        rows.append(_trial(rng, task, suffix, index))
    return rows


def _trial(rng: random.Random, task: str, suffix: str, index: int) -> dict[str, object]:
    draw = rng.random()
    exception, median, graded = None, 0, 1.0
    for name, share, turns_median, graded_share in EXCEPTIONS:
        if draw < share:
            exception, median, graded = name, turns_median, graded_share
            break
        draw -= share
    skill = 0.55 if int(task[-4:]) % 29 == 0 else 0.965
    solved = exception is None and rng.random() < skill
    if exception is None:
        turns: int | None = _turns(rng, 3) if solved else _turns(rng, 2)
    else:
        turns = _turns(rng, median) if median else None
    if index % 997 == 996:
        turns = rng.randint(14, 27)
    reward = (1.0 if solved else 0.0) if rng.random() < graded else None
    agent = None if turns is None else round(turns * rng.uniform(14, 31), 3)
    if exception == "AgentTimeoutError":
        agent = round(rng.uniform(899.9, 900.4), 3)
    parts = (
        round(rng.uniform(4, 38), 3),
        round(rng.uniform(3, 16), 3),
        agent,
        None if reward is None else round(rng.uniform(1, 7), 3),
    )
    return dict(
        zip(
            TRIAL_COLUMNS,
            (
                task, f"{task}__{suffix}", turns,
                None if turns is None else turns * rng.randint(2600, 5200),
                None if turns is None else turns * rng.randint(300, 1100),
                exception, reward, round(sum(p for p in parts if p is not None) + rng.uniform(0.2, 2.5), 3), *parts,
            ),
            strict=True,
        )
    )  # fmt: skip
