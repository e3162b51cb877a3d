"""Harbor's trial and job results: each oddity as it must come out, and no damage that makes a reader raise."""

from __future__ import annotations

import calendar
import json
import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.model import tables
from sitegen.readers import READERS, harbor_json, harbor_trials
from sitegen.readers.harbor_json import Oddities, name_list
from sitegen.readers.harbor_trial import trial_of
from sitegen.scan import claimant, scan_archive, with_heads
from sitegen.settings import SiteSettings
from tests.readers.sources import BY_NAME, DATA, SAMPLES, kinds, read_fixture, source_of

HARBOR = SAMPLES / "harbor"
TEN_O_CLOCK = calendar.timegm((2026, 2, 1, 10, 0, 0))


def row(oddity):
    """The one trial of a fixture."""
    result = read_fixture("harbor_trial", oddity)
    (found,) = result.trials.to_dict("records")
    return found, result


def bundle_of(folder: Path, archive: Path | None = None):
    """The trials of a folder as scan hands them over."""
    (run,) = scan_archive(archive or folder, SiteSettings()).runs
    return next(file for file in run.files if file.bundled)


def read_folder(oddity):
    source = bundle_of(DATA / "harbor_trials" / oddity)
    assert claimant(source, READERS) is harbor_trials.BUNDLE
    return harbor_trials.read_bundle(source)


# One trial -----------------------------------------------------------------------------------------------------------


def test_a_trial_is_one_row_with_every_column():
    found, result = row("plain")
    assert result.problems == ()
    assert found == {
        "task": "sort-lines",
        "trial": "sort-lines__aaaaaa1",
        "row": 1,
        "source": "run_a/result.json",
        "job": "2026-02-01__10-00-00",
        "turns": 3.0,
        "input_tokens": 900.0,
        "cache_tokens": 600.0,
        "output_tokens": 40.0,
        "cost_usd": pytest.approx(math.nan, nan_ok=True),
        "exception": None,
        "reward": 1.0,
        "started": TEN_O_CLOCK,
        "finished": TEN_O_CLOCK + 120,
        "wall_s": 120.0,
        "environment_setup_s": 12.5,
        "agent_setup_s": 7.5,
        "agent_s": 90.0,
        "verifier_s": 10.0,
        "retries": pytest.approx(math.nan, nan_ok=True),
        "reward/reward": 1.0,
    }


def test_local_times_give_durations_and_no_moments():
    found, result = row("local-times")
    assert (found["wall_s"], found["agent_s"]) == (120.0, 90.0)
    assert math.isnan(found["started"])
    assert math.isnan(found["finished"])
    assert kinds(result) == {"harbor.local-times": None}


def test_a_trial_of_several_steps_sums_them_and_has_the_exception_of_the_one_that_failed():
    found, _ = row("multi-step")
    assert (found["turns"], found["input_tokens"], found["cache_tokens"], found["output_tokens"]) == (6, 400, 10, 12)
    assert (found["cost_usd"], found["exception"], found["reward"]) == (0.75, "AgentTimeoutError", 0.5)
    assert (found["agent_s"], found["verifier_s"]) == (90.0, 4.0)


def test_an_exception_does_not_take_the_reward_away():
    found, _ = row("exception-and-reward")
    assert (found["exception"], found["reward"]) == ("AgentTimeoutError", 1.0)


def test_a_cancelled_trial_has_an_exception_though_its_message_is_empty():
    found, _ = row("cancelled-without-message")
    assert found["exception"] == "CancelledError"
    assert math.isnan(found["reward"])
    assert math.isnan(found["verifier_s"])


def test_nulls_are_missing_and_the_task_comes_from_the_trial_name():
    found, result = row("nulls-everywhere")
    assert result.problems == ()
    assert (found["task"], found["job"], found["exception"]) == ("sort-lines", None, None)
    numbers = [value for value in found.values() if isinstance(value, float)]
    assert all(map(math.isnan, numbers))
    assert "reward/reward" not in found


def test_no_turn_and_no_cost_stay_0():
    found, _ = row("no-turns-counted")
    assert (found["turns"], found["cache_tokens"], found["cost_usd"]) == (0.0, 0.0, 0.0)


def test_values_of_a_wrong_type_are_missing_and_named():
    found, result = row("wrong-types")
    assert kinds(result) == {"harbor.wrong-type": None}
    assert found["exception"] == "unknown"
    assert found["wall_s"] != found["wall_s"]
    numbers = ("turns", "input_tokens", "cache_tokens", "output_tokens", "reward", "environment_setup_s", "started")
    assert all(math.isnan(found[name]) for name in numbers)


