"""Configurations: numbers as trainers read them, nothing executed or resolved, every damage named."""

import json
import math
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.readers import rl_config_json, run_config
from sitegen.readers.hydra_args import parse_value, split_argument
from sitegen.readers.yaml_config import MAX_VALUES, flat_yaml, leading_comment
from tests.readers.sources import BY_NAME, SAMPLES, kinds, read_bytes, read_fixture, source_of


def values(oddity, reader="run_config"):
    return dict(read_fixture(reader, oddity).config.values)


def test_a_number_with_an_exponent_needs_no_point():
    """Public bug report 15: `lr: 8e-6` read as text."""
    result = read_fixture("run_config", "exponent-without-point")
    assert dict(result.config.values) == {
        "trainer.policy.lr": 8e-06,
        "trainer.policy.decay": 0.01,
        "trainer.policy.eps": 8e-06,
        "trainer.name": "8e-6",
        "extra_env.NCCL_TIMEOUT": "1800",
        "extra_env.RANK": 3,
    }
    assert result.config.values["trainer.policy.lr"] == result.config.values["trainer.policy.eps"]
    assert dict(result.config.lines)["trainer.policy.lr"] == 6
    assert result.config.header == "Settings of the run\nsecond line"
    assert result.config.raw.startswith("# Settings")
    assert result.problems == ()
    assert result.framework is None


def test_scalars_are_those_of_the_trainers_loader():
    assert values("yaml-one-one-words") == {
        "a": True,
        "b": False,
        "c": None,
        "d": 10,
        "e": 1000,
        "f": "12:30",
        "g": "2026-01-01",
        "h": ".inf",
        "i": 31,
        "j": "1e999",
        "k": "3",
    }


def test_the_later_of_two_equal_keys_counts_and_both_lines_are_named():
    result = read_fixture("run_config", "key-given-twice")
    assert dict(result.config.values) == {"trainer.lr": 0.1, "trainer.epochs": 2}
    (problem,) = result.problems
    assert (problem.kind, problem.line) == ("config.duplicate-key", 4)
    assert "lines 2 and 4" in problem.what.en


def test_of_several_documents_the_first_is_used():
    result = read_fixture("run_config", "two-documents")
    assert dict(result.config.values) == {"trainer.epochs": 1}
    assert kinds(result) == {"config.several-documents": 5}


def test_anchors_and_merges_work_and_lines_are_where_the_value_stands():
    result = read_fixture("run_config", "anchors-and-merge")
    assert dict(result.config.values) == {"base.a": 1, "base.b": 2, "trainer.a": 1, "trainer.b": 3, "trainer.c": 4}
    assert [result.config.lines[key] for key in ("trainer.a", "trainer.b")] == [2, 6]
    assert result.problems == ()


def test_interpolations_are_shown_as_written():
    assert values("interpolations") == {
        "trainer.a": "${oc.env:HOME}",
        "trainer.b": "???",
        "trainer.c": "${mul:${..x}, 2}",
        "trainer.d": "${trainer.a}",
    }


def test_tags_run_nothing():
    result = read_fixture("run_config", "python-tags")
    assert dict(result.config.values) == {"trainer.a": ["touch /tmp/owned"], "trainer.b": "", "trainer.c": 1}
    assert [(problem.kind, problem.line) for problem in result.problems] == [("config.tag", 2), ("config.tag", 3)]
    assert not Path("/tmp/owned").exists()


