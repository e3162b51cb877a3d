"""Dialogues of agents (ATIF) that lie in Harbor's trial folders: where they are, and one of them as data.

One file is read at a time; nothing here holds a run's. Unknown fields are passed over, because minor versions add
some; another major version is not read. Pictures, base64 and lists of token ids are not taken along: pictures and
base64 leave a mark that says what was there.

Source: Harbor 0.26.0, `harbor/models/trajectories/*.py` (ATIF v1.0 to v1.7), `harbor/models/trial/paths.py`.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitegen.model.run import RunFolder
from sitegen.model.trajectory import LEFT_OUT, MARK_END, Role, ToolCall, ToolResult, Trajectory, TrajectoryFile, Turn
from sitegen.readers.harbor_json import Oddities, Unusable, read_object

NAME = "harbor_trajectory"
"""Shown as reader on the Sources page."""
PLACE = "agent/trajectory.json"
"""Where Harbor puts it in a trial's folder; of a trial in several steps, in `steps/<name>/` of it."""
STEPS = "steps"
RESULT = "result.json"
BASE64_LEAST = 512
"""Shorter runs of base64 characters stay: hashes, ids, keys of a cache."""
DEEPEST = 24
"""Levels of a call's arguments that are kept."""
MOST_NAMED = 64
"""Other trajectories that are named."""

_VERSION = re.compile(r"ATIF-v1(?:\.\d{1,4}){0,2}")
_STEP = re.compile(rf"(?P<trial>(?:.*/)?){STEPS}/(?P<step>[^/]+)/")
_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "agent": "agent", "assistant": "agent"}
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ue000\ue001\ud800-\udfff\ufffe\uffff]"
)
_BASE64 = re.compile(
    rf"(?:data:(?P<mime>[\w.+/-]{{1,80}})(?:;[\w=.+-]{{1,80}}){{0,4}}?;base64,)?"
    rf"(?P<data>(?<![A-Za-z0-9+/])(?=[A-Za-z0-9+/]{{0,200}}\d)[A-Za-z0-9+/]{{{BASE64_LEAST},}}={{0,2}})"
)


def trajectory_files(folder: RunFolder) -> tuple[TrajectoryFile, ...]:
    """The trajectories that lie beside a run's trial results, in path order."""
    return tuple(sorted((*_bundled(folder), *_single(folder)), key=lambda file: file.path))


def _bundled(folder: RunFolder) -> Iterator[TrajectoryFile]:
    for source in folder.files:
        above = source.path.removesuffix(f"*/{source.name}")
        for place in source.trajectories:
            trial, _, step = place.partition(f"/{STEPS}/")
            yield TrajectoryFile(
                path=f"{above}{place}/{PLACE}",
                result=f"{above}{trial}/{RESULT}",
                location=source.location / place / PLACE,
                step=step,
            )


def _single(folder: RunFolder) -> Iterator[TrajectoryFile]:
    """Those of trials whose folders have names of another kind."""
    paths = {source.path for source in folder.files if not source.bundled}
    for source in folder.files:
        above, found, _ = source.path.rpartition(PLACE)
        if not found or (above and not above.endswith("/")) or above + found != source.path:
            continue
        if above + RESULT in paths:
            yield TrajectoryFile(path=source.path, result=above + RESULT, location=source.location)
        elif (part := _STEP.fullmatch(above)) is not None and part["trial"] + RESULT in paths:
            result = part["trial"] + RESULT
            yield TrajectoryFile(path=source.path, result=result, location=source.location, step=part["step"])


def in_order(files: Sequence[TrajectoryFile]) -> list[TrajectoryFile]:
    """The trajectories of one trial in the order of its steps: as its result names them, else by their names.

    One that lies beside the steps is of a step that was not finished: it comes last.
    """
    named = next((_step_names(file) for file in files if file.step), [])
    places = {name: at for at, name in enumerate(named)}
    return sorted(files, key=lambda file: (not file.step, places.get(file.step, len(places)), _natural(file.step)))


def _step_names(file: TrajectoryFile) -> list[str]:
    """The steps that the result of a step's trial lists; none where it cannot be read."""
    try:
        found = read_object(str(file.location.parents[3] / RESULT), file.name, Oddities())
    except Unusable:
        return []
    parts = [part.get("step_name") for part in _list(found.get("step_results")) if isinstance(part, dict)]
    return [name for name in parts if isinstance(name, str)]


