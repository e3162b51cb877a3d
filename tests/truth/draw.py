"""Makes a story from a seed: chains of jobs, resumes, overlaps, losses, trials and engines, all by chance."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any, get_args

from tests.truth.story import Batch, End, Form, Launch, Log, Record, Sample, Story, Trial

BEGIN = 1_780_650_000.0
"""2026-06-05 09:00:00 UTC."""
REWARD, PASS = "reward/avg_raw_reward", "reward/avg_pass_at_8"
OTHERS = (
    "policy/policy_entropy",
    "policy/raw_grad_norm",
    "policy/ppo_clip_ratio",
    "policy/policy_kl",
    "policy/tis/imp_ratio_mean",
    "policy/tis/log_ratio_abs_mean",
    "async/staleness_mean",
    "async/staleness_max",
    "async/discard_rate",
    "async/discarded_count",
    "async/effective_batch_samples",
)
INNER = (
    "generate",
    "wait_for_generation_buffer",
    "convert_to_training_input",
    "run_training",
    "sync_weights",
    "fwd_logprobs_values_reward",
    "compute_advantages_and_returns",
    "train_critic_and_policy",
    "critic_train",
    "policy_train",
)
BESIDE = ("save_checkpoints", "cleanup_old_checkpoints", "save_hf_model", "eval", "polish_the_brass")
"""Spans outside the step; nobody has said where the last one lies."""
EXCEPTIONS = ("AgentTimeoutError", "ContextLengthExceededError", "DaytonaError", "VerifierTimeoutError")


def drawn(seed: int, *, jobs: int = 2, steps: int = 8, trials: int = 8, samples: int = 10) -> Story:
    """A story.

    Args:
        seed: Everything that the sizes leave open.
        jobs: Logs.
        steps: The most steps that one launch trains.
        trials: Trials with a result.
        samples: Engine lines per log.
    """
    rng = random.Random(seed)
    config = _config(rng) if rng.random() < 0.7 else None
    logs = _Training(rng, steps, samples).logs(jobs)
    reached = max((record.step for log in logs for record in log.records), default=0)
    return Story(
        logs=logs,
        trials=_trials(rng, trials),
        config=config,
        assumed=config is not None and rng.random() < 0.2,
        exports=_exports(rng, reached),
        latest_checkpoint=rng.randint(0, reached + 2) if rng.random() < 0.5 else None,
        planned=rng.choice((None, reached + 3, max(1, reached))),
        gpus=rng.choice((None, 8, 24)),
        run_interval=rng.choice((None, None, None, 2)),
        site_interval=rng.choice((None, None, None, 3)),
        overlap_rule=rng.choice(("last", "last", "first")),
        alpha=rng.choice((1 / 3, 1 / 3, 0.5, 1.0)),
        threshold=rng.choice((0.0, 0.0, 0.5)),
        price=rng.choice((None, 2.5)),
        currency=rng.choice((None, "EUR")),
    )


def _config(rng: random.Random) -> dict[str, Any]:
    """Any of the keys that analyses look for."""
    lists = {key: rng.sample(EXCEPTIONS, rng.randint(0, 2)) for key in ("mask", "passthrough", "zero")}
    whole: dict[str, Any] = {
        "trainer.policy.model.path": "Qwen/Qwen3-8B",
        "trainer.policy.optimizer_config.lr": 0.000001,
        "trainer.algorithm.advantage_estimator": "rloo",
        "trainer.train_batch_size": rng.choice((4, 8)),
        "trainer.policy_mini_batch_size": rng.choice((4, 8)),
        "trainer.update_epochs_per_batch": rng.choice((1, 2)),
        "trainer.hf_save_interval": rng.choice((-1, 1, 2, 5)),
        "trainer.fully_async.max_staleness_steps": 4,
        "generator.n_samples_per_prompt": 8,
        "generator.num_inference_engines": 2,
        "generator.max_num_seqs": rng.choice((4, 24)),
        "data.train_data": ["sets/calendar"],
        "terminal_bench.harbor.enable_error_classification": rng.random() < 0.8,
        "terminal_bench.harbor.default_error_treatment": rng.choice(("zero", "mask", "passthrough", "whatever")),
        **{f"terminal_bench.harbor.{key}_exceptions": names for key, names in lists.items()},
    }
    return {key: value for key, value in whole.items() if rng.random() < 0.8}


def _exports(rng: random.Random, reached: int) -> tuple[int, ...] | None:
    if rng.random() < 0.4:
        return None
    steps = {step for step in range(1, reached + 1) if step % 2 == 0 and rng.random() < 0.8}
    return tuple(sorted(steps | ({reached} if reached and rng.random() < 0.5 else set()))) or None


class _Training:
    """A chain of jobs: what is on the disk, and what the logs have kept."""

    def __init__(self, rng: random.Random, steps: int, samples: int) -> None:
        self.rng, self.steps, self.samples = rng, steps, samples
        self.now = BEGIN
        self.saved = {0}
        self.unseen: set[int] = set()
        """Steps trained last whose lines are lost: once another launch has begun, nobody can tell whose they were."""
        self.logged: set[int] = set()
        self.names = [name for name in (REWARD, PASS, *OTHERS) if rng.random() < 0.85]
        self.names += [f"timing/{name}" for name in ("step", *INNER, *BESIDE) if rng.random() < 0.85]
        self.odd = rng.choice((0.0, 0.0, 0.05, 0.3))
        self.scale = rng.choice((1.0, 1.0, 1.0, 40.0))
        self.queues = rng.random() < 0.6
        self.least_cache = rng.choice((0, 0, 900))

    def logs(self, jobs: int) -> tuple[Log, ...]:
        """One log per job, in order of time."""
        return tuple(self.log(554400 + 7 * at) for at in range(jobs))

    def log(self, number: int) -> Log:
        rng = self.rng
        self.now += rng.choice((0, 0, 600, 5400))
        if rng.random() < 0.06:
            return Log(number=number, started=None, finished=None)
        form: Form = "mirror" if rng.random() < 0.75 else "legacy"
        begun = self.now
        newest = max(self.saved)
        launches = [self.launch(form, newest if rng.random() < 0.7 else rng.choice(sorted(self.saved)))]
        while launches[-1].records and not launches[-1].records[-1].lost and rng.random() < 0.2:
            back = [step for step in self.saved if step < launches[-1].records[-1].step]
            launches.append(self.launch(form, rng.choice(sorted(back)), least=1))
        end: End = rng.choice(get_args(End))
        if end == "sandbox_failure":
            launches, found = _in_an_outage(launches)
            end = "sandbox_failure" if found else "crashed"
        self.now += 30
        return Log(
            number=number,
            started=begun,
            finished=self.now,
            launches=tuple(launches),
            samples=tuple(self.sample(time) for time in sorted(self.moments(begun))),
            end=end,
            form=form,
            survived=rng.random() < 0.3,
        )

    def launch(self, form: Form, resumed: int, least: int = 0) -> Launch:
        """Trains some steps; the log may lose the last of them, where no other log has them."""
        rng = self.rng
        count = rng.randint(least, self.steps)
        steps = range(resumed + 1, resumed + 1 + count)
        lost = rng.choice((0, 0, 0, 0, 1, 3))
        records: list[Record] = []
        if resumed == 0 and count and rng.random() < 0.3:
            records.append(self.evaluation(0, form))
        for step in steps:
            gone = step > steps[0] and step > steps[-1] - lost and not {*range(step, steps[-1] + 1)} & self.logged
            records.append(self.record(step, form, lost=gone))
            if not gone and rng.random() < 0.3:
                records.append(self.evaluation(step, form))
        self.saved = (self.saved - self.unseen) | set(steps)
        self.unseen = {record.step for record in records if record.lost}
        self.logged.update(record.step for record in records if not record.lost and record.kind == "train")
        return Launch(resumed=resumed, says_so=rng.random() < 0.8, records=tuple(records))

    def record(self, step: int, form: Form, *, lost: bool) -> Record:
        rng = self.rng
        self.now += 60.5
        values = {name: self.value(name, step) for name in self.names if rng.random() < 1 - self.odd}
        values = _printed(self.spoilt(self.timed(values)), form)
        return Record(
            step=step,
            values={"trainer/global_step": float(step), **values},
            time=self.now,
            batches=tuple(self.batch() for _ in range(rng.choice((0, 1, 1, 3)))),
            lost=lost,
            parts=1 if rng.random() < 0.9 else 2,
        )

    def evaluation(self, step: int, form: Form) -> Record:
        rng = self.rng
        self.now += 20.25
        sets = ("all", "calendar")[: rng.randint(1, 2)]  # never disjoint: those of one step would be parts of one
        values = {f"eval/{name}/{measure}": rng.random() for name in sets for measure in ("avg_score", "pass_at_8")}
        batches = tuple(self.batch() for _ in range(rng.choice((0, 0, 2))))
        return Record(
            step=step, values=_printed(self.spoilt(values), form), time=self.now, kind="eval", batches=batches
        )

    def value(self, name: str, step: int) -> float:
        rng = self.rng
        if name == REWARD:
            return min(self.scale, max(0.0, 0.3 + step / 40 + rng.gauss(0, 0.1))) * self.scale
        if name == PASS:
            return min(1.0, 0.6 + step / 30 + rng.random() / 5)
        if name == "policy/raw_grad_norm" and rng.random() < 0.07:
            return 50 + rng.random()
        if name == "async/effective_batch_samples":
            return float(rng.choice((32, 64, 64, 64)))
        if name == "timing/save_hf_model":
            return 6 + rng.random() if step % 2 == 0 else 0.0
        return round(rng.uniform(0.01, 3), 6)

    def timed(self, values: dict[str, float]) -> dict[str, float]:
        """A step about as long as what lies in it, sometimes shorter, rarely of no length."""
        if "timing/step" not in values:
            return values
        rng = self.rng
        direct = ("generate", "wait_for_generation_buffer", "convert_to_training_input", "run_training", "sync_weights")
        inside = math.fsum(values.get(f"timing/{name}", 0.0) for name in direct)
        step = 0.0 if rng.random() < 0.02 else inside * rng.choice((1.0, 1.0, 1.3, 0.8, 4.0)) + rng.choice((0, 0.25))
        return values | {"timing/step": step}

    def spoilt(self, values: dict[str, float]) -> dict[str, float]:
        """Now and then a value that is not finite."""
        rng = self.rng
        wrong = (math.nan, math.inf, -math.inf)
        return {name: rng.choice(wrong) if rng.random() < self.odd / 2 else value for name, value in values.items()}

    def batch(self) -> Batch:
        rng = self.rng
        instances = rng.choice((8, 16))
        masked, failed = rng.randint(0, 3), rng.randint(0, 2)
        names = rng.sample(EXCEPTIONS, rng.randint(0, 2))
        return Batch(
            successful=instances - masked - failed,
            instances=instances,
            failed=failed,
            masked=masked,
            exceptions={name: rng.randint(1, 4) for name in names},
        )

    def moments(self, begun: float) -> list[float]:
        return [float(self.rng.randint(math.ceil(begun), math.floor(self.now))) for _ in range(self.samples)]

    def sample(self, time: float) -> Sample:
        rng = self.rng
        idle = rng.random() < 0.2
        running = 0 if idle else rng.choice((1, 2, 4, 12, 22, 24))
        return Sample(
            engine=rng.randint(0, 2),
            time=time,
            prompt_tps=rng.randint(0, 90000) / 10,
            generation_tps=0.0 if idle else rng.randint(1, 9000) / 10,
            running=running,
            waiting=0 if idle or not self.queues else rng.choice((0, 0, 1, 7)),
            kv_cache_pct=rng.randint(self.least_cache, 1000) / 10,
            prefix_hit_pct=None if rng.random() < 0.1 else rng.randint(0, 1000) / 10,
            repeats=rng.choice((0, 0, 0, 2)),
        )


def _printed(values: dict[str, float], form: Form) -> dict[str, float]:
    """The values as the log has them: the old logger prints four decimals."""
    return {name: float(f"{value:.4f}") for name, value in values.items()} if form == "legacy" else values


def _in_an_outage(launches: list[Launch]) -> tuple[list[Launch], bool]:
    """The launches, nothing but sandbox errors in the last batch; not found without a record to put it before."""
    *before, last = launches
    places = [at for at, record in enumerate(last.records) if not record.lost]
    if not places:
        return launches, False
    record = last.records[places[-1]]
    outage = Batch(successful=0, instances=16, failed=0, masked=16, exceptions={"DaytonaError": 16})
    changed = list(last.records)
    changed[places[-1]] = replace(record, batches=(*record.batches, outage))
    return [*before, replace(last, records=tuple(changed))], True


# Trials --------------------------------------------------------------------------------------------------------------


def _trials(rng: random.Random, count: int) -> tuple[Trial, ...]:
    tasks = [f"task-{number}" for number in range(max(1, count // 3))]
    unfinished = 1 if count and rng.random() < 0.3 else 0
    timed = rng.choice((True, True, False))
    return tuple(
        _trial(rng, rng.choice(tasks), f"{at:07d}", timed=timed, ended=at < count) for at in range(count + unfinished)
    )


def _trial(rng: random.Random, task: str, suffix: str, *, timed: bool, ended: bool) -> Trial:
    def maybe(value: Any, known: float = 0.85) -> Any:
        return value if rng.random() < known else None

    exception = maybe(rng.choice(EXCEPTIONS), 0.35)
    phases = {
        name: rng.randint(0, 400) / 4
        for name in ("environment_setup", "agent_setup", "agent", "verifier")
        if rng.random() < 0.8
    }
    started = BEGIN + rng.randint(0, 40) * 100 if timed and rng.random() < 0.9 else None
    wall = sum(phases.values()) * rng.choice((1.0, 1.25, 0.5)) + rng.choice((0, 1.5))
    return Trial(
        task=task,
        name=f"{task}__{suffix}",
        batch=rng.choice(("batch-a", "batch-b")),
        turns=maybe(rng.choice((0, 1, 2, 3, 4, 5, 9, 10, 11, 27))),
        input_tokens=maybe(rng.randint(0, 50000)),
        cache_tokens=maybe(rng.randint(0, 3000), 0.5),
        output_tokens=maybe(rng.randint(0, 5000)),
        cost_usd=maybe(rng.randint(0, 100) / 16, 0.2),
        exception=exception,
        reward=maybe(rng.choice((0.0, 0.0, 0.5, 1.0, 1.0)), 0.5 if exception else 0.9),
        started=started,
        finished=None if started is None or rng.random() < 0.05 else started + wall,
        phases=phases,
        ended=ended,
    )
