"""Configurations of other trainers in TOML and JSON. Values worked out by hand."""

import pytest

from sitegen.readers import READERS
from tests.readers.sources import BY_NAME, SAMPLES, kinds, read_fixture, source_of


def test_toml_is_flat_with_lines_and_nothing_is_lost():
    result = read_fixture("toml_config", "arrays_of_tables")
    assert result.framework == "prime-rl"
    assert dict(result.config.values) == {
        "max_steps": 20,
        "trainer.optim.lr": 3e-06,
        "orchestrator.env.0.id": "a",
        "orchestrator.env.1.id": "b",
        "orchestrator.env.1.when": "2026-01-01",
        "orchestrator.env.1.weight": "inf",
    }
    assert dict(result.config.lines) == {
        "max_steps": 2,
        "trainer.optim.lr": 4,
        "orchestrator.env.0.id": 6,
        "orchestrator.env.1.id": 8,
        "orchestrator.env.1.when": 9,
        "orchestrator.env.1.weight": 10,
    }
    assert result.config.header == "Reverse text."


def test_an_endless_integer_in_toml_costs_only_itself():
    result = read_fixture("toml_config", "an_endless_integer")
    assert result.config.values == {"max_steps": 5, "seed": "…", "seeds": [1, "…", 3], "model.name": "7" * 4999}
    assert result.config.lines == {"max_steps": 1, "seed": 2, "seeds": 3, "model.name": 5}
    assert kinds(result) == {}


def test_a_toml_key_given_twice_breaks_the_file_as_it_does_for_the_trainer():
    result = read_fixture("toml_config", "a_key_twice")
    assert result.config is None
    assert kinds(result) == {"config.broken-toml": 3}


def test_json_settings_are_numbers_and_the_last_of_equal_keys_counts():
    result = read_fixture("json_config", "training_args")
    assert dict(result.config.values) == {
        "learning_rate": 8e-06,
        "num_train_epochs": 4,
        "beta": "NaN",
        "deep.num_generations": 8,
    }
    assert dict(result.config.lines) == {"learning_rate": 2, "beta": 4, "deep.num_generations": 5}
    assert kinds(result) == {"config.repeated-json-key": None}


def test_broken_json_settings_name_the_line():
    assert kinds(read_fixture("json_config", "cut")) == {"config.broken-json": 3}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", '{"model_type": "qwen3", "architectures": ["Qwen3"], "learning_rate": 1}'),
        ("adapter_config.json", '{"peft_type": "LORA", "learning_rate": 1}'),
        ("config.json", '{"trial_name": "a__1234567", "num_generations": 1}'),
        ("generation_config.json", '{"temperature": 0.5}'),
        ("sitegen.toml", "max_steps = 1\nseq_len = 2\n"),
        ("pyproject.toml", "[training]\n[model]\n"),
        ("data.toml", '[[rows]]\nname = "a"\n'),
    ],
)
def test_files_of_the_same_name_that_are_something_else(tmp_path, name, content):
    location = tmp_path / name
    location.write_text(content)
    assert [reader.name for reader in READERS if reader.claims(source_of(location))] == []


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_configurations_of_other_trainers_are_claimed_and_never_evidence():
    claims = {}
    for entry in sorted((SAMPLES / "configs" / "other").iterdir()):
        claims[entry.name] = [reader.name for reader in READERS if reader.claims(source_of(entry))]
        assert not any(BY_NAME[name].evidence for name in claims[entry.name])
    assert claims.pop("prime_rl_reverse_text_rl.toml") == ["toml_config"]
    infrastructure = {"nemo_rl_k8s_anchors.infra.yaml", "nemo_rl_k8s_multidoc.yaml"}
    assert {name for name, found in claims.items() if not found} == infrastructure
    result = BY_NAME["toml_config"].read(source_of(SAMPLES / "configs" / "other" / "prime_rl_reverse_text_rl.toml"))
    assert result.config.values["trainer.optim.lr"] == 3e-06
    assert result.config.values["orchestrator.train.source.0.name"] == "reverse-text"
    assert result.problems == ()
