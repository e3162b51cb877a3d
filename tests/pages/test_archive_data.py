import json
import re
from typing import Any

import numpy as np
import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.analyse.series import LIMIT, Series, run_series
from sitegen.pages.archive_data import archive_files, found_scripts, series_file, series_lines, series_script
from sitegen.pages.base import SiteFile
from sitegen.pages.row import run_row
from sitegen.privacy import masked
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_nonfinite, make_run, make_steps
from tests.pages.rows import many, row
from tests.pages.site_fixture import glossary, site_context


def registered(file: SiteFile) -> tuple[str, Any]:
    found = re.fullmatch(r'sitegen\.register\("(\w+)",(.*)\);\n', file.content.decode(), flags=re.DOTALL)
    assert found, file.path
    return found[1], json.loads(found[2])


def series(name: str, values: list[float], first: int = 1, **changes: Any) -> Series:
    fields: dict[str, Any] = {
        "name": name,
        "kind": "train",
        "step": np.arange(first, first + len(values)),
        "value": np.array(values),
        "best": max(values),
        "best_step": first + int(np.argmax(values)),
        "mean": float(np.mean(values)),
        "at_checkpoint": None,
    }
    return Series(**(fields | changes))


def made(rows: list[Any], logged: dict[str, list[Series]]) -> dict[str, tuple[str, Any]]:
    scripts = {slug: series_script(slug, items) for slug, items in logged.items()}
    reads = {slug: (lambda content=file.content: content) for slug, file in scripts.items() if file}
    files = list(archive_files(rows, site_context(), reads))
    assert len({file.path for file in files}) == len(files)
    return {file.path: registered(file) for file in files}


def steps_of_a_run() -> list[dict[str, Any]]:
    rewards = [0.1, 0.5, 0.4, 0.2]
    found: list[dict[str, Any]] = [
        {"step": i + 1, "reward/avg_raw_reward": value, "timing/step": 100.0 + i} for i, value in enumerate(rewards)
    ]
    found[1]["policy/policy_entropy"] = 0.3
    found.append({"step": 2, "reward/avg_raw_reward": 9.0, "superseded_last": 1})
    found.append({"step": 3, "kind": "eval", "eval/score": 0.7})
    return found


def series_of_a_run() -> dict[tuple[str, str], Series]:
    run = make_run(steps=make_steps(steps_of_a_run()), config=make_config({"trainer.hf_save_interval": 1}))
    analysis = analyse(run, SiteSettings())
    direction = {"reward/avg_raw_reward": "up", "timing/step": "down", "eval/score": "near:1"}
    found = run_series(run, analysis, lambda name: direction.get(name, "info"))
    return {(item.name, item.kind): item for item in found}


def test_a_series_holds_the_lineage_and_the_best_in_its_own_direction() -> None:
    found = series_of_a_run()
    reward = found["reward/avg_raw_reward", "train"]
    assert (reward.step.tolist(), reward.value.tolist()) == ([1, 2, 3, 4], [0.1, 0.5, 0.4, 0.2])
    assert (reward.best, reward.best_step) == (0.5, 2), "the superseded 9 is no best"
    assert reward.mean == pytest.approx((0.1 + 0.5 + 0.4 + 0.2 + 9.0) / 5), "as in the summary table"
    time = found["timing/step", "train"]
    assert (time.best, time.best_step) == (100.0, 1)
    entropy = found["policy/policy_entropy", "train"]
    assert (entropy.step.tolist(), entropy.best) == ([2], None)
    assert found["eval/score", "eval"].value.tolist() == [0.7]


def test_the_value_at_the_checkpoint_is_the_one_logged_there() -> None:
    found = series_of_a_run()
    run = make_run(steps=make_steps(steps_of_a_run()), config=make_config({"trainer.hf_save_interval": 1}))
    step = analyse(run, SiteSettings()).checkpoint.step
    assert step is not None
    reward = found["reward/avg_raw_reward", "train"]
    assert reward.at_checkpoint == dict(zip([1, 2, 3, 4], [0.1, 0.5, 0.4, 0.2], strict=True))[step]
    assert found["policy/policy_entropy", "train"].at_checkpoint is (None if step != 2 else 0.3)


def test_a_metric_that_was_only_ever_not_finite_has_no_series() -> None:
    steps = make_steps([{"step": 1, "a": 1.0}])
    run = make_run(steps=steps, nonfinite=make_nonfinite([{"step": 1, "metric": "b", "value": float("nan")}]))
    found = [item.name for item in run_series(run, analyse(run, SiteSettings()), lambda name: "up")]
    assert found == ["a"]


def test_a_long_series_keeps_both_ends_and_says_its_steps() -> None:
    steps = make_steps([{"step": i, "a": float(i)} for i in range(1, 1202)])
    run = make_run(steps=steps)
    (found,) = run_series(run, analyse(run, SiteSettings()), lambda name: "up")
    assert len(found.step) == LIMIT
    assert (found.step[0], found.step[-1], found.best) == (1, 1201, 1201.0)
    assert (np.diff(found.step) > 0).all()
    assert found.value.tolist() == found.step.astype(float).tolist()


def test_the_script_of_a_run_is_a_line_per_metric() -> None:
    names = ['a.b[0]:c "<b>', "奖励", "plain"]
    file = series_script("team/run", [series(name, [0.5, 0.25], first=7) for name in names])
    assert file is not None
    assert re.fullmatch(r"runs/team/run/data/series\.[0-9a-f]{10}\.js", file.path)
    key, data = registered(file)
    assert (key, list(data["team/run"])) == ("series", names)
    assert data["team/run"]["plain"] == [0.5, 7, 0.375, None, 7, [0.5, 0.25]]
    lines = dict(series_lines(file.content))
    assert {name: json.loads(record) for name, record in lines.items()} == data["team/run"]
    assert b"</" not in file.content


