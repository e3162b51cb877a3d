"""What the place of a tracker's file says of its launch: trackers give their files one name in every run.

Source: Hugging Face Transformers 4.57 `trainer.py` (`checkpoint-N`), `integrations/integration_utils.py` (`runs/…`);
XTuner `xtuner/v1/train/trainer.py` (`exp_tracking/rank0`); W&B 0.23 `wandb/sdk/wandb_settings.py` (`sync_dir`);
prime-rl `src/prime_rl/` (`run_default`, the orchestrator's folder in the trainer's).
"""

from __future__ import annotations

import re

from sitegen.model.run import SourceFile

WANDB_RUN = re.compile(r"(?:^|/)(?P<name>(?:offline-)?run-\d{8}_\d{6}-(?P<id>[^/]+))(?=/)")
"""The folder of one launch that W&B logged, as a part of a path."""
_PARTS = re.compile(
    r"checkpoint-\d+|global_step_?\d+|logs?|files|metrics|exp_tracking|rank_?\d+|outputs?|results?|train(?:er|ing)?"
    r"|orchestrator|run_default|training_logs|tensorboard(?:_logs?)?|tb(?:_logs?)?|runs|wandb",
    re.IGNORECASE,
)
"""Folders that name a part of a run, not a launch."""


def job_of_place(source: SourceFile, default: str | None = None) -> str:
    """The job of a file that is called alike in every run: the nearest folder above it with a name of its own.

    Its own stem, or the default, where there is none: the archive itself is the run.
    """
    folders = source.path.split("/")[:-1]
    named = next((name for name in reversed(folders) if not _PARTS.fullmatch(name)), None)
    return named or (source.stem if default is None else default)


def wandb_job(source: SourceFile) -> str:
    """The job of a file of W&B's: its run folder; without one as `job_of_place`."""
    match = WANDB_RUN.search(source.path)
    return match["name"] if match else job_of_place(source)
