"""The page that compares chosen runs: curves over each other, figures against a baseline, settings that differ.

Runs are chosen in the browser, so there is nothing here but what every choice needs: the words, the roles that are
drawn at first, the settings that are of no interest. `pages/compare_data.py` makes what the page loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.pages.base import COMPARE_PATH, PageHead, SiteContext
from sitegen.pages.compare_data import ROLES, SHOWN_ROLES
from sitegen.pages.index import ArchiveScripts
from sitegen.pages.row import RunRow
from sitegen.text import Lang, ui, ui_strings

UNINTERESTING = (
    "*run_name",
    "*experiment_name",
    "*project_name",
    "*job_name",
    "*job_id",
    "*ckpt_path",
    "*export_path",
    "*save_path",
    "*resume_path",
    "*log_path",
    "*output_path",
    "*output_dir",
    "*logging_dir",
    "*log_dir",
    "*local_dir",
    "*trials_dir",
    "*jobs_dir",
    "*work_dir",
    "*cache_dir",
    "*ckpt_dir",
    "*port",
    "*master_addr",
    "*hub_model_id",
    "*hub_repo_id",
    "*wandb*",
    "*timestamp",
)
"""Settings that differ between any two runs and explain nothing: names, output folders, ports. A pattern stands for a
whole dotted key or the end of one after a dot; `*` is anything. Readers may change the list in the address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage:
    """View model of `compare/index.html`."""

    head: PageHead
    """Its head."""
    runs: int
    """Runs that can be chosen."""
    frameworks: tuple[tuple[str, str], ...]
    """Framework id and its name in English, of those in the archive."""

    def config(self, lang: Lang) -> dict[str, Any]:
        """What the page's scripts need to know beside the data."""
        return {
            "roles": [
                {"id": role, "label": ui(f"compare.role.{role}").of(lang), "shown": role in SHOWN_ROLES}
                for role in ROLES
            ],
            "ignore": list(UNINTERESTING),
            "frameworks": dict(self.frameworks),
            "texts": {key: pair.of(lang) for key, pair in ui_strings().items() if key.startswith("cmp.")},
        }


def compare_page(rows: Sequence[RunRow], site: SiteContext, data: ArchiveScripts) -> ComparePage:
    """The view model."""
    scripts = [site.assets[name] for name in ("vega.js", "charts.js", "compare.js") if name in site.assets]
    present = {row.framework for row in rows}
    return ComparePage(
        head=PageHead(
            path=COMPARE_PATH,
            title=ui("compare.title"),
            description=ui("compare.description"),
            area="compare",
            scripts=(*scripts, data.runs, data.compare) if rows and data.compare else (),
        ),
        runs=len(rows),
        frameworks=tuple((item.id, item.title.en) for item in site.glossary.frameworks if item.id in present),
    )
