"""A folder with damage: what a truncated, mixed and half-fetched run looks like on the site."""

import random
from pathlib import Path

RUN = "damaged-files"
STAMP = "20260607_120000"
HEADER = (
    "log_file,policy/policy_entropy,policy/raw_grad_norm,reward/avg_pass_at_8,reward/avg_raw_reward,"
    "timing/step,trainer/global_step,global_step"
)


def files() -> dict[str, bytes]:
    """Every file of the run by path under `runs/`."""
    here = Path(__file__).parent / "damaged"
    made = {
        f"{RUN}/training_logs/{STAMP}_metrics_table.csv": _metrics().encode(),
        f"{RUN}/training_logs/{STAMP}_trial_results.csv": _trials().encode(),
        f"{RUN}/training_logs/{STAMP}_vllm_metrics_table.csv": (
            b"version https://git-lfs.github.com/spec/v1\n"
            b"oid sha256:8b1f6c0d5a9e4f27b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0\n"
            b"size 1853022\n"
        ),
    }
    for name in ("README.md", "run.toml", "rl_config.yaml"):
        made[f"{RUN}/{name}"] = (here / name).read_bytes()
    return made


def _metrics() -> str:
    rng = random.Random(7)
    lines = [HEADER]
    for step in range(1, 25):
        reward = round(0.35 + 0.006 * step + rng.gauss(0, 0.02), 4)
        cells = [
            "job_570001" if step <= 12 else "job_570002",
            f"{0.24 - 0.002 * step:.4f}",
            f"{abs(rng.gauss(0.04, 0.01)):.4f}",
            f"{min(1, reward + 0.25):.4f}",
            f"{reward:.4f}",
            f"{rng.uniform(300, 420):.1f}",
            str(step),
            str(step),
        ]
        if step in (9, 10):
            cells[2] = "nan" if step == 9 else "inf"  # logged as not finite
        if step == 11:
            cells[2] = ""  # not logged
        if step == 14:
            cells[3] = "n/a"  # text where a number is due
        if step == 17:
            cells.insert(3, "0.9911")  # a column too many: nobody can say which
        lines.append(",".join(cells))
        if step == 12:
            lines.append(HEADER)  # the second job wrote its header again
    lines[-1] = lines[-1][:31]  # the disk was full
    return "\n".join(lines)


def _trials() -> str:
    rng = random.Random(8)
    lines = ["task_name,trial_name,n_episodes,n_input_tokens,n_output_tokens,exception_type,reward,agent_duration_sec"]
    for index in range(140):
        reward = "1.0" if rng.random() < 0.45 else "0.0"
        turns = str(rng.choice((1, 2, 2, 3, 5)))
        if index == 33:
            turns = "two"
        if index == 50:
            reward = "nan"
        exception = "AgentTimeoutError" if index % 23 == 22 else ""
        lines.append(
            f"db-{index % 31:03d},db-{index % 31:03d}__{index:07d},{turns},{3000 + index},{400 + index},"
            f"{exception},{reward},{rng.uniform(20, 300):.2f}"
        )
    lines.insert(60, 'db-007,"db-007__broken')  # a quote that is never closed on its line
    return "\n".join(lines) + "\n"
