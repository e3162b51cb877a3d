"""The table of inference-engine statistics that the team's log parser writes.

`<YYYYmmdd_HHMMSS>_vllm_metrics_table.csv` (copied to `vllm_metrics.csv`) and per-log tables
`<ts>_vllm_metrics_<log>.csv`: one row per second in which engines reported, with sums, per-engine averages and
extremes over those engines. The sums depend on how many engines happened to report in that second, so only the
averages and extremes are taken. Times have no year.

Source: OpenThoughts-Agent, `scripts/analysis/parse_skyrl_metrics.py` (2026-06), `aggregate_vllm_metrics`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.model.tables import ENGINES, conform
from sitegen.readers.base import Reader
from sitegen.readers.csv_columns import float_column
from sitegen.readers.csv_table import CsvTable, Lines, header_of, parse_csv
from sitegen.readers.job_names import job_records
from sitegen.readers.log_clock import assumed_times
from sitegen.readers.text_file import head_text, is_placeholder, load
from sitegen.text import Text

COLUMNS = {
    "n_engines_reporting": "engines_reporting",
    "avg_prompt_throughput_per_engine": "prompt_tps",
    "avg_generation_throughput_per_engine": "generation_tps",
    "avg_running_requests_per_engine": "running",
    "avg_waiting_requests_per_engine": "waiting",
    "avg_gpu_kv_cache_usage_pct": "kv_cache_pct",
    "avg_prefix_cache_hit_rate_pct": "prefix_hit_pct",
    "min_running_requests": "running_min",
    "max_running_requests": "running_max",
    "min_generation_throughput": "generation_tps_min",
    "max_generation_throughput": "generation_tps_max",
}
"""The parser's columns and ours."""
SUMS = frozenset(
    {
        "unique_ips",
        "total_prompt_throughput_tokens_per_sec",
        "total_generation_throughput_tokens_per_sec",
        "total_running_requests",
        "total_waiting_requests",
    }
)
"""Columns left out on purpose: they depend on which engines reported in that second."""
_KEYS = frozenset({"datetime_str", *COLUMNS})
_PER_LOG = re.compile(r"^\d{8}_\d{6}_vllm_metrics_(?P<log>.+)\.csv$", re.IGNORECASE)
_OWN_NAME = re.compile(r"_vllm_metrics_table\.csv$|^vllm_metrics\.csv$", re.IGNORECASE)


def is_engine_name(name: str) -> bool:
    """Whether a file's name is one of this format's (the metrics table's pattern matches such names too)."""
    return READER.names_match(name)


def is_engine_header(row: Sequence[str]) -> bool:
    """Whether a row is the header of an engine table: at least two of its columns are named."""
    return len(_KEYS.intersection(row)) >= 2


def sniff(source: SourceFile) -> bool:
    """Whether the head is an engine table (or stands where one should be)."""
    if is_placeholder(source):
        return True
    header = header_of(head_text(source))
    if is_engine_header(header):
        return True
    looks_like_metrics = any("/" in name or name in ("step", "global_step") for name in header)
    return _OWN_NAME.search(source.name) is not None and not looks_like_metrics


def read(source: SourceFile) -> ReadResult:
    """The table's rows as engine samples (`tables.ENGINES`), each a mean over the engines that reported."""
    loaded = load(source)
    if loaded.text is None:
        return _result(source, None, list(loaded.problems))
    table, found = parse_csv(source.path, loaded.text, is_engine_header)
    problems = [*loaded.problems, *found]
    if not any(name in table.columns for name in COLUMNS) or not len(table):
        return _result(source, None, [*problems, problem("table.no-rows", source.path)])
    clocks = table.text("datetime_str")
    times = assumed_times(clocks)
    columns: dict[str, object] = {
        "job": [job or _job_of_name(source) for job in table.text("log_file")],
        "row": np.array(table.lines, dtype="int64"),
        "source": [source.path] * len(table),
        "time": times,
        "clock": clocks,
    }
    for theirs, ours in COLUMNS.items():
        columns[ours], column_problems = float_column(source.path, table, theirs)
        problems += column_problems
    problems += _clock_problems(source.path, table, times) + _unknown(source.path, table)
    return _result(source, conform(pd.DataFrame(columns), ENGINES), problems)


def _result(source: SourceFile, engines: pd.DataFrame | None, problems: list[Problem]) -> ReadResult:
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        framework="skyrl" if engines is not None else None,
        engines=engines,
        jobs=() if engines is None else job_records(engines["job"], source.path),
        rows=0 if engines is None else len(engines),
        problems=tuple(problems),
    )


def _job_of_name(source: SourceFile) -> str:
    match = _PER_LOG.match(source.name)
    return match["log"] if match and match["log"] != "table" else source.stem


def _clock_problems(path: str, table: CsvTable, times: np.ndarray) -> list[Problem]:
    if "datetime_str" not in table.columns:
        return []
    noted = Lines(path)
    for row in np.flatnonzero(np.isnan(times)):
        noted.add("table.bad-clock", table.lines[row])
    return noted.problems()


def _unknown(path: str, table: CsvTable) -> list[Problem]:
    names = [name for name in table.columns if name not in _KEYS and name not in SUMS and name != "log_file"]
    return [problem("table.unknown-columns", path, names=", ".join(names))] if names else []


READER = Reader(
    name="vllm_table",
    title=Text("Table of inference-engine statistics (CSV)", "推理引擎统计表（CSV）"),
    names=("*_vllm_metrics_*.csv", "vllm_metrics.csv"),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=30,
    version=1,
)
