"""One module per log format. The only parsing of run files happens here; `READERS` is the whole list."""

from __future__ import annotations

from sitegen.readers import (
    rl_config_json,
    run_config,
    skyrl_metrics_table,
    trial_table,
    vllm_table,
)
from sitegen.readers.base import Reader

READERS: tuple[Reader, ...] = (
    vllm_table.READER,
    skyrl_metrics_table.READER,
    trial_table.READER,
    run_config.READER,
    rl_config_json.READER,
)
"""Every reader. A file goes to the first that claims it; exactly one should."""
