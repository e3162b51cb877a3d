"""Writes a story into a folder as SkyRL, vLLM, SLURM and Harbor would leave it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.truth.story import RUN, Batch, Launch, Log, Record, Sample, Story, Trial

ACTOR = "(skyrl_entrypoint pid=41207)"
TRAINER = "skyrl_train.trainer:train:412"
ENDS = {
    "finished": "Training done!",
    "stopped_early": "Training stopped early at step 9",
    "time_limit": "slurmstepd: error: *** JOB {job} ON jwb0001 CANCELLED AT 2026-06-05T10:00:00 DUE TO TIME LIMIT ***",
    "cancelled": "slurmstepd: error: *** JOB {job} ON jwb0001 CANCELLED AT 2026-06-05T10:00:00 ***",
    "out_of_memory": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB.",
    "node_failure": "srun: error: Node failure on jwb0001",
    "hang": "[rank3]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)",
    "crashed": "srun: error: jwb0001: task 0: Exited with exit code 1",
    "sandbox_failure": "srun: error: jwb0001: task 0: Exited with exit code 1",
}
"""The last line of a log by what ended the job; the first two are the trainer's own."""

Places = dict[int, int]
"""`id` of a record to the line on which it begins."""


def write(story: Story, archive: Path) -> Places:
    """Writes the run's folder below an archive; where its records stand."""
    folder = archive / RUN
    (folder / "logs").mkdir(parents=True)
    _settings(story, folder)
    places: Places = {}
    for log in story.logs:
        text = _Text(story, log)
        text.write()
        places |= text.places
        (folder / "logs" / f"{story.job(log)}.out").write_text("".join(f"{line}\n" for line in text.lines))
    for trial in story.trials:
        _trial(trial, folder / "trace_jobs" / trial.batch / trial.name)
    return places


def _settings(story: Story, folder: Path) -> None:
    keys = {"gpus": story.gpus, "save_interval": story.run_interval}
    lines = [f"{name} = {value}\n" for name, value in keys.items() if value is not None]
    (folder / "run.toml").write_text("".join(lines))
    if story.config is not None:
        head = "# Assumed: copied from a sister run\n" if story.assumed else ""
        (folder / "rl_config.yaml").write_text(head + json.dumps(_nested(story.config), indent=1))
    if story.latest_checkpoint is not None:
        (folder / "latest_ckpt_global_step.txt").write_text(str(story.latest_checkpoint))
    for step in story.exports or ():
        place = folder / "exports" / f"global_step_{step}" / "policy"
        place.mkdir(parents=True)
        (place / "config.json").write_text("{}")


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *above, last = key.split(".")
        at = tree
        for part in above:
            at = at.setdefault(part, {})
        at[last] = value
    return tree


