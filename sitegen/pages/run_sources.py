"""The sources page: every file and what was made of it, every problem, the written documents, downloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.model.problems import Problem
from sitegen.model.run import Run, SourceUse
from sitegen.pages.base import PageHead, run_page
from sitegen.pages.run_crosscheck import CrossCheckView, crosscheck_view
from sitegen.pages.run_header import RunHeader, run_header, severity_mark
from sitegen.pages.run_published import other_values
from sitegen.pages.run_view import Cell, Column, Link, Mark, RunInput, Table, Voice, code_cell, number_cell, text_cell
from sitegen.text import Text

TEMPLATE = "pages/run_sources.html"
OVERVIEW_PROBLEMS = 8
"""Problems listed on the overview; the sources page has all."""
ALIKE_FILES = 40
"""Files of one reader and fate listed one by one; further ones are summed up in one row."""
_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRow:
    """One problem."""

    mark: Mark
    """Severity."""
    what: str
    """What is wrong."""
    effect: str
    """What it means for the numbers, and what to do."""
    where: str
    """File and line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemsView:
    """A list of problems."""

    sentence: str
    """How many of which severity."""
    rows: tuple[ProblemRow, ...]
    """Worst first, in file order."""
    rest: int
    """How many more the sources page lists."""
    differing: str = ""
    """How many published numbers differ from what the files give; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """A written document of the run."""

    id: str
    """Anchor."""
    title: str
    """What it is."""
    path: str
    """Its file."""
    markdown: str
    """Its text."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunSources:
    """The sources page."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    sentence: str
    """How many files, how many used."""
    files: Table
    """Every file."""
    problems: ProblemsView
    """Every problem."""
    documents: tuple[DocumentView, ...]
    """Reports and cards."""
    crosscheck: CrossCheckView | None
    """Every published number against the run."""
    published: Table | None
    """Every printed number of the report."""
    downloads: tuple[Link, ...]
    """Data of the run as files."""


def run_sources(given: RunInput, voice: Voice, head: PageHead, downloads: tuple[str, ...]) -> RunSources:
    """The page's view model; `downloads` are site paths."""
    run = given.run
    used = sum(source.note is None and bool(source.rows or source.used_for) for source in run.sources)
    return RunSources(
        head=head,
        header=run_header(given, voice, "sources"),
        sentence=voice.say("sources.sentence", n=voice.count(len(run.sources)), used=voice.count(used)),
        files=files_table(run, voice),
        problems=problems_view(run, voice, differing=differing(given)),
        documents=documents(run, voice),
        crosscheck=crosscheck_view(given, voice, everything=True),
        published=other_values(given, voice),
        downloads=tuple(Link(href=voice.urls.to(path), text=path.rsplit("/", 1)[-1]) for path in downloads),
    )


def differing(given: RunInput) -> int:
    """Published numbers that differ from what the files give."""
    return sum(check.verdict == "differs" for check in given.analysis.crosscheck or ())


def problems_view(run: Run, voice: Voice, limit: int | None = None, differing: int = 0) -> ProblemsView:
    """The run's problems, worst first; published numbers that differ are no file's problem and are named beside."""
    found = sorted(run.problems, key=lambda item: _ORDER[item.severity])
    shown = found if limit is None else found[:limit]
    return ProblemsView(
        sentence=problems_sentence(run, voice),
        rows=tuple(_problem(item, run, voice) for item in shown),
        rest=len(found) - len(shown),
        differing=voice.say("problems.differing", n=voice.count(differing)) if differing else "",
    )


def problems_sentence(run: Run, voice: Voice) -> str:
    """How many problems of which severity."""
    counts = {name: sum(item.severity == name for item in run.problems) for name in _ORDER}
    if not run.problems:
        return voice.say("problems.none")
    parts = [voice.say(f"problems.{name}", n=voice.count(n)) for name, n in counts.items() if n]
    return voice.say("problems.sentence", parts=voice.listing(parts))


def _problem(item: Problem, run: Run, voice: Voice) -> ProblemRow:
    where = inside(item.path, run)
    return ProblemRow(
        mark=severity_mark(item.severity, voice),
        what=voice.text(item.what),
        effect=voice.text(item.effect),
        where=where if item.line is None else f"{where}:{item.line}",
    )


def inside(path: str, run: Run) -> str:
    """A path as seen from the run's folder."""
    return path.removeprefix(f"{run.path}/") if run.path != "." else path


def files_table(run: Run, voice: Voice) -> Table:
    """Every file with size, reader, rows and use, or why it was set aside."""
    titles = (("file", False), ("size", True), ("reader", False), ("rows", True), ("used-for", False))
    return Table(
        id="files",
        caption=voice.say("sources.files"),
        columns=tuple(Column(title=voice.say(f"col.{name}"), numeric=numeric) for name, numeric in titles),
        rows=tuple(_file_rows(run, voice)),
        sortable=True,
    )


def _file_rows(run: Run, voice: Voice) -> Iterator[tuple[Cell, ...]]:
    """One row per file; of a reader with very many files the first ones, and one row for the rest."""
    seen: dict[tuple[str | None, str | None, Text | None], list[SourceUse]] = {}
    for source in run.sources:
        alike = seen.setdefault((source.reader, source.note, source.reason), [])
        alike.append(source)
        if len(alike) <= ALIKE_FILES:
            yield _file_row(source, run, voice)
    for alike in seen.values():
        rest = alike[ALIKE_FILES:]
        if rest:
            size, rows = sum(item.size for item in rest), sum(item.rows for item in rest)
            yield (
                text_cell(voice.say("sources.more", n=voice.count(len(rest)), like=alike[0].path.rsplit("/", 1)[-1])),
                number_cell(size, fmt.size(size)),
                text_cell(rest[0].reader or voice.say("no-reader"), dim=rest[0].reader is None),
                number_cell(rows, voice.count(rows)),
                text_cell(_use(rest[0], voice), dim=not rest[0].used_for),
            )


def _use(source: SourceUse, voice: Voice) -> str:
    """What a file was used for, or why it was set aside."""
    used = voice.listing([voice.say(f"use.{name}") for name in source.used_for])
    return used or _aside(source, voice)


def _aside(source: SourceUse, voice: Voice) -> str:
    """Why a file was set aside; empty when it was not."""
    if source.reason is not None:
        return voice.text(source.reason)
    return "" if source.note is None else voice.say(f"aside.{source.note}")


def _file_row(source: SourceUse, run: Run, voice: Voice) -> tuple[Cell, ...]:
    used = voice.listing([voice.say(f"use.{name}") for name in source.used_for])
    aside = _aside(source, voice)
    rows = source.rows if source.reader else None
    return (
        code_cell(inside(source.path, run)),
        number_cell(source.size, fmt.size(source.size)),
        text_cell(source.reader or voice.say("no-reader"), dim=source.reader is None),
        number_cell(rows, voice.count(rows)),
        text_cell(used or aside, note=aside if used else "", dim=not used),
    )


def documents(run: Run, voice: Voice) -> tuple[DocumentView, ...]:
    """The written documents, numbered."""
    return tuple(
        DocumentView(
            id=f"document-{number}",
            title=voice.say(f"document.{item.kind}"),
            path=inside(item.path, run),
            markdown=item.markdown,
        )
        for number, item in enumerate(run.documents, start=1)
    )


def document_links(run: Run, voice: Voice) -> tuple[Link, ...]:
    """Links from the overview to the documents."""
    page = run_page(run.slug, "sources")
    return tuple(
        Link(href=voice.urls.page_to(page, item.id), text=f"{item.title} ({item.path})")
        for item in documents(run, voice)
    )
