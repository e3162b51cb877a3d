"""The results in a card's `model-index`: those of one run found, refreshed where they stand, or taken out.

Results of others and comments keep their lines: only the lines of a result of ours are exchanged. YAML that is written
in braces, or otherwise not one item below the other, is left to the YAML library as a whole.

Source: Hugging Face Hub, "Model cards" (`model-index`); YAML 1.2 §6.1 (what belongs to an item is indented deeper).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

METRIC = "training_reward"
"""Type of our metric: no benchmark has it."""
_DASH = re.compile(r" *-(?: +|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a result stands in the data."""

    entry: int
    """Number of its model."""
    result: int
    """Its number among that model's."""


def run_of(result: Any) -> str | None:
    """The run that a result of ours names; None for any other."""
    metrics = result.get("metrics") if isinstance(result, Mapping) else None
    for metric in metrics if isinstance(metrics, list) else ():
        args = metric.get("args") if isinstance(metric, Mapping) else None
        if isinstance(args, Mapping) and metric.get("type") == METRIC and args.get("run"):
            return str(args["run"])
    return None


def results_of(entries: Any) -> Iterator[tuple[int, int, Any]]:
    """Number of the model, number of the result, and the result, of a `model-index` of any shape."""
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        results = entry.get("results") if isinstance(entry, Mapping) else None
        for at, result in enumerate(results if isinstance(results, list) else ()):
            yield number, at, result


def others(entries: Any, runs: Collection[str]) -> list[Any]:
    """The results that are not of these runs."""
    return [plain(result) for _, _, result in results_of(entries) if run_of(result) not in runs]


def plain(value: Any) -> Any:
    """YAML data without what it remembers of its writing."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def changed_in_data(entries: Any, wanted: Sequence[Any], runs: Collection[str]) -> None:
    """Puts our result into the data: where it was, else behind the first model's; further ones of ours go.

    Args:
        entries: The `model-index`, changed in place.
        wanted: A `model-index` with one model and our result; empty to take it out.
        runs: Addresses of the run, old ones included.
    """
    places = _places(entries, runs)
    if wanted and places:
        entries[places[0].entry]["results"][places[0].result] = wanted[0]["results"][0]
    elif wanted:
        _append(entries, wanted)
    for place in reversed(places[1:] if wanted else places):
        results = entries[place.entry]["results"]
        del results[place.result]
        if not results:
            del entries[place.entry]


def _append(entries: Any, wanted: Sequence[Any]) -> None:
    first = entries[0] if entries else None
    if isinstance(first, dict) and isinstance(first.get("results"), list):
        first["results"].append(wanted[0]["results"][0])
    else:
        entries.extend(wanted)


def _places(entries: Any, runs: Collection[str]) -> list[_Place]:
    found = results_of(entries)
    return [_Place(entry=number, result=at) for number, at, result in found if run_of(result) in runs]


def changed_lines(
    lines: Sequence[str], entries: Any, wanted: Sequence[Any], runs: Collection[str], written: Sequence[str]
) -> list[str] | None:
    """The lines of a `model-index` with our result in them; None where they are not one item below the other.

    Args:
        lines: Its lines, the key's own first.
        entries: What they hold, as the YAML library read them.
        wanted: As for `changed_in_data`.
        runs: Addresses of the run, old ones included.
        written: The lines of our result as an item, from its dash on, not indented.
    """
    places = _places(entries, runs)
    if not places:
        return _appended(lines, entries, written) if wanted else list(lines)
    gone = places[1:] if wanted else places
    emptied = {place.entry for place in gone if _count(gone, place) == len(entries[place.entry]["results"])}
    if len(emptied) == len(entries):
        return []
    edits: dict[tuple[int, int], list[str]] = {}
    for place in places:
        results = entries[place.entry]["results"]
        whole = place in gone and place.entry in emptied
        item = _item(lines, entries, place.entry) if whole else _item(lines, results, place.result)
        if item is None:
            return None
        if place in gone:
            edits[item] = []
        elif plain(results[place.result]) != wanted[0]["results"][0]:
            edits[item] = _indented(written, lines[item[0]])
    new = list(lines)
    for (first, last), text in sorted(edits.items(), reverse=True):
        new[first:last] = text
    return new


def _count(places: Sequence[_Place], place: _Place) -> int:
    """How many of the places are in the same model as one."""
    return sum(other.entry == place.entry for other in places)


def _appended(lines: Sequence[str], entries: Any, written: Sequence[str]) -> list[str] | None:
    """Our result behind the last one of the first model."""
    first = entries[0] if entries else None
    results = first.get("results") if isinstance(first, Mapping) else None
    item = _item(lines, results, len(results) - 1) if isinstance(results, list) and results else None
    if item is None:
        return None
    last = lines[item[1] - 1]
    new = [*lines[: item[1]], *_indented(written, lines[item[0]]), *lines[item[1] :]]
    if not last.endswith("\n"):
        new[item[1] - 1] = last + ("\r\n" if lines[0].endswith("\r\n") else "\n")
    return new


def _item(lines: Sequence[str], sequence: Any, number: int) -> tuple[int, int] | None:
    """First line of an item and the one after its last, comments and blank lines behind it left out."""
    if sequence.fa.flow_style():
        return None
    first, column = sequence.lc.item(number)
    before = lines[first][:column]
    if not before.strip() and first and lines[first - 1].strip() == "-":
        first -= 1
        before = lines[first].rstrip("\r\n")
    if not _DASH.fullmatch(before):
        return None
    dash, last = before.index("-"), first + 1
    while last < len(lines) and (_empty(lines[last]) or _indent(lines[last]) > dash):
        last += 1
    while last > first + 1 and _empty(lines[last - 1]):
        last -= 1
    return first, last


def _indented(written: Sequence[str], like: str) -> list[str]:
    return [" " * like.index("-") + line for line in written]


def _empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
