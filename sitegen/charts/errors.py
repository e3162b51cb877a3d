"""Exceptions per step, stacked by what the configuration does with them."""

from __future__ import annotations

import math

import pandas as pd

from sitegen.analyse.batch_exceptions import lineage_batches
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.trials import treatment_of
from sitegen.charts import payload, theme
from sitegen.charts.base import Chart, ChartSpec, DataColumn, LegendItem
from sitegen.charts.scales import summed, value_axis
from sitegen.charts.stacks import areas
from sitegen.charts.step_frame import step_frame
from sitegen.format import count
from sitegen.model.run import Run, lineage
from sitegen.text import same, ui

_TABLE_PREFIX = "batch_errors/total_"
_BATCH_PREFIX = "exception/"
_NOT_TYPES = frozenset({"batches", "instances", "successful", "failed", "masked"})


def exception_counts(run: Run) -> pd.DataFrame:
    """Exceptions per step: `step` and one float column per exception type, NaN where the step has no batch lines.

    From the batch lines of the log, else from the `batch_errors/total_*` columns of a metric table, on the lineage.
    """
    batches = lineage_batches(run)
    if batches is not None:
        return _from_batches(batches)
    rows = lineage(run)
    columns = {
        name: name.removeprefix(_TABLE_PREFIX)
        for name in rows.columns
        if name.startswith(_TABLE_PREFIX) and name.removeprefix(_TABLE_PREFIX) not in _NOT_TYPES
    }
    return rows[["step", *columns]].rename(columns=columns)


def _from_batches(batches: pd.DataFrame) -> pd.DataFrame:
    """One row per step that has batch lines; what its lines do not name occurred 0 times."""
    columns = {name: name.removeprefix(_BATCH_PREFIX) for name in batches.columns if name.startswith(_BATCH_PREFIX)}
    table = batches[["step", *columns]].rename(columns=columns).groupby("step").sum(min_count=0)
    return table.reset_index()


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    table = exception_counts(run)
    return len(table.columns) > 1 and bool((table.drop(columns="step") > 0).any(axis=None))


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    table = exception_counts(run)
    types = [name for name in table.columns if name != "step"]
    totals = {name: float(table[name].sum()) for name in types}
    parts = _by_treatment(run, table, types)
    columns, shown = areas(table["step"].tolist(), parts)
    stacked = [summed(values) for values in zip(*parts.values(), strict=True)]
    names = [{"key": key, "en": part.en, "zh": part.zh} for key in parts for part in (ui(f"charts.treatment.{key}"),)]
    x0, x1 = step_frame(run).domain
    most = max(totals, key=lambda name: totals[name])
    whole = summed(totals.values())
    note = ui("charts.note.thinned", shown=count(shown), total=count(len(table))) if shown < len(table) else None
    caption = ui(
        "charts.caption.errors",
        total=count(whole),
        steps=count(sum(value > 0 for value in stacked)),
        most=same(payload.label(most, 60)),
        n=count(totals[most]),
    )
    return (
        Chart(
            id="errors",
            section="errors",
            form="errors",
            title=ui("charts.title.errors"),
            caption=caption,
            summary=caption,
            note=note,
            metrics=tuple(sorted(types, key=lambda name: (-totals[name], name))),
            datasets={
                "areas": columns,
                "jobs": payload.boundaries(run, labels=True),
                "marks": payload.empty_marks(),
            },
            params={
                "x0": x0,
                "x1": x1,
                "names": names,
                "records": len(table),
                **value_axis(stacked, stacked=True).params(),
            },
            columns=_columns(types),
            rows=tuple(
                (int(step), *(None if math.isnan(value) else float(value) for value in values))
                for step, *values in zip(table["step"], *(table[name] for name in types), strict=True)
            ),
            static_svg=None,
            height=theme.MEDIUM,
            wide=True,
            legend=_legend(parts),
        ),
    )


def _by_treatment(run: Run, table: pd.DataFrame, types: list[str]) -> dict[str, list[float]]:
    """Counts per step and treatment, in drawing order, treatments without any exception left out."""
    groups: dict[str, list[str]] = {key: [] for key, _ in theme.ERROR_PARTS}
    for name in types:
        groups[treatment_of(name, run.config)[0]].append(name)
    sums = {key: table[names].sum(axis=1, min_count=1).tolist() for key, names in groups.items() if names}
    present = {key: values for key, values in sums.items() if any(value > 0 for value in values)}
    return {key: [0.0 if math.isnan(value) else value for value in values] for key, values in present.items()}


def _columns(types: list[str]) -> tuple[DataColumn, ...]:
    first = DataColumn(key="step", title=ui("charts.column.step"), unit="")
    return (first, *(DataColumn(key=f"m{at}", title=same(name), unit="") for at, name in enumerate(types)))


def _legend(parts: dict[str, list[float]]) -> tuple[LegendItem, ...]:
    return tuple(
        LegendItem(swatch=f"sw-{key}", name=ui(f"charts.treatment.{key}"), value=count(summed(values)))
        for key, values in parts.items()
    )


ERRORS = ChartSpec(id="errors", section="errors", title=ui("charts.title.errors"), needs=_needs, build=_build)
