"""The printed numbers of a metrics report, as `Published`.

Column headings and bullet labels are those of the parser's `generate_markdown_report`; see `skyrl_report`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from sitegen.model.run import Published, PublishedMetric, PublishedTrials, PublishedValue
from sitegen.readers.markdown_tables import MarkdownContent, MarkdownLine, MarkdownTable, plain

SUMMARY_HEADER = ["mean", "std", "min", "max", "count"]
METRICS = {
    "Reward": "reward/avg_raw_reward",
    "Avg Reward": "reward/avg_raw_reward",
    "Final Reward": "reward/avg_raw_reward",
    "Max Reward": "reward/avg_raw_reward",
    "Final Reward (mean)": "reward/avg_raw_reward",
    "Final Reward (max)": "reward/avg_raw_reward",
    "KL": "policy/policy_kl",
    "Loss": "policy/final_loss",
    "PolicyLoss": "policy/policy_loss",
    "Entropy": "policy/policy_entropy",
    "Final Entropy": "policy/policy_entropy",
    "GradNorm": "policy/raw_grad_norm",
    "PPOClip": "policy/ppo_clip_ratio",
    "logRatio_mean": "policy/log_ratio_abs_mean",
    "Step Time (s)": "timing/step",
    "Total Time (s)": "timing/step",
    "Gen Wait (s)": "timing/wait_for_generation_buffer",
    "Gen Wait Time (s)": "timing/wait_for_generation_buffer",
    "Avg Tokens": "generate/avg_num_tokens",
    "Staleness": "async/staleness_mean",
    "Epoch": "trainer/epoch",
}
"""Headings of columns and the logged metric that the parser fills them from."""
_PASS = re.compile(r"(?:Pass@|avg_pass_at_)(\d+)", re.IGNORECASE)
ENGINE_COLUMNS = {
    "Avg Running/Engine": "running",
    "Avg Waiting/Engine": "waiting",
    "Avg Gen Throughput/Engine": "generation_tps",
    "Avg KV Cache %": "kv_cache_pct",
    "Avg Prefix Hit %": "prefix_hit_pct",
}
_ENGINE_BULLETS = {
    "Running requests/engine": "running",
    "Waiting requests": "waiting",
    "Generation throughput/engine": "generation_tps",
    "KV cache usage": "kv_cache_pct",
    "Prefix cache hit rate": "prefix_hit_pct",
}
_NUMBER = re.compile(r"([-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?:%|tok/s|s)?")
_LABELLED = re.compile(r"([^:=]{2,60}):\s*(\S.*)")
_AVERAGE_AND_MAX = re.compile(r"(avg|max)=([-+\d.eE]+)")


def metric_of(heading: str) -> str | None:
    """The logged metric behind a column heading; None for an unknown one."""
    match = _PASS.fullmatch(heading)
    return f"reward/avg_pass_at_{match[1]}" if match else METRICS.get(heading)


def number(text: str) -> float | None:
    """A printed number in its printed unit; None for words and `nan`."""
    match = _NUMBER.fullmatch(plain(text))
    if match is None:
        return None
    value = float(match[1].replace(",", ""))
    return value if math.isfinite(value) else None


def read_published(path: str, content: MarkdownContent) -> Published:
    """Everything printed, by its meaning where that is known and in order in any case."""
    metrics = {name: metric for table in content.tables for name, metric in _summaries(table)}
    return Published(
        path=path,
        metrics=metrics,
        timing=_timing(content),
        engines=_engines(content),
        trials=_trials(content),
        checkpoint_step=_checkpoint(content),
        values=tuple(_values(content, metrics)),
    )


def reported_exports(content: MarkdownContent) -> dict[str, object]:
    """Exports and latest checkpoint that the `Best Checkpoint` section names, as facts."""
    facts: dict[str, object] = {}
    for line in content.lines:
        if line.text.startswith("available exports:"):
            steps = re.findall(r"\d{1,9}", line.text)
            facts["reported_exports"] = tuple(int(step) for step in steps)
        elif match := re.match(r"cap \(latest_ckpt_global_step\.txt\): (\d{1,9})$", line.text):
            facts["reported_latest_checkpoint"] = int(match[1])
    return facts


def is_summary(table: MarkdownTable) -> bool:
    """Whether a table is a category summary."""
    return [name.lower() for name in table.header[1:]] == SUMMARY_HEADER and not table.header[0]


def _summaries(table: MarkdownTable) -> Iterator[tuple[str, PublishedMetric]]:
    if not is_summary(table):
        return
    for _, (name, *printed) in table.rows:
        mean, std, low, high, count = (number(text) for text in printed)
        yield (
            plain(name),
            PublishedMetric(mean=mean, std=std, min=low, max=high, count=None if count is None else int(count)),
        )


def _timing(content: MarkdownContent) -> dict[str, float]:
    shares: dict[str, float] = {}
    for table in content.tables:
        if table.header == ["Component", "Avg % of Step Time"]:
            for _, (span, printed) in table.rows:
                value = number(printed)
                if value is not None:
                    shares[span] = round(value / 100, 9)
    return shares


def _engines(content: MarkdownContent) -> dict[str, dict[str, float]]:
    engines: dict[str, dict[str, float]] = {}
    for table in content.tables:
        fields = [ENGINE_COLUMNS.get(name) for name in table.header]
        if table.header[0] != "Log" or not any(fields):
            continue
        for _, row in table.rows:
            printed = zip(fields[1:], (number(text) for text in row[1:]), strict=True)
            engines[row[0]] = {name: value for name, value in printed if name and value is not None}
    for line in content.lines:
        label, _, rest = line.text.partition(":")
        field = _ENGINE_BULLETS.get(label)
        if field is None or not line.headings or line.headings[-1] not in engines:
            continue
        for kind, printed_max in _AVERAGE_AND_MAX.findall(rest):
            value = number(printed_max)
            if kind == "max" and value is not None:
                engines[line.headings[-1]][f"{field}_max"] = value
    return engines


def _trials(content: MarkdownContent) -> PublishedTrials | None:
    lines = [line for line in content.lines if _in_trials(line.headings)]
    tables = {table.headings[-1]: table for table in content.tables if _in_trials(table.headings)}
    if not lines and not tables:
        return None
    said = dict(filter(None, (_label_and_number(line) for line in lines)))
    success = said.get("Success rate")
    return PublishedTrials(
        total=_whole(said.get("Total trials parsed")),
        graded=_whole(said.get("Trials with reward data")),
        mean_reward=said.get("Mean reward"),
        success_rate=None if success is None else round(success / 100, 9),
        turns=_column(tables.get("Turn Count Statistics"), "value"),
        exceptions={row: int(count) for row, count in _column(tables.get("Exception Distribution"), "count").items()},
        by_exception=_turns(tables.get("Turn Count by Exception Type")),
        by_outcome=_turns(tables.get("Turn Count by Outcome")),
    )


def _in_trials(headings: tuple[str, ...]) -> bool:
    return any(heading.startswith("Trial-Level Analysis") for heading in headings)


def _label_and_number(line: MarkdownLine) -> tuple[str, float] | None:
    label, _, rest = line.text.partition(":")
    value = number(rest)
    return None if value is None else (label.strip(), value)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _by_row(table: MarkdownTable | None) -> dict[str, dict[str, float]]:
    """A table's rows by label (`No exception` is `none`, the parser's other labels in lower case) and column."""
    if table is None:
        return {}
    keys = [name.lower().removesuffix(" turns") for name in table.header]
    rows: dict[str, dict[str, float]] = {}
    by_type = "exception" in keys[0]
    for _, (label, *printed) in table.rows:
        values = {
            key: value for key, text in zip(keys[1:], printed, strict=True) if (value := number(text)) is not None
        }
        if len(values) == len(printed):
            rows[("none" if label == "No exception" else label) if by_type else label.lower()] = values
    return rows


def _column(table: MarkdownTable | None, name: str) -> dict[str, float]:
    """One column of a table by row label; empty where the table has no such column."""
    return {row: cells[name] for row, cells in _by_row(table).items() if name in cells}


def _turns(table: MarkdownTable | None) -> Mapping[str, Mapping[str, float]]:
    return _by_row(table)


def _checkpoint(content: MarkdownContent) -> int | None:
    for line in content.lines:
        match = re.match(r"Chosen step: (\d{1,9})\b", line.text)
        if match and any(heading.startswith("Best Checkpoint") for heading in line.headings):
            return int(match[1])
    return None


def _values(content: MarkdownContent, metrics: Mapping[str, PublishedMetric]) -> Iterator[PublishedValue]:
    """Every cell of every table and every labelled number outside tables, in order."""
    found: list[PublishedValue] = []
    for table in content.tables:
        where = "/".join(table.headings[1:])
        for line, (label, *printed) in table.rows:
            for name, text in zip(table.header[1:], printed, strict=True):
                metric = None if is_summary(table) else metric_of(name)
                known = metric is None or not metrics or metric in metrics
                value = number(text) if known else None
                place = f"{where}/{plain(label)}" if where else plain(label)
                found.append(PublishedValue(where=place, name=plain(name), text=plain(text), value=value, line=line))
    for outside in content.lines:
        match = _LABELLED.fullmatch(outside.text)
        if match and re.search(r"\d", match[2]):
            found.append(
                PublishedValue(
                    where="/".join(outside.headings[1:]),
                    name=match[1].strip(),
                    text=match[2],
                    value=number(match[2]),
                    line=outside.line,
                )
            )
    yield from sorted(found, key=lambda value: value.line)
