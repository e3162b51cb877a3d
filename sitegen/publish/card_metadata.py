"""The YAML of a model card: what the hub reads of a run, as a fragment and merged into a front matter.

Only four keys are ours: `base_model` (set where it is absent), `datasets` and `tags` (united), and one result in
`model-index`, found again by the run it names. Text is spliced in line by line, so that every other key, its order,
its comments and its line endings stay as they are.

Source: Hugging Face Hub, "Model cards" and `huggingface_hub.repocard_data` (fields of `model-index`; a source needs
both a name and an address).
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.errors import SitegenError
from sitegen.model.run import Run
from sitegen.publish.card_parts import SYNTHETIC, card_reward
from sitegen.publish.card_results import METRIC, changed_in_data, changed_lines, others, plain, results_of, run_of
from sitegen.text import Text, ui

TASK = "reinforcement-learning"
INDEX = "model-index"

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_ODD_ENDING = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_ITEM = re.compile(r"^( *)- ", re.MULTILINE)
_TAG = re.compile(r"[\w.:+-]{1,60}", re.ASCII)


def metadata(run: Run, analysis: RunAnalysis, permalink: str | None) -> dict[str, Any]:
    """What a run adds to a card's front matter; a key without a known value is left out.

    Names that are no repository of the hub (local paths, file names) are left out, and so is what comes from a
    configuration that is assumed.
    """
    facts, card = analysis.facts, run.card
    assumed = facts.config_assumed
    models = [*(card.base_models if card else ()), *([] if assumed else [facts.base_model])]
    sets = [*(card.datasets if card else ()), *([] if assumed else [facts.dataset])]
    base = next((name for name in models if name and _HUB_NAME.fullmatch(name)), None)
    datasets = list(dict.fromkeys(name for name in sets if name and _HUB_NAME.fullmatch(name)))
    words = [TASK, run.framework, None if assumed else facts.algorithm]
    words += [SYNTHETIC] if SYNTHETIC in run.settings.tags else []
    found: dict[str, Any] = {}
    if base is not None:
        found["base_model"] = base
    if datasets:
        found["datasets"] = datasets
    found["tags"] = list(dict.fromkeys(word for word in words if word and _TAG.fullmatch(word)))
    result = _result(run, analysis, datasets, permalink)
    if result is not None:
        found[INDEX] = [{"name": _line(run.title), "results": [result]}]
    return found


def _result(run: Run, analysis: RunAnalysis, datasets: list[str], permalink: str | None) -> dict[str, Any] | None:
    reward = card_reward(analysis)
    if reward is None:
        return None
    where = "selected checkpoint" if reward.selected else "last step"
    result: dict[str, Any] = {
        "task": {"type": TASK, "name": "RL training"},
        "dataset": {
            "type": datasets[0] if datasets else "rl-training-tasks",
            "name": f"{datasets[0]} (training tasks, no benchmark)" if datasets else "Training tasks (no benchmark)",
        },
        "metrics": [
            {
                "type": METRIC,
                "name": f"Training reward, smoothed, at the {where} (not a benchmark)",
                "value": round(reward.value, 6),
                "args": {
                    "run": run.slug,
                    "metric": _line(reward.metric),
                    "step": reward.step,
                    "ema_alpha": round(analysis.checkpoint.alpha, 6),
                },
            }
        ],
    }
    if permalink is not None:
        result["source"] = {"name": "Training run", "url": permalink}
    return result


def _line(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def fragment(run: Run, analysis: RunAnalysis, permalink: str | None) -> str:
    """The YAML of a run alone, to be put into a card's front matter."""
    return _dump(metadata(run, analysis, permalink))


# Merging -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A front matter with a run's values in it."""

    text: str
    """The YAML between the two marks, with the line endings it had."""
    notes: tuple[Text, ...]
    """What was left as it is although the run says otherwise."""


def merge(front: str, wanted: Mapping[str, Any], newline: str, where: str, runs: Collection[str] = ()) -> Merged:
    """A front matter with the wanted values; every line that need not change stays byte for byte.

    Args:
        front: The YAML between the marks; may be empty.
        wanted: What `metadata` gave.
        newline: Line ending for new lines.
        where: The file, for messages.
        runs: Addresses of the run, old ones included: results of ours that name one are refreshed, or taken out where
            the run has none any more.

    Raises:
        SitegenError: the front matter is no mapping in block style that can be read, or cannot be changed safely.
    """
    if _ODD_ENDING.search(front):
        raise SitegenError(f"{where}: the front matter has unusual line endings; save it with ordinary ones")
    lines = re.findall(r"[^\n]*\n|[^\n]+", front)
    data = _loaded(front, where)
    notes: list[Text] = []
    changes: list[tuple[int, int, str]] = []
    added: list[str] = []
    spans = dict(_spans(data, lines, where))
    values = {**wanted, INDEX: wanted.get(INDEX, [])} if INDEX in spans else wanted
    runs = {*runs, *(run for _, _, result in results_of(wanted.get(INDEX)) if (run := run_of(result)))}
    for key, value in values.items():
        if key not in spans:
            added.append(_dump({key: value}))
            continue
        first, last = spans[key]
        change = _Change(key=key, value=value, newline=newline, where=where, runs=runs)
        span = "".join(lines[first:last])
        if key == "base_model" and data[key] is not None:
            notes += _base_model_notes(data[key], value)
        elif (text := _rewritten(span, change)) != span:
            changes.append((first, last, text))
    for first, last, text in sorted(changes, reverse=True):
        lines[first:last] = [text]
    text = "".join(lines)
    if added and text and not text.endswith(("\n", "\r")):
        text += newline
    text += "".join(_with_newline(item, newline) for item in added)
    _check(data, text, values, where, runs)
    return Merged(text=text, notes=tuple(notes))


