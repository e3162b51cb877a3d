"""Stories told by hand, each for one oddity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tests.truth.draw import BEGIN as BEGIN
from tests.truth.draw import PASS, REWARD
from tests.truth.story import Batch, End, Launch, Log, Record, Sample, Story, Trial

nan, inf = math.nan, math.inf
FIRST = 554400
"""Number of the first job."""


def record(step: int, values: Mapping[str, float], at: float = 60.0, **more: Any) -> Record:
    """A record so many seconds after the beginning."""
    return Record(step=step, values=values, time=BEGIN + at, **more)


def launch(first: int, rewards: Sequence[float], *, resumed: int | None = None, at: float = 0.0) -> Launch:
    """Steps from `first` on, one a minute, with nothing but a reward."""
    records = tuple(
        record(first + n, {REWARD: value, "trainer/global_step": first + n}, at + 60.0 * (n + 1))
        for n, value in enumerate(rewards)
    )
    begun = first - 1 if resumed is None else resumed
    return Launch(resumed=begun, says_so=True, records=records)


def job(
    number: int, *launches: Launch, end: End = "unknown", begun: float = 0.0, lasted: float = 3600.0, **more: Any
) -> Log:
    """The n-th job, which begins so many seconds after the beginning and lasts an hour."""
    start = BEGIN + begun
    return Log(number=FIRST + number, started=start, finished=start + lasted, launches=launches, end=end, **more)


EMPTY = Story()
EMPTY_LOG = Story(logs=(Log(number=FIRST, started=None, finished=None),))
ONE_ROW = Story(logs=(job(0, launch(1, [0.25]), end="finished"),))
NOTHING_FINITE = {REWARD: nan, PASS: inf, "timing/step": nan}
ALL_NAN = Story(
    logs=(
        job(0, Launch(resumed=0, says_so=False, records=tuple(record(n, NOTHING_FINITE, 60.0 * n) for n in (1, 2, 3)))),
    )
)
ONE_JOB = Story(
    logs=(job(0, launch(1, [0.1, 0.2, 0.4, 0.3]), end="time_limit"),), config={"trainer.hf_save_interval": 1}
)
NO_CONFIG = Story(
    logs=(job(0, launch(1, [0.1, 0.2])), job(1, launch(3, [0.4, 0.3]), begun=7200)), exports=(2, 4), latest_checkpoint=4
)

OVERLAP = Story(
    logs=(
        job(0, launch(1, [0.1, 0.2, 0.9, 0.4]), end="time_limit"),
        job(1, launch(3, [0.3, 0.5, 0.7, 0.6], at=7200), begun=7200, end="finished"),
    ),
    config={"trainer.hf_save_interval": 2, "trainer.placement.colocate_all": True},
    gpus=8,
    price=2.0,
    currency="EUR",
)
"""The second job goes on from step 2, though the first had come to step 4."""
OLDER_BRANCH = Story(
    logs=(
        job(0, launch(1, [0.1] * 10)),
        job(1, launch(4, [0.2] * 3, at=7200), begun=7200),
        job(2, launch(9, [0.3] * 2, at=14400), begun=14400),
    )
)
"""The third job loads step 8, which only the first had reached: the second led nowhere."""
STARTED_OVER = Story(
    logs=(job(0, launch(1, [0.1] * 4)), job(1, launch(1, [0.2] * 2, at=7200), begun=7200)), overlap_rule="last"
)
RESTARTED_IN_ONE_LOG = Story(logs=(job(0, launch(1, [0.1] * 4), launch(3, [0.2] * 3, at=400)),))
"""The scheduler's job started the trainer twice."""

TREE = Story(
    logs=(
        job(
            0,
            Launch(
                resumed=0,
                says_so=False,
                records=tuple(
                    record(n, {f"timing/{name}": seconds for name, seconds in spans.items()} | {REWARD: 0.5}, n)
                    for n, spans in enumerate(
                        (
                            {"step": 400.0, "wait_for_generation_buffer": 300.0, "policy_train": 40.0, "eval": 7.0},
                            {"step": 100.0, "wait_for_generation_buffer": 50.0, "policy_train": 40.0},
                            {"step": 100.0, "wait_for_generation_buffer": 60.0, "policy_train": 20.0},
                            {"step": 100.0, "policy_train": 30.0, "cleanup_old_checkpoints": 3.0},
                        ),
                        start=1,
                    )
                ),
            ),
        ),
    ),
    gpus=36,
    price=10.0,
)
"""`run_training` and `save_checkpoints` are not recorded, what lies in them is."""


