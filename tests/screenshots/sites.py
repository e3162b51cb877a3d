"""The sites that are looked at: the sample archive with dialogues of agents, and the index of many runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sitegen.build import BuildOptions, build_site
from tests.bench.archive_of_runs import write_site
from tests.screenshots.views import SiteName
from tests.small_archive import table

RUNS = Path(__file__).parents[2] / "runs"
MANY = 230
OUTPUT = "\n".join(f"{at:>3}  src/parser_{at % 7}.py  ok  {'·' * (at % 40)}" for at in range(60))


def write_sites(folder: Path) -> dict[SiteName, Path]:
    """Both sites, in a folder."""
    archive = folder / "archive"
    shutil.copytree(RUNS, archive)
    settings = archive / "sitegen.toml"
    settings.write_text(f"trajectories = true\n{settings.read_text(encoding='utf-8')}", encoding="utf-8")
    write_dialogues(archive)
    build_site(archive, folder / "sample", BuildOptions(workers=1, keep=False))
    return {"sample": folder / "sample", "many": write_site(folder / "many", MANY)}


def write_dialogues(archive: Path) -> Path:
    """A run whose trial folders hold what its agents said: short, long, failed, in Chinese."""
    run = archive / "dialogues"
    (run / "training_logs").mkdir(parents=True)
    rewards = [0.25, 0.25, 0.5, 0.375, 0.5, 0.625]
    (run / "training_logs" / "20260101_000000_metrics_table.csv").write_text(table("job_1", rewards))
    _trial(run, "fix-parser__aB3dE5f", list(_conversation()), 1.0)
    _trial(
        run,
        "find-year__Zz9yX8w",
        [_turn(1, "user", "建成于哪一年？请查证后回答。"), _turn(2, "agent", "1937 年。")],
        0.0,
    )
    return run


def _trial(run: Path, name: str, turns: Sequence[dict[str, Any]], reward: float) -> None:
    folder = run / "trace_jobs" / name
    (folder / "agent").mkdir(parents=True)
    result = {
        "id": name,
        "task_name": name.partition("__")[0],
        "trial_name": name,
        "started_at": "2026-01-07T21:45:00Z",
        "finished_at": "2026-01-07T21:52:30Z",
        "agent_result": {"n_input_tokens": 91_234, "n_output_tokens": 8_012, "metadata": {"n_episodes": len(turns)}},
        "verifier_result": {"rewards": {"reward": reward}},
    }
    (folder / "result.json").write_text(json.dumps(result))
    talk = {"schema_version": "ATIF-v1.6", "agent": {"name": "terminus-2", "version": "2.0"}, "steps": turns}
    (folder / "agent" / "trajectory.json").write_text(json.dumps(talk, ensure_ascii=False), encoding="utf-8")


def _turn(number: int, source: str, message: str, **more: object) -> dict[str, Any]:
    clock = f"2026-01-07T21:{45 + number // 6:02d}:{number % 6 * 10:02d}Z"
    return {"step_id": number, "source": source, "message": message, "timestamp": clock, **more}


def _conversation() -> Iterator[dict[str, Any]]:
    yield _turn(1, "system", "You are an agent in a sandbox. " * 60)
    yield _turn(2, "user", "The parser drops the last column of a table.\n\nFind out why, mend it, and run the tests.")
    for number in range(3, 15):
        command = f"python -m pytest tests/test_parser_{number}.py -q --maxfail=1"
        call = {"tool_call_id": str(number), "function_name": "shell", "arguments": {"cmd": command, "timeout_s": 60}}
        yield _turn(
            number,
            "agent",
            f"Next I look at case {number}: the header and the rows do not have the same length.",
            reasoning_content="If the last cell is empty, `split` with a limit leaves it out. 先看表头，再看数据行。",
            tool_calls=[call],
            observation={"results": [{"source_call_id": str(number), "content": OUTPUT * (1 + number % 3)}]},
            metrics={"prompt_tokens": 1200 * number, "cached_tokens": 1000 * number, "completion_tokens": 90 + number},
        )
    yield _turn(15, "agent", "The last column is kept now; all tests pass.")
