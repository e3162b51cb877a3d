"""How long single stages take beside the plainest thing a library does with the same input.

`python -m tests.bench.bench_stages` prints seconds and ratios of one run on this machine: start of the command line
beside an empty interpreter, tables read beside `pandas.read_csv`, metric summaries beside `DataFrame.describe`, the
cold build of the sample archive.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from sitegen.analyse.summary import summarise
from sitegen.model import tables
from sitegen.model.run import HEAD_BYTES, SourceFile
from sitegen.readers import READERS
from sitegen.scan import claimant
from tests.factories import make_run

ROOT = Path(__file__).parents[2]
ROUNDS = 5


def best(work: Callable[[], object]) -> float:
    """The shortest of a few rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def report(name: str, ours: float, plain: float, beside: str) -> None:
    sys.stdout.write(f"{name:<44} {ours:8.3f} s   {ours / plain:6.1f} x {beside} ({plain:.3f} s)\n")


def start() -> None:
    ours = best(lambda: subprocess.run([sys.executable, "-m", "sitegen", "--help"], capture_output=True, check=True))
    plain = best(lambda: subprocess.run([sys.executable, "-c", ""], capture_output=True, check=True))
    report("sitegen --help", ours, plain, "an empty interpreter")


def table(name: str, text: str, folder: Path) -> None:
    location = folder / name
    location.write_text(text, encoding="utf-8")
    data = location.read_bytes()
    source = SourceFile(path=name, location=location, size=len(data), head=data[:HEAD_BYTES])
    reader = claimant(source, READERS)
    assert reader is not None
    lines = text.count("\n") - 1
    ours = best(lambda: reader.read(source))
    report(f"{name}, {lines} rows", ours, best(lambda: pd.read_csv(location)), "pandas.read_csv")


def tables_of_a_run(folder: Path) -> None:
    keys = [f"group_{i % 9}/metric_{i}" for i in range(200)]
    rows = "\n".join(f"job_1,{','.join(f'{step / (i + 7):.6g}' for i in range(200))},{step}" for step in range(2000))
    table("20260101_000000_metrics_table.csv", f"log_file,{','.join(keys)},trainer/global_step\n{rows}\n", folder)
    head = "task_name,trial_name,n_episodes,n_input_tokens,n_output_tokens,exception_type,reward,agent_duration_sec"
    trials = "\n".join(f"t-{i % 900},t-{i % 900}__{i:07d},{i % 9},{i},{i},,{i % 2}.0,{i / 7}" for i in range(45_000))
    table("trial_stats.csv", f"{head}\n{trials}\n", folder)


def summaries() -> None:
    measures = pd.DataFrame(np.random.default_rng(1).normal(size=(5000, 300)), columns=[f"m{i}" for i in range(300)])
    fixed = pd.DataFrame({"job": "j", "step": range(5000), "row": range(5000), "source": "s", "kind": "train"})
    run = make_run(steps=tables.conform(pd.concat([fixed, measures], axis=1), tables.STEPS))
    report("summary of 300 metrics, 5000 rows", best(lambda: summarise(run)), best(measures.describe), "describe()")


def cold_build(folder: Path) -> None:
    command = [sys.executable, "-m", "sitegen", "build", str(ROOT / "runs"), "-q", "--no-cache"]
    times = []
    for round_ in range(3):
        started = time.perf_counter()
        subprocess.run([*command, "-o", str(folder / f"site-{round_}")], check=True, cwd=ROOT)
        times.append(time.perf_counter() - started)
    sys.stdout.write(f"{'cold build of the sample archive':<44} {min(times):8.3f} s   (of {times})\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        start()
        tables_of_a_run(Path(folder))
        summaries()
        cold_build(Path(folder))


if __name__ == "__main__":
    main()
