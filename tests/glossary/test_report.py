"""What the command line prints of the glossary."""

from __future__ import annotations

import json

from sitegen.glossary.lookup import load_glossary
from sitegen.glossary.report import explain_name, missing_names


def test_one_name_explained_as_json_has_both_languages_and_its_source() -> None:
    found = explain_name(load_glossary(), "reward/avg_pass_at_4", "skyrl")
    assert json.loads(json.dumps(found, ensure_ascii=False)) == found
    assert (found["name"], found["framework"], found["group"]) == ("reward/avg_pass_at_4", "skyrl", "reward")
    assert (found["unit"], found["direction"], found["confidence"]) == ("ratio", "up", "code")
    assert found["names"] == ["reward/avg_pass_at_{n}"]
    assert "4 trajectories" in found["en"]["short"]
    assert "每组 4 条轨迹" in found["zh"]["short"]
    assert found["source"]["repository"] == "marin-community/MarinSkyRL"


def test_without_a_framework_the_only_framework_with_the_name_is_meant() -> None:
    found = explain_name(load_glossary(), "loss/avg_raw_advantages_abs")
    assert (found["framework"], found["confidence"]) == ("skyrl", "code")


def test_an_exception_is_explained_with_its_treatment() -> None:
    found = explain_name(load_glossary(), "AgentTimeoutError", "skyrl")
    assert (found["framework"], found["blame"]) == ("harbor", "agent")
    assert "verifier" in found["en"]["treatment"]


def test_an_unknown_name_is_unknown() -> None:
    assert explain_name(load_glossary(), "zorp")["confidence"] == "unknown"


def test_names_without_a_checked_entry_are_listed_with_their_runs() -> None:
    logged = {
        "b": ("skyrl", ["reward/avg_raw_reward", "zorp", "task_time/p99"]),
        "a": ("skyrl", ["reward/avg_raw_reward", "zorp"]),
        "c": (None, ["zorp"]),
    }
    report = missing_names(load_glossary(), logged)
    assert report.distinct == 4
    assert [(item.name, item.framework, item.confidence, item.runs) for item in report.missing] == [
        ("zorp", "skyrl", "unknown", ("a", "b")),
        ("zorp", None, "unknown", ("c",)),
        ("task_time/p99", "skyrl", "inferred", ("b",)),
    ]
    assert report.share == 0.75


def test_an_archive_without_metrics_misses_nothing() -> None:
    assert missing_names(load_glossary(), {}).share == 0.0
