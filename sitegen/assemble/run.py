"""Assembles a run: one table per kind, jobs stitched, every file accounted for. Invents no value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from sitegen.assemble.engine_times import one_axis
from sitegen.assemble.evaluations import DUMP, add_evaluations
from sitegen.assemble.framework import foreign_names, framework_of
from sitegen.assemble.jobs import JobOrder, entities, ordered_jobs
from sitegen.assemble.parts import joined_parts
from sitegen.assemble.records import merge_records
from sitegen.assemble.sources import REPORT_PRECEDENCE, Chosen, choose_by_job, choose_trials, ranked, same_job
from sitegen.assemble.stitch import Stitched, stitch
from sitegen.assemble.trial_jobs import job_problems
from sitegen.assemble.trial_rewards import reward_problems, with_primary_reward
from sitegen.assemble.unread import unread_problems, unread_reasons
from sitegen.model.problems import Problem, problem
from sitegen.model.run import (
    UNKNOWN_END,
    Document,
    JobRecord,
    LogEvent,
    ModelCard,
    Published,
    ReadResult,
    Run,
    RunConfig,
    RunFolder,
    RunSettings,
    SourceUse,
)
from sitegen.model.tables import BATCHES, ENGINES, NONFINITE, STEPS, TRIALS, TableSchema, conform, empty
from sitegen.privacy.text import MASK, is_secret_key
from sitegen.readers import READERS
from sitegen.settings import RUN_FILE, SiteSettings
from sitegen.text import Text

TWO_CLOCKS: Final = "two_clocks"
"""`ReadResult.facts` key: the format counts two things under one step, so a step that goes back is no resume."""
LOST_DIFFERENCE: Final = "absent_or_nonfinite"
"""`ReadResult.facts` key: the writer of the file lost the difference between absent and not finite."""

_EXPORT = re.compile(r"(?:^|/)exports/global_step_(\d+)/")
_EXPORTS = re.compile(r"(?:^|/)exports/(?!dumped_evals/)")


def assemble(
    folder: RunFolder,
    results: Sequence[ReadResult],
    settings: SiteSettings,
    run_settings: RunSettings,
    slug: str,
) -> Run:
    """The run that a folder's files tell of.

    Args:
        folder: The folder with all its files.
        results: What the readers made of the files they claimed, in any order.
        settings: `sitegen.toml`.
        run_settings: The run's `run.toml`.
        slug: Its address.
    """
    best = ranked(joined_parts(results))
    tables = _tables(folder.path, best, settings.reward_key)
    config, config_notes, config_problems = _config(best)
    published = _first(best, lambda result: result.published)
    documents = _documents(best)
    checkpoint, checkpoint_problems = _latest_checkpoint(folder.path, best)
    metrics = STEPS.measures(tables.stitched.steps)
    framework, guessed = framework_of(best, tables.used, metrics, config)
    unread = unread_reasons(folder, {result.source for result in results}, READERS)
    around = _Surroundings(config=config, published=published, documents=documents, notes=config_notes, unread=unread)
    return Run(
        slug=slug,
        path=folder.path,
        name=folder.name,
        title=run_settings.title or folder.name,
        framework=framework,
        framework_guessed=guessed,
        frameworks=foreign_names(best, tables.used, framework, metrics),
        jobs=entities(tables.order, tables.stitched.steps),
        steps=tables.stitched.steps,
        nonfinite=tables.nonfinite,
        engines=tables.engines,
        trials=tables.trials,
        batches=tables.batches,
        config=config,
        card=_card(best),
        documents=documents,
        published=published,
        steps_from_report=tables.from_report,
        absent_or_nonfinite=any(_fact(r, LOST_DIFFERENCE) for r in best if r.source in tables.steps.used),
        settings=run_settings,
        overlap_rule=settings.overlap_rule,
        exports=_exports(folder, best),
        latest_checkpoint=checkpoint,
        events=_events(best, tables),
        facts=_facts(best),
        sources=_uses(folder, best, tables, around),
        problems=_problems(
            folder,
            best,
            (*tables.problems, *config_problems, *checkpoint_problems, *unread_problems(folder, unread)),
        ),
    )


# Tables --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tables:
    """A run's tables, and which sources they come from."""

    steps: Chosen
    stitched: Stitched
    order: JobOrder
    nonfinite: pd.DataFrame
    engines: pd.DataFrame | None
    trials: pd.DataFrame | None
    batches: pd.DataFrame | None
    by_kind: Mapping[str, Chosen]
    from_report: bool
    problems: tuple[Problem, ...]

    @property
    def used(self) -> frozenset[str]:
        """Sources of any table."""
        return frozenset(source for chosen in self.by_kind.values() for source in chosen.used)


