"""The report that the team's log parser writes, as data: `<ts>_metrics_report.md` and `report.md`.

What becomes what: progression tables become steps (rounded as printed), category summaries, timing, engine, trial
and checkpoint sections become `Published` values, and the text is kept as a document. The parser prints 0 for a
metric that a record lacks, so a progression column whose metric is in no summary table is missing, not 0; and where
a summary counts fewer records than the progression has rows, the zeros may be gaps too.

Source: OpenThoughts-Agent, `scripts/analysis/parse_skyrl_metrics.py` (2026-06), `generate_markdown_report`, and its
`--format standard`.
"""

from __future__ import annotations

import re

from sitegen.model.problems import Problem, problem
from sitegen.model.run import Document, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.job_names import job_records
from sitegen.readers.markdown_tables import MarkdownContent, has_lost_breaks, restore_breaks, take_apart
from sitegen.readers.report_progression import Progression, read_progression
from sitegen.readers.report_published import read_published, reported_exports
from sitegen.readers.text_file import head_text, is_placeholder, line_list, load
from sitegen.readers.web_page_copy import is_page_copy, restore_report
from sitegen.text import Text

TITLE = re.compile(r"SkyRL (?:Standard-GRPO )?Training Metrics Analysis")
KNOWN_HEADINGS = (
    "SkyRL Training Metrics Analysis",
    "SkyRL Standard-GRPO Training Metrics Analysis",
    "Overview",
    "Training Progression by Log",
    "Training Progression (collapse signals)",
    "Timing Analysis",
    "Average Time Breakdown (% of step time)",
    "Cross-Log Comparison",
    "vLLM Inference Engine Analysis",
    "vLLM Inference Engine Analysis (per-engine)",
    "Summary by Log (Per-Engine Stats)",
    "Utilization Analysis (Per-Engine)",
    "Best Checkpoint (trailing-5 EMA of reward/avg_raw_reward)",
    "Trial-Level Analysis (from result.json)",
    "Turn Count Statistics",
    "Exception Distribution",
    "Turn Count by Exception Type",
    "Turn Count by Outcome",
    "Reward Summary",
)
"""Headings that the parser writes; `<Family> Metrics` and job names end at the table or bullet after them."""


def sniff(source: SourceFile) -> bool:
    """Whether the head has the report's title; under the report's own name also without."""
    own_name = source.name.lower().endswith("_metrics_report.md")
    return is_placeholder(source) or own_name or is_report(source)


def is_report(source: SourceFile) -> bool:
    """Whether the head has the title of the parser's report."""
    return TITLE.search(head_text(source)) is not None


def read(source: SourceFile) -> ReadResult:
    """Steps, published values and the document of one report."""
    loaded = load(source)
    if loaded.text is None:
        return _result(source, None, None, list(loaded.problems))
    problems = list(loaded.problems)
    text = loaded.text
    if is_page_copy(text):
        text = restore_report(text)
        problems.append(problem("report.page-copy", source.path))
    elif has_lost_breaks(text):
        text = restore_breaks(text, KNOWN_HEADINGS)
        problems.append(problem("report.repaired", source.path))
    return _result(source, text, take_apart(text), problems)


def _result(
    source: SourceFile, text: str | None, content: MarkdownContent | None, problems: list[Problem]
) -> ReadResult:
    published, progression = None, Progression()
    facts: dict[str, object] = {}
    if content is not None:
        published = read_published(source.path, content)
        progression = read_progression(source.path, content, published)
        problems += _misfits(source.path, content) + progression.problems
        facts = reported_exports(content)
        if progression.absent_or_nonfinite:
            facts["absent_or_nonfinite"] = True
        if not content.tables:
            problems.append(problem("report.no-tables", source.path))
        elif progression.steps is None and not problems:
            problems.append(problem("report.no-progression", source.path))
    steps = progression.steps
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        framework=None if content is None else "skyrl",
        steps=steps,
        nonfinite=progression.nonfinite,
        jobs=() if steps is None else job_records(steps["job"], source.path),
        document=None if text is None else Document(path=source.path, kind="report", markdown=text),
        published=published if content is not None and content.tables else None,
        facts=facts,
        rows=0 if steps is None else len(steps),
        problems=tuple(problems),
    )


def _misfits(path: str, content: MarkdownContent) -> list[Problem]:
    lines = [line for table in content.tables for line in table.misfits]
    if not lines:
        return []
    return [problem("report.misfit-row", path, lines[0], count=len(lines), lines=line_list(lines))]


READER = Reader(
    name="skyrl_report",
    title=Text("Published metrics report (Markdown)", "已发布的指标报告（Markdown）"),
    names=("*_metrics_report.md", "report.md"),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=10,
    version=1,
)
