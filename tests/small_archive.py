"""Archives of a few small runs, for tests of what is done with whole archives."""

from __future__ import annotations

from pathlib import Path

TABLE = "log_file,reward/avg_raw_reward,reward/avg_pass_at_8,timing/step,trainer/global_step,global_step\n"


def table(job: str, rewards: list[float]) -> str:
    rows = (f"{job},{reward},{reward},100.0,{step},{step}\n" for step, reward in enumerate(rewards, 1))
    return TABLE + "".join(rows)


def add_run(archive: Path, name: str, rewards: list[float], settings: str = "") -> Path:
    folder = archive / name
    (folder / "training_logs").mkdir(parents=True)
    (folder / "training_logs" / "20260101_000000_metrics_table.csv").write_text(table("job_1", rewards))
    if settings:
        (folder / "run.toml").write_text(settings)
    return folder


def contents(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}
