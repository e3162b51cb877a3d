"""`sitegen.toml` of an archive: what a team may set, checked, with the nearest known key named on a typo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sitegen.model.run import OverlapRule
from sitegen.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """Settings of a whole site; every field has a default, so the file is optional."""

    title: Text = Text("RL training runs", "强化学习训练运行")
    """Site title."""
    description: Text | None = None
    """One sentence under the title; None for none."""
    base_url: str | None = None
    """Absolute address of the published site, for feed, sitemap and canonical links; None makes none of these."""
    include: tuple[str, ...] = ()
    """Globs on run paths; empty means all."""
    exclude: tuple[str, ...] = ()
    """Globs on paths that are not scanned."""
    primary_metric: str | None = None
    """Logged name used as reward; None: the reward role decides."""
    success_threshold: float = 0.0
    """A trial succeeds when its reward is above this."""
    reward_key: str | None = None
    """Primary reward key of trials; None: `reward`, else the only key."""
    overlap_rule: OverlapRule = "last"
    """`last` segment wins, or `first` seen."""
    save_interval: int | None = None
    """Steps between exports for runs that do not tell."""
    ema_alpha: float = 1 / 3
    """Weight of the newest value in checkpoint selection."""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Role to logged names, before the built-in ones."""
