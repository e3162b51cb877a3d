"""CSV writing shared by the synthetic runs: the layouts of the metrics, engine and trial tables."""

import csv
import io
import math
from collections.abc import Mapping, Sequence

ENGINE_COLUMNS = (
    "log_file", "datetime_str", "n_engines_reporting", "unique_ips",
    "total_prompt_throughput_tokens_per_sec", "total_generation_throughput_tokens_per_sec",
    "total_running_requests", "total_waiting_requests",
    "avg_prompt_throughput_per_engine", "avg_generation_throughput_per_engine",
    "avg_running_requests_per_engine", "avg_waiting_requests_per_engine",
    "avg_gpu_kv_cache_usage_pct", "avg_prefix_cache_hit_rate_pct",
    "min_running_requests", "max_running_requests", "min_generation_throughput", "max_generation_throughput",
)  # fmt: skip
TRIAL_COLUMNS = (
    "task_name", "trial_name", "n_episodes", "n_input_tokens", "n_output_tokens", "exception_type", "reward",
    "trial_duration", "environment_setup_duration", "agent_setup_duration", "agent_execution_duration",
    "verifier_duration",
)  # fmt: skip


def cell(value: object) -> str:
    """A value as such a table prints it: empty for None, four to six digits for floats."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(value) if not math.isfinite(value) else f"{value:.10g}"
    return str(value)


def table(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> bytes:
    """CSV text with a header line; a key that a row lacks is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[cell(row.get(column)) for column in columns] for row in rows])
    return out.getvalue().encode()


def metrics_table(rows: Sequence[Mapping[str, object]]) -> bytes:
    """A metrics table: log_file, keys in first-seen order, batch errors, then the copy of the step."""
    seen: dict[str, None] = {}
    for row in rows:
        seen.update(dict.fromkeys(row))
    keys = [key for key in seen if key != "log_file" and not key.startswith("batch_errors/")]
    errors = [key for key in seen if key.startswith("batch_errors/")]
    full = [{**row, "global_step": row["trainer/global_step"]} for row in rows]
    return table(["log_file", *keys, *errors, "global_step"], full)
