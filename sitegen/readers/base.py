"""What a reader is: the one shape that every log format of the archive is read through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sitegen.model.run import ReadResult, SourceFile
from sitegen.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """One format: which files it takes, and how one file becomes a `ReadResult`.

    A file is offered to the readers in `READERS` order; the first whose `names` match the file's lower-cased
    name and whose `sniff` accepts the head takes it. `read` never raises on bad content: it returns what is
    whole and a `Problem` for the rest. It may open `source.location` and nothing else.
    """

    name: str
    """Identifier, shown on the Sources page and in problems."""
    title: Text
    """What the format is, for people."""
    names: tuple[str, ...]
    """Lower-case `fnmatch` patterns on the file's name (`*_metrics_table.csv`); only such files are opened."""
    sniff: Callable[[SourceFile], bool]
    """Whether the head is of this format. Pure: looks at `source.head`, `source.name`, `source.path`."""
    read: Callable[[SourceFile], ReadResult]
    """The file as data."""
    evidence: bool
    """Whether such a file makes its folder a run (a README or a configuration alone does not)."""
    precedence: int
    """Rank among sources of the same thing: console log 40, table 30, tracker or W&B 20, report 10, surroundings 0."""
    version: int
    """Raised whenever the result for the same file changes; part of the cache key."""
    trace: bool = False
    """True: such a file lies in runs only (a configuration, a marker of a checkpoint). It makes no run, but a folder
    that has one and no evidence is named."""
    bundle: bool = False
    """True: of such files in Harbor trial folders, all those below one folder come as a single source, whose
    `location` is that folder, `members` the files, `absent` the trials without one; `head` is empty."""

    def names_match(self, name: str) -> bool:
        """Whether the file's name is one of this format's."""
        lowered = name.lower()
        return any(fnmatchcase(lowered, pattern) for pattern in self.names)

    def claims(self, source: SourceFile) -> bool:
        """Whether this reader takes the file."""
        return self.names_match(source.name) and self.sniff(source)
