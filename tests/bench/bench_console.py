"""What a 400 MB console log costs a build: `python -m tests.bench.bench_console [--rounds N] [--size MB]`.

Makes its own logs in a temporary folder, builds an archive with the large one and one with 1 MB of the same, in turn,
and lets ripgrep count five patterns in the large one. Of each the fastest round counts. Prints the difference of the
two builds, its ratio to ripgrep and to the reference, and the peak memory of the largest process, workers included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.console_log import write_log

REFERENCE_S = 20.7
"""The log parser that teams use, for such a log on two cores."""
PATTERNS = (
    "WANDB_MIRROR kind=",
    "Avg prompt throughput: ",
    "Batch generation complete: ",
    "Exception breakdown: ",
    "Resumed training from global_step",
)
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One run of a command."""

    seconds: float
    cpu_s: float
    peak_mb: float


def measured(command: list[str]) -> Cost:
    """Time and peak memory of the largest of a command's processes.

    Raises:
        SystemExit: the command failed.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")
    return Cost(seconds=seconds, cpu_s=usage.ru_utime + usage.ru_stime, peak_mb=usage.ru_maxrss / 1024)


def main() -> None:
    """Runs the benchmark."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--size", type=int, default=400, help="of the large log, MB")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-console-") as folder:
        _report(Path(folder), given.rounds, given.size)


def _report(folder: Path, rounds: int, megabytes: int) -> None:
    logs = {name: folder / name / "run-a" / "logs" / "run-a_1234567.out" for name in ("large", "small")}
    for name, size in (("large", megabytes * 1_000_000), ("small", 1_000_000)):
        logs[name].parent.mkdir(parents=True)
        counts = write_log(logs[name], size)
        _say(f"{name}: {logs[name].stat().st_size / 1e6:.1f} MB, {counts}")
    costs: dict[str, list[Cost]] = {"large": [], "small": [], "rg": []}
    searched = [item for pattern in PATTERNS for item in ("-e", pattern)]
    for _ in range(rounds):
        for name in ("small", "large"):
            site = folder / f"site-{name}"
            costs[name].append(measured(_build(folder / name, site)))
            shutil.rmtree(site)
        if shutil.which("rg"):
            costs["rg"].append(measured(["rg", "-c", *searched, str(logs["large"])]))
    best = {name: min(each, key=lambda cost: cost.seconds) for name, each in costs.items() if each}
    for name, cost in best.items():
        cpu = min(each.cpu_s for each in costs[name])
        _say(f"{name}: {cost.seconds:.3f} s (CPU {cpu:.2f}), peak {cost.peak_mb:.0f} MB; rounds {_rounds(costs[name])}")
    difference = best["large"].seconds - best["small"].seconds
    memory = min(c.peak_mb for c in costs["large"]) - min(c.peak_mb for c in costs["small"])
    _say(f"difference: {difference:.3f} s = reference / {REFERENCE_S / max(difference, 1e-9):.1f} (wanted: 15 or more)")
    if "rg" in best:
        _say(f"difference / ripgrep: {difference / best['rg'].seconds:.1f} (wanted: 20 or less)")
    _say(f"memory: {memory:+.0f} MB (wanted: 80 or less), largest process {best['large'].peak_mb:.0f} MB (450 or less)")


def _build(archive: Path, site: Path) -> list[str]:
    return [sys.executable, "-m", "sitegen", "build", str(archive), "-o", str(site), "--no-cache", "--quiet"]


def _rounds(costs: list[Cost]) -> str:
    return ", ".join(f"{cost.seconds:.2f}" for cost in costs)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
