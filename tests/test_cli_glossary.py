"""`sitegen glossary`: one name explained, and the names of an archive that nobody has explained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen import cli
from sitegen.glossary.lookup import load_glossary
from tests.small_archive import add_run

REPORTED = (Path(__file__).parent / "glossary" / "report_names.txt").read_text(encoding="utf-8").split()
XTUNER = (Path(__file__).parent / "glossary" / "xtuner_names.txt").read_text(encoding="utf-8").split()
SAMPLES = Path(__file__).parents[2] / "shared" / "samples"
KEYS = {"names", "framework", "group", "unit", "direction", "confidence", "source", "en", "zh"}

OWN = """
framework = "ours"
title = {en = "Ours", zh = "自研"}

[[entry]]
id = "ours-zorp"
kind = "metric"
names = ["zorp"]
group = "other"
direction = "info"
title = {en = "Zorp", zh = "佐普"}
short = {en = "Our own measure.", zh = "自有度量。"}
what = {en = "Counted by hand.", zh = "人工计数。"}
source = {repository = "team/ours", file = "zorp.py", function = "zorp"}
confidence = "code"
checked = "2026-11-29"
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two runs whose tables have the step, the reward and, in one, a metric of nobody's."""
    folder = tmp_path / "archive"
    add_run(folder, "first", [0.1, 0.2, 0.3])
    table = next((folder / "first").rglob("*_metrics_table.csv"))
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([f"{head},zorp", *(f"{row},1.5" for row in rows)]) + "\n")
    add_run(folder, "second", [0.1, 0.2, 0.3])
    return folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert cli.run(["glossary", *arguments]) == code
    found = capsys.readouterr()
    assert found.err == ""
    return found.out


def test_a_name_is_explained_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "reward/avg_pass_at_4", "--framework", "skyrl")
    english, chinese = out.split("reward/avg_pass_at_4\n")[1:]
    assert "4 trajectories" in english
    assert "Unit: " in english
    assert "Where it is computed: marin-community/MarinSkyRL" in english
    assert "每组 4 条轨迹" in chinese
    assert "单位：" in chinese


def test_one_language_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert "奖励" not in printed(capsys, "reward/avg_raw_reward", "--framework", "skyrl", "--lang", "en")
    assert "Unit" not in printed(capsys, "reward/avg_raw_reward", "--framework", "skyrl", "--lang", "zh")


def test_the_framework_decides_what_a_name_means(capsys: pytest.CaptureFixture[str]) -> None:
    of = {}
    for framework in ("skyrl", "xtuner"):
        of[framework] = json.loads(printed(capsys, "reward/avg_raw_reward", "--framework", framework, "--json"))
        assert of[framework]["framework"] == framework
    assert of["skyrl"]["en"]["what"] != of["xtuner"]["en"]["what"]
    assert of["skyrl"]["also"] == [of["xtuner"]["id"]]


def test_a_name_of_several_frameworks_offers_the_choice_before_any_guess(capsys: pytest.CaptureFixture[str]) -> None:
    english = printed(capsys, "reward/avg_raw_reward", "--lang", "en")
    assert "SkyRL (--framework skyrl): Mean raw reward." in english
    assert "XTuner (--framework xtuner): " in english
    assert "inferred" not in english
    chinese = printed(capsys, "reward/avg_raw_reward", "--lang", "zh")
    assert "SkyRL（--framework skyrl）：" in chinese
    assert "含义各不相同" in chinese


def test_a_guess_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    guessed = printed(capsys, "task_time/p99", "--framework", "skyrl", "--lang", "en")
    assert load_glossary().explain("task_time/p99", "skyrl").notice is not None
    assert "inferred" in guessed
    assert "inferred" not in printed(capsys, "task_time/p99", "--framework", "xtuner", "--lang", "en")


def test_json_has_the_promised_keys_and_no_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "policy/policy_entropy", "--framework", "skyrl", "--json")
    assert set(json.loads(out)) >= {*KEYS, "name"}
    assert "策略" in out


def test_an_unknown_name_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, "zorp", "--json"))["confidence"] == "unknown"
    assert printed(capsys, "zorp").count("zorp\n") == 2


def test_a_hostile_name_cannot_move_the_terminals_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in printed(capsys, "a\x1b[2Jb/[red]c")


def test_an_archives_own_entries_are_used(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (archive / "glossary").mkdir()
    (archive / "glossary" / "ours.toml").write_text(OWN, encoding="utf-8")
    out = printed(capsys, "zorp", "--framework", "ours", "--archive", str(archive), "--lang", "zh")
    assert "自有度量。" in out
    assert "team/ours" in out


def test_names_without_a_checked_entry_are_listed_with_their_runs(
    archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, "--missing", str(archive), "--workers", "1")
    rows = [line.split() for line in out.splitlines() if line.startswith(" zorp")]
    assert [(row[0], row[1], row[-1]) for row in rows] == [("zorp", "skyrl", "first")]
    assert out.splitlines()[-1].startswith("2 runs: 1 of ")
    assert "2 个运行：" in printed(capsys, "--missing", str(archive), "--workers", "1", "--lang", "zh")


def test_strict_fails_when_a_name_is_missing(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "--missing", str(archive), "--workers", "1", "--json", "--strict", code=1))
    assert found["runs"] == 2
    assert [item["name"] for item in found["missing"]] == ["zorp"]
    assert set(found["missing"][0]) >= {*KEYS, "name", "runs"}
    assert found["share"] == 1 / found["distinct"]
    (archive / "glossary").mkdir()
    own = OWN.replace('"ours', '"common').replace("Ours", "Terms").replace("自研", "术语")
    (archive / "glossary" / "terms.toml").write_text(own, encoding="utf-8")
    found = json.loads(printed(capsys, "--missing", str(archive), "--workers", "1", "--json", "--strict"))
    assert found["missing"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a", "--missing", "."],
        ["a", "--strict"],
        ["a", "--framework", "nobodys"],
        ["--missing", ".", "--framework", "skyrl"],
        ["--missing", "nowhere"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["glossary", *arguments]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("sitegen: ")
    assert found.err.count("\n") == 1


def test_a_broken_entry_of_the_archive_is_one_line_and_1(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (archive / "glossary").mkdir()
    (archive / "glossary" / "ours.toml").write_text(OWN.replace('"other"', '"nonsense"'), encoding="utf-8")
    for arguments in (["--missing", str(archive)], ["zorp", "--archive", str(archive)]):
        assert cli.run(["glossary", *arguments]) == 1
        found = capsys.readouterr()
        assert found.out == ""
        assert "ours-zorp" in found.err
        assert found.err.count("\n") == 1


def test_every_name_of_the_two_published_reports_is_explained_from_a_source() -> None:
    glossary = load_glossary()
    for framework, names, count in (("skyrl", REPORTED, 85), ("xtuner", XTUNER, 103)):
        assert len(set(names)) == count
        found = {name: glossary.explain(name, framework) for name in names}
        assert [name for name, entry in found.items() if entry.notice or entry.confidence != "code"] == []


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample archive is not beside this checkout")
def test_fewer_than_a_twentieth_of_the_names_in_the_samples_are_unexplained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = json.loads(printed(capsys, "--missing", str(SAMPLES), "--workers", "1", "--json"))
    assert found["distinct"] > 300
    assert found["share"] < 0.05, [item["name"] for item in found["missing"]]