def _natural(name: str) -> list[tuple[int, str]]:
    """A key by which `step-2` comes before `step-10`."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d{1,9})", name) if part]


def read_trajectory(file: TrajectoryFile, oddities: Oddities | None = None) -> Trajectory:
    """One trajectory, its file read once.

    Raises:
        Unusable: it cannot be read, is damaged, or is of another version.
    """
    noted = Oddities()
    try:
        found = read_object(str(file.location), file.path, noted)
    except Unusable as reason:
        raise Unusable(reason.kind.replace("harbor.", "trajectory.", 1)) from reason
    trajectory = trajectory_of(found)
    if oddities is not None:
        name = file.name
        if noted.count("harbor.encoding"):
            oddities.add("trajectory.encoding", name)
        if trajectory.skipped:
            oddities.add("trajectory.skipped", name)
    return trajectory


def trajectory_of(found: Mapping[str, Any]) -> Trajectory:
    """The trajectory that a parsed file describes.

    Raises:
        Unusable: it is of another version, or holds no steps.
    """
    version = found.get("schema_version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise Unusable("trajectory.version")
    steps = found.get("steps")
    if not isinstance(steps, list):
        raise Unusable("trajectory.no-steps")
    agent, totals = _mapping(found.get("agent")), _mapping(found.get("final_metrics"))
    model = _line(agent.get("model_name"))
    turns = tuple(_turn(step, place, model) for place, step in enumerate(steps, 1) if isinstance(step, dict))
    held = [_reference(part) for part in _list(found.get("subagent_trajectories")) if isinstance(part, dict)]
    named = [name for turn in turns for result in turn.results for name in result.subagents]
    return Trajectory(
        version=version,
        agent=" ".join(part for part in (_line(agent.get("name")), _line(agent.get("version"))) if part),
        model=model,
        notes=_text(found.get("notes")),
        turns=turns,
        skipped=len(steps) - len(turns),
        prompt_tokens=_count(totals.get("total_prompt_tokens")),
        cached_tokens=_count(totals.get("total_cached_tokens")),
        completion_tokens=_count(totals.get("total_completion_tokens")),
        cost_usd=_number(totals.get("total_cost_usd")),
        continued=_line(found.get("continued_trajectory_ref")),
        subagents=tuple(dict.fromkeys(name for name in (*named, *held) if name))[:MOST_NAMED],
    )


def _turn(step: Mapping[str, Any], place: int, model: str) -> Turn:
    metrics = _mapping(step.get("metrics"))
    calls = [call for call in _list(step.get("tool_calls")) if isinstance(call, dict)]
    ids = [call.get("tool_call_id") for call in calls]
    results = _list(_mapping(step.get("observation")).get("results"))
    number, source, own = step.get("step_id"), step.get("source"), _line(step.get("model_name"))
    whole = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 10**9
    return Turn(
        number=number if isinstance(number, int) and whole else place,
        role=_ROLES.get(source, "system") if isinstance(source, str) else "system",
        time=_time(step.get("timestamp")),
        model="" if own == model else own,
        message=_text(step.get("message")),
        reasoning=_text(step.get("reasoning_content")),
        calls=tuple(
            ToolCall(name=_line(call.get("function_name")), arguments=_arguments(call.get("arguments")))
            for call in calls
        ),
        results=tuple(_result(result, ids) for result in results if isinstance(result, dict)),
        prompt_tokens=_count(metrics.get("prompt_tokens")),
        cached_tokens=_count(metrics.get("cached_tokens")),
        completion_tokens=_count(metrics.get("completion_tokens")),
        cost_usd=_number(metrics.get("cost_usd")),
        copied=step.get("is_copied_context") is True,
    )


def _result(result: Mapping[str, Any], ids: Sequence[Any]) -> ToolResult:
    call = result.get("source_call_id")
    named = [_reference(part) for part in _list(result.get("subagent_trajectory_ref")) if isinstance(part, dict)]
    return ToolResult(
        call=ids.index(call) if isinstance(call, str) and call in ids else None,
        text=_text(result.get("content")),
        subagents=tuple(name for name in named if name)[:MOST_NAMED],
    )


def _reference(part: Mapping[str, Any]) -> str:
    """How another agent's trajectory is called: by its file, else by its own name or session."""
    keys = ("trajectory_path", "trajectory_id", "session_id")
    return next((name for name in (_line(part.get(key)) for key in keys) if name), "")


def _arguments(value: Any) -> Mapping[str, Any]:
    made = _shallow(value, DEEPEST)
    if isinstance(made, dict):
        return made
    return {} if made is None else {"": made}


def _shallow(value: Any, levels: int) -> Any:
    """A JSON value with its texts readable and nothing nested too deeply to be walked through."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict | list) and not levels:
        return "…"
    if isinstance(value, dict):
        return {readable(str(key)): _shallow(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_shallow(item, levels - 1) for item in value]
    return value


def _text(value: Any) -> str:
    """A message: a text, or parts of which some are pictures."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return "\n".join(part for part in map(_part, value) if part)
    return "" if value is None else readable(_plain(value))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return readable(part)
    if not isinstance(part, dict):
        return "" if part is None else readable(_plain(part))
    if part.get("type") != "image" and isinstance(part.get("text"), str):
        return readable(part["text"])
    source = _mapping(part.get("source"))
    data = source.get("data")
    name = " ".join(item for item in (_line(source.get("media_type")), _short(source.get("path"))) if item)
    if part.get("type") == "image" or name or isinstance(data, str):
        return _mark("picture", name, len(data) if isinstance(data, str) else 0)
    return readable(_plain(part))


def _short(value: Any) -> str:
    """A path or address to name; no data address."""
    line = _line(value)
    return "" if line.startswith("data:") else line[:200]


def _plain(value: Any) -> str:
    try:
        return json.dumps(_shallow(value, DEEPEST), ensure_ascii=False)
    except (RecursionError, ValueError):
        return "…"


def readable(text: str) -> str:
    """A text as people read it: no terminal codes, control or direction characters written out, base64 as a mark."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isprintable():
        text = _CONTROL.sub(_shown, text)
    if len(text) < BASE64_LEAST:
        return text
    return _BASE64.sub(lambda found: _mark("base64", found["mime"] or "", len(found["data"])), text)


def _shown(found: re.Match[str]) -> str:
    """A control character by its picture, the others by their number."""
    code = ord(found.group())
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"


def _mark(kind: str, name: str, count: int) -> str:
    return f"{LEFT_OUT}{kind}|{name.replace('|', ' ')}|{count}{MARK_END}"


def _line(value: Any) -> str:
    """A name on one line; empty when there is none."""
    return " ".join(readable(value[:400]).split()) if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and 0 <= number < 1e15 else None


def _count(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _time(value: Any) -> float | None:
    """A time with its zone; one without is UTC, as Harbor's agents write it."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        moment = dt.datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