def test_steps_that_do_not_follow_one_by_one_are_all_said() -> None:
    item = series("a", [1.0, 2.0], step=np.array([5, 10]))
    file = series_script("r", [item])
    assert file is not None
    assert registered(file)[1]["r"]["a"][4] == [5, 10]


def test_a_name_of_both_kinds_is_two_metrics() -> None:
    file = series_script("r", [series("a", [1.0]), series("a", [2.0], kind="eval")])
    assert file is not None
    assert list(registered(file)[1]["r"]) == ["a", "a (eval)"]


def test_a_run_without_metrics_has_no_script() -> None:
    run = make_run()
    assert series_file(run, analyse(run, SiteSettings()), glossary()) is None


def test_a_metric_of_all_runs_is_put_together_in_the_order_of_the_index() -> None:
    rows = [row("x"), row("y", framework="verl"), row("z")]
    logged = {"z": [series("m/a", [3.0])], "x": [series("m/a", [1.0]), series("m/b", [2.0])]}
    files = made(rows, logged)
    path = next(path for path in files if path.startswith("data/metric-m-a."))
    assert files[path] == (
        "metric",
        {"m/a": {"at": [0, 2], "runs": [[1, 1, 1, None, 1, [1]], [3, 1, 3, None, 1, [3]]]}},
    )
    columns = files[found_scripts(files).columns][1]
    assert [(item["key"], item["runs"]) for item in columns["metrics"]] == [("m/a", 2), ("m/b", 1)]
    assert columns["metrics"][0]["file"] == path
    assert columns["configs"] in files


def test_what_a_name_means_is_said_per_framework() -> None:
    rows = [row("x"), row("y", framework="verl")]
    name = "timing/step"
    columns = made(rows, {item.slug: [series(name, [1.0])] for item in rows})
    (metric,) = columns[found_scripts(columns).columns][1]["metrics"]
    assert set(metric["means"]) == {"skyrl", "verl"}
    assert metric["zh"] != metric["en"]


def test_settings_are_coded_by_value_and_what_is_not_set_is_minus_one() -> None:
    rows = [row("x", config={"lr": 8e-6, "a": None}), row("y", config={"lr": 2e-5}), row("z", config={"lr": 8e-6})]
    files = made(rows, {})
    columns = files[found_scripts(files).columns][1]
    assert files[columns["configs"]][1] == {"a": [["null"], [0, -1, -1]], "lr": [["8e-6", "2e-5"], [0, 1, 0]]}
    assert columns["settings"] == [
        {"key": "a", "runs": 1, "values": 1},
        {"key": "lr", "runs": 3, "values": 2, "term": "skyrl-cfg-lr"},
    ]


def test_a_very_long_setting_is_cut_and_says_so() -> None:
    files = made([row("x", config={"prompt": "p" * 5000})], {})
    (names, _) = files[files[found_scripts(files).columns][1]["configs"]][1]["prompt"]
    assert names[0] == "p" * 199 + "…"


def test_the_runs_script_holds_what_the_table_shows() -> None:
    files = made(many(), {})
    key, data = files[found_scripts(files).runs]
    assert key == "runs"
    rows = many()
    at = data["slugs"].index("stopped")
    assert data["titles"][at] == "demo-mcqa-25-8B-lr2e-5"
    assert {name: data["numbers"][name][at] for name in ("steps", "solved", "problems", "severity", "guessed")} == {
        "steps": 41,
        "solved": 0.339,
        "problems": 4,
        "severity": 2,
        "guessed": 4,
    }
    status = data["facets"]["status"]
    assert status["names"][status["at"][at][0]] == "stopped-early"
    assert data["told"] == {"trials": [0], "solved": [0]}
    short = data["slugs"].index("short")
    assert (data["sparks"][short], data["numbers"]["ema"][short]) == (None, None)
    assert data["meaning"]["at"][data["slugs"].index("verl-gsm8k")] != data["meaning"]["at"][at]
    assert len(data["sparks"]) == len(rows)


def test_a_run_without_reward_ranks_after_every_meaning() -> None:
    files = made([row("x"), row("y", fact_reward_metric=None, spark=None)], {})
    data = files[found_scripts(files).runs][1]
    assert data["meaning"]["at"] == [0, 1]
    assert len(data["meaning"]["en"]) == 1


def test_the_same_runs_give_the_same_bytes() -> None:
    logged = {item.slug: [series("m/a", [0.1])] for item in many()}
    assert made(many(), logged) == made(many(), dict(reversed(logged.items())))


def test_metrics_whose_names_differ_in_case_only_have_files_of_their_own() -> None:
    files = made([row("x")], {"x": [series("m/A", [1.0]), series("m/a", [2.0]), series("M/a", [3.0])]})
    paths = [path.lower() for path in files if path.startswith("data/metric-")]
    assert len(set(paths)) == 3


def test_no_secret_reaches_a_script() -> None:
    secret = "wk0123456789abcdefabcdef"
    config = make_config({"wandb.api_key": secret, "trainer.path": "/home/someone/runs"})
    run = masked(make_run(steps=make_steps([{"step": 1, "a": 1.0}]), config=config))
    analysis = analyse(run, SiteSettings())
    files = list(archive_files([run_row(run, analysis)], site_context(), {}))
    own = series_file(run, analysis, glossary())
    assert own is not None
    for file in (*files, own):
        assert secret.encode() not in file.content
        assert b"someone" not in file.content
    assert b"wandb.api_key" in b"".join(file.content for file in files)