def test_a_reward_that_is_not_finite_is_no_reward():
    found, result = row("reward-not-finite")
    assert math.isnan(found["reward"])
    assert kinds(result) == {"harbor.not-finite": None}


def test_clocks_that_cannot_be_compared_give_no_duration():
    found, result = row("mixed-clocks-and-backwards")
    assert math.isnan(found["wall_s"])
    assert math.isnan(found["verifier_s"])
    assert found["agent_s"] == 90.0
    assert kinds(result) == {"harbor.backwards": None, "harbor.local-times": None, "harbor.mixed-clocks": None}


@pytest.mark.parametrize(
    ("oddity", "kind"),
    [
        ("cut-off", "harbor.damaged"),
        ("empty", "harbor.empty"),
        ("lfs-pointer", "harbor.pointer"),
        ("name-missing-inside", "harbor.no-trial"),
    ],
)
def test_what_is_no_result_gives_no_row_and_says_why(oddity, kind):
    result = read_fixture("harbor_trial", oddity)
    assert (result.trials, result.rows, list(kinds(result))) == (None, 0, [kind])


@pytest.mark.parametrize(("oddity", "task"), [("utf-16", "排序"), ("byte-order-mark", "sort-lines")])
def test_other_encodings_are_read(oddity, task):
    found, result = row(oddity)
    assert (found["task"], found["reward"], result.problems) == (task, 1.0, ())


def test_bytes_that_are_no_text_are_named_and_the_rest_is_read():
    found, result = row("bytes-that-are-no-text")
    assert (found["reward"], kinds(result)) == (1.0, {"harbor.encoding": None})


def test_a_result_too_large_to_parse_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(harbor_json, "MAX_BYTES", 100_000)
    location = tmp_path / "result.json"
    location.write_text('{"trial_name": "a__aaaaaaa", "x": "' + "y" * 200_000 + '"}')
    result = BY_NAME["harbor_trial"].read(source_of(location))
    assert (result.trials, kinds(result)) == (None, {"harbor.too-large": None})


def test_a_result_of_many_blocks_is_read_whole(tmp_path):
    location = tmp_path / "result.json"
    location.write_text('{"trial_name": "a__aaaaaaa", "x": "' + "y" * 300_000 + '", "task_name": "z"}')
    assert BY_NAME["harbor_trial"].read(source_of(location)).trials["task"].tolist() == ["z"]


# The trials of a job -------------------------------------------------------------------------------------------------


def test_whole_results_are_rows_and_every_other_folder_is_counted():
    result = read_folder("odd-folders")
    assert result.trials["trial"].tolist() == ["sort-lines__whole01"]
    assert result.trials["source"].tolist() == ["job_a/sort-lines__whole01/result.json"]
    assert result.source == "job_a/*/result.json"
    said = {problem.kind: problem.what.en for problem in result.problems}
    assert said == {
        "harbor.damaged": "Results that are cut off or no JSON: 1 (sort-lines__cutoff1).",
        "harbor.empty": "Results that are empty: 1 (sort-lines__nothing).",
        "harbor.no-object": "Results that hold no JSON object (null, a list or a plain value): "
        "1 (sort-lines__nullnul).",
        "harbor.no-trial": "Results without a trial name: 1 (sort-lines__nonames).",
        "harbor.pointer": "Results that are Git LFS or git-annex pointers, not the files themselves: "
        "1 (sort-lines__pointer).",
        "harbor.unfinished": "Trial folders without a result: 2 (sort-lines__killed1, sort-lines__running).",
    }


def test_every_reward_key_is_a_column_and_reward_is_the_primary_one():
    trials = read_folder("several-reward-keys").trials
    assert [name for name in trials.columns if name.startswith("reward")] == [
        "reward",
        "reward/reward",
        "reward/style",
        "reward/tests",
    ]
    assert trials["reward"].tolist() == [0.5, pytest.approx(math.nan, nan_ok=True)]
    assert trials["reward/tests"].tolist() == [3.0, 1.0]


def test_the_only_reward_key_is_the_primary_one():
    trials = read_folder("one-other-reward-key").trials
    assert (trials["reward"].tolist(), trials["reward/accuracy"].tolist()) == ([0.75], [0.75])


def test_of_several_keys_none_of_which_is_the_reward_none_is_chosen():
    trials = read_folder("no-primary-reward").trials
    assert trials["reward"].isna().all()
    assert (trials["reward/accuracy"].item(), trials["reward/style"].item()) == (0.75, 1.0)


def test_a_trial_in_several_folders_is_one_row_of_the_last_attempt():
    result = read_folder("one-trial-in-three-folders")
    (found,) = result.trials.to_dict("records")
    assert found["source"] == "job_e/sort-lines__second1/result.json"
    assert (found["reward"], found["retries"]) == (1.0, 1.0)  # the copy of the first attempt is no attempt of its own
    assert kinds(result) == {"harbor.repeated": None}


