"""The YAML configuration of a run: `rl_config.yaml`, and YAML configurations of other trainers.

Source: OpenThoughts-Agent `hpc/skyrl_yaml/**` (2026-07); SkyRL `skyrl_train/config/ppo_base_config.yaml`; verl
`verl/trainer/config/`; NeMo-RL `examples/configs/`; LLaMA-Factory training configurations.
"""

from __future__ import annotations

import re

from sitegen.model.run import ReadResult, RunConfig, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.places import is_of_run
from sitegen.readers.text_file import head_text, is_placeholder, load
from sitegen.readers.yaml_config import flat_yaml, leading_comment
from sitegen.text import Text

_TOP_KEY = re.compile(r"^([A-Za-z_][\w-]*) *:", re.MULTILINE)
_TRAINER_KEYS = frozenset(
    {
        *("trainer", "generator", "terminal_bench", "context_budget", "entrypoint", "config_groups"),
        *("actor_rollout_ref", "algorithm", "reward_model", "critic"),
        *("policy", "grpo", "distillation", "loss_fn"),
        *("model_name_or_path", "learning_rate", "num_train_epochs", "per_device_train_batch_size"),
    }
)
"""Top-level keys that make any YAML file a trainer's configuration."""
_WANDB_MARK = re.compile(r"^(?:wandb_version|_wandb) *:", re.MULTILINE)
_OWN_NAMES = re.compile(r"(?:^|[_.-])(?:rl_config|config)\.ya?ml$", re.IGNORECASE)
_RL_NAME = re.compile(r"(?:^|_)rl_config\.ya?ml$", re.IGNORECASE)


def sniff(source: SourceFile) -> bool:
    """Whether the file is a trainer's configuration by name or by its top-level keys; W&B's own is not."""
    text = head_text(source)
    if not is_of_run(source.path) or _WANDB_MARK.search(text):
        return False
    if _OWN_NAMES.search(source.name):
        return True
    return not is_placeholder(source) and not _TRAINER_KEYS.isdisjoint(_TOP_KEY.findall(text))


def read(source: SourceFile) -> ReadResult:
    """The settings under dotted keys (`RunConfig`), each with its line; interpolations as written."""
    loaded = load(source)
    config = None
    problems = list(loaded.problems)
    if loaded.text is not None:
        flat = flat_yaml(source.path, loaded.text)
        problems += flat.problems
        config = RunConfig(
            path=source.path,
            values=flat.values,
            lines=flat.lines,
            raw=loaded.text,
            header=leading_comment(loaded.text),
        )
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=_precedence(source.name),
        framework=None if config is None else _framework(config),
        config=config,
        rows=0 if config is None else len(config.values),
        problems=tuple(problems),
    )


def _precedence(name: str) -> int:
    """Of several configurations the one named for the run counts most, then one called config, then any other."""
    if _RL_NAME.search(name):
        return 5
    return 3 if _OWN_NAMES.search(name) else 0


def _framework(config: RunConfig) -> str | None:
    """The framework whose keys the configuration has."""
    tops = {key.split(".", 1)[0] for key in config.values}
    if {"actor_rollout_ref"} & tops:
        return "verl"
    if {"terminal_bench", "context_budget"} & tops or {"trainer", "generator"} <= tops:
        return "skyrl"
    return None


READER = Reader(
    name="run_config",
    title=Text("Run configuration (YAML)", "运行配置（YAML）"),
    names=("*.yaml", "*.yml"),
    sniff=sniff,
    read=read,
    evidence=False,
    trace=True,
    precedence=0,
    version=2,
)
