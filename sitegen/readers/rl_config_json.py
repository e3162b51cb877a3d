"""The launcher's record of a run, `<job>_rl_config.json`: its own settings and the trainer's Hydra arguments.

`skyrl_hydra_args` is a list of `key=value` strings in the order given to the trainer; keys repeat, the last counts.

Source: OpenThoughts-Agent `hpc/` launcher, `<job>_rl_config.json` (2026-06).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, RunConfig, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.hydra_args import flatten, parse_value, split_argument
from sitegen.readers.text_file import load
from sitegen.readers.yaml_config import plain_value
from sitegen.text import Text

ARGUMENTS = "skyrl_hydra_args"
"""The key of the argument list."""


def sniff(source: SourceFile) -> bool:
    """The name decides."""
    return source.name.lower().endswith("rl_config.json")


def read(source: SourceFile) -> ReadResult:
    """Launcher settings and arguments under dotted keys (`RunConfig`)."""
    loaded = load(source)
    problems = list(loaded.problems)
    config = None
    if loaded.text is not None:
        content, found = _parsed(source.path, loaded.text)
        problems += found
        if content is not None:
            config, found = _config(source.path, loaded.text, content)
            problems += found
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=4,
        framework="skyrl" if config is not None and any(key.startswith("trainer.") for key in config.values) else None,
        config=config,
        rows=0 if config is None else len(config.values),
        problems=tuple(problems),
    )


def _parsed(path: str, text: str) -> tuple[dict[str, Any] | None, list[Problem]]:
    try:
        content = json.loads(text, parse_constant=str, parse_float=plain_value, parse_int=plain_value)
    except json.JSONDecodeError as error:
        return None, [problem("config.broken-json", path, error.lineno, reason=error.msg)]
    except (RecursionError, ValueError):
        return None, [problem("config.too-large", path, 1, line=1)]
    if not isinstance(content, dict):
        return None, [problem("config.not-a-mapping", path, 1)]
    return content, []


def _config(path: str, text: str, content: dict[str, Any]) -> tuple[RunConfig, list[Problem]]:
    values: dict[str, Any] = {}
    flatten("", {key: value for key, value in content.items() if key != ARGUMENTS}, values)
    arguments = content.get(ARGUMENTS)
    given = arguments if isinstance(arguments, list) else []
    problems = [
        problem("config.odd-argument", path, None, argument=json.dumps(argument)[:80])
        for argument in given
        if not isinstance(argument, str)
    ]
    lines: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for argument, line in _with_lines([item for item in given if isinstance(item, str)], text):
        key, value = split_argument(argument)
        counts[key] += 1
        for old in [known for known in values if known.startswith(f"{key}.")] if value is None else []:
            del values[old]
        values.pop(key, None)
        if value is not None:
            flat: dict[str, Any] = {}
            flatten(key, parse_value(value), flat)
            values |= flat
            lines |= dict.fromkeys(flat, line) if line else {}
    repeated = sorted(key for key, count in counts.items() if count > 1)
    if repeated:
        problems.append(problem("config.repeated-argument", path, None, keys=", ".join(repeated)))
    return RunConfig(path=path, values=values, lines=lines, raw=text, header=""), problems


def _with_lines(arguments: list[str], text: str) -> Iterator[tuple[str, int | None]]:
    """Arguments with the 1-based line they stand on; None where the text writes one in another way."""
    position = max(text.find(f'"{ARGUMENTS}"'), 0)
    line = text.count("\n", 0, position) + 1
    for argument in arguments:
        at = text.find(json.dumps(argument, ensure_ascii=False), position)
        if at < 0:
            yield argument, None
            continue
        line += text.count("\n", position, at)
        position = at
        yield argument, line


READER = Reader(
    name="rl_config_json",
    title=Text("Launcher settings (rl_config.json)", "启动设置（rl_config.json）"),
    names=("*_rl_config.json", "rl_config.json"),
    sniff=sniff,
    read=read,
    evidence=False,
    trace=True,
    precedence=0,
    version=1,
)
