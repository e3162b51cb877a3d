"""Configuration: the numbers to look at first, and the page with every setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitegen import format as fmt
from sitegen.model.run import RunConfig
from sitegen.pages.base import PageHead
from sitegen.pages.run_header import RunHeader, run_header
from sitegen.pages.run_view import RunInput, Voice

TEMPLATE = "pages/run_config.html"

KEY_SETTINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "batch",
        ("trainer.train_batch_size", "data.train_batch_size", "rollout_batch_size", "per_device_train_batch_size"),
    ),
    (
        "samples",
        (
            "generator.n_samples_per_prompt",
            "actor_rollout_ref.rollout.n",
            "n_samples_per_prompt",
            "num_generations",
        ),
    ),
    ("mini-batch", ("trainer.policy_mini_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size")),
    (
        "lr",
        (
            "trainer.policy.optimizer_config.lr",
            "actor_rollout_ref.actor.optim.lr",
            "learning_rate",
            "actor_learning_rate",
        ),
    ),
    ("estimator", ("trainer.algorithm.advantage_estimator", "algorithm.adv_estimator", "advantage_estimator")),
    ("tis-cap", ("trainer.algorithm.tis_imp_ratio_cap",)),
    (
        "kl-loss",
        ("trainer.algorithm.use_kl_loss", "actor_rollout_ref.actor.use_kl_loss", "use_kl_loss"),
    ),
    ("steps", ("trainer.max_steps", "trainer.total_training_steps", "max_steps")),
    ("staleness", ("trainer.fully_async.max_staleness_steps", "max_staleness_steps")),
    ("concurrency", ("terminal_bench.harbor.n_concurrent_trials", "n_concurrent_trials")),
    ("timeout", ("terminal_bench.harbor.override_timeout_sec", "override_timeout_sec")),
    ("engines", ("generator.num_inference_engines", "num_inference_engines")),
    ("slots", ("generator.max_num_seqs", "actor_rollout_ref.rollout.max_num_seqs")),
    ("temperature", ("generator.sampling_params.temperature", "actor_rollout_ref.rollout.temperature", "temperature")),
    ("export", ("trainer.hf_save_interval", "hf_save_interval", "trainer.save_freq", "save_steps")),
    ("checkpoint", ("trainer.ckpt_interval", "ckpt_interval")),
    ("treatment", ("terminal_bench.harbor.default_error_treatment",)),
)
"""What to look at first: id of the explanation, and the keys it may stand under, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySetting:
    """One setting worth looking at first."""

    key: str
    """Its last part, as the configuration writes it."""
    path: str
    """Whole key."""
    value: str
    """Its value."""
    meaning: str
    """What it does, in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigView:
    """The configuration section of the overview."""

    sentence: str
    """Where the settings come from."""
    columns: tuple[tuple[KeySetting, ...], ...]
    """Settings in two columns."""
    total: str
    """Number of settings, formatted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigRow:
    """One line of the settings list."""

    parts: tuple[str, ...]
    """Key in parts; the ones shared with the line before come first."""
    shared: int
    """How many leading parts are the same as on the line before."""
    path: str
    """Whole key, lower-case, for the filter."""
    key: str
    """Whole key as given, for the glossary."""
    value: str
    """Value as one writes it."""
    line: str
    """1-based line of the file; empty when unknown."""
    masked: bool
    """Whether the value was masked."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunConfigPage:
    """The config page."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    sentence: str
    """Number of settings and the file."""
    file_header: tuple[str, ...]
    """What the file says of itself, line by line."""
    rows: tuple[ConfigRow, ...]
    """Settings in file order."""
    raw: str
    """The text as given, masked."""


def config_view(given: RunInput, voice: Voice) -> ConfigView | None:
    """The section; None without a configuration."""
    config = given.run.config
    if config is None:
        return None
    found = [item for name, keys in KEY_SETTINGS if (item := _key_setting(name, keys, config.values, voice))]
    half = (len(found) + 1) // 2
    return ConfigView(
        sentence=voice.say("config.assumed" if config.assumed else "config.sentence"),
        columns=tuple(column for column in (tuple(found[:half]), tuple(found[half:])) if column),
        total=voice.count(len(config.values)),
    )


def _key_setting(name: str, keys: tuple[str, ...], values: Mapping[str, Any], voice: Voice) -> KeySetting | None:
    path = next((key for key in keys if key in values), None)
    if path is None or values[path] is None:
        return None
    return KeySetting(
        key=path.rsplit(".", 1)[-1],
        path=path,
        value=fmt.setting(values[path]),
        meaning=voice.say(f"setting.{name}"),
    )


def run_config(given: RunInput, voice: Voice, head: PageHead) -> RunConfigPage:
    """The page's view model; the run has a configuration."""
    config = given.run.config
    assert config is not None
    name = config.path.rsplit("/", 1)[-1]
    return RunConfigPage(
        head=head,
        header=run_header(given, voice, "config"),
        sentence=voice.say("config.count", n=voice.count(len(config.values)), name=name),
        file_header=tuple(config.header.splitlines()),
        rows=config_rows(config, voice),
        raw=config.raw,
    )


def config_rows(config: RunConfig, voice: Voice) -> tuple[ConfigRow, ...]:
    """Settings in file order, each with the leading parts it shares with the one before."""
    rows: list[ConfigRow] = []
    before: tuple[str, ...] = ()
    for key, value in config.values.items():
        parts = tuple(key.split("."))
        shared = 0
        while shared < min(len(parts), len(before)) - 1 and parts[shared] == before[shared]:
            shared += 1
        line = config.lines.get(key)
        shown = fmt.setting(value)
        rows.append(
            ConfigRow(
                parts=parts,
                shared=shared,
                path=key.lower(),
                key=key,
                value=shown,
                line="" if line is None else voice.count(line),
                masked=shown.startswith("•"),
            )
        )
        before = parts
    return tuple(rows)
