"""One module per log format. The only parsing of run files happens here; `READERS` is the whole list."""

from __future__ import annotations

from sitegen.readers import (
    checkpoint_marks,
    console,
    harbor_job,
    harbor_trials,
    model_card,
    rl_config_json,
    run_config,
    skyrl_evaluation,
    skyrl_metrics_table,
    skyrl_report,
    trial_table,
    vllm_table,
    written_report,
)
from sitegen.readers.base import Reader

READERS: tuple[Reader, ...] = (
    vllm_table.READER,
    skyrl_metrics_table.READER,
    harbor_trials.BUNDLE,
    harbor_trials.SINGLE,
    harbor_job.READER,
    trial_table.READER,
    skyrl_report.READER,
    written_report.READER,
    run_config.READER,
    rl_config_json.READER,
    skyrl_evaluation.READER,
    model_card.READER,
    console.READER,
    checkpoint_marks.LATEST,
    checkpoint_marks.EXPORT,
)
"""Every reader. A file goes to the first that claims it; exactly one should."""
