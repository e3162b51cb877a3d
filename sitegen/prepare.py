"""What has to be there before work on runs begins: the list of runs, the assets, what every worker needs.

Each takes a second where nothing is kept, so workers make them side by side. What imports the readers, pandas or the
pages is imported by the functions that they call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen import __version__
from sitegen.all_runs import Plan, plan_runs
from sitegen.executor import Workers
from sitegen.glossary.lookup import load_glossary
from sitegen.model.problems import Problem
from sitegen.render import compiled_templates
from sitegen.resources import hashed
from sitegen.settings import SiteSettings
from sitegen.tasks import ArchiveTasks, Parcel


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Where to look for runs, and for what is done already."""

    archive: Path
    """The archive's root."""
    settings: SiteSettings
    """`sitegen.toml`."""
    site: Path
    """The output folder, which is never read."""
    folder: Path
    """The cache entries; empty when nothing is kept."""


def planned(search: Search) -> tuple[ArchiveTasks, Plan]:
    """The runs of an archive, and which of them have to be worked on.

    Raises:
        SettingsError: as in `find_runs`.
    """
    from sitegen.preload import import_everything

    import_everything()
    from sitegen.run_work import find_runs

    found = find_runs(search.archive, search.settings, search.site)
    return found, plan_runs(found.tasks, search.settings, search.archive, search.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartAssets:
    """The assets but for the Vega runtime, and what workers need to fill the charts."""

    assets: Mapping[str, bytes]
    """Logical name to content."""
    forms: Mapping[str, dict[str, Any]]
    """The chart forms compiled to Vega."""


def vega_asset(kept: Path | None) -> bytes:
    """`vega.js`; takes over a second where it is not kept in the folder `kept`."""
    from sitegen.charts.assets import vega_script

    return vega_script(kept)


def chart_assets(kept: Path | None) -> ChartAssets:
    """All other assets; the forms of the charts take about a second where they are not kept in the folder `kept`."""
    from sitegen.charts.assets import charts_script
    from sitegen.charts.compiled import compiled_forms
    from sitegen.pages.assets import site_assets

    return ChartAssets(assets={**site_assets(), "charts.js": charts_script(kept)}, forms=compiled_forms(kept))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What the work on runs needs."""

    problems: tuple[Problem, ...]
    """What was noticed outside every run."""
    plan: Plan
    """What there is to do."""
    assets: Mapping[str, bytes]
    """Site path to content."""
    parcel: bytes
    """What every worker needs."""


def prepared(search: Search, kept: Path | None, known: tuple[ArchiveTasks, Plan] | None, workers: Workers) -> Ready:
    """Makes, side by side, what takes a second each where nothing is kept.

    Args:
        search: where to look for runs.
        kept: folder where assets are kept between builds; None for none.
        known: the runs and the plan; None to find them meanwhile, in a build that has everything to do.
        workers: who may help.
    """
    vega = workers.aside(vega_asset, kept)
    finds = workers.aside(planned, search) if known is None else None
    charts = workers.aside(chart_assets, kept)
    glossary = load_glossary(search.archive)
    templates = compiled_templates() if known is None else {}
    if finds is not None:
        known = finds()
    assert known is not None
    found, plan = known
    made = charts()
    assets = {**made.assets, "vega.js": vega()}
    paths = hashed(assets)
    parcel = Parcel(
        settings=search.settings,
        assets=paths,
        glossary=glossary,
        version=__version__,
        forms=made.forms,
        templates=templates,
    )
    by_path = {paths[name]: content for name, content in assets.items()}
    return Ready(problems=found.problems, plan=plan, assets=by_path, parcel=parcel.packed())
