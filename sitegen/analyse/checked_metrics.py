"""Cross-check of a report's metrics: summaries, progression, overview and comparison per log, shares of the step.

Labels are those of the parser's report; what each one names is written down in the tables below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from sitegen.analyse import printed as st
from sitegen.analyse.checked import Candidate, CrossCheck, judge, unchecked
from sitegen.analyse.printed import Bounded, Column, Printed
from sitegen.analyse.report_rows import BATCH_PREFIX, GLOBAL_STEP, ReportRows
from sitegen.model.run import PublishedMetric
from sitegen.readers.report_published import metric_of
from sitegen.text import Text, same, ui

Aggregator = Callable[[Column], Bounded]

REWARD, STEP_TIME = "reward/avg_raw_reward", "timing/step"

STATISTICS: Mapping[str, Aggregator] = {
    "mean": st.mean,
    "std": st.std,
    "min": st.smallest,
    "max": st.largest,
    "count": st.count,
}
"""Columns of the summary tables."""
AGGREGATORS: tuple[tuple[str, Aggregator], ...] = (
    ("mean", st.mean),
    ("last", st.last),
    ("max", st.largest),
    ("min", st.smallest),
    ("median", st.median),
    ("sum", st.total),
)
"""Tried in this order when a number per log is not what its label says."""
PER_LOG: Mapping[str, tuple[str, str]] = {
    "Total Steps": ("max", GLOBAL_STEP),
    "Max Step": ("max", GLOBAL_STEP),
    "First Step": ("min", GLOBAL_STEP),
    "Metric Blocks": ("count", GLOBAL_STEP),
    "Records": ("count", GLOBAL_STEP),
    "Train Steps": ("count", GLOBAL_STEP),
    "Mean Reward": ("mean", REWARD),
    "Final Reward (mean)": ("mean", REWARD),
    "Final Reward (max)": ("max", REWARD),
    "Final Reward": ("last", REWARD),
    "Max Reward": ("max", REWARD),
    "Final Entropy": ("last", "policy/policy_entropy"),
    "Total Time (s)": ("sum", STEP_TIME),
}
"""Columns of the overview: aggregator and metric. Columns of the comparison are means."""
MISLEADING = {"Final Reward (mean)": "check.final-is", "Final Reward (max)": "check.final-is"}
"""Labels that say final and are not; the note names the last value."""


def check_summary(item: Printed, metric: str, printed_count: int | None, rows: ReportRows) -> CrossCheck:
    """One cell of a summary table: a statistic of one metric over all records of the report's logs."""
    name = item.name.lower()
    late = _batch_candidates(metric, name, rows)
    if late:
        return judge(item, late)
    if metric != GLOBAL_STEP and not rows.logs_metric(metric):
        return _from_other_print(item, metric, printed_count, rows)
    whole, along = rows.column(metric, rows.table), rows.column(metric, rows.lineage)
    fair = _over_lineage(rows.published.metrics.get(metric), whole, along)
    everything, kept = _all_rows(whole), _of("check.rows-lineage", along)
    candidates = [
        _candidate(name, STATISTICS[name], whole, everything, note=_twice(item, name, whole, along)),
        _candidate(name, STATISTICS[name], along, kept, fair=fair),
    ]
    if name == "std":
        candidates.append(_candidate("std0", lambda column: st.std(column, 0), whole, everything, fair=False))
    if not np.isfinite(whole.values).all():
        candidates.append(_candidate(f"{name}-zero", STATISTICS[name], whole.zeros_for_gaps(), everything, fair=False))
    return judge(item, candidates)


def check_progression(item: Printed, log: str, step: str, occurrence: int, rows: ReportRows) -> CrossCheck:
    """One cell of a per-step table against the record of that log and step.

    Args:
        item: The cell.
        log: Log as the report names it.
        step: Step as printed.
        occurrence: How often this log printed the step before.
        rows: The run's records.
    """
    metric = metric_of(item.name)
    if metric is None:
        return unchecked(item, ui("check.unbound"))
    place = rows.record(log, int(step), occurrence) if step.isdecimal() else None
    if place is None:
        return unchecked(item, ui("check.no-record"))
    source, line = rows.origin(log, place)
    how = ui("check.record", source=same(source), line=line)
    return judge(item, [Candidate(result=rows.value(metric, log, place), how=how)])