def _tables(path: str, best: Sequence[ReadResult], reward_key: str | None) -> _Tables:
    chosen = choose_by_job([result for result in best if not _fact(result, DUMP)], "steps")
    add_evaluations(chosen, [result for result in best if _fact(result, DUMP)])
    joined = chosen.joined()
    steps = joined if joined is not None else empty(STEPS)
    renamed = {theirs: ours for (_, theirs), ours in chosen.names.items() if theirs != ours}
    order = ordered_jobs(path, best, steps, chosen.notes, renamed)
    engines, batches, trials = choose_by_job(best, "engines"), choose_by_job(best, "batches"), choose_trials(best)
    nonfinite, lost = _nonfinite(path, best, chosen, steps)
    two_clocks = _two_clocks(best, chosen, steps)
    merged, nonfinite = merge_records(steps, nonfinite, order.names, two_clocks)
    resumed = {job.name: job.resumed_from for job in order.jobs if job.resumed_from is not None}
    stitched = stitch(merged, order.names, resumed, two_clocks)
    known = order.names
    attempts, attempt_problems = _trials(path, best, trials, reward_key)
    return _Tables(
        steps=chosen,
        stitched=stitched,
        order=order,
        nonfinite=_sorted(nonfinite, NONFINITE),
        engines=_optional(one_axis(_called(engines.joined(), known)), ENGINES),
        trials=_optional(attempts, TRIALS),
        batches=_optional(_called(batches.joined(), known), BATCHES),
        by_kind={"steps": chosen, "engines": engines, "trials": trials, "batches": batches},
        from_report=_from_report(best, chosen),
        problems=(
            *(found for each in (chosen, engines, trials, batches) for found in each.problems),
            *order.problems,
            *_lineage_problems(path, stitched),
            *lost,
            *attempt_problems,
        ),
    )


def _trials(
    path: str, best: Sequence[ReadResult], chosen: Chosen, reward_key: str | None
) -> tuple[pd.DataFrame | None, list[Problem]]:
    """All trials, graded by one key, and what batches of trials say otherwise."""
    problems = job_problems(best)
    joined = chosen.joined()
    if joined is None:
        return None, problems
    used = [result for result in best if result.source in chosen.used]
    trials = with_primary_reward(joined, reward_key)
    return trials, [*problems, *reward_problems(path, trials, used, reward_key)]


def _called(table: pd.DataFrame | None, known: Sequence[str]) -> pd.DataFrame | None:
    """The table with jobs called as the steps call them."""
    if table is None:
        return None
    names = {job: same_job(job, known) for job in table["job"].unique() if job is not None}
    return table.assign(job=table["job"].map(names).astype(object)) if any(k != v for k, v in names.items()) else table


def _optional(table: pd.DataFrame | None, schema: TableSchema) -> pd.DataFrame | None:
    return None if table is None else _sorted(table, schema)


def _sorted(table: pd.DataFrame, schema: TableSchema) -> pd.DataFrame:
    return conform(table.sort_values(list(schema.sort), kind="stable"), schema)


def _two_clocks(best: Sequence[ReadResult], chosen: Chosen, steps: pd.DataFrame) -> frozenset[str]:
    sources = [result.source for result in best if _fact(result, TWO_CLOCKS) and result.source in chosen.used]
    return frozenset(steps["job"][steps["source"].isin(sources)].unique()) | chosen.in_parts


def _nonfinite(
    path: str, best: Sequence[ReadResult], chosen: Chosen, steps: pd.DataFrame
) -> tuple[pd.DataFrame, list[Problem]]:
    """The non-finite values of the records used, jobs under their final names; infinite ones in the steps added."""
    parts: list[pd.DataFrame] = []
    for result in best:
        if result.nonfinite is None or result.nonfinite.empty or result.source not in chosen.used:
            continue
        table = result.nonfinite
        names = {job: chosen.names.get((result.source, job)) for job in table["job"].unique()}
        called = table["job"].map(names)
        parts.append(table.assign(job=called.astype(object))[called.notna()])
    parts += [table for table in chosen.nonfinite if len(table)]
    infinite = _infinite(steps)
    if infinite is not None:
        parts.append(infinite)
    if not parts:
        return empty(NONFINITE), []
    whole = pd.concat(parts, ignore_index=True).drop_duplicates(["source", "row", "metric"], ignore_index=True)
    records = pd.MultiIndex.from_frame(steps[["source", "row"]])
    known = pd.MultiIndex.from_frame(whole[["source", "row"]]).isin(records)
    lost = int((~known).sum())
    problems = [problem("assemble.nonfinite-lost", path, None, count=lost)] if lost else []
    return whole[known].reset_index(drop=True), problems


