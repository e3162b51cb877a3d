"""A `report.md` that somebody wrote: shown as a document, no numbers taken from it.

The parser's own reports have another reader (`skyrl_report`).
"""

from __future__ import annotations

from sitegen.model.run import Document, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.skyrl_report import sniff as is_metrics_report
from sitegen.readers.text_file import load
from sitegen.text import Text


def sniff(source: SourceFile) -> bool:
    """Whether the file is not the parser's report."""
    return not is_metrics_report(source)


def read(source: SourceFile) -> ReadResult:
    """The text as a document."""
    loaded = load(source)
    document = None if loaded.text is None else Document(path=source.path, kind="report", markdown=loaded.text)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        document=document,
        rows=0 if document is None else 1,
        problems=loaded.problems,
    )


READER = Reader(
    name="written_report",
    title=Text("Written report (Markdown)", "书面报告（Markdown）"),
    names=("report.md",),
    sniff=sniff,
    read=read,
    evidence=False,
    precedence=0,
    version=1,
)
