"""A metrics report copied from a web page, made into Markdown again.

Such a copy has lost the marks of headings and the bars of tables, but not its lines: every table begins with one of
the parser's known header lines, and all cells of a row but the first hold one printed number each, so that a row
can be told apart from its end. A row for which that does not come out is left as a misfit and becomes a Problem.

Source: headings and headers of OpenThoughts-Agent, `scripts/analysis/parse_skyrl_metrics.py` (2026-06).
"""

from __future__ import annotations

import re

_TITLE = re.compile(r"^SkyRL (?:Standard-GRPO )?Training Metrics Analysis$", re.MULTILINE)
_HEADERS: tuple[tuple[str, ...], ...] = (
    ("Log File", "Total Steps", "Metric Blocks", "Final Reward (mean)", "Final Reward (max)", "Total Time (s)"),
    ("Log File", "Max Step", "Train Steps", "Final Reward", "Max Reward", "Final Entropy"),
    ("", "Mean", "Std", "Min", "Max", "Count"),
    ("Step", "Reward", "Pass@8", "KL", "Loss", "Step Time (s)", "Gen Wait (s)"),
    ("Component", "Avg % of Step Time"),
    ("Log", "Avg Reward", "Pass@8", "Step Time (s)", "Gen Wait Time (s)", "Avg Tokens", "Staleness"),
    (
        *("Log", "Avg Running/Engine", "Avg Waiting/Engine", "Avg Gen Throughput/Engine"),
        *("Avg KV Cache %", "Avg Prefix Hit %"),
    ),
    ("Log", "Avg Running/Engine", "Avg Gen Throughput/Engine", "Avg KV Cache %", "Avg Prefix Hit %"),
    ("Metric", "Value"),
    ("Exception Type", "Count", "%"),
    ("Exception Type", "Mean Turns", "Median Turns", "Count"),
    ("Outcome", "Mean Turns", "Median Turns", "Count"),
)
_BY_LINE = {" ".join(header).strip(): header for header in _HEADERS}
_SECTION = re.compile(
    r"Overview|[A-Z][\w-]* Metrics|Training Progression.*|Timing Analysis|Cross-Log Comparison"
    r"|vLLM Inference Engine Analysis.*|Best Checkpoint \(.*|Trial-Level Analysis.*"
)
_SUBSECTION = re.compile(
    r"Average Time Breakdown.*|Summary by Log.*|Utilization Analysis.*|Turn Count .*|Exception Distribution"
    r"|Reward Summary"
)
_PRINTED = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?:%|\u00a0tok/s)?")
_BULLET = re.compile(r"\s*[•◦▪]\s*")


def is_page_copy(text: str) -> bool:
    """Whether the report's title and a known table header stand there without any mark."""
    return _TITLE.search(text) is not None and any(line.strip() in _BY_LINE for line in text.split("\n"))


def restore_report(text: str) -> str:
    """The report as Markdown from its title on; what stood around it on the page above is left out."""
    title = _TITLE.search(text)
    lines = text[title.start() if title else 0 :].split("\n")
    restored: list[str] = []
    header: tuple[str, ...] | None = None
    for index, line in enumerate(lines):
        stripped = line.strip()
        following = next((later.strip() for later in lines[index + 1 :] if later.strip()), "")
        if not stripped:
            header = None
            restored.append("")
        elif stripped in _BY_LINE:
            header = _BY_LINE[stripped]
            restored += ["", _row(header), _row(["---"] * len(header))]
        elif header is not None:
            restored.append(_row(_cells(stripped, len(header))))
        else:
            restored.append(_line(stripped, following, first=index == 0))
    return "\n".join(restored).strip("\n") + "\n"


def _line(stripped: str, following: str, *, first: bool) -> str:
    if first:
        return f"# {stripped}"
    if _SECTION.fullmatch(stripped):
        return f"## {stripped}"
    if _SUBSECTION.fullmatch(stripped):
        return f"### {stripped}"
    if " " not in stripped and following in _BY_LINE:
        return f"### {stripped}"
    if " " not in stripped and _BULLET.match(following):
        return f"#### {stripped}"
    return _BULLET.sub("- ", stripped, count=1)


def _cells(stripped: str, width: int) -> list[str]:
    """A row's cells; a single one, which fits no table, where the numbers at its end do not come out."""
    parts = stripped.replace(" tok/s", "\u00a0tok/s").rsplit(" ", width - 1)
    if len(parts) != width or not all(_PRINTED.fullmatch(part) for part in parts[1:]):
        return [stripped]
    return [part.replace("\u00a0", " ") for part in parts]


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