def batch(successful: int, *, failed: int = 0, masked: int = 0, **exceptions: int) -> Batch:
    """A line about eight trials."""
    return Batch(successful=successful, instances=8, failed=failed, masked=masked, exceptions=exceptions)


BATCHES_FIRST = Story(
    logs=(
        job(
            0,
            Launch(
                resumed=0,
                says_so=False,
                records=(
                    record(1, {REWARD: 0.5}, 1, batches=(batch(7, failed=1, AgentTimeoutError=1),)),
                    record(
                        2,
                        {REWARD: 0.5},
                        2,
                        batches=(
                            batch(5, masked=3, DaytonaError=3),
                            batch(6, failed=1, masked=1, DaytonaError=1, AgentTimeoutError=1),
                        ),
                    ),
                    record(3, {REWARD: 0.5}, 3),
                ),
            ),
            form="legacy",
        ),
    )
)
"""Of the old logger: the header of a step stands at its end, after its batches."""

LEVELS = ((3, 0.20), (20, 0.50), (3, 0.30), (20, 0.50), (14, 0.80))
"""Steps and level: cold start, plateau, dip, plateau, a last level."""
WAVERING = [level + (-0.002, 0.003, 0.001)[n % 3] for count, level in LEVELS for n in range(count)]
PHASES = Story(
    logs=(
        job(0, launch(1, WAVERING[:23])),
        job(1, launch(24, WAVERING[23:], at=7200), begun=7200),
    )
)

TRIALS = Story(
    config={
        "terminal_bench.harbor.enable_error_classification": True,
        "terminal_bench.harbor.passthrough_exceptions": ["AgentTimeoutError"],
        "terminal_bench.harbor.mask_exceptions": ["DaytonaError", "AgentTimeoutError"],
    },
    trials=(
        Trial(task="a", name="a__0000001", batch="b1", turns=2, reward=1.0, started=BEGIN, finished=BEGIN + 100,
              phases={"environment_setup": 20.0, "agent": 60.0}, input_tokens=100, cache_tokens=40, output_tokens=10),
        Trial(task="a", name="a__0000002", batch="b1", turns=4, reward=0.0, started=BEGIN + 10, finished=BEGIN + 60,
              phases={"agent": 30.0, "verifier": 10.0}, input_tokens=300),
        Trial(task="a", name="a__0000003", batch="b2", turns=12, reward=1.0, exception="AgentTimeoutError",
              started=BEGIN + 500, finished=BEGIN + 600),
        Trial(task="b", name="b__0000004", batch="b2", exception="DaytonaError", started=BEGIN + 520),
        Trial(task="b", name="b__0000005", batch="b2", turns=1, reward=0.0, started=BEGIN + 540, finished=BEGIN + 550),
        Trial(task="c", name="c__0000006", batch="b2", turns=1, exception="Odd{}Error", started=BEGIN + 560),
        Trial(task="c", name="c__0000007", batch="b2", ended=False),
    ),
)  # fmt: skip


def engines(running: Sequence[int], waiting: Sequence[int], slots: int | None) -> Story:
    """One engine's intervals; the first line stands for two more that Ray hid."""
    samples = tuple(
        Sample(engine=n % 2, time=BEGIN + 10 * n, prompt_tps=10.0, generation_tps=5.0 * one, running=one, waiting=two,
               kv_cache_pct=50.0, prefix_hit_pct=75.0 if one else None, repeats=2 if n == 0 else 0)
        for n, (one, two) in enumerate(zip(running, waiting, strict=True))
    )  # fmt: skip
    config = None if slots is None else {"generator.max_num_seqs": slots}
    return Story(logs=(job(0, samples=samples),), config=config)
