"""Graded trials by number of turns and outcome."""

from __future__ import annotations

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.trials import TrialSummary
from sitegen.charts import theme
from sitegen.charts.base import Chart, ChartSpec, DataColumn, LegendItem
from sitegen.charts.payload import Columns
from sitegen.charts.scales import value_axis
from sitegen.charts.static_svg import static_svg
from sitegen.format import count, number, percentage
from sitegen.model.run import Run
from sitegen.text import Text, ui


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    return analysis.trials is not None and bool(analysis.trials.turn_bins)


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    trials = analysis.trials
    assert trials is not None
    datasets = _datasets(trials)
    solved = sum(part.solved for part in trials.turn_bins)
    unsolved = sum(part.unsolved for part in trials.turn_bins)
    names = [{"key": key, "en": text.en, "zh": text.zh} for key, _ in theme.OUTCOME_PARTS for text in (_part(key),)]
    position = ui("charts.readout.turns")
    axis = value_axis([float(part.solved + part.unsolved) for part in trials.turn_bins], stacked=True)
    params = {
        "names": names,
        "position": {"en": position.en, "zh": position.zh},
        "positions": [part.label for part in trials.turn_bins],
        **axis.params(),
    }
    text = ui(
        "charts.caption.outcome",
        graded=count(solved + unsolved),
        solved=count(solved),
        share=percentage(solved / (solved + unsolved) if solved + unsolved else None),
        mean=number(trials.turns.mean, 3),
        median=number(trials.turns.median, 3),
    )
    return (
        Chart(
            id="turns-outcome",
            section="trials",
            form="outcome",
            title=ui("charts.title.turns-outcome"),
            caption=text,
            summary=text,
            note=None,
            metrics=(),
            datasets=datasets,
            params=params,
            columns=(
                DataColumn(key="turns", title=ui("charts.column.turns"), unit=""),
                DataColumn(key="solved", title=ui("charts.part.solved"), unit=""),
                DataColumn(key="unsolved", title=ui("charts.part.unsolved"), unit=""),
            ),
            rows=tuple((part.label, part.solved, part.unsolved) for part in trials.turn_bins),
            static_svg=static_svg("outcome", datasets, params, height=theme.MEDIUM, label="turns"),
            height=theme.MEDIUM,
            wide=False,
            legend=(
                LegendItem(swatch="sw-solved", name=_part("solved"), value=count(solved)),
                LegendItem(swatch="sw-unsolved", name=_part("unsolved"), value=count(unsolved)),
            ),
        ),
    )


def _datasets(trials: TrialSummary) -> dict[str, Columns]:
    bars: Columns = {key: [] for key in ("label", "order", "series", "y0", "y1", "v")}
    tops: Columns = {key: [] for key in ("label", "order", "y1", "text")}
    for order, part in enumerate(trials.turn_bins):
        whole = part.solved + part.unsolved
        for series, low, high in (("solved", 0, part.solved), ("unsolved", part.solved, whole)):
            for key, value in zip(bars, (part.label, order, series, low, high, high - low), strict=True):
                bars[key].append(value)
        share = f"{percentage(part.solved / whole, 0)}%" if whole else ""
        for key, value in zip(tops, (part.label, order, whole, share), strict=True):
            tops[key].append(value)
    return {"bars": bars, "tops": tops}


def _part(key: str) -> Text:
    return ui(f"charts.part.{key}")


TURNS_OUTCOME = ChartSpec(
    id="turns-outcome", section="trials", title=ui("charts.title.turns-outcome"), needs=_needs, build=_build
)