def _with_newline(text: str, newline: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", newline)


def _yaml(indent: int = 2) -> Any:
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=indent + 2, offset=indent)
    return yaml


def _dump(value: Any, indent: int = 2) -> str:
    out = io.StringIO()
    _yaml(indent).dump(value, out)
    return out.getvalue()


def _loaded(front: str, where: str) -> Any:
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import YAMLError

    try:
        data = _yaml().load(front)
    except (YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 2}:" if mark is not None else ""
        what = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise SitegenError(f"{where}:{line} the front matter is not valid YAML: {what}; nothing was changed") from None
    if data is None:
        return CommentedMap()
    if not isinstance(data, CommentedMap):
        raise SitegenError(f"{where}: the front matter is no list of keys and values; nothing was changed")
    return data


def _spans(data: Any, lines: list[str], where: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """First line and the one after the last of each key, comments and blank lines that follow left out."""
    places = [(key, *data.lc.key(key)) for key in data]
    starts = [line for _, line, _ in places]
    if any(column for _, _, column in places) or len(set(starts)) != len(starts):
        raise SitegenError(f"{where}: the front matter is not written one key a line; nothing was changed")
    for number, (key, first, _) in enumerate(places):
        last = starts[number + 1] if number + 1 < len(starts) else len(lines)
        while last > first + 1 and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
            last -= 1
        yield str(key), (first, last)


def _base_model_notes(old: Any, value: str) -> list[Text]:
    """What to say where the card names another base model."""
    said = [str(item) for item in (old if isinstance(old, list) else [old])]
    return [] if value in said else [ui("card.note.base-model", card=_line(", ".join(said)), run=value)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What one key is to hold."""

    key: str
    """The key."""
    value: Any
    """Its value; for `model-index` empty where the run has no result."""
    newline: str
    """Line ending for new lines."""
    where: str
    """The file, for messages."""
    runs: Collection[str]
    """Addresses of the run."""


def _rewritten(span: str, change: _Change) -> str:
    """One key's lines with the value in them; what a list held before keeps its lines."""
    from ruamel.yaml.error import YAMLError

    key, value, newline = change.key, change.value, change.newline
    try:
        data = _yaml().load(span)
    except YAMLError:
        raise SitegenError(
            f"{change.where}: {key} of the front matter refers to another key and cannot be changed alone;"
            " nothing was changed"
        ) from None
    held = data[key]
    found = _ITEM.search(span)
    offset = len(found[1]) if found else 2
    if key in ("datasets", "tags"):
        given = [str(item) for item in (held if isinstance(held, list) else [] if held is None else [held])]
        new = [item for item in value if item not in given]
        if not new:
            return span
        if held is None or _is_block(held):
            return _lengthened(span, new, newline)
        if isinstance(held, list) and held:
            held.extend(new)
        else:
            data[key] = [held, *new] if held else new
    elif key == INDEX and isinstance(held, list):
        return _with_result(span, data, change, offset)
    elif not value:
        return span
    else:
        data[key] = value
    return _with_newline(_dump(data, offset), newline)


def _with_result(span: str, data: Any, change: _Change, offset: int) -> str:
    """A `model-index` with the run's result in it, or without it."""
    held, value, newline = data[INDEX], change.value, change.newline
    written = _dump({INDEX: value[0]["results"]}, offset).split("\n")[1:-1] if value else []
    lines = re.findall(r"[^\n]*\n|[^\n]+", span)
    new = changed_lines(lines, held, value, change.runs, [line[offset:] + newline for line in written])
    if new is not None:
        return "".join(new)
    before = plain(held)
    changed_in_data(held, value, change.runs)
    if plain(held) == before:
        return span
    return _with_newline(_dump(data, offset), newline) if held else ""


def _lengthened(span: str, new: Sequence[str], newline: str) -> str:
    """A list in block style with further items, written as the ones it has."""
    found = _ITEM.search(span)
    ended = span if span.endswith("\n") else span + newline
    items = (f"{found[1] if found else '  '}- {_dump([item], 0)[2:]}" for item in new)
    return ended + "".join(_with_newline(item, newline) for item in items)


def _is_block(value: Any) -> bool:
    return bool(value) and isinstance(value, list) and not value.fa.flow_style()  # type: ignore[attr-defined]


def _check(before: Any, text: str, wanted: Mapping[str, Any], where: str, runs: Collection[str]) -> None:
    """Nothing but our keys, and of the results nothing but ours, may have changed."""
    after = _loaded(text, where)
    kept = {key: value for key, value in plain(before).items() if key not in wanted}
    left = {key: value for key, value in plain(after).items() if key not in wanted}
    lost = [key for key, value in wanted.items() if value and key not in after]
    if kept != left or lost or others(before.get(INDEX), runs) != others(after.get(INDEX), runs):
        raise SitegenError(f"{where}: the front matter could not be changed safely; put metadata.yaml into it by hand")
