"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen import cli
from tests.small_archive import add_run, contents

ROOT = Path(__file__).parents[1]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    add_run(folder, "first", [0.1, 0.2, 0.3])
    return folder


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """An archive with a run whose table is cut in the middle of a row."""
    folder = tmp_path / "damaged"
    run = add_run(folder, "first", [0.1, 0.2, 0.3])
    log = next(run.rglob("*.csv"))
    log.write_text(log.read_text()[:-12])
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One cache for all tests: the chart assets are made once."""
    return f"--cache={tmp_path_factory.mktemp('cache')}"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sitegen", *arguments]


def one_line(text: str) -> str:
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return text


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from sitegen.cli import run; run(['build', '--help']); run(['--version']);"
        "print(sorted({name.split('.')[0] for name in sys.modules}"
        " & {'pandas', 'numpy', 'altair', 'jinja2', 'rich', 'nh3', 'markdown_it', 'vl_convert', 'multiprocessing'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", ["build", "check", "report", "serve"])
def test_every_command_and_option_explains_itself(name: str) -> None:
    found = cli.cli.commands[name]
    assert found.help
    for parameter in found.params:
        assert parameter.param_type_name == "argument" or getattr(parameter, "help", None)


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "missing", "-o", "site"],
        ["build", "README.md", "-o", "site"],
        ["build", "runs"],
        ["build", "runs", "-o", "README.md"],
        ["build", "runs", "-o", "site", "--workers", "0"],
        ["build", "runs", "-o", "site", "--workers", "many"],
        ["build", "runs", "-o", "site", "--colour"],
        ["build", "runs", "-o", "site", "--cache", "kept", "--no-cache"],
        ["build"],
        ["check", "missing"],
        ["serve"],
        ["serve", "runs", "--site", "runs"],
        ["serve", "--site", "runs", "-o", "site"],
        ["serve", "runs", "--port", "70000"],
        ["publish", "nix"],
        ["--lang", "fr", "check", "runs"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert one_line(printed.err).startswith("sitegen: ")


def test_publish_without_a_host_names_them_a_line_each_and_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["publish"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    first, *hosts = printed.err.splitlines()
    assert first.startswith("sitegen: ")
    assert [line.split()[:3] for line in hosts] == [["sitegen", "publish", name] for name in ("hf", "pages", "dir")]
    assert not any("..." in line for line in hosts)


def test_no_command_shows_the_help_and_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Commands:" in printed.err


def test_what_the_user_can_fix_is_one_line_and_1(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (archive / "sitegen.toml").write_text('titel = "x"\n')
    for arguments in (["check", str(archive)], ["build", str(archive), "-o", str(tmp_path / "site")]):
        assert cli.run(arguments) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "did you mean 'title'" in one_line(printed.err)
    assert not (tmp_path / "site").exists()


def test_a_message_cannot_move_the_terminals_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = tmp_path / "a\x1b[2Jb\nc"
    hostile.mkdir()
    (hostile / "mine.txt").write_text("")
    archive = tmp_path / "archive"
    archive.mkdir()
    assert cli.run(["build", str(archive), "-o", str(hostile)]) == 1
    assert "\x1b" not in one_line(capsys.readouterr().err)


def test_build_says_what_it_made_and_how_to_see_it(
    archive: Path, tmp_path: Path, kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "my site"
    arguments = ["build", str(archive), "-o", str(site), "--workers", "1", kept]
    assert cli.run(arguments) == 0
    printed = capsys.readouterr()
    pages = sum(path.endswith(".html") for path in contents(site))
    assert printed.out.startswith(f"1 run, {pages} pages")
    assert f"'{site / 'index.html'}'" in printed.out
    assert printed.err == ""
    assert cli.run(["--lang", "zh", *arguments]) == 0
    assert f"1 个运行，{pages} 个页面" in capsys.readouterr().out


def test_a_quiet_build_prints_nothing(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["build", str(archive), "-o", str(tmp_path / "site"), "-q", "--no-cache"]) == 0
    assert capsys.readouterr() == ("", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "site"]


def test_the_cache_can_be_put_elsewhere(archive: Path, tmp_path: Path) -> None:
    arguments = ["build", str(archive), "-o", str(tmp_path / "site"), "-q", "--cache", str(tmp_path / "kept")]
    assert cli.run(arguments) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "kept", "site"]


def test_what_is_kept_is_named(archive: Path, tmp_path: Path, kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    site = tmp_path / "site"
    arguments = ["build", str(archive), "-o", str(site), kept]
    assert cli.run(arguments) == 0
    (site / "CNAME").write_text("runs.example.org")
    capsys.readouterr()
    assert cli.run(arguments) == 0
    assert "CNAME" in capsys.readouterr().out
    assert (site / "CNAME").read_text() == "runs.example.org"


def test_strict_fails_after_the_site_is_written(damaged: Path, archive: Path, tmp_path: Path, kept: str) -> None:
    for folder, code in ((damaged, 1), (archive, 0)):
        site = tmp_path / f"site of {folder.name}"
        assert cli.run(["build", str(folder), "-o", str(site), "-q", kept]) == 0
        assert cli.run(["build", str(folder), "-o", str(site), "-q", kept, "--strict"]) == code
        assert (site / "runs/first/index.html").is_file()
        assert cli.run(["check", str(folder), "--strict"]) == code
        assert cli.run(["check", str(folder)]) == 0


def test_check_prints_file_and_line_and_writes_nothing(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(damaged.parent)
    assert cli.run(["check", str(damaged)]) == 0
    printed = capsys.readouterr()
    # the header is line 1, so the third of three rows is line 4
    assert "first/training_logs/20260101_000000_metrics_table.csv:4" in printed.out
    assert printed.err == ""
    assert contents(damaged.parent) == before


def test_check_as_json(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", str(damaged), "--json"]) == 0
    english = json.loads(capsys.readouterr().out)
    assert english["schema"] == 1
    assert english["runs"] == 1
    assert any(item["line"] == 4 and item["severity"] in {"error", "warning"} for item in english["problems"])
    assert {tuple(item) for item in english["problems"]} == {("kind", "severity", "path", "line", "what", "effect")}
    assert cli.run(["--lang", "zh", "check", str(damaged), "--json"]) == 0
    chinese = json.loads(capsys.readouterr().out)
    assert [item["kind"] for item in chinese["problems"]] == [item["kind"] for item in english["problems"]]
    assert chinese["problems"] != english["problems"]


def test_a_reader_that_leaves_early_hears_no_complaint(damaged: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m sitegen check '{damaged}' | true", shell=True, capture_output=True, cwd=ROOT, check=False
    )
    assert done.stderr == b""


def test_an_output_without_unicode_shows_escapes(damaged: Path) -> None:
    done = subprocess.run(
        command("--lang", "zh", "check", str(damaged)),
        capture_output=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert r"\u6587\u4ef6" in done.stdout.decode("ascii")


def test_a_closed_output_is_no_traceback(damaged: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m sitegen check '{damaged}' >&-", shell=True, capture_output=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", ["check {}", "check {} --json", "glossary lr", "--help"])
def test_an_output_that_is_full_is_one_line(damaged: Path, arguments: str, unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command(*(part.format(damaged) for part in arguments.split())),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "sitegen: what is printed cannot be written: No space left on device\n",
    )


def test_an_error_that_is_not_the_outputs_is_a_bug(monkeypatch: pytest.MonkeyPatch, damaged: Path) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sitegen.check.check_archive", fails)
    with pytest.raises(OSError, match="No space left"):
        cli.run(["check", str(damaged)])


@pytest.mark.parametrize(
    "arguments", [["build", "{}", "-o", ""], ["build", "{}", "-o", "x", "--cache", ""], ["check", ""]]
)
def test_an_empty_path_is_no_folder(damaged: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([part.format(damaged) for part in arguments]) == 2
    assert capsys.readouterr().err.endswith(": the path is empty\n")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Children can be interrupted even where this process was started with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_a_server_quietly_with_130(archive: Path, tmp_path: Path) -> None:
    server = start("serve", str(archive), "-o", str(tmp_path / "site"))
    assert server.stdout is not None
    while "http://127.0.0.1:" not in server.stdout.readline():
        assert server.poll() is None
    os.killpg(server.pid, signal.SIGINT)
    _, errors = server.communicate(timeout=60)
    assert server.returncode == 130
    assert errors.strip() == ""


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_a_build_quietly_with_130_and_leaves_nothing(archive: Path, tmp_path: Path) -> None:
    add_run(archive, "second", [0.1, 0.2])
    building = start("build", str(archive), "-o", str(tmp_path / "site"), "--workers", "2", "--no-cache")
    while not (tmp_path / ".site.sitegen-work" / "scratch").exists():
        assert building.poll() is None, building.communicate()[1]
        time.sleep(0.01)
    os.killpg(building.pid, signal.SIGINT)
    _, errors = building.communicate(timeout=60)
    assert building.returncode == 130
    assert errors.strip() == ""
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]
