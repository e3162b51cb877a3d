"""The TOML configuration of a run: prime-rl's, and those of other trainers that use TOML.

Source: TOML 1.0; PrimeIntellect-ai/prime-rl `configs/**` (559b447, 2026-11); torchtitan `train_configs/*.toml`.
"""

from __future__ import annotations

import math
import re
import tomllib
from typing import Any

from sitegen.model.problems import problem
from sitegen.model.run import ReadResult, RunConfig, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.hydra_args import flatten
from sitegen.readers.places import is_of_run
from sitegen.readers.text_file import head_text, is_placeholder, load
from sitegen.readers.yaml_config import leading_comment
from sitegen.text import Text

NOT_CONFIGURATIONS = frozenset({"run.toml", "sitegen.toml", "pyproject.toml"})
"""TOML files that are something else."""
_TRAINER_TOPS = frozenset(
    {
        *("orchestrator", "trainer", "inference", "deployment", "ckpt", "monitors", "weight_broadcast", "rollout"),
        *("model", "optim", "training", "optimizer", "max_steps", "seq_len", "batch_size", "checkpoint"),
    }
)
"""Top-level keys of trainers' configurations; two of them make a TOML file one."""
_PRIME_RL = frozenset({"orchestrator", "deployment", "weight_broadcast"})
_TABLE = re.compile(r"^\[{1,2} *([^\]#]+?) *\]{1,2} *(?:#.*)?$")
_KEY = re.compile(r"^([A-Za-z0-9_.\-]+|\"[^\"]+\") *=")
_ENDLESS = re.compile(r"(?<=[=\[,\s])[+-]?(?:\d_?){301,}(?=\s*(?:[,\]#\n]|$))", re.ASCII)
"""An integer of more digits than Python converts: shown as `plain` shows it."""
_AT_LINE = re.compile(r"at line (\d+)")


def sniff(source: SourceFile) -> bool:
    """Whether the head has the top-level keys of a trainer's configuration."""
    if source.name.lower() in NOT_CONFIGURATIONS or not is_of_run(source.path) or is_placeholder(source):
        return False
    return len(_tops(head_text(source)) & _TRAINER_TOPS) >= 2


def read(source: SourceFile) -> ReadResult:
    """The settings under dotted keys (`RunConfig`), each with its line where that is plain."""
    loaded = load(source)
    config, problems = None, list(loaded.problems)
    if loaded.text is not None:
        try:
            content = tomllib.loads(_ENDLESS.sub('"…"', loaded.text.lstrip("\ufeff")))
        except tomllib.TOMLDecodeError as error:
            line = _AT_LINE.search(str(error))
            reason = _AT_LINE.sub("", str(error)).split(" (")[0].strip()
            problems.append(problem("config.broken-toml", source.path, int(line[1]) if line else None, reason=reason))
        except (RecursionError, ValueError):
            problems.append(problem("config.too-large", source.path, 1, line=1))
        else:
            config = _config(source.path, loaded.text, content)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=3,
        framework="prime-rl" if config is not None and _PRIME_RL & _tops(config.raw) else None,
        config=config,
        rows=0 if config is None else len(config.values),
        problems=tuple(problems),
    )


def _config(path: str, text: str, content: dict[str, Any]) -> RunConfig:
    values: dict[str, Any] = {}
    flatten("", plain(content), values)
    lines = {key: line for key, line in _lines(text).items() if key in values}
    return RunConfig(path=path, values=values, lines=lines, raw=text, header=leading_comment(text))


def plain(value: Any) -> Any:
    """A value as pages can show it: dates, non-finite and endless numbers as text."""
    if isinstance(value, dict):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**300:
        return "…"
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _tops(text: str) -> set[str]:
    """Names at the top level: bare keys before the first table, and the first part of every table."""
    return {name.split(".", 1)[0] for name in _lines(text)} | {
        match[1].split(".", 1)[0] for line in text.split("\n") if (match := _TABLE.match(line.strip()))
    }


def _lines(text: str) -> dict[str, int]:
    """Dotted keys to the lines they are given on; tables of arrays count up."""
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    prefix = ""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        table = _TABLE.match(stripped)
        if table:
            prefix = _numbered(table[1], counts, begins=stripped.startswith("[["))
        elif (key := _KEY.match(stripped)) is not None:
            name = key[1].strip('"')
            found.setdefault(f"{prefix}.{name}" if prefix else name, number)
    return found


def _numbered(name: str, counts: dict[str, int], *, begins: bool) -> str:
    """A table's dotted name with the index of every array in it."""
    if begins:
        counts[name] = counts.get(name, -1) + 1
    parts: list[str] = []
    plain_name = ""
    for part in name.split("."):
        plain_name = f"{plain_name}.{part}" if plain_name else part
        parts.append(part.strip().strip('"'))
        if plain_name in counts:
            parts.append(str(counts[plain_name]))
    return ".".join(parts)


READER = Reader(
    name="toml_config",
    title=Text("Run configuration (TOML)", "运行配置（TOML）"),
    names=("*.toml",),
    sniff=sniff,
    read=read,
    evidence=False,
    trace=True,
    precedence=3,
    version=1,
)
