"""The JSON configuration of a trainer: `training_args.json`, `config.json`, `*_config.json` and the like.

A model's `config.json`, an adapter's, a generation's and a trial's have the same names and are told apart by keys.

Source: Transformers 4.57 `training_args.py` (`to_json_string`), `configuration_utils.py`; PEFT 0.17 `config.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, RunConfig, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.hydra_args import flatten
from sitegen.readers.places import is_of_run
from sitegen.readers.text_file import head_text, is_placeholder, load
from sitegen.readers.toml_config import plain
from sitegen.readers.yaml_config import plain_value
from sitegen.text import Text

_TRAINER_KEY = re.compile(
    r'"(?:per_device_train_batch_size|num_train_epochs|learning_rate|train_batch_size|actor_rollout_ref'
    r'|actor_learning_rate|rollout_batch_size|adv_estimator|advantage_estimator|total_training_steps|num_generations)"\s*:'
)
_OTHER_KEY = re.compile(
    r'"(?:model_type|architectures|peft_type|transformers_version|trial_name|task_name|n_total_trials|log_history'
    r'|zero_optimization|skyrl_hydra_args|tokenizer_class)"\s*:'
)
"""Keys of models, adapters, trials, states and launchers."""


def sniff(source: SourceFile) -> bool:
    """Whether the head has a trainer's keys and none of something else."""
    if is_placeholder(source) or not is_of_run(source.path) or source.name.lower().endswith("rl_config.json"):
        return False
    text = head_text(source).lstrip("\ufeff \t\n")
    return text.startswith("{") and bool(_TRAINER_KEY.search(text)) and not _OTHER_KEY.search(text)


def read(source: SourceFile) -> ReadResult:
    """The settings under dotted keys (`RunConfig`), with lines where a key stands there once."""
    loaded = load(source)
    config, problems = None, list(loaded.problems)
    if loaded.text is not None:
        content, found = _parsed(source.path, loaded.text.lstrip("\ufeff"))
        problems += found
        if content is not None:
            values: dict[str, Any] = {}
            flatten("", plain(content), values)
            config = RunConfig(
                path=source.path, values=values, lines=_lines(loaded.text, values), raw=loaded.text, header=""
            )
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=1,
        framework=None if config is None else _framework(config),
        config=config,
        rows=0 if config is None else len(config.values),
        problems=tuple(problems),
    )


def _framework(config: RunConfig) -> str | None:
    return "verl" if any(key.startswith("actor_rollout_ref.") for key in config.values) else None


def _parsed(path: str, text: str) -> tuple[dict[str, Any] | None, list[Problem]]:
    repeated: list[str] = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        seen = dict(members)
        if len(seen) < len(members):
            names = [name for name, _ in members]
            repeated.extend(name for name in seen if names.count(name) > 1)
        return seen

    try:
        content = json.loads(
            text, parse_constant=str, parse_float=plain_value, parse_int=plain_value, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as error:
        return None, [problem("config.broken-json", path, error.lineno, reason=error.msg)]
    except (RecursionError, ValueError):
        return None, [problem("config.too-large", path, 1, line=1)]
    if not isinstance(content, dict):
        return None, [problem("config.not-a-mapping", path, 1)]
    found = [problem("config.repeated-json-key", path, None, keys=", ".join(sorted(set(repeated))))] if repeated else []
    return content, found


def _lines(text: str, values: dict[str, Any]) -> dict[str, int]:
    at: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        for name in re.findall(r'"([^"\\]+)"\s*:', line):
            at.setdefault(name, []).append(number)
    last = {key: key.rsplit(".", 1)[-1] for key in values}
    return {key: at[name][0] for key, name in last.items() if len(at.get(name, ())) == 1}


READER = Reader(
    name="json_config",
    title=Text("Trainer configuration (JSON)", "训练器配置（JSON）"),
    names=("config.json", "*_config.json", "*_args.json", "args.json", "hparams.json", "hyperparameters.json"),
    sniff=sniff,
    read=read,
    evidence=False,
    trace=True,
    precedence=1,
    version=1,
)
