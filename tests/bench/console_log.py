"""Makes a SkyRL console log of a given size: engine lines up to a tenth, model text, warnings, and a hundred metric
records whatever the size, so that two logs differ in nothing else.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

_TEXT = (
    "the agent runs tests and reads files then it writes a patch build model step value path list command output "
    "reward check pass fail python import def return error warning numbers of lines in a table"
)
_WORDS = tuple(_TEXT.split())
_START = datetime(2026, 6, 5, 9, 15, tzinfo=UTC)
_ENGINE = (
    "(AsyncVLLMInferenceEngine pid={pid}{ip}) INFO {clock} [loggers.py:248] Engine 000: "
    "Avg prompt throughput: {prompt:.1f} tokens/s, Avg generation throughput: {generation:.1f} tokens/s, "
    "Running: {running} reqs, Waiting: {waiting} reqs, GPU KV cache usage: {cache:.1f}%, "
    "Prefix cache hit rate: {hits:.1f}%\n"
)
_LOGURU = "(skyrl_entrypoint pid=48718) {time} | {level:<8} | {place} - {text}\n"
_STEPS = 100
_METRICS = 60


def write_log(path: Path, size: int, *, seed: int = 1) -> dict[str, int]:
    """Writes a log of about `size` bytes; returns how many lines of each kind it has."""
    chance = random.Random(seed)
    text = [_model_text(chance) for _ in range(4000)]
    counts = {"engines": 0, "steps": 0, "lines": 0}
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for step in range(1, _STEPS + 1):
            left = size * step // _STEPS - stream.tell()
            while left > 0:
                block = chance.choices(text, k=min(450, max(10, left // 500)))
                engines = _engines(chance, counts["engines"], sum(map(len, block)) // 11)
                counts["engines"] += len(engines)
                block[40:40] = engines
                block.append(_warning(chance, step))
                counts["lines"] += len(block)
                left -= stream.write("".join(block))
            stream.write(_step(chance, step))
            counts["steps"] += 1
            counts["lines"] += 3
    return counts


def _model_text(chance: random.Random) -> str:
    words = " ".join(chance.choices(_WORDS, k=chance.randint(8, 70)))
    if chance.random() < 0.6:
        return f"(skyrl_entrypoint pid=48718) {words}\n"
    return _LOGURU.format(time="2026-06-05 09:15:00.000", level="INFO", place="examples.generator:run:310", text=words)


def _engines(chance: random.Random, first: int, room: int) -> list[str]:
    lines: list[str] = []
    while room > 0:
        at = first + len(lines)
        line = _ENGINE.format(
            pid=48729 + at % 8,
            ip=f", ip=10.0.0.{at % 8}" if at % 8 else "",
            clock=(_START + timedelta(seconds=10 * (at // 8))).strftime("%m-%d %H:%M:%S"),
            prompt=chance.uniform(0, 200),
            generation=chance.uniform(0, 1000),
            running=chance.randint(0, 40),
            waiting=chance.randint(0, 9),
            cache=chance.uniform(0, 100),
            hits=chance.uniform(0, 100),
        )
        lines.append(line)
        room -= len(line)
    return lines


def _warning(chance: random.Random, step: int) -> str:
    text = f"Trial task-{chance.randint(0, 99)}__{chance.randint(1_000_000, 9_999_999)} was retried"
    return _LOGURU.format(time=_time(step), level="WARNING", place="examples.generator:retry:77", text=text)


def _time(step: int) -> str:
    return (_START + timedelta(minutes=step)).strftime("%Y-%m-%d %H:%M:%S.000")


def _step(chance: random.Random, step: int) -> str:
    metrics: dict[str, float] = {f"family/metric_{at:03d}": chance.random() for at in range(_METRICS)}
    metrics |= {"reward/avg_raw_reward": chance.random(), "trainer/global_step": step}
    texts = (
        "Exception breakdown: {'AgentTimeoutError': 3}",
        "Batch generation complete: 125/128 successful, 0 failed instances, 3 masked (excluded from baseline)",
        f"WANDB_MIRROR kind=train step={step} metrics={json.dumps(metrics, sort_keys=True)}",
    )
    return "".join(
        _LOGURU.format(time=_time(step), level="INFO", place="skyrl_train.trainer:log:1", text=t) for t in texts
    )
