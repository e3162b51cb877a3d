"""`sitegen report RUN`: which run is meant, where the text goes, and how errors are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen import cli
from tests.small_archive import add_run, contents


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    add_run(folder, "team/first", [0.1, 0.2, 0.3])
    add_run(folder, "team/second", [0.4, 0.5])
    add_run(folder, "other/second", [0.6])
    (folder / "sitegen.toml").write_text('overlap_rule = "first"\n')
    return folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["report", *arguments]) == 0
    found = capsys.readouterr()
    assert found.err == ""
    return found.out


def test_a_folder_is_the_run(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(archive)
    text = printed(capsys, str(archive / "team/first"))
    assert text.startswith("# Training metrics: first\n")
    assert "| job_1 | 1 | 3 | 3 | 0 | 0.2 | 0.3 | 0.3 | – | 300 |" in text
    assert contents(archive) == before


def test_the_archives_settings_hold_for_a_folder_in_it(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, str(archive / "team/first"), "--json"))
    assert found["slug"] == "team/first"  # its address in the archive above, where sitegen.toml is
    (archive / "sitegen.toml").unlink()
    assert json.loads(printed(capsys, str(archive / "team/first"), "--json"))["title"] == "first"


@pytest.mark.parametrize("name", ["first", "team/first"])
def test_a_name_is_looked_for_in_the_archive(archive: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, name, "--archive", str(archive)).startswith("# Training metrics: first\n")


def test_in_chinese_by_either_option(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chinese = printed(capsys, str(archive / "team/first"), "--lang", "zh")
    assert chinese.startswith("# 训练指标：first\n")
    assert cli.run(["--lang", "zh", "report", str(archive / "team/first")]) == 0
    assert capsys.readouterr().out == chinese


def test_a_file_is_written(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, str(archive / "team/first"))
    assert printed(capsys, str(archive / "team/first"), "-o", str(tmp_path / "r.md")) == ""
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such folder"),
        (["frst", "--archive", "ARCHIVE"], "did you mean 'first'"),
        (["second", "--archive", "ARCHIVE"], "other/second"),
        (["ARCHIVE"], "several runs"),
        (["ARCHIVE/team/first", "-o", "ARCHIVE/missing/r.md"], "cannot write"),
    ],
)
def test_what_the_user_can_fix_is_one_line_and_1(
    archive: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["report", *(part.replace("ARCHIVE", str(archive)) for part in arguments)]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.count("\n") == 1
    assert said in found.err


@pytest.mark.parametrize("arguments", [[], ["x", "--archive", "nowhere"], ["x", "--lang", "fr"], ["x", "-o", "."]])
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["report", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def report_of_first(archive: Path, reward: str) -> None:
    head = "# SkyRL Training Metrics Analysis\n\n## Overview\n\n| Log File | Max Step | Final Reward |\n|---|---|---|\n"
    path = archive / "team/first/training_logs/20260101_000000_metrics_report.md"
    path.write_text(f"{head}| job_1 | 3 | {reward} |\n")


def test_check_prints_the_published_numbers_that_differ(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report_of_first(archive, "0.2000")
    assert cli.run(["check", str(archive), "--workers", "1"]) == 0
    found = capsys.readouterr().out
    assert "team/first: Numbers printed in the report: 2. Agree: 1; differ: 1; cannot be checked: 0." in found
    (row,) = [line for line in found.split("\n") if "Final Reward" in line]
    assert "differs" in row
    assert "0.3000" in row
    assert "mean over the 3 records" in row
    assert "Max Step" not in found
    assert cli.run(["check", str(archive), "--workers", "1", "--published"]) == 0
    assert "Max Step" in capsys.readouterr().out


def test_check_gives_the_published_numbers_as_json(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report_of_first(archive, "0.3000")
    assert cli.run(["--lang", "zh", "check", str(archive), "--json", "--workers", "1"]) == 0
    found = json.loads(capsys.readouterr().out)["crosscheck"]
    assert [(c["run"], c["name"], c["verdict"], c["computed"]) for c in found] == [
        ("team/first", "Max Step", "agrees", 3.0),
        ("team/first", "Final Reward", "agrees", 0.3),
    ]
    assert "最后一个值" in found[1]["how"]