def test_too_many_reward_keys_do_not_become_columns(tmp_path):
    rewards = {f"k{i:03}": i for i in range(100)} | {"reward": 1}
    folder = tmp_path / "job" / "a__aaaaaaa"
    folder.mkdir(parents=True)
    record = {"trial_name": "a__aaaaaaa", "verifier_result": {"rewards": rewards}}
    (folder / "result.json").write_text(json.dumps(record))
    result = harbor_trials.read_bundle(bundle_of(tmp_path))
    assert len([name for name in result.trials.columns if name.startswith("reward/")]) == 64
    assert result.trials["reward"].tolist() == [1.0]
    (problem,) = result.problems
    assert (problem.kind, "37" in problem.what.en) == ("harbor.many-reward-keys", True)


def test_a_folder_of_trials_none_of_which_has_ended_is_no_run(tmp_path):
    (tmp_path / "job" / "a__aaaaaaa" / "agent").mkdir(parents=True)
    (tmp_path / "job" / "a__aaaaaaa" / "config.json").write_text("{}")
    assert scan_archive(tmp_path, SiteSettings()).runs == ()


def test_nothing_but_results_is_opened_and_each_once(tmp_path, monkeypatch):
    for name in ("a__aaaaaaa", "b__bbbbbbb"):
        folder = tmp_path / "job" / name
        (folder / "agent").mkdir(parents=True)
        (folder / "agent" / "trajectory.json").write_text("{}")
        (folder / "result.json").write_text(json.dumps({"trial_name": name}))
    source = bundle_of(tmp_path)
    opened = []
    original = harbor_json.os.open

    def watched(path, flags):
        opened.append(Path(path).relative_to(tmp_path).as_posix())
        return original(path, flags)

    monkeypatch.setattr(harbor_json.os, "open", watched)
    assert harbor_trials.read_bundle(source).rows == 2
    assert opened == ["job/a__aaaaaaa/result.json", "job/b__bbbbbbb/result.json"]


def test_a_result_that_vanished_after_the_scan_is_named(tmp_path):
    for name in ("a__aaaaaaa", "b__bbbbbbb"):
        (tmp_path / "job" / name).mkdir(parents=True)
        (tmp_path / "job" / name / "result.json").write_text(json.dumps({"trial_name": name}))
    source = bundle_of(tmp_path)
    (tmp_path / "job" / "a__aaaaaaa" / "result.json").unlink()
    result = harbor_trials.read_bundle(source)
    assert result.trials["trial"].tolist() == ["b__bbbbbbb"]
    assert [problem.what.en for problem in result.problems] == ["Results that could not be opened: 1 (a__aaaaaaa)."]


def test_many_odd_files_are_one_problem_with_a_bounded_list():
    oddities = Oddities()
    for number in range(3000):
        oddities.add("harbor.empty", f"t{number}")
        oddities.add("harbor.empty", f"t{number}")
    (problem,) = oddities.problems("x")
    assert problem.what.en == "Results that are empty: 3,000 (t0, t1, t2, t3, t4 and 2,995 more)."
    assert name_list(["a", "b"], 2).zh == "a, b"


# Jobs ----------------------------------------------------------------------------------------------------------------


def test_a_newer_job_counts_what_runs_and_names_rewards_by_number():
    result = read_fixture("harbor_job", "newer-and-running")
    job = result.trial_job
    assert (job.total, job.finished, job.unfinished, job.cancelled, job.retries, job.ended) == (6, 3, 3, 0, 2, False)
    assert job.rewards == {"a__aaaaaaa": {"reward": 1.0}, "b__bbbbbbb": {"reward": 0.5, "tests": 3.0}}
    assert job.exceptions == {"c__ccccccc": "VerifierTimeoutError"}
    assert kinds(result) == {"harbor.retried": None}


def test_a_mean_of_0_where_nothing_was_graded_is_no_reward():
    result = read_fixture("harbor_job", "older-none-graded")
    assert (result.trial_job.rewards, result.trials) == ({}, None)
    assert (result.trial_job.total, result.trial_job.finished, result.trial_job.unfinished) == (10000, 2, None)


def test_whole_rewards_are_numbers_like_any_other():
    job = read_fixture("harbor_job", "whole-rewards").trial_job
    assert job.rewards == {"a__aaaaaaa": {"reward": 1.0}, "b__bbbbbbb": {"reward": 0.0}}
    assert job.ended


def test_wrong_types_in_a_job_count_as_not_said():
    result = read_fixture("harbor_job", "wrong-types")
    job = result.trial_job
    assert (job.total, job.finished, job.unfinished, job.ended, job.rewards) == (None, None, None, False, {})
    assert kinds(result) == {"harbor.wrong-type": None}


