"""How long it takes to find and read many trial folders, beside a loop that only parses their results.

`python -m tests.bench.bench_trials` makes 45 000 folders with a `result.json` of 15 KB each in a temporary folder,
reads them once to warm the disk's cache, times scan and reading stage in this process, and removes them.
The plain loop is `json.load` over the same files in the same order, with nothing done to what it gives.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sitegen.model.run import RunFolder
from sitegen.readers import READERS
from sitegen.scan import claimant, scan_archive, with_heads
from sitegen.settings import SiteSettings

TRIALS = 45_000
"""As many as a long run leaves."""
RESULT_BYTES = 15_000
"""Size of one result: a timed-out trial's, most of it traceback and configuration."""


def record(number: int) -> dict[str, Any]:
    """A trial's result of about `RESULT_BYTES`; every third has a reward, every fourth an exception."""
    name = f"task-{number % 400:03}__{number:07}"
    clock = [f"2026-02-01T10:0{minute}:00.{number:06}Z" for minute in range(6)]
    spans = {
        phase: {"started_at": clock[i], "finished_at": clock[i + 1]}
        for i, phase in enumerate(("environment_setup", "agent_setup", "agent_execution", "verifier"))
    }
    timed_out = number % 4 == 0
    settings = {f"setting_{i:03}": {"name": f"value {i}", "limit": None, "enabled": i % 2 == 0} for i in range(40)}
    found: dict[str, Any] = {
        "trial_name": name,
        "task_name": name.partition("__")[0],
        "config": {"trials_dir": "runs/demo/trace_jobs", "environment": settings},
        "agent_result": {
            "n_input_tokens": 30_000 + number,
            "n_cache_tokens": 20_000,
            "n_output_tokens": 900,
            "cost_usd": None,
            "metadata": {"n_episodes": number % 20, "api_request_times_msec": [1000.25 + i for i in range(60)]},
        },
        "verifier_result": {"rewards": {"reward": float(number % 2)}} if number % 3 == 0 else None,
        "exception_info": {"exception_type": "AgentTimeoutError", "exception_message": "late"} if timed_out else None,
        "started_at": clock[0],
        "finished_at": clock[5],
        **spans,
    }
    line = '  File "/opt/agent/loop.py", line 120, in run\n    await self._execute()\n'
    missing = RESULT_BYTES - len(json.dumps(found, indent=4))
    found["log_tail"] = line * max(0, missing // (len(line) + 4))
    return found


def make(root: Path, count: int) -> None:
    """A run with that many trial folders."""
    for number in range(count):
        content = record(number)
        folder = root / "demo" / "trace_jobs" / content["trial_name"]
        (folder / "agent").mkdir(parents=True)
        (folder / "trial.log").touch()
        (folder / "result.json").write_text(json.dumps(content, indent=4))


def plain(root: Path) -> int:
    """The loop that everybody would write."""
    names = sorted(entry.name for entry in (root / "demo" / "trace_jobs").iterdir())
    for name in names:
        with (root / "demo" / "trace_jobs" / name / "result.json").open() as file:
            json.load(file)
    return len(names)


def scanned(root: Path) -> RunFolder:
    """The one run."""
    (run,) = scan_archive(root, SiteSettings()).runs
    return with_heads(run, READERS)


def read(run: RunFolder) -> int:
    """The reading stage: trials read."""
    readers = [(claimant(source, READERS), source) for source in run.files]
    return sum(reader.read(source).rows for reader, source in readers if reader is not None)


def timed(work: Callable[[], object], times: int) -> tuple[float, float]:
    """Best wall and processor seconds of several."""
    best = [(float("inf"), float("inf"))]
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        best.append((time.perf_counter() - wall, time.process_time() - processor))
    return min(wall for wall, _ in best), min(processor for _, processor in best)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints one line per way, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--in", dest="folder", type=Path, default=None, help="where the temporary folder is made")
    given = parser.parse_args(arguments)
    root = Path(tempfile.mkdtemp(prefix="bench-trials-", dir=given.folder))
    try:
        make(root, given.trials)
        run = scanned(root)
        trials = read(run)  # warms the disk's cache
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        times = {
            "scan": timed(lambda: scanned(root), given.times),
            "reading stage": timed(lambda: read(run), given.times),
            "json.load in a loop": timed(lambda: plain(root), given.times),
        }
    finally:
        shutil.rmtree(root, ignore_errors=True)
    ratios = [mine / theirs for mine, theirs in zip(times["reading stage"], times["json.load in a loop"], strict=True)]
    lines = [f"{trials} trials with results of {RESULT_BYTES} bytes, best of {given.times}, peak {peak} MB"]
    lines += [f"{name:20} {wall:6.2f} s, processor {processor:6.2f} s" for name, (wall, processor) in times.items()]
    lines.append(f"{'reading / json.load':20} {ratios[0]:6.2f}  , processor {ratios[1]:6.2f}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