def _infinite(steps: pd.DataFrame) -> pd.DataFrame | None:
    measures = STEPS.measures(steps)
    rows, columns = np.nonzero(np.isinf(steps[measures].to_numpy())) if measures else (np.zeros(0, int),) * 2
    if not len(rows):
        return None
    found = steps.loc[rows, ["job", "step", "row", "source", "kind"]].reset_index(drop=True)
    values = steps[measures].to_numpy()[rows, columns]
    names = np.array(measures, dtype=object)[columns]
    return found.assign(metric=names, value=np.where(values > 0, "inf", "-inf").astype(object))


def _from_report(best: Sequence[ReadResult], chosen: Chosen) -> bool:
    used = [result for result in best if result.source in chosen.used and not _fact(result, DUMP)]
    return bool(used) and all(result.precedence <= REPORT_PRECEDENCE and result.published for result in used)


def _lineage_problems(path: str, stitched: Stitched) -> list[Problem]:
    found = [problem("assemble.gap", path, None, first=first, last=last) for first, last in stitched.gaps]
    if stitched.lineage:
        root = stitched.segments[stitched.lineage[0]]
        if root.resumed_from > 0 and root.first > 1 and root.resumed_from != root.first - 1:
            values = {"first": root.first, "resumed": root.resumed_from}
            found.append(problem("assemble.start-missing", path, None, **values))
    return found


# Surroundings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Surroundings:
    """What was chosen besides the tables."""

    config: RunConfig | None
    published: Published | None
    documents: tuple[Document, ...]
    notes: Mapping[str, str]
    unread: Mapping[str, Text]


def _fact(result: ReadResult, name: str) -> bool:
    return result.facts.get(name) is True


def _first(best: Sequence[ReadResult], part: Callable[[ReadResult], Any]) -> Any:
    return next((part(result) for result in best if part(result) is not None), None)


def _depth(result: ReadResult) -> int:
    return result.source.count("/")


def _config(best: Sequence[ReadResult]) -> tuple[RunConfig | None, dict[str, str], list[Problem]]:
    """The configuration of highest precedence, nearest to the folder; how the others differ."""
    found = [result for result in sorted(best, key=_depth) if result.config is not None]
    found.sort(key=lambda result: (-result.precedence, result.config is not None and result.config.assumed))
    if not found:
        return None, {}, []
    chosen = found[0].config
    notes: dict[str, str] = {}
    problems: list[Problem] = []
    for result in found[1:]:
        if chosen is None or result.config is None:
            continue
        same = result.config.values == chosen.values
        notes[result.source] = "duplicate" if same else "lower-precedence"
        problems += _config_differences(result.config, chosen)
    return chosen, notes, problems


def _config_differences(mine: RunConfig, theirs: RunConfig) -> list[Problem]:
    apart = [key for key, value in mine.values.items() if key in theirs.values and theirs.values[key] != value]
    if not apart:
        return []
    key = min(apart, key=is_secret_key)  # the first that is no secret
    both = (mine.values[key], theirs.values[key])
    shown = [MASK if is_secret_key(key) else str(value)[:80] for value in both]
    line = mine.lines.get(key)
    values = {"count": len(apart), "other": theirs.path, "key": key, "mine": shown[0], "theirs": shown[1]}
    return [problem("assemble.config-disagrees", mine.path, line, **values)]


def _card(best: Sequence[ReadResult]) -> ModelCard | None:
    cards = [result.card for result in sorted(best, key=_depth) if result.card is not None]
    return cards[0] if cards else None


def _documents(best: Sequence[ReadResult]) -> tuple[Document, ...]:
    """Documents nearest to the folder first; a text that is there twice once."""
    texts: dict[str, Document] = {}
    for result in sorted(best, key=_depth):
        if result.document is not None:
            texts.setdefault(result.document.markdown, result.document)
    return tuple(texts.values())


def _latest_checkpoint(path: str, best: Sequence[ReadResult]) -> tuple[int | None, list[Problem]]:
    steps = sorted({result.latest_checkpoint for result in best if result.latest_checkpoint is not None})
    if len(steps) < 2:
        return (steps[0] if steps else None), []
    listed = ", ".join(str(step) for step in steps)
    return steps[-1], [problem("assemble.latest-checkpoint-disagrees", path, None, steps=listed)]