def check_filler(item: Printed) -> CrossCheck:
    """A number printed for a metric that was never logged."""
    return judge(item, [Candidate(result=st.NOTHING, how=ui("check.never-logged"))])


def check_per_log(item: Printed, log: str, rows: ReportRows) -> CrossCheck:
    """One cell of the overview or of the comparison of logs."""
    aggregator, metric = PER_LOG.get(item.name, ("mean", metric_of(item.name)))
    table = rows.of_log(log)
    if metric is None:
        return unchecked(item, ui("check.unbound"))
    if table.empty:
        return unchecked(item, ui("check.no-log"))
    if not rows.logs_metric(metric) and metric != GLOBAL_STEP:
        return _log_without_metric(item, log, metric, rows)
    column = rows.column(metric, table)
    everything = ui("check.rows-log", n=int(st.count(column).value or 0))
    known = dict(AGGREGATORS) | {"count": st.count}
    candidates = [_candidate(aggregator, known[aggregator], column, everything, note=_label_note(item, column))]
    if aggregator == "count" or metric == GLOBAL_STEP:
        return judge(item, candidates)
    candidates += [
        _candidate(f"{aggregator}-zero", known[aggregator], column.zeros_for_gaps(), everything, fair=False),
        *(_candidate(name, each, column, everything, fair=False) for name, each in AGGREGATORS if name != aggregator),
    ]
    return judge(item, candidates, candidates[0].note)


def check_share(item: Printed, span: str, rows: ReportRows, note: Text | None) -> CrossCheck:
    """One row of the table of shares of the step time: the mean of the shares of the records that have both."""
    part, whole = rows.column(f"timing/{span}", rows.table), rows.column(STEP_TIME, rows.table)
    if not rows.logs_metric(f"timing/{span}") or not rows.logs_metric(STEP_TIME):
        return unchecked(item, ui("check.only-report"), note)
    both = int((np.isfinite(part.values) & np.isfinite(whole.values)).sum())
    means, sums = _percent(st.mean_share(part, whole)), _percent(st.share_of_sums(part, whole))
    together = _percent(st.share_of_sums(part.zeros_for_gaps(), whole))
    candidates = [
        Candidate(
            result=means,
            how=ui("check.mean-of-shares", n=both),
            note=ui("check.share-of-sums-is", value=same(st.alike(item.text, sums.value))),
        ),
        Candidate(result=sums, how=ui("check.share-of-sums", n=both), fair=False),
        Candidate(result=together, how=ui("check.share-of-all-time"), fair=False),
    ]
    return judge(item, candidates, note)


def shares_note(shares: Mapping[str, float]) -> Text | None:
    """Why the shares of a report add up to more than the step; None when they do not."""
    together = sum(shares.values())
    return ui("check.shares-nested", total=same(f"{100 * together:.1f}")) if together > 1.005 else None


def _label_note(item: Printed, column: Column) -> Text | None:
    if item.name == "Total Steps":
        return ui("check.steps-is-highest")
    key = MISLEADING.get(item.name)
    return ui(key, value=same(st.alike(item.text, st.last(column).value))) if key else None


def _candidate(
    name: str, aggregator: Aggregator, column: Column, over: Text, *, fair: bool = True, note: Text | None = None
) -> Candidate:
    how = ui("check.how", what=ui(f"check.agg.{name}"), over=over)
    return Candidate(result=aggregator(column), how=how, fair=fair, note=note)


def _over_lineage(summary: PublishedMetric | None, whole: Column, along: Column) -> bool:
    """Whether a summary is over the lineage alone: it counts as many records, and its mean is nearer to that one's."""
    size = st.count(along).value
    if summary is None or summary.mean is None or not summary.count == size != st.count(whole).value:
        return False
    near, far = st.mean(along).value, st.mean(whole).value
    return near is not None and far is not None and abs(summary.mean - near) < abs(summary.mean - far)


