"""Where a file lies in its run: what belongs to the run itself, and what to one of its parts."""

from __future__ import annotations

import re

_PART = re.compile(
    r"(?:^|/)(?:(?:exports|checkpoints)/global_step_\d+|trace_jobs|wandb/(?:(?:offline-)?run-[^/]*|latest-run))/",
    re.IGNORECASE,
)
"""Folders whose files speak of one export, checkpoint, trial or tracker run."""


def is_of_run(path: str) -> bool:
    """Whether a file speaks of the run as a whole, not of one of its parts."""
    return _PART.search(path) is None