@pytest.mark.parametrize(
    ("oddity", "kind", "line"),
    [
        ("tab-indent", "config.broken-yaml", 4),
        ("cut-off", "config.broken-yaml", 4),
        ("alias-of-itself", "config.too-large", 1),
        ("list-at-top", "config.not-a-mapping", 1),
        ("comments-only", "config.no-settings", None),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(oddity, kind, line):
    result = read_fixture("run_config", oddity)
    assert kinds(result) == {kind: line}


def test_settings_before_a_break_are_kept():
    assert values("tab-indent")["trainer.a"] == 1
    assert values("cut-off")["trainer.a"] == 1
    assert values("alias-of-itself") == {"trainer.a": 1}


def test_an_alias_bomb_ends():
    result = read_fixture("run_config", "alias-bomb")
    assert len(result.config.values) == MAX_VALUES
    assert list(kinds(result)) == ["config.too-large"]


def test_deep_nesting_ends():
    flat = flat_yaml("x", "a: " + "[" * 5000)
    assert next(problem.kind for problem in flat.problems) in ("config.too-large", "config.broken-yaml")


def test_lists_of_scalars_stay_lists_and_others_get_their_index():
    assert values("lists-of-maps") == {
        "defaults.0.trainer@trainer": "fsdp",
        "defaults.1": "_self_",
        "betas": [0.9, 0.999],
        "nothing": None,
        "empty": "{}",
        "none_listed": [],
    }


def test_odd_keys_and_aliases_are_shown_and_named():
    result = read_fixture("run_config", "odd-keys-and-aliases")
    assert dict(result.config.values) == {"trainer.<seq>": 1, "trainer.c": "*nowhere", "trainer.3": "three"}
    assert kinds(result) == {"config.unknown-alias": 4, "config.complex-key": 2}


def test_the_header_is_the_leading_comment_block():
    assert leading_comment("\n#: assumed\n##  second\n\n# third\na: 1\n") == ": assumed\nsecond"
    assert leading_comment("a: 1\n# later\n") == ""


def test_a_trackers_own_configuration_and_other_yaml_are_left_alone(tmp_path):
    for name, content in (
        ("config.yaml", "wandb_version: 1\n\ntrainer:\n  value: 1\n"),
        ("docker-compose.yaml", "services:\n  a: 1\n"),
    ):
        location = tmp_path / name
        location.write_text(content)
        assert not run_config.READER.claims(source_of(location))
    location = tmp_path / "config.yaml"
    location.write_text("trainer: 1\n")
    assert not run_config.READER.claims(source_of(location, "run/trace_jobs/a__1234567/config.yaml"))
    assert run_config.READER.claims(source_of(location, "run/config.yaml"))


def test_the_configuration_named_for_the_run_ranks_first():
    assert read_fixture("run_config", "lists-of-maps").precedence == 3
    assert read_fixture("run_config", "two-documents").precedence == 5
    assert read_fixture("run_config", "other-trainer").precedence == 0


def test_launcher_arguments():
    result = read_fixture("rl_config_json", "arguments")
    config = result.config
    assert dict(config.values) == {
        "job_name": "demo",
        "num_nodes": 2,
        "group": "terminal_bench",
        "trainer.lr": 8e-06,
        "trainer.betas": [0.9, 0.999],
        "trainer.env.A": 1,
        "trainer.env.B": "x",
        "trainer.list": ["p", "q"],
        "trainer.none": None,
        "trainer.on": True,
        "trainer.eq": "a=b",
        "trainer.ref": "${trainer.lr}",
        "trainer.logger": "wandb",
    }
    assert config.lines["trainer.lr"] == 7
    assert config.lines["trainer.logger"] == 15
    (problem,) = result.problems
    assert problem.kind == "config.repeated-argument"
    assert "trainer.logger" in problem.what.en
    assert result.framework == "skyrl"


def test_a_deleted_argument_takes_its_settings_with_it():
    assert values("deleted-argument", "rl_config_json") == {"trainer.c": 2}


@pytest.mark.parametrize(
    ("oddity", "kind", "line"),
    [("cut-off", "config.broken-json", 5), ("not-an-object", "config.not-a-mapping", 1)],
)
def test_broken_launcher_settings_are_named(oddity, kind, line):
    result = read_fixture("rl_config_json", oddity)
    assert result.config is None
    assert kinds(result) == {kind: line}


def test_launcher_values_that_are_no_json_numbers_stay_text():
    result = read_fixture("rl_config_json", "nan-and-nesting")
    assert dict(result.config.values) == {"a": "NaN", "b.c.0": 1, "b.c.1.d": 2, "b.e": "{}", "f": "1e999"}
    assert kinds(result) == {"config.odd-argument": None}


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        ("rl_config_json", "a_rl_config.json"),
        ("json_config", "training_args.json"),
        ("wandb_summary", "wandb-summary.json"),
    ],
)
def test_a_number_with_thousands_of_digits_costs_nothing_but_itself(tmp_path, reader, name):
    location = tmp_path / name
    location.write_text(
        '{"learning_rate": 0.5, "huge": -' + "9" * 5000 + ', "steps": 80, "global_step": 3}', encoding="utf-8"
    )
    result = BY_NAME[reader].read(source_of(location))
    assert "config.too-large" not in kinds(result)
    if reader == "wandb_summary":
        assert result.steps["steps"].tolist() == [80.0]
    else:
        expected = {"learning_rate": 0.5, "huge": "-" + "9" * 5000, "steps": 80, "global_step": 3}
        assert dict(result.config.values) == expected


