"""A short synthetic run that fails: the sandbox service goes down in step 2, the job dies in step 5."""

import json
import random
from pathlib import Path

from tests.sample_archive.tables import TRIAL_COLUMNS, metrics_table, table

RUN = "synthetic-web-search-outage"
STAMP = "20260605_091500"
JOB = "synthetic-web-search-outage_561901"
REWARDS = (0.421875, 0.015625, 0.0, 0.0)
ERRORS = (3, 241, 256, 256)


def files() -> dict[str, bytes]:
    """Every file of the run by path under `runs/`."""
    rng = random.Random(5)
    here = Path(__file__).parent / "outage"
    rows = [_row(step, rng) for step in range(1, 5)]
    made = {
        f"{RUN}/training_logs/{STAMP}_metrics_table.csv": metrics_table(rows),
        f"{RUN}/training_logs/{STAMP}_trial_results.csv": table(TRIAL_COLUMNS, _trials(rng)),
        f"{RUN}/logs/{JOB}.out": _log(rows).encode(),
    }
    for name in ("README.md", "run.toml", "rl_config.yaml"):
        made[f"{RUN}/{name}"] = (here / name).read_bytes()
    return made


def _row(step: int, rng: random.Random) -> dict[str, object]:
    reward, errors = REWARDS[step - 1], ERRORS[step - 1]
    train = round(abs(rng.gauss(44, 3)), 4)
    wait = round(abs(rng.gauss(310, 25)), 4)
    return {
        "log_file": JOB,
        "generate/avg_num_tokens": round(1510 - 380 * (step - 1) + rng.gauss(0, 20), 4),
        "loss/avg_final_rewards": reward,
        "loss/avg_raw_advantages_abs": round(0.3 * reward, 6),
        "policy/policy_entropy": round(0.31 + rng.gauss(0, 0.002), 6),
        "policy/policy_loss": round(rng.gauss(-0.0004, 0.0002), 6) if reward else 0.0,
        "policy/policy_lr": 1e-06,
        "policy/raw_grad_norm": round(0.11 * reward, 6),  # a real 0: all rewards of a group are equal
        "reward/avg_pass_at_8": min(1.0, reward * 2),
        "reward/avg_raw_reward": reward,
        "timing/policy_train": train,
        "timing/run_training": train + 6.5,
        "timing/step": wait + train + 6.5 + 9.25,
        "timing/sync_weights": 9.25,
        "timing/wait_for_generation_buffer": wait,
        "trainer/epoch": 0,
        "trainer/global_step": step,
        "batch_errors/total_batches": 32.0,
        "batch_errors/total_instances": 256.0,
        "batch_errors/total_successful": 256.0 - errors,
        "batch_errors/total_failed": 0.0,
        "batch_errors/total_masked": float(errors),
        "batch_errors/avg_DaytonaError": errors / 32,
        "batch_errors/total_DaytonaError": float(errors),
    }


def _trials(rng: random.Random) -> list[dict[str, object]]:
    rows = []
    for index in range(320):
        task = f"web-search-{rng.randint(1, 60):03d}"
        down = index >= 70
        turns = None if down else rng.choice((1, 2, 2, 2, 3, 4))
        reward = None if down else float(rng.random() < 0.42)
        rows.append(
            {
                "task_name": task,
                "trial_name": f"{task}__{index:07d}",
                "n_episodes": turns,
                "n_input_tokens": None if turns is None else turns * 3300,
                "n_output_tokens": None if turns is None else turns * 640,
                "exception_type": "DaytonaError" if down else None,
                "reward": reward,
                "trial_duration": round(rng.uniform(2, 9) if down else rng.uniform(30, 160), 3),
            }
        )
    return rows


def _log(rows: list[dict[str, object]]) -> str:
    actor = "(skyrl_entrypoint pid=41207) "
    lines = [
        f"{actor}{_clock(0)} | INFO     | skyrl_train.entrypoints.main_base:main:226 - SkyRL log level set to: INFO"
    ]
    for row in rows:
        step = int(str(row["trainer/global_step"]))
        failed = int(ERRORS[step - 1])
        head = f"{actor}{_clock(step)} | INFO     | "
        lines.append(
            f"{head}examples.terminal_bench.generator:generate:310 - Exception breakdown: {{'DaytonaError': {failed}}}"
        )
        lines.append(
            f"{head}examples.terminal_bench.generator:generate:318 - "
            f"Batch generation complete: {256 - failed}/256 successful, 0 failed instances, {failed} masked"
        )
        metrics = {
            key: value
            for key, value in sorted(row.items())
            if key != "log_file" and not key.startswith("batch_errors/")
        }
        lines.append(
            f"{head}skyrl_train.utils.tracking:log:88 - "
            f"WANDB_MIRROR kind=train step={step} metrics={json.dumps(metrics)}"
        )
    lines += [
        f"{actor}Traceback (most recent call last):",
        f'{actor}  File "generator.py", line 298, in generate',
        f"{actor}    raise DaytonaError(message)",
        f"{actor}DaytonaError: Failed to create sandbox: service unavailable (503)",
        "srun: error: node-0007: task 0: Exited with exit code 1",
    ]
    return "\n".join(lines) + "\n"


def _clock(step: int) -> str:
    return f"2026-06-05 {9 + (step * 6) // 60:02d}:{15 + (step * 6) % 45:02d}:00.000"
