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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.errors import SitegenError
from sitegen.model.run import Run
from sitegen.publish.card_parts import SYNTHETIC, card_reward
from sitegen.text import Text, ui

METRIC = "training_reward"
"""Type of our metric: no benchmark has it."""
TASK = "reinforcement-learning"

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
        found["model-index"] = [{"name": _line(run.title), "results": [result]}]
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


def merge(front: str, wanted: Mapping[str, Any], newline: str, where: str) -> Merged:
    """A front matter with the wanted values; every line that need not change stays byte for byte.

    Args:
        front: The YAML between the marks; may be empty.
        wanted: What `metadata` gave.
        newline: Line ending for new lines.
        where: The file, for messages.

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
    for key, value in wanted.items():
        if key not in spans:
            added.append(_dump({key: value}))
            continue
        first, last = spans[key]
        span = "".join(lines[first:last])
        if key == "base_model" and data[key] is not None:
            notes += _base_model_notes(data[key], value)
        elif (text := _rewritten(span, key, value, where)) != span:
            changes.append((first, last, text))
    for first, last, text in sorted(changes, reverse=True):
        lines[first:last] = [_with_newline(text, newline)]
    text = "".join(lines)
    if added and text and not text.endswith(("\n", "\r")):
        text += newline
    text += "".join(_with_newline(item, newline) for item in added)
    _check(data, text, wanted, where)
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


def _with_result(old: Any, value: Any) -> bool:
    """Puts our result into a `model-index`, where it was, else behind the first model's; whether that changed it."""
    (wanted,) = value[0]["results"]
    for entry in old:
        results = entry.get("results") if isinstance(entry, Mapping) else None
        if not isinstance(results, list):
            continue
        for at, result in enumerate(results):
            if _run_of(result) == _run_of(wanted):
                changed = bool(_plain(result) != wanted)
                results[at] = wanted
                return changed
    first = old[0] if old else None
    if isinstance(first, dict) and isinstance(first.get("results"), list):
        first["results"].append(wanted)
    else:
        old.extend(value)
    return True


def _run_of(result: Any) -> str | None:
    """The run that a result of ours names; None for any other."""
    metrics = result.get("metrics") if isinstance(result, Mapping) else None
    for metric in metrics if isinstance(metrics, list) else ():
        args = metric.get("args") if isinstance(metric, Mapping) else None
        if isinstance(args, Mapping) and metric.get("type") == METRIC and args.get("run"):
            return str(args["run"])
    return None


def _plain(value: Any) -> Any:
    """YAML data without what it remembers of its writing."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def _rewritten(span: str, key: str, value: Any, where: str) -> str:
    """One key's lines with the value in them; what a list held before keeps its lines."""
    from ruamel.yaml.error import YAMLError

    try:
        data = _yaml().load(span)
    except YAMLError:
        raise SitegenError(
            f"{where}: {key} of the front matter refers to another key and cannot be changed alone; nothing was changed"
        ) from None
    held = data[key]
    if key in ("datasets", "tags"):
        given = [str(item) for item in (held if isinstance(held, list) else [] if held is None else [held])]
        new = [item for item in value if item not in given]
        if not new:
            return span
        if held is None or _is_block(held):
            return _lengthened(span, new)
        if isinstance(held, list) and held:
            held.extend(new)
        else:
            data[key] = [held, *new] if held else new
    elif not isinstance(held, list):
        data[key] = value
    elif not _with_result(held, value):
        return span
    found = _ITEM.search(span)
    return _dump(data, len(found[1]) if found else 2)


def _lengthened(span: str, new: list[str]) -> str:
    """A list in block style with further items, written as the ones it has."""
    found = _ITEM.search(span)
    ended = span if span.endswith("\n") else span + "\n"
    return ended + "".join(f"{found[1] if found else '  '}- {_dump([item], 0)[2:]}" for item in new)


def _is_block(value: Any) -> bool:
    return bool(value) and isinstance(value, list) and not value.fa.flow_style()  # type: ignore[attr-defined]


def _check(before: Any, text: str, wanted: Mapping[str, Any], where: str) -> None:
    """Nothing but our keys may have changed."""
    after = _loaded(text, where)
    kept = {key: value for key, value in _plain(before).items() if key not in wanted}
    left = {key: value for key, value in _plain(after).items() if key not in wanted}
    lost = [key for key in wanted if key not in after]
    if kept != left or lost:
        raise SitegenError(f"{where}: the front matter could not be changed safely; put metadata.yaml into it by hand")
