"""What the commands print: progress on the error stream of a terminal, summaries and tables on the other.

Everything that comes from a run is hostile here too: characters that would move a terminal's cursor are replaced.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sitegen.format import NBSP, size
from sitegen.glossary.words import direction_text
from sitegen.model.problems import Problem
from sitegen.text import Lang, Text, same, ui

if TYPE_CHECKING:
    from rich.table import Table

    from sitegen.analyse.crosscheck import CrossCheck
    from sitegen.budgets import OverBudget
    from sitegen.build import BuildReport
    from sitegen.check import Found
    from sitegen.glossary.lookup import Glossary
    from sitegen.glossary.report import Explained, MissingReport
    from sitegen.publish.host_finding import HostFinding
    from sitegen.tasks import ProblemCounts

Label = Text | None
Progress = Callable[[int, int], None]
"""Told how many runs are done, of how many."""

_NAMES_SHOWN = 5
_HEAVY_SHOWN = 20
_OF_A_RULE = 20
"""Findings of one rule of the preflight that are listed."""
_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_VERDICTS = {"agrees": "green", "differs": "bold red", "unchecked": "dim"}


class Console:
    """Prints in one language."""

    def __init__(self, lang: str, *, quiet: bool = False) -> None:
        """For a language; a quiet one prints problems only."""
        self.lang = cast(Lang, lang)
        self.quiet = quiet

    def say(self, key: str, **values: Any) -> None:
        """Prints one string of the catalogue."""
        if not self.quiet:
            _print(self.text(key, **values))

    def text(self, key: str, **values: Any) -> str:
        """One string of the catalogue in this console's language, safe to print."""
        return plain(ui(key, **values).of(self.lang))

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Prints rows of text under headings of the catalogue; from the second column on, to the right."""
        from rich import box
        from rich.console import Console as Terminal
        from rich.table import Table
        from rich.text import Text as Cell

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for number, heading in enumerate(headings):
            table.add_column(self.text(heading), justify="right" if number else "left")
        for row in rows:
            table.add_row(*(Cell(plain(text)) for text in row))
        terminal = Terminal() if sys.stdout.isatty() else Terminal(width=100_000)
        terminal.print(table, crop=False)

    @contextmanager
    def progress(self, label: str = "cli.reading") -> Iterator[Progress]:
        """A progress bar on a terminal, with a string of the catalogue before it; nothing elsewhere."""
        if self.quiet or not sys.stderr.isatty():
            yield _silent
            return
        from rich import progress
        from rich.console import Console as Terminal

        columns = (progress.TextColumn(self.text(label)), progress.BarColumn(), progress.MofNCompleteColumn())
        with progress.Progress(*columns, console=Terminal(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def summary(self, report: BuildReport, archive: Path, site: Path) -> None:
        """What a build made, how long it took, and how to look at it."""
        self.say(
            "cli.summary",
            runs=self._count("run", report.runs),
            pages=self.text("cli.pages", count=report.written.pages),
            files=self.text("cli.files", count=report.written.files),
            problems=self._counted(report.problems),
            seconds=f"{report.seconds:.1f}",
        )
        if report.cached:
            self.say("cli.cached", count=report.cached)
        if report.problems.total:
            self.say("cli.see-problems", archive=shlex.quote(str(archive)))
        self._heavy(report.heavy)
        if report.written.kept:
            self.say("cli.kept", names=self._names(report.written.kept))
        self.say("cli.open", page=shlex.quote(str(site / "index.html")), site=shlex.quote(str(site)))

    def _heavy(self, heavy: Sequence[OverBudget]) -> None:
        """What weighs more than it may, the heaviest for its kind first."""
        if not heavy:
            return
        self.say("budget.count", count=len(heavy))
        for item in sorted(heavy, key=lambda item: -item.sent / item.limit)[:_HEAVY_SHOWN]:
            kind = self.text(f"budget.{item.kind}")
            self.say("budget.item", path=item.path, size=size(item.sent), limit=size(item.limit), kind=kind)
        if len(heavy) > _HEAVY_SHOWN:
            self.say("budget.more", count=len(heavy) - _HEAVY_SHOWN)

    def problems(self, found: Found) -> None:
        """All problems as a table, and their count."""
        from rich.console import Console as Terminal

        if found.problems:
            terminal = Terminal() if sys.stdout.isatty() else Terminal(width=100_000)
            terminal.print(self._table(found.problems), crop=False)
        _print(f"{self._count('run', found.runs)}{self.text('cli.separator')}{self._counted(found.counts)}")

    def published(self, found: Found, *, everything: bool) -> None:
        """Published numbers run by run: how many agree, and those that do not, or all of them, as a table."""
        from rich.console import Console as Terminal

        from sitegen.analyse.crosscheck import counts

        terminal = Terminal() if sys.stdout.isatty() else Terminal(width=100_000)
        for path, checks in found.crosscheck:
            numbers = counts(checks)
            self.say("cli.published", run=path, sentence=self.text("crosscheck.sentence", n=len(checks), **numbers))
            shown = [check for check in checks if everything or check.verdict == "differs"]
            if shown:
                terminal.print(self._numbers(shown), crop=False)

    def _numbers(self, checks: Sequence[CrossCheck]) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        from sitegen.analyse.printed import alike

        headings = ("cli.where", "cli.name", "crosscheck.col.published", "crosscheck.col.computed", "cli.tolerance")
        table = Table(
            self.text("crosscheck.col.verdict"),
            *map(self.text, headings),
            self.text("crosscheck.col.how"),
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        for check in checks:
            how = check.how.of(self.lang)
            if check.reason is not None:
                how = self.text("report.because", how=how, reason=check.reason)
            where = check.where if check.line is None else f"{check.where}:{check.line}"
            tolerance = "–" if check.tolerance is None else f"{check.tolerance:.2g}"
            computed = alike(check.published, check.computed)
            texts = (where, check.name, check.published, computed, tolerance, how)
            verdict = Text(self.text(f"crosscheck.{check.verdict}"), _VERDICTS[check.verdict])
            table.add_row(verdict, *(Text(plain(text)) for text in texts))
        return table

    def site_check(self, found: Sequence[HostFinding], target: str) -> None:
        """What a host would refuse in a finished site, at most some of each rule, and how much of it there is."""
        from collections import Counter

        from rich import box
        from rich.console import Console as Terminal
        from rich.table import Table
        from rich.text import Text as Cell

        counts = Counter(item.severity for item in found)
        headings = ("cli.severity", "check-site.rule", "cli.where", "check-site.what")
        table = Table(*map(self.text, headings), box=box.SIMPLE_HEAD, pad_edge=False)
        shown: Counter[str] = Counter()
        of_rule = Counter(item.rule for item in found)
        for item in found:
            shown[item.rule] += 1
            if shown[item.rule] > _OF_A_RULE + 1:
                continue
            severity = Cell(self.text(f"check-site.severity.{item.severity}"), _STYLES[item.severity])
            where = item.path if item.line is None else f"{item.path}:{item.line}"
            text = item.text.of(self.lang)
            if shown[item.rule] > _OF_A_RULE:
                where, text = "", self.text("check-site.more", count=of_rule[item.rule] - _OF_A_RULE)
            table.add_row(severity, item.rule, Cell(plain(where)), Cell(plain(text)))
        if found:
            terminal = Terminal() if sys.stdout.isatty() else Terminal(width=100_000)
            terminal.print(table, crop=False)
        self.say("check-site.count", target=target, errors=counts["error"], warnings=counts["warning"])

    def explained(self, found: Explained, glossary: Glossary) -> None:
        """One name with everything its entry says."""
        from rich.console import Console as Terminal
        from rich.text import Text as Line

        wide = not sys.stdout.isatty()
        terminal = Terminal(width=100_000) if wide else Terminal()
        for label, text in explanation(found, glossary):
            line = Line(plain(label.of(self.lang)), "bold") if label is not None else Line()
            if label is not None and text is not None:
                line.append(plain(ui("cli.glossary.colon").of(self.lang)))
            line.append(plain(text.of(self.lang)) if text is not None else "", "not bold")
            terminal.print(line, crop=False, soft_wrap=wide)
        terminal.print()

    def missing(self, report: MissingReport) -> None:
        """The names that no checked entry explains as a table, and how many of all names they are."""
        from rich import box
        from rich.console import Console as Terminal
        from rich.table import Table
        from rich.text import Text as Cell

        if report.missing:
            headings = ("cli.glossary.name", "glossary.framework", "cli.glossary.confidence", "cli.glossary.runs")
            table = Table(*map(self.text, headings), box=box.SIMPLE_HEAD, pad_edge=False)
            for item in report.missing:
                confidence = self.text(f"confidence.{item.entry.confidence}")
                cells = (item.name, item.framework or "–", confidence, self._names(item.runs))
                table.add_row(*(Cell(plain(cell)) for cell in cells))
            terminal = Terminal() if sys.stdout.isatty() else Terminal(width=100_000)
            terminal.print(table, crop=False)
        self.say(
            "cli.glossary.missing",
            runs=self._count("run", report.runs),
            missing=len(report.missing),
            distinct=report.distinct,
            percent=f"{100 * report.share:.1f}",
        )

    def _table(self, problems: Sequence[Problem]) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text as Cell

        headings = [self.text(f"cli.{name}") for name in ("severity", "where", "what", "effect")]
        table = Table(*headings, box=box.SIMPLE_HEAD, pad_edge=False)
        for item in problems:
            where = item.path if item.line is None else f"{item.path}:{item.line}"
            severity = Cell(self.text(f"cli.severity.{item.severity}"), _STYLES[item.severity])
            texts = (where, item.what.of(self.lang), item.effect.of(self.lang))
            table.add_row(severity, *(Cell(plain(text)) for text in texts))
        return table

    def _count(self, noun: str, count: int) -> str:
        return self.text(f"cli.{noun}") if count == 1 else self.text(f"cli.{noun}s", count=count)

    def _counted(self, counts: ProblemCounts) -> str:
        if not counts.total:
            return self.text("cli.none")
        levels = (("error", counts.errors), ("warning", counts.warnings), ("info", counts.infos))
        parts = self.text("cli.separator").join(self.text(f"cli.{name}", count=n) for name, n in levels if n)
        if counts.total == 1:
            return self.text("cli.problem", parts=parts)
        return self.text("cli.problems", count=counts.total, parts=parts)

    def _names(self, names: Sequence[str]) -> str:
        shown = self.text("cli.separator").join(names[:_NAMES_SHOWN])
        more = len(names) - _NAMES_SHOWN
        return self.text("cli.kept-more", names=shown, count=more) if more > 0 else shown


def explanation(found: Explained, glossary: Glossary) -> Iterator[tuple[Label, Label]]:
    """An entry as labelled lines: the name, title, sentence and text first; a label alone is a heading."""
    entry = found.entry
    yield same(found.name), None
    if found.choice:
        yield from _choice(found, glossary)
        return
    yield None, entry.title
    prose = (entry.notice, entry.short, entry.what if entry.what != entry.short else None, entry.together)
    yield from ((None, text) for text in prose if text is not None)
    yield from (
        (ui(f"glossary.{key}"), text)
        for key, text in (
            ("formula", same(entry.formula) if entry.formula else None),
            ("cli-symbols", entry.symbols),
            ("healthy", entry.healthy),
            ("worrying", entry.worrying),
            ("treatment", entry.treatment),
            *(("traps", trap) for trap in entry.traps),
            *_facts(found, glossary),
        )
        if text is not None
    )


def _choice(found: Explained, glossary: Glossary) -> Iterator[tuple[Label, Label]]:
    """What each framework that logs a name means by it, and how to read one whole entry."""
    titles = {item.id: item.title for item in glossary.frameworks}
    entries = (found.entry, *found.also)
    yield None, ui("cli.glossary.choice", n=len(entries))
    for entry in entries:
        owner = titles.get(entry.framework, same(entry.framework))
        label = Text(f"{owner.en} (--framework {entry.framework})", f"{owner.zh}（--framework {entry.framework}）")
        title, short = entry.title, entry.short
        yield label, Text(f"{title.en}. {short.en}", f"{title.zh}。{short.zh}")


def _facts(found: Explained, glossary: Glossary) -> Iterator[tuple[str, Label]]:
    """What kind of entry it is, and where its text comes from."""
    entry = found.entry
    titles = {item.id: item.title for item in glossary.frameworks}
    groups = {item.id: item.title for item in glossary.groups}
    yield "unit-label", glossary.units[entry.unit].name if entry.unit else None
    yield "direction-label", direction_text(entry.direction) if entry.kind == "metric" else None
    yield "kind", ui(f"kind.{entry.kind}")
    yield "group", groups[entry.group]
    if entry.notice is None or entry.framework != "common":
        yield "framework", titles.get(entry.framework, same(entry.framework))
    yield "versions", same(entry.versions) if entry.versions else None
    yield "blame", ui(f"blame.{entry.blame}") if entry.blame else None
    yield "cli-confidence", ui(f"confidence.{entry.confidence}")
    source = " ".join(filter(None, (entry.source.repository, entry.source.file, entry.source.function)))
    if source and entry.checked:
        yield "computed", Text(f"{source} ({entry.checked})", f"{source}（{entry.checked}）")
    yield "related", same(", ".join(entry.related)) if entry.related else None
    yield "cli-also", same(", ".join(other.id for other in found.also)) if found.also else None


def plain(text: str) -> str:
    """The text on one line, with every character that a terminal would obey replaced."""
    return "".join(char if char.isprintable() else "�" for char in text.replace("\n", " ").replace(NBSP, " "))


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _silent(done: int, total: int) -> None:
    """No progress."""