def _twice(item: Printed, statistic: str, whole: Column, along: Column) -> Text | None:
    """What the mean is when steps that were logged twice count once; None when that makes no difference."""
    mean = st.mean(along)
    if statistic != "mean" or mean.value is None or len(along.values) == len(whole.values):
        return None
    if abs(mean.value - item.value) <= item.half + mean.slack:
        return None
    n = len(whole.values) - len(along.values)
    return ui("check.counted-twice", n=n, value=same(st.alike(item.text, mean.value)))


def _all_rows(column: Column) -> Text:
    return _of("check.rows-all", column)


def _of(key: str, column: Column) -> Text:
    return ui(key, n=int(st.count(column).value or 0))


def _percent(share: Bounded) -> Bounded:
    return share if share.value is None else Bounded(value=100 * share.value, slack=100 * share.slack)


def _batch_candidates(metric: str, statistic: str, rows: ReportRows) -> list[Candidate]:
    """Statistics of batch lines by the step they belong to, and as the parser counts them; empty without such lines."""
    if not metric.startswith(BATCH_PREFIX) or rows.logs_metric(metric):
        return []
    true, late = rows.batch_column(metric, late=False), rows.batch_column(metric, late=True)
    if true is None or late is None:
        return []
    return [
        _candidate(statistic, STATISTICS[statistic], true, ui("check.rows-batches", n=int(st.count(true).value or 0))),
        Candidate(
            result=STATISTICS[statistic](late),
            how=ui("check.how", what=ui(f"check.agg.{statistic}"), over=ui("check.rows-late")),
            fair=False,
            note=ui("check.one-step-late"),
        ),
    ]


# From other printed numbers ------------------------------------------------------------------------------------------


def _comparison(metric: str, rows: ReportRows) -> tuple[list[str], Column, np.ndarray]:
    """Logs, printed means of a metric per log, and the records of each log."""
    found = rows.compared.get(metric, {})
    column = Column(
        values=np.array([value for value, _ in found.values()]), half=np.array([half for _, half in found.values()])
    )
    return list(found), column, np.array([len(rows.of_log(log)) for log in found], dtype="float64")


def _from_other_print(item: Printed, metric: str, printed_count: int | None, rows: ReportRows) -> CrossCheck:
    """The mean of a metric that only the report knows, from its means per log; anything else is unchecked."""
    logs, means, sizes = _comparison(metric, rows)
    if item.name.lower() != "mean" or len(logs) < 2 or printed_count != sizes.sum() or len(logs) != len(rows.logs):
        return unchecked(item, ui("check.only-report"))
    weights = sizes / sizes.sum()
    result = Bounded(value=float((weights * means.values).sum()), slack=float((weights * means.half).sum()))
    return judge(item, [Candidate(result=result, how=ui("check.from-logs", n=len(logs)))])


def _log_without_metric(item: Printed, log: str, metric: str, rows: ReportRows) -> CrossCheck:
    """A mean per log of a metric that no record holds: from the report's overall mean, else a gap printed as 0."""
    summary = rows.published.metrics.get(metric)
    if summary is None:
        if item.value == 0 or math.isnan(item.value):
            return check_filler(item)
        return unchecked(item, ui("check.only-report"))
    logs, means, sizes = _comparison(metric, rows)
    if log not in logs or len(logs) < 2 or summary.mean is None or summary.count != sizes.sum():
        return unchecked(item, ui("check.only-report"))
    own = logs.index(log)
    others = np.arange(len(logs)) != own
    size = sizes.sum()
    rest = float((sizes * means.values)[others].sum())
    slack = size * st.half_of_general(summary.mean) + float((sizes * means.half)[others].sum())
    result = Bounded(value=(size * summary.mean - rest) / sizes[own], slack=slack / sizes[own])
    return judge(item, [Candidate(result=result, how=ui("check.from-overall"))])