def test_deep_json_ends(tmp_path):
    for depth in (500, 100_000):
        text = '{"a": ' + "[" * depth + "]" * depth + "}"
        result = read_bytes(tmp_path, "x_rl_config.json", text.encode())
        assert result.config is not None or result.problems


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("a.b=1", ("a.b", "1")),
        ("++a=", ("a", "")),
        ("+g=x=y", ("g", "x=y")),
        ("~a", ("a", None)),
        ("~a=1", ("a", None)),
        ("flag", ("flag", None)),
    ],
)
def test_arguments_split_at_the_first_equals_sign(argument, expected):
    assert split_argument(argument) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-6", 1e-06),
        ("null", None),
        ("true", True),
        ("", ""),
        ("'a, b'", "a, b"),
        ("[a,[1,2],{b:c}]", ["a", [1, 2], {"b": "c"}]),
        ("[]", []),
        ("{}", {}),
        ('{"a b":"c:d"}', {"a b": "c:d"}),
        ("{not a map}", "{not a map}"),
        ("[unclosed", "[unclosed"),
        ("${a.b}", "${a.b}"),
        ("s3://b/k=v", "s3://b/k=v"),
        ("01-02", "01-02"),
    ],
)
def test_values_of_arguments(text, expected):
    assert parse_value(text) == expected


KEYS = st.text("kqz", min_size=1, max_size=3)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(alphabet="abc xyz", max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("kqz", min_size=1, max_size=3), inner, max_size=3)
        ),
        max_leaves=10,
    )
)
def test_what_yaml_writes_comes_back(value):
    flat = flat_yaml("x", yaml.safe_dump({"root": value}))
    assert flat.values == _flat("root", value)
    assert flat.problems == []


@settings(deadline=None)
@given(st.lists(st.integers(-99, 99) | st.booleans() | st.none() | st.text('ab"', max_size=4), max_size=4))
def test_what_json_writes_as_an_argument_comes_back(value):
    assert parse_value(json.dumps(value)) == value


def _flat(key, value):
    if isinstance(value, dict) and value:
        merged = {}
        for name, member in value.items():
            merged |= _flat(f"{key}.{name}", member)
        return merged
    if isinstance(value, list) and any(isinstance(member, dict | list) for member in value):
        merged = {}
        for index, member in enumerate(value):
            merged |= _flat(f"{key}.{index}", member)
        return merged
    return {key: "{}" if value == {} else value}


CONFIGS = sorted((SAMPLES / "configs").rglob("*.yaml")) if SAMPLES.is_dir() else []


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_every_sample_configuration_comes_out_as_its_own_loader_reads_it():
    several = set()
    for location in CONFIGS:
        result = run_config.READER.read(source_of(location))
        expected = {}
        for key, value in next(iter(yaml.safe_load_all(location.read_text("utf-8")))).items():
            expected |= _flat(str(key), value)
        got = dict(result.config.values)
        assert list(got) == list(expected), location.name
        for key, value in expected.items():
            if got[key] != value:  # only PyYAML's narrower float rule
                assert isinstance(value, str)
                assert got[key] == float(value)
                assert math.isfinite(got[key])
        several |= {location.name} if result.problems else set()
        assert all(problem.kind == "config.several-documents" for problem in result.problems)
    assert several == {"nemo_rl_k8s_multidoc.yaml"}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_the_sample_launcher_settings():
    location = SAMPLES / "configs" / "run_folder" / "snowball_rl_config.json"
    config = rl_config_json.READER.read(source_of(location)).config
    assert config.values["trainer.logger"] == "wandb"
    assert config.values["trainer.policy.optimizer_config.adam_betas"] == [0.9, 0.999]
    assert "ContextLengthExceededError" in config.values["terminal_bench_config.harbor.mask_exceptions"]
    assert config.values["num_nodes"] == 40
    assert "trainer.seed" in config.lines