def _exports(folder: RunFolder, best: Sequence[ReadResult]) -> tuple[int, ...] | None:
    """Steps with an export on disk: what readers say, and folders `exports/global_step_N` with files in them.

    A folder `exports` that holds nothing but dumped evaluations, which every run may have, tells of no export.
    """
    found = {result.export_step for result in best if result.export_step is not None}
    found |= {int(match[1]) for source in folder.files if (match := _EXPORT.search(source.path))}
    if not found and not any(_EXPORTS.search(source.path) for source in folder.files):
        return None
    return tuple(sorted(found))


def _events(best: Sequence[ReadResult], tables: _Tables) -> tuple[LogEvent, ...]:
    """Events in the order of their jobs and lines."""
    rank = {name: i for i, name in enumerate(tables.order.names)}
    events = [event for result in best for event in result.events]
    return tuple(sorted(events, key=lambda event: (rank.get(event.job, len(rank)), event.path, event.first_line)))


def _facts(best: Sequence[ReadResult]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for result in reversed(best):
        facts.update(result.facts)
    return {name: facts[name] for name in sorted(facts)}


def _problems(folder: RunFolder, best: Sequence[ReadResult], own: Sequence[Problem]) -> tuple[Problem, ...]:
    """Everything, by file and line, each once."""
    found = [*folder.problems, *own, *(item for result in best for item in result.problems)]
    return tuple(sorted(dict.fromkeys(found), key=lambda item: (item.path, item.line or 0, item.kind, item.what.en)))


# Sources -------------------------------------------------------------------------------------------------------------


def _uses(
    folder: RunFolder, best: Sequence[ReadResult], tables: _Tables, around: _Surroundings
) -> tuple[SourceUse, ...]:
    """What was made of every file, in path order."""
    by_source: dict[str, list[ReadResult]] = {}
    for result in best:
        by_source.setdefault(result.source, []).append(result)
    uses: list[SourceUse] = []
    for source in folder.files:
        found = by_source.get(source.path, [])
        if not found and source.path in {RUN_FILE, f"{folder.path}/{RUN_FILE}"}:
            use = SourceUse(
                path=source.path, size=source.size, reader=RUN_FILE, rows=0, used_for=("settings",), note=None
            )
        elif not found:
            use = SourceUse(
                path=source.path,
                size=source.size,
                reader=None,
                rows=0,
                used_for=(),
                note="unclaimed",
                reason=around.unread.get(source.path),
            )
        else:
            used = tuple(dict.fromkeys(item for result in found for item in _used_for(result, tables, around)))
            use = SourceUse(
                path=source.path,
                size=source.size,
                reader=found[0].reader,
                rows=_rows(found, tables, bool(used)),
                used_for=used,
                note=None if used else _note(found, tables, around),
            )
        uses.append(use)
    return tuple(uses)


def _used_for(result: ReadResult, tables: _Tables, around: _Surroundings) -> list[str]:
    used = [kind for kind, chosen in tables.by_kind.items() if result.source in chosen.used]
    parts = {
        "config": result.config is not None and result.config is around.config,
        "card": result.card is not None,
        "document": any(result.document is shown for shown in around.documents),
        "published": result.published is not None and result.published is around.published,
        "trials": result.trial_job is not None,
        "jobs": bool(used) or any(_tells(record) for record in result.jobs) if result.jobs else False,
        "events": bool(result.events),
        "checkpoints": result.latest_checkpoint is not None or result.export_step is not None,
    }
    return used + [name for name, yes in parts.items() if yes]


def _tells(record: JobRecord) -> bool:
    """Whether a record says more of a job than that it exists."""
    said = (record.started, record.finished, record.resumed_from)
    return any(value is not None for value in said) or record.end.cause != UNKNOWN_END.cause


def _rows(found: Sequence[ReadResult], tables: _Tables, used: bool) -> int:
    """Records used: of tables those taken, of anything else all that were read."""
    if not used:
        return 0
    taken = sum(chosen.used.get(found[0].source, 0) for chosen in tables.by_kind.values())
    has_table = any(getattr(result, kind) is not None for result in found for kind in tables.by_kind)
    return taken if has_table else sum(result.rows for result in found)


def _note(found: Sequence[ReadResult], tables: _Tables, around: _Surroundings) -> str | None:
    for notes in (*(chosen.notes for chosen in tables.by_kind.values()), around.notes):
        if found[0].source in notes:
            return notes[found[0].source]
    repeated = any(result.document is not None or result.published is not None for result in found)
    return "duplicate" if repeated else None
