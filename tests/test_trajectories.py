"""Dialogues of agents from an archive to pages: off by default, masked, cut where they are long, harmless."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import Run
from sitegen.pages.base import SiteContext
from sitegen.run_work import RunTask, _dialogue, find_runs, read_run
from sitegen.settings import SiteSettings
from tests.pages.run_fixture import context

ON = SiteSettings(trajectories=True)
SECRET = "hf_" + "a1B2" * 9


def result(name: str, task: str = "task", **fields: object) -> dict[str, Any]:
    return {
        "id": name,
        "task_name": task,
        "trial_name": name,
        "started_at": "2026-01-07T21:45:00Z",
        "finished_at": "2026-01-07T21:46:30Z",
        "agent_result": {"n_input_tokens": 900, "n_output_tokens": 80, "metadata": {"n_episodes": 2}},
        "verifier_result": {"rewards": {"reward": 1.0}},
        **fields,
    }


def talk(*steps: object, **fields: object) -> dict[str, Any]:
    return {"schema_version": "ATIF-v1.6", "agent": {"name": "terminus-2"}, "steps": list(steps), **fields}


def said(number: int, message: str, source: str = "agent", **fields: object) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **fields}


def add(archive: Path, name: str, trajectory: object, task: str = "task") -> Path:
    """A trial of the run `run`; a trajectory given as bytes is written as they are, None leaves it out."""
    folder = archive / "run" / "trace_jobs" / name
    (folder / "agent").mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(result(name, task)))
    if trajectory is not None:
        content = trajectory if isinstance(trajectory, bytes) else json.dumps(trajectory).encode()
        (folder / "agent" / "trajectory.json").write_bytes(content)
    return folder


def task_of(archive: Path, site: SiteSettings) -> RunTask:
    (task,) = find_runs(archive, site).tasks
    return task


def read(archive: Path, site: SiteSettings = ON) -> Run:
    return read_run(task_of(archive, site), site)


def pages(archive: Path, site: SiteSettings = ON) -> dict[str, str]:
    """The pages of trials by site path."""
    from sitegen.pages.trial import trial_files

    run = read(archive, site)
    shared = context()
    made = SiteContext(settings=site, assets=shared.assets, glossary=shared.glossary, version="0")
    files = trial_files(run, analyse(run, site), made, lambda file: _dialogue(file, None))
    return {file.path: file.content.decode() for file in files}


def english(made: dict[str, str]) -> str:
    (path,) = (path for path in made if not path.startswith("zh/"))
    return made[path].replace("<wbr>", "").replace("\u00a0", " ").replace("\u202f", " ")


def odd(run: Run) -> list[tuple[str, str]]:
    """The problems about trajectories."""
    return [(item.kind, item.what.en) for item in run.problems if item.kind.startswith("trajectory.")]


def test_nothing_is_read_unless_the_site_asks(tmp_path: Path) -> None:
    add(tmp_path, "t__aaaaaaa", b"{ not even JSON")
    run = read(tmp_path, SiteSettings())
    assert [file.page for file in run.trajectories] == [""]
    assert odd(run) == []


def test_both_languages_get_a_page_in_a_folder_of_few(tmp_path: Path) -> None:
    add(tmp_path, "t__aaaaaaa", talk(said(1, "hello")))
    made = pages(tmp_path)
    path = next(iter(made))
    assert set(made) == {path, f"zh/{path}"}
    parts = path.split("/")
    assert parts[:3] == ["runs", "run", "trials"]
    assert len(parts[3]) == 2
    assert parts[4].startswith("t__aaaaaaa-")
    assert "hello" in made[path]
    assert "hello" in made[f"zh/{path}"]


def test_two_trials_that_case_alone_tells_apart_have_two_addresses(tmp_path: Path) -> None:
    add(tmp_path, "t__aaaaaaa", talk(said(1, "x")))
    add(tmp_path, "t__AAAAAAA", talk(said(1, "y")))
    assert len({path.lower() for path in pages(tmp_path)}) == 4


def add_steps(archive: Path, name: str, steps: Mapping[str, object], order: list[str]) -> Path:
    """A trial in several steps, as Harbor leaves it: nothing under its own `agent/`."""
    folder = add(archive, name, None)
    (folder / "agent").rmdir()
    told = [{"step_name": step, "agent_result": {"n_input_tokens": 10}} for step in order]
    (folder / "result.json").write_text(json.dumps(result(name, step_results=told)))
    for step, trajectory in steps.items():
        place = folder / "steps" / step / "agent"
        place.mkdir(parents=True)
        content = trajectory if isinstance(trajectory, bytes) else json.dumps(trajectory).encode()
        (place / "trajectory.json").write_bytes(content)
    return folder


def test_every_step_of_a_trial_has_its_part_of_the_page_in_the_order_of_the_result(tmp_path: Path) -> None:
    totals = {"final_metrics": {"total_prompt_tokens": 900, "total_cost_usd": 0.25}}
    steps = {"10-fix": talk(said(1, "second said"), **totals), "2-plan": talk(said(1, "first said"), **totals)}
    add_steps(tmp_path, "t__aaaaaaa", steps, ["2-plan", "10-fix"])
    made = pages(tmp_path)
    assert len(made) == 2  # one page in both languages
    page = english(made)
    assert (
        page.index("2-plan") < page.index("first said") < page.index("10-fix</span></h2>") < page.index("second said")
    )
    assert 'href="#step-2">Step 2 <span lang="en">10-fix</span></a>' in page
    assert 'id="step-1-turn-1"' in page
    assert 'id="step-2-turn-1"' in page
    assert "0.5 USD" in page  # of both steps
    assert "步骤 2" in next(text for path, text in made.items() if path.startswith("zh/"))
    run = read(tmp_path)
    assert {file.page for file in run.trajectories} == {next(path for path in made)[len("runs/run/") :]}
    (source,) = (item for item in run.sources if item.reader == "harbor_trajectory")
    assert (source.path, source.rows) == ("run/trace_jobs/*/steps/*/agent/trajectory.json", 2)


def test_a_step_that_the_result_does_not_name_comes_after_those_it_does(tmp_path: Path) -> None:
    steps = {name: talk(said(1, f"said {name}")) for name in ("a", "step-10", "step-9", "z")}
    folder = add_steps(tmp_path, "t__aaaaaaa", steps, ["z"])
    (folder / "agent").mkdir()
    (folder / "agent" / "trajectory.json").write_text(json.dumps(talk(said(1, "said last"))))
    page = english(pages(tmp_path))
    told = [page.index(f"said {name}<") for name in ("z", "a", "step-9", "step-10", "last")]
    assert told == sorted(told)
    assert "Step that was not finished" in page


def test_a_damaged_step_is_a_problem_and_the_others_are_shown(tmp_path: Path) -> None:
    add_steps(tmp_path, "t__aaaaaaa", {"a": b"{", "b": talk(said(1, "here"))}, ["a", "b"])
    assert "here" in english(pages(tmp_path))
    ((kind, what),) = odd(read(tmp_path))
    assert kind == "trajectory.damaged"
    assert "t__aaaaaaa/a" in what


def test_steps_behind_a_link_or_excluded_are_not_there(tmp_path: Path) -> None:
    folder = add_steps(
        tmp_path / "archive", "t__aaaaaaa", {"a": talk(said(1, "x")), "b": talk(said(1, "y"))}, ["a", "b"]
    )
    site = SiteSettings(trajectories=True, exclude=("*/steps/b",))
    assert [file.step for file in read(tmp_path / "archive", site).trajectories] == ["a"]
    (folder / "steps").rename(tmp_path / "elsewhere")
    (folder / "steps").symlink_to(tmp_path / "elsewhere")
    assert read(tmp_path / "archive").trajectories == ()


def test_a_step_changes_the_run_s_key(tmp_path: Path) -> None:
    folder = add_steps(tmp_path, "t__aaaaaaa", {"a": talk(said(1, "one"))}, ["a"])
    before = {file.fingerprint for file in task_of(tmp_path, ON).folder.files}
    (folder / "steps" / "a" / "agent" / "trajectory.json").write_text(json.dumps(talk(said(1, "longer"))))
    assert {file.fingerprint for file in task_of(tmp_path, ON).folder.files} != before


def test_a_trajectory_changes_the_run_s_key(tmp_path: Path) -> None:
    add(tmp_path, "t__aaaaaaa", None)
    before = task_of(tmp_path, ON)
    file = tmp_path / "run" / "trace_jobs" / "t__aaaaaaa" / "agent" / "trajectory.json"
    file.write_text(json.dumps(talk()))
    between = task_of(tmp_path, ON)
    file.write_text(json.dumps(talk(said(1, "x"))))
    assert len({repr(item.folder.files) for item in (before, between, task_of(tmp_path, ON))}) == 3


def test_a_link_out_of_the_archive_is_not_followed(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    add(archive, "t__aaaaaaa", None)
    outside = tmp_path / "agent"
    outside.mkdir()
    (outside / "trajectory.json").write_text(json.dumps(talk(said(1, "x"))))
    folder = archive / "run" / "trace_jobs" / "t__aaaaaaa" / "agent"
    folder.rmdir()
    folder.symlink_to(outside)
    assert read(archive).trajectories == ()


def test_an_excluded_trajectory_is_not_there(tmp_path: Path) -> None:
    add(tmp_path, "t__aaaaaaa", talk(said(1, "x")))
    site = SiteSettings(trajectories=True, exclude=("*/agent",))
    assert read(tmp_path, site).trajectories == ()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'{"schema_version": "ATIF-v1.6", "ste', "trajectory.damaged"),
        ({"schema_version": "ATIF-v9", "steps": []}, "trajectory.version"),
    ],
)
def test_a_damaged_trajectory_is_a_problem_and_the_trial_stays(tmp_path: Path, content: object, kind: str) -> None:
    add(tmp_path, "t__aaaaaaa", content)
    add(tmp_path, "u__aaaaaaa", talk(said(1, "x")))
    run = read(tmp_path)
    assert run.trials is not None
    assert sorted(run.trials["trial"]) == ["t__aaaaaaa", "u__aaaaaaa"]
    assert [(name, "t__aaaaaaa" in what) for name, what in odd(run)] == [(kind, True)]
    assert len(pages(tmp_path)) == 2


def test_a_trajectory_without_a_result_is_named(tmp_path: Path) -> None:
    folder = add(tmp_path, "t__aaaaaaa", talk(said(1, "x")))
    add(tmp_path, "u__aaaaaaa", None)
    (folder / "result.json").write_text("{}")
    run = read(tmp_path)
    assert [name for name, _ in odd(run)] == ["trajectory.no-result"]
    assert pages(tmp_path) == {}


def test_every_task_has_a_page_before_any_has_two(tmp_path: Path) -> None:
    for name, task in (("a__aaaaaa1", "a"), ("a__aaaaaa2", "a"), ("a__aaaaaa3", "a"), ("b__aaaaaa1", "b")):
        add(tmp_path, name, talk(said(1, "x")), task)
    run = read(tmp_path, SiteSettings(trajectories=True, trajectory_pages=2))
    assert [file.path.split("/")[2] for file in run.trajectories if file.page] == ["a__aaaaaa1", "b__aaaaaa1"]


HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'>{{ 7*7 }}\x1b]0;t\x07\x00"


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    step = said(
        1,
        HOSTILE,
        reasoning_content=HOSTILE,
        model_name=HOSTILE,
        tool_calls=[{"tool_call_id": "1", "function_name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}],
        observation={
            "results": [
                {"source_call_id": "1", "content": HOSTILE, "subagent_trajectory_ref": [{"session_id": HOSTILE}]},
                {
                    "content": [
                        {"type": "image", "source": {"media_type": HOSTILE, "path": "https://example.org/a.png"}}
                    ]
                },
            ]
        },
    )
    page = english(pages_of(tmp_path, talk(step, notes=HOSTILE, continued_trajectory_ref=HOSTILE)))
    assert "<img" not in page
    assert "alert(2)</script>" not in page
    assert "{{ 7*7 }}" in page
    assert "\x1b" not in page
    assert "\x00" not in page
    assert 'src="https://example.org' not in page
    assert 'href="https://example.org' not in page


def pages_of(archive: Path, trajectory: object, site: SiteSettings = ON) -> dict[str, str]:
    add(archive, "t__aaaaaaa", trajectory)
    return pages(archive, site)


def test_secrets_and_homes_are_masked_everywhere(tmp_path: Path) -> None:
    step = said(
        1,
        f"token {SECRET}",
        reasoning_content=f"in /home/alice/x, {SECRET}",
        tool_calls=[{"function_name": "sh", "arguments": {"api_key": "plain-but-secret-9", "cmd": f"login {SECRET}"}}],
        observation={"results": [{"content": "alice@example.org \x1b[1mhf_\x1b[0m" + "a1B2" * 9}]},
    )
    page = english(pages_of(tmp_path, talk(step)))
    assert SECRET not in page
    assert "plain-but-secret-9" not in page
    assert "alice" not in page


def test_a_long_message_keeps_its_beginning_and_end_and_names_the_cut(tmp_path: Path) -> None:
    text = "BEGIN" + "x" * 5000 + "END"
    page = english(
        pages_of(tmp_path, talk(said(1, text)), SiteSettings(trajectories=True, trajectory_message_chars=300))
    )
    assert "BEGIN" in page
    assert "END" in page
    assert "[4,708 characters left out]" in page  # 5,008 − 300
    assert "x" * 301 not in page


def test_a_cut_goes_through_no_secret(tmp_path: Path) -> None:
    text = "a" * 180 + f" {SECRET} " + "b" * 400
    page = english(
        pages_of(tmp_path, talk(said(1, text)), SiteSettings(trajectories=True, trajectory_message_chars=300))
    )
    assert SECRET[:12] not in page


def test_a_full_page_says_how_many_entries_are_left_out(tmp_path: Path) -> None:
    steps = [said(n, "y" * 100) for n in range(1, 11)]
    site = SiteSettings(trajectories=True, trajectory_page_chars=350)
    page = english(pages_of(tmp_path, talk(*steps), site))
    assert "The first 4 of 10 entries; the page is full, 6 are left out" in page
    assert "[50 characters left out]" in page


def test_anchors_are_the_steps_numbers_and_distinct_where_those_repeat(tmp_path: Path) -> None:
    page = english(pages_of(tmp_path, talk(said(7, "x"), said(12, "y"))))
    assert 'id="turn-7"' in page
    assert 'href="#turn-12"' in page
    other = english(pages_of(tmp_path / "b", talk(said(7, "x"), said(7, "y"))))
    assert 'id="turn-1"' in other
    assert 'id="turn-2"' in other


def test_times_between_entries_and_tokens(tmp_path: Path) -> None:
    steps = (
        said(1, "do", "user", timestamp="2026-01-07T21:45:00Z"),
        said(2, "x", timestamp="2026-01-07T21:45:12Z", metrics={"prompt_tokens": 1500, "cached_tokens": 1024}),
        said(3, "y", metrics={"completion_tokens": 40}),
        said(4, "z", timestamp="2026-01-07T21:46:12Z"),
    )
    page = english(pages_of(tmp_path, talk(*steps)))
    for words in ("+12 s", "+60 s", "1,500 in (1,024 cached)", "40 out"):
        assert words in page


def test_other_trajectories_are_named_and_not_linked(tmp_path: Path) -> None:
    step = said(1, "x", observation={"results": [{"subagent_trajectory_ref": [{"trajectory_path": "sub-1.json"}]}]})
    page = english(pages_of(tmp_path, talk(step, continued_trajectory_ref="trajectory.cont-1.json")))
    assert "trajectory.cont-1.json" in page
    assert "sub-1.json" in page
    assert 'href="sub-1.json"' not in page
