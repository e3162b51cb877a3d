"""Which logged metric stands for a role in one run, under one site's settings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sitegen.errors import SettingsError
from sitegen.model import tables
from sitegen.model.roles import RowKind, metric_for, roles
from sitegen.model.run import Run
from sitegen.settings import SITE_FILE, SiteSettings, nearest


def logged_names(run: Run, kind: RowKind | None = None) -> tuple[str, ...]:
    """The metrics with at least one finite value (in records of a kind), in table order.

    A metric that was only ever logged as NaN or infinite is left out: it cannot stand for a role.
    """
    rows = run.steps if kind is None else run.steps[run.steps["kind"] == kind]
    names = tables.STEPS.measures(rows)
    if not names or rows.empty:
        return ()
    present = np.isfinite(rows[names].to_numpy(dtype="float64")).any(axis=0)
    return tuple(name for name, found in zip(names, present, strict=True) if found)


def site_overrides(settings: SiteSettings) -> Mapping[str, tuple[str, ...]]:
    """The site's own names by role: `primary_metric` leads the reward role, then come the names of `roles`."""
    overrides = {role: tuple(names) for role, names in settings.roles.items()}
    if settings.primary_metric is not None:
        overrides["reward"] = (settings.primary_metric, *overrides.get("reward", ()))
    return overrides


def check_roles(settings: SiteSettings) -> None:
    """Refuses names for a role that does not exist, which would be passed over in silence.

    Raises:
        SettingsError: there is no such role; the message names the nearest.
    """
    for role in settings.roles:
        if role not in roles():
            raise SettingsError(f"{SITE_FILE}: roles: unknown role {role!r}; {nearest(role, roles())}")


def role_metric(run: Run, settings: SiteSettings, role: str) -> str | None:
    """The logged name under a role, None when the run logged none; see `metric_for` for the order of trial.

    A train role looks at train records; an evaluation role at all of them, because evaluations during training are
    often logged inside train records.
    """
    kind: RowKind | None = None if roles()[role].kind == "eval" else "train"
    return metric_for(role, logged_names(run, kind), run.framework, site_overrides(settings))


def role_metrics(run: Run, settings: SiteSettings) -> dict[str, str]:
    """Every role that the run logged, to its logged name, in role order."""
    by_kind = {"train": logged_names(run, "train"), "eval": logged_names(run)}
    overrides = site_overrides(settings)
    found = {name: metric_for(name, by_kind[role.kind], run.framework, overrides) for name, role in roles().items()}
    return {name: metric for name, metric in found.items() if metric is not None}