@pytest.mark.parametrize(("oddity", "kind"), [("cut-off", "harbor.damaged"), ("a-list-of-counts", "harbor.no-object")])
def test_a_job_that_cannot_be_read_is_named(oddity, kind):
    result = read_fixture("harbor_job", oddity)
    assert (result.trial_job, list(kinds(result))) == (None, [kind])


# Damage --------------------------------------------------------------------------------------------------------------

FIXTURES = sorted(entry for name in ("harbor_trial", "harbor_job") for entry in (DATA / name).rglob("result.json"))
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(data=st.data())
def test_no_damage_makes_a_reader_raise(tmp_path, data):
    content = bytearray(data.draw(st.sampled_from(FIXTURES)).read_bytes())
    for _ in range(data.draw(st.integers(0, 6)) if content else 0):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(content[: data.draw(st.integers(0, len(content)))])
    if data.draw(st.booleans()):
        cut = cut.decode("utf-8", "replace").encode("utf-16")
    location = tmp_path / "a__aaaaaaa" / "result.json"
    location.parent.mkdir(exist_ok=True)
    location.write_bytes(cut)
    source = source_of(location)
    claims = [reader for reader in READERS if reader.claims(source)]
    assert len(claims) <= 1
    for reader in (harbor_trials.SINGLE, BY_NAME["harbor_job"]):
        result = reader.read(source)
        assert result.rows == 1 or result.problems
    assert harbor_trials.read_bundle(bundle_of(tmp_path)).rows in (0, 1)


PLAIN = json.loads((DATA / "harbor_trial" / "multi-step" / "run_a" / "result.json").read_text())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(sorted(PLAIN)), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(key=st.sampled_from(sorted(PLAIN)), value=JSON, drop=st.booleans())
def test_a_key_that_is_missing_or_of_any_type_never_raises(key, value, drop):
    record = {name: given for name, given in PLAIN.items() if name != key}
    if not drop:
        record[key] = value
    noted: list[str] = []
    trial = trial_of(record, noted.append)
    named = isinstance(record.get("trial_name"), str) and record["trial_name"] != ""
    assert (trial is not None) == named
    assert set(noted) <= {kind for kind in _declared() if kind.startswith("harbor.")}


@pytest.mark.parametrize("value", [10**400, -(10**400), math.inf, math.nan])
def test_numbers_beyond_every_float_are_missing(value):
    noted: list[str] = []
    trial = trial_of({"trial_name": "a__aaaaaaa", "agent_result": {"cost_usd": value}}, noted.append)
    assert math.isnan(trial.row.cost_usd)
    assert noted == ["harbor.not-finite"]


def _declared():
    path = Path(__file__).parents[2] / "sitegen" / "strings" / "problems" / "harbor.toml"
    return tomllib.loads(path.read_text("utf-8"))


# Samples -------------------------------------------------------------------------------------------------------------

samples = pytest.mark.skipif(not HARBOR.is_dir(), reason="the sample folder is not beside the repository")


@samples
def test_sample_results_are_all_rows_but_the_one_cut_off():
    (run,) = scan_archive(HARBOR, SiteSettings()).runs
    results = [
        reader.read(file) for file in with_heads(run, READERS).files if (reader := claimant(file, READERS)) is not None
    ]
    trials = [result.trials for result in results if result.trials is not None]
    assert sorted(map(len, trials)) == [1, 1, 1, 7, 24]
    for table in trials:
        assert table.equals(tables.conform(table, tables.TRIALS))
    written = {path for path in HARBOR.rglob("result.json") if "trial_name" in path.read_text()}
    assert len(written) == sum(map(len, trials)) + 1
    assert sum(result.trial_job is not None for result in results) == 4


@samples
def test_sample_trial_of_two_steps_gives_their_sums():
    source = bundle_of(HARBOR / "GENERATED_newschema_job")
    trials = harbor_trials.read_bundle(source).trials.set_index("task")
    own = trials.loc["multi-step"]
    assert own[["input_tokens", "cache_tokens", "output_tokens", "turns"]].tolist() == [4000, 1000, 600, 8]
    assert (own["cost_usd"], own["exception"], own["reward"]) == (pytest.approx(0.03), "AgentTimeoutError", 0.5)
    assert (own["agent_s"], own["verifier_s"], own["wall_s"]) == (360.0, 20.0, 400.0)
    assert trials.loc["timeout-with-reward", ["exception", "reward", "turns"]].tolist() == ["AgentTimeoutError", 1.0, 0]
    assert math.isnan(trials.loc["null-rewards", "reward"])
