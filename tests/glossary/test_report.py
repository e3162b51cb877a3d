"""What the command line prints of the glossary."""

from __future__ import annotations

import json

from sitegen.glossary.lookup import load_glossary
from sitegen.glossary.report import LoggedName, explain_name, explained, missing_names, report_dict


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


def test_an_exception_without_an_entry_is_explained_as_one() -> None:
    found = explain_name(load_glossary(), "ZorpError")
    assert (found["kind"], found["confidence"]) == ("exception", "unknown")


def test_settings_and_terms_are_found_too() -> None:
    assert explain_name(load_glossary(), "trainer.algorithm.eps_clip_low", "skyrl")["kind"] == "setting"
    assert explain_name(load_glossary(), "advantage")["kind"] == "concept"


def test_a_name_of_several_frameworks_lists_their_entries() -> None:
    found = explained(load_glossary(), "timing_s/step")
    assert found.entry.id == "verl-timing_s-step"
    several = explained(load_glossary(), "reward/avg_raw_reward")
    assert several.choice
    assert {"skyrl", "xtuner"} <= {entry.framework for entry in (several.entry, *several.also)}
    assert [entry.notice for entry in (several.entry, *several.also)] == [None] * (1 + len(several.also))


def test_a_framework_that_lacks_the_name_gets_a_guess_and_the_others_are_listed() -> None:
    found = explained(load_glossary(), "reward/avg_raw_reward", "trl")
    assert not found.choice
    assert found.entry.notice is not None
    assert {"skyrl", "xtuner"} <= {entry.framework for entry in found.also}


def test_every_entry_of_a_name_without_a_framework_is_in_the_json() -> None:
    told = explain_name(load_glossary(), "reward/avg_raw_reward")
    assert told["choice"] is True
    assert [entry["framework"] for entry in told["entries"]] == sorted(entry["framework"] for entry in told["entries"])
    assert {"skyrl", "xtuner"} <= {entry["framework"] for entry in told["entries"]}
    one = explain_name(load_glossary(), "reward/avg_raw_reward", "skyrl")
    assert (one["choice"], len(one["entries"])) == (False, 1)


def logged(run: str, framework: str | None, *names: str) -> list[LoggedName]:
    return [LoggedName(name=name, framework=framework, run=run) for name in names]


def test_names_without_a_checked_entry_are_listed_with_their_runs() -> None:
    names = [
        *logged("b", "skyrl", "reward/avg_raw_reward", "zorp", "task_time/p99"),
        *logged("a", "skyrl", "reward/avg_raw_reward", "zorp"),
        *logged("c", None, "zorp"),
        LoggedName(name="ZorpError", framework="skyrl", kind="exception", run="a"),
        LoggedName(name="AgentTimeoutError", framework="skyrl", kind="exception", run="a"),
    ]
    report = missing_names(load_glossary(), names, 3)
    assert report.distinct == 6
    assert [(item.name, item.framework, item.entry.confidence, item.runs) for item in report.missing] == [
        ("zorp", "skyrl", "unknown", ("a", "b")),
        ("zorp", None, "unknown", ("c",)),
        ("ZorpError", "skyrl", "unknown", ("a",)),
        ("task_time/p99", "skyrl", "inferred", ("b",)),
    ]
    assert report.share == 4 / 6
    found = report_dict(report)
    assert json.loads(json.dumps(found)) == found
    first = found["missing"][0]
    assert (first["name"], first["framework"], first["runs"]) == ("zorp", "skyrl", ["a", "b"])
    assert first["en"]["short"] != first["zh"]["short"]


def test_an_archive_without_metrics_misses_nothing() -> None:
    assert missing_names(load_glossary(), [], 0).share == 0.0