def _clock(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


class _Text:
    """The lines of one log, and where each record begins."""

    def __init__(self, story: Story, log: Log) -> None:
        self.story, self.log = story, log
        self.lines: list[str] = []
        self.places: Places = {}
        self.samples = list(log.samples)

    def write(self) -> None:
        log = self.log
        if log.started is None or log.finished is None:
            return
        self.said(log.started, "SkyRL log level set to: INFO", "skyrl_train.entrypoints.main_base:main:226")
        for index, launch in enumerate(log.launches):
            self.launch(launch, first=index == 0)
        self.engines(until=log.finished)
        if log.end in ("finished", "stopped_early"):
            self.said(log.finished, ENDS[log.end])
            return
        self.said(log.finished, "Started: 'generate'")
        if log.end in ("crashed", "sandbox_failure"):
            self.lines += [f"{ACTOR} Traceback (most recent call last):", f"{ACTOR} RuntimeError: gone"]
        if log.end in ENDS:
            self.lines.append(ENDS[log.end].format(job=log.number))

    def said(self, time: float, text: str, place: str = TRAINER) -> None:
        self.lines.append(f"{ACTOR} {_clock(time)} | INFO     | {place} - {text}")

    def launch(self, launch: Launch, *, first: bool) -> None:
        written = [record for record in launch.records if not record.lost]
        if first and launch.says_so and launch.resumed:
            time = written[0].time if written else self.log.started
            assert time is not None
            self.said(time, f"Resumed training from global_step {launch.resumed}")
        for record in written:
            self.engines(until=record.time)
            self.record(record)

    def record(self, record: Record) -> None:
        log, last = self.log, self.log.records[-1]
        if record is last and log.survived:
            self.lines.append("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
        self.lines.append(
            "I told the user: the sandbox said CUDA out of memory, "
            "Batch generation complete: 0/9 successful, 9 failed instances, 9 masked"
        )
        for batch in record.batches:
            self.batch(record.time, batch)
        if self.story.planned is not None and record.kind == "train":
            done = f"{record.step}/{self.story.planned}"
            self.lines.append(f"{ACTOR} Training Batches Processed:  10%|#         | {done} [01:00<09:00, 60.0s/it]")
        self.places[id(record)] = len(self.lines) + 1
        write = self.mirror if log.form == "mirror" else self.block
        names = list(record.values)
        for part in range(record.parts):
            write(record, {name: record.values[name] for name in names[part :: record.parts]})

    def mirror(self, record: Record, values: Mapping[str, float]) -> None:
        head = f"WANDB_MIRROR kind={record.kind} step={record.step}"
        self.said(record.time, f"{head} metrics={json.dumps(values)}", "skyrl_train.trainer:_log_metrics_stdout:1965")

    def block(self, record: Record, values: Mapping[str, float]) -> None:
        self.said(record.time, f"Step {record.step}:", "skyrl_train.utils.tracking:log:88")
        inner = [f" {name!r}: '{value:.4f}'," for name, value in values.items()]
        inner[0] = "{" + inner[0][1:]
        inner[-1] = inner[-1][:-1] + "}"
        self.lines += [f"{ACTOR} {line}" for line in inner]

    def batch(self, time: float, batch: Batch) -> None:
        place = "examples.terminal_bench.generator:generate:318"
        if batch.exceptions:
            self.said(time, f"Exception breakdown: {dict(batch.exceptions)}", place)
        counts = f"{batch.successful}/{batch.instances} successful, {batch.failed} failed instances"
        self.said(time, f"Batch generation complete: {counts}, {batch.masked} masked", place)

    def engines(self, until: float) -> None:
        while self.samples and self.samples[0].time <= until:
            self.lines.append(_engine(self.samples.pop(0)))


def _engine(sample: Sample) -> str:
    clock = datetime.fromtimestamp(sample.time, UTC).strftime("%m-%d %H:%M:%S")
    node = "" if sample.engine == 0 else f", ip=10.0.0.{sample.engine}"
    rate = "" if sample.prefix_hit_pct is None else f", Prefix cache hit rate: {sample.prefix_hit_pct:.1f}%"
    repeats = f" [repeated {sample.repeats}x across cluster]" if sample.repeats else ""
    return (
        f"(AsyncVLLMInferenceEngine pid={500 + sample.engine}{node}) INFO {clock} [loggers.py:123] Engine 000: "
        f"Avg prompt throughput: {sample.prompt_tps:.1f} tokens/s, "
        f"Avg generation throughput: {sample.generation_tps:.1f} tokens/s, "
        f"Running: {sample.running} reqs, Waiting: {sample.waiting} reqs, "
        f"GPU KV cache usage: {sample.kv_cache_pct:.1f}%{rate}{repeats}"
    )


# Trials --------------------------------------------------------------------------------------------------------------

_PHASES = {
    "environment_setup": "environment_setup",
    "agent_setup": "agent_setup",
    "agent": "agent_execution",
    "verifier": "verifier",
}


def _iso(time: float | None) -> str | None:
    if time is None:
        return None
    return (datetime(1970, 1, 1) + timedelta(seconds=time)).isoformat(timespec="microseconds") + "Z"  # noqa: DTZ001


def _trial(trial: Trial, folder: Path) -> None:
    folder.mkdir(parents=True)
    config = {"trial_name": trial.name, "trials_dir": f"trace_jobs/{trial.batch}"}
    (folder / "config.json").write_text(json.dumps(config))
    if not trial.ended:
        (folder / "agent").mkdir()
        return
    agent: dict[str, Any] = {
        "n_input_tokens": trial.input_tokens,
        "n_cache_tokens": trial.cache_tokens,
        "n_output_tokens": trial.output_tokens,
        "cost_usd": trial.cost_usd,
        "metadata": None if trial.turns is None else {"n_episodes": trial.turns, "summarization_count": 0},
    }
    result: dict[str, Any] = {
        "task_name": trial.task,
        "trial_name": trial.name,
        "config": config,
        "agent_result": agent,
        "verifier_result": None if trial.reward is None else {"rewards": {"reward": trial.reward}},
        "exception_info": None if trial.exception is None else {"exception_type": trial.exception},
        "started_at": _iso(trial.started),
        "finished_at": _iso(trial.finished),
    }
    begun = trial.started or 1_780_000_000.0
    for phase, key in _PHASES.items():
        seconds = trial.phases.get(phase)
        times = None if seconds is None else {"started_at": _iso(begun), "finished_at": _iso(begun + seconds)}
        result[key] = times
    (folder / "result.json").write_text(json.dumps(result))
