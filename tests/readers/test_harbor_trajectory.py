"""Agents' dialogues: what a file gives, and that no damage reaches a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model.run import RunFolder, SourceFile
from sitegen.model.trajectory import LEFT_OUT, MARK_END, TrajectoryFile
from sitegen.readers.harbor_json import Oddities, Unusable
from sitegen.readers.harbor_trajectory import (
    BASE64_LEAST,
    read_trajectory,
    readable,
    trajectory_files,
    trajectory_of,
)

SHARED = Path(__file__).parents[3] / "shared" / "samples" / "harbor"


def atif(*steps: object, **fields: object) -> dict[str, Any]:
    """A parsed trajectory of the given steps."""
    return {"schema_version": "ATIF-v1.6", "agent": {"name": "a", "version": "1"}, "steps": list(steps), **fields}


def said(message: object, **fields: object) -> dict[str, Any]:
    return {"step_id": 1, "source": "agent", "message": message, **fields}


def file_of(path: Path) -> TrajectoryFile:
    return TrajectoryFile(
        path="run/t__1234567/agent/trajectory.json", result="run/t__1234567/result.json", location=path
    )


def test_a_turn_with_reasoning_call_result_and_counts() -> None:
    step = said(
        "done",
        timestamp="2026-01-07T21:45:29.500000Z",
        model_name="other",
        reasoning_content="hm",
        tool_calls=[{"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls\n", "n": 2}}],
        observation={"results": [{"source_call_id": "c1", "content": "a.txt"}, {"content": "alone"}]},
        metrics={"prompt_tokens": 10, "cached_tokens": 4, "completion_tokens": 3, "cost_usd": 0.25},
    )
    found = trajectory_of(atif(step, final_metrics={"total_prompt_tokens": 10, "total_cost_usd": 0.25}))
    (turn,) = found.turns
    assert (turn.role, turn.message, turn.reasoning, turn.model) == ("agent", "done", "hm", "other")
    assert turn.time == 1767822329.5
    assert turn.calls[0].name == "bash"
    assert turn.calls[0].arguments == {"cmd": "ls\n", "n": 2}
    assert [(result.call, result.text) for result in turn.results] == [(0, "a.txt"), (None, "alone")]
    assert (turn.prompt_tokens, turn.cached_tokens, turn.completion_tokens, turn.cost_usd) == (10, 4, 3, 0.25)
    assert (found.prompt_tokens, found.completion_tokens, found.cost_usd) == (10, None, 0.25)
    assert found.agent == "a 1"


def test_missing_counts_are_none_and_zero_stays_zero() -> None:
    found = trajectory_of(atif(said("x", metrics={"prompt_tokens": 0}), said("y")))
    assert [turn.prompt_tokens for turn in found.turns] == [0, None]
    assert found.turns[1].time is None


@pytest.mark.parametrize("version", ["ATIF-v2.0", "ATIF-v1.x", "1.6", 1, None, "ATIF-v10", "ATIF-v1.6\n"])
def test_another_version_is_not_read(version: object) -> None:
    with pytest.raises(Unusable) as caught:
        trajectory_of({**atif(said("x")), "schema_version": version})
    assert caught.value.kind == "trajectory.version"


@pytest.mark.parametrize("version", ["ATIF-v1.0", "ATIF-v1", "ATIF-v1.17"])
def test_minor_versions_are_read(version: str) -> None:
    assert trajectory_of({**atif(said("x")), "schema_version": version}).version == version


def test_steps_that_are_no_list() -> None:
    with pytest.raises(Unusable) as caught:
        trajectory_of({"schema_version": "ATIF-v1.0", "steps": {"0": {}}})
    assert caught.value.kind == "trajectory.no-steps"


def test_steps_that_are_no_objects_are_counted() -> None:
    found = trajectory_of(atif(said("x"), None, "text"))
    assert (len(found.turns), found.skipped) == (1, 2)


def test_pictures_are_named_and_not_taken_along() -> None:
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}},
        {"type": "image", "source": {"media_type": "image/png", "data": "A" * 3000}},
    ]
    message = trajectory_of(atif(said(parts))).turns[0].message
    assert message == (
        f"look\n{LEFT_OUT}picture|image/png images/a.png|0{MARK_END}\n{LEFT_OUT}picture|image/png|3000{MARK_END}"
    )


def test_base64_in_a_text_leaves_a_mark() -> None:
    data = "iVBORw0KGgo" * 100
    assert readable(f"see data:image/png;base64,{data} end") == f"see {LEFT_OUT}base64|image/png|1100{MARK_END} end"
    assert readable(f"cat: {data}==") == f"cat: {LEFT_OUT}base64||1102{MARK_END}"
    short = "ab1" * (BASE64_LEAST // 3 - 1)
    assert readable(short) == short


def test_terminal_codes_go_and_control_characters_are_written_out() -> None:
    assert readable("\x1b[31mred\x1b[0m \x1b]0;title\x07x") == "red x"
    assert readable("a\x00b\tc\r\nd\re") == "a␀b\tc\nd\ne"
    assert readable("\u202eevil\ue000mark\ue001") == "\\u202eevil\\ue000mark\\ue001"


def test_other_trajectories_are_named() -> None:
    refs = [{"session_id": "s-1", "trajectory_path": "trajectory.summary-1.json"}, {"session_id": "s-2"}, {}]
    step = said("x", observation={"results": [{"content": None, "subagent_trajectory_ref": refs}]})
    found = trajectory_of(
        atif(step, continued_trajectory_ref="trajectory.cont-1.json", subagent_trajectories=[{"session_id": "s-3"}])
    )
    assert found.continued == "trajectory.cont-1.json"
    assert found.subagents == ("trajectory.summary-1.json", "s-2", "s-3")


def test_arguments_of_any_shape() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    calls = [{"function_name": "f", "arguments": value} for value in ("text", None, [1], {"a": deep})]
    made = [call.arguments for call in trajectory_of(atif(said("x", tool_calls=calls))).turns[0].calls]
    assert made[:3] == [{"": "text"}, {}, {"": [1]}]
    assert len(json.dumps(made[3])) < 100


def test_files_of_a_run_lie_beside_their_results(tmp_path: Path) -> None:
    def plain(path: str) -> SourceFile:
        return SourceFile(path=path, location=tmp_path / path, size=1)

    bundle = SourceFile(
        path="run/trace_jobs/*/result.json",
        location=tmp_path / "run" / "trace_jobs",
        size=2,
        members=("b__1234567/result.json",),
        trajectories=("b__1234567", "c__1234567/steps/plan"),
    )
    names = ("odd/agent/trajectory.json", "odd/result.json", "odd/steps/fix/agent/trajectory.json")
    lost = ("agent/trajectory.json", "steps/fix/agent/trajectory.json")
    files = tuple(plain(f"run/{name}") for name in (*names, *lost))
    folder = RunFolder(path="run", name="run", location=tmp_path / "run", files=(*files, bundle))
    found = trajectory_files(folder)
    jobs = "run/trace_jobs"
    assert [(file.path, file.result, file.step) for file in found] == [
        ("run/odd/agent/trajectory.json", "run/odd/result.json", ""),
        ("run/odd/steps/fix/agent/trajectory.json", "run/odd/result.json", "fix"),
        (f"{jobs}/b__1234567/agent/trajectory.json", f"{jobs}/b__1234567/result.json", ""),
        (f"{jobs}/c__1234567/steps/plan/agent/trajectory.json", f"{jobs}/c__1234567/result.json", "plan"),
    ]
    assert found[2].location == tmp_path / jobs / "b__1234567" / "agent" / "trajectory.json"
    assert [file.name for file in found] == ["odd", "odd/fix", "b__1234567", "c__1234567/plan"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "trajectory.empty"),
        (b'{"schema_version": "ATIF-v1.6", "steps": [', "trajectory.damaged"),
        (b"[1]", "trajectory.no-object"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "trajectory.pointer"),
        (b"[" * 100_000, "trajectory.damaged"),
    ],
)
def test_damaged_files(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "trajectory.json"
    path.write_bytes(content)
    with pytest.raises(Unusable) as caught:
        read_trajectory(file_of(path))
    assert caught.value.kind == kind


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(Unusable) as caught:
        read_trajectory(file_of(tmp_path / "none.json"))
    assert caught.value.kind == "trajectory.unreadable"


def test_bytes_that_are_no_text_are_said(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    path.write_bytes(json.dumps(atif(said("caf?"), 7)).encode().replace(b"?", b"\xe9"))
    oddities = Oddities()
    assert read_trajectory(file_of(path), oddities).turns[0].message.startswith("caf")
    assert {item.kind for item in oddities.problems("run")} == {"trajectory.encoding", "trajectory.skipped"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
STEPS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("step_id", "timestamp", "source", "message", "reasoning_content", "tool_calls", "observation", "metrics"),
        VALUES,
    ),
)


@settings(max_examples=60)
@given(st.lists(STEPS | VALUES, max_size=4), VALUES, VALUES)
def test_any_values_under_known_keys_give_a_trajectory(steps: list[Any], agent: Any, totals: Any) -> None:
    found = trajectory_of({"schema_version": "ATIF-v1.5", "agent": agent, "final_metrics": totals, "steps": steps})
    assert len(found.turns) + found.skipped == len(steps)
    for turn in found.turns:
        assert turn.prompt_tokens is None or turn.prompt_tokens >= 0
        json.dumps([dict(call.arguments) for call in turn.calls], allow_nan=False)


@settings(max_examples=100)
@given(st.text())
def test_readable_text_holds_nothing_that_acts(text: str) -> None:
    shown = readable(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(char in shown for char in "\u202e\u2066\x7f" + LEFT_OUT + MARK_END)
    assert readable(shown) == shown


@pytest.mark.parametrize("path", sorted(SHARED.glob("**/*trajectory*.json")), ids=lambda path: path.parent.parent.name)
def test_samples_are_read(path: Path) -> None:
    found = read_trajectory(file_of(path))
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    assert len(found.turns) == len(steps)
    assert sum(len(turn.calls) for turn in found.turns) == sum(len(step.get("tool_calls") or ()) for step in steps)
