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

from sitegen.model.problems import Problem
from sitegen.text import Lang, ui

if TYPE_CHECKING:
    from rich.table import Table

    from sitegen.build import BuildReport
    from sitegen.check import Found
    from sitegen.run_work import ProblemCounts

Progress = Callable[[int, int], None]
"""Told how many runs are done, of how many."""

_NAMES_SHOWN = 5
_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}


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

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A progress bar on a terminal; nothing elsewhere."""
        if self.quiet or not sys.stderr.isatty():
            yield _silent
            return
        from rich import progress
        from rich.console import Console as Terminal

        columns = (progress.TextColumn(self.text("cli.reading")), progress.BarColumn(), progress.MofNCompleteColumn())
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
        if report.written.kept:
            self.say("cli.kept", names=self._names(report.written.kept))
        self.say("cli.open", page=shlex.quote(str(site / "index.html")), site=shlex.quote(str(site)))

    def problems(self, found: Found) -> None:
        """All problems as a table, and their count."""
        from rich.console import Console as Terminal

        if found.problems:
            terminal = Terminal() if sys.stdout.isatty() else Terminal(width=100_000)
            terminal.print(self._table(found.problems), crop=False)
        _print(f"{self._count('run', found.runs)}{self.text('cli.separator')}{self._counted(found.counts)}")

    def _table(self, problems: Sequence[Problem]) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        headings = [self.text(f"cli.{name}") for name in ("severity", "where", "what", "effect")]
        table = Table(*headings, box=box.SIMPLE_HEAD, pad_edge=False)
        for item in problems:
            where = item.path if item.line is None else f"{item.path}:{item.line}"
            severity = Text(self.text(f"cli.severity.{item.severity}"), _STYLES[item.severity])
            texts = (where, item.what.of(self.lang), item.effect.of(self.lang))
            table.add_row(severity, *(Text(plain(text)) for text in texts))
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


def plain(text: str) -> str:
    """The text on one line, with every character that a terminal would obey replaced."""
    return "".join(char if char.isprintable() else "�" for char in text.replace("\n", " "))


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _silent(done: int, total: int) -> None:
    """No progress."""
