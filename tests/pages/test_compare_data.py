"""What the compare page loads of a run: figures, curves with both smoothings, settings, explanations."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import Run
from sitegen.pages.base import SiteFile
from sitegen.pages.compare_data import SHOWN_ROLES, compare_files, compare_script, explained, shown_setting
from sitegen.pages.row import run_row
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_nonfinite, make_run, make_steps
from tests.pages.compare_runs import one
from tests.pages.rows import row
from tests.pages.site_fixture import glossary, site_context

REWARD = "reward/avg_raw_reward"


def files_of(run: Run) -> list[SiteFile]:
    return list(compare_files(run, analyse(run, SiteSettings()), glossary()))


def registered(file: SiteFile) -> tuple[str, Any]:
    found = re.fullmatch(r'sitegen\.register\("(\w+)",(.*)\);\n', file.content.decode(), flags=re.DOTALL)
    assert found, file.path
    return found[1], json.loads(found[2])


def about(run: Run) -> dict[str, Any]:
    key, data = registered(files_of(run)[-1])
    assert key == "compare"
    found: dict[str, Any] = data[run.slug]
    return found


def lines(run: Run) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for file in files_of(run)[:-1]:
        key, data = registered(file)
        assert key == "lines"
        found |= data
    return found


def small() -> Run:
    rows: list[dict[str, Any]] = [
        {"step": i + 1, REWARD: value, "timing/step": 100.0} for i, value in enumerate([0.1, 0.4, 0.7, 0.4])
    ]
    rows[1]["policy/raw_grad_norm"] = 0.5
    rows[3] |= {"policy/raw_grad_norm": 0.25}
    rows.append({"step": 2, "kind": "eval", "eval/score": 0.7})
    return make_run(
        slug="team/run",
        steps=make_steps(rows),
        nonfinite=make_nonfinite([{"step": 3, "metric": "policy/raw_grad_norm", "value": math.inf}]),
        config=make_config(
            {"generator.n_samples_per_prompt": 8, "trainer.hf_save_interval": 1, "b": None, "a": [1, 2]}
        ),
    )


def test_a_line_holds_raw_values_and_both_smoothings() -> None:
    first, raw, ema, mean5, bad = lines(small())[f"team/run:{REWARD}"]
    assert (first, raw, bad) == (1, [0.1, 0.4, 0.7, 0.4], [])
    assert ema == mean5 == raw  # too few to smooth

    rows = [{"step": step, REWARD: value} for step, value in enumerate([0.1, 0.4, 0.7, 0.4, *[0.4] * 6], start=1)]
    _, _, ema, mean5, _ = lines(make_run(slug="team/run", steps=make_steps(rows)))[f"team/run:{REWARD}"]
    third = 0.2 * 2 / 3 + 0.7 / 3
    assert ema[:4] == pytest.approx([0.1, 0.2, third, third * 2 / 3 + 0.4 / 3], rel=1e-6)
    assert mean5[:4] == pytest.approx([0.1, 0.25, 0.4, 0.4], rel=1e-6)


def test_gaps_stay_gaps_and_what_is_not_finite_is_said() -> None:
    first, raw, ema, _, bad = lines(small())["team/run:policy/raw_grad_norm"]
    assert (first, raw, ema[0], ema[2]) == (1, [None, 0.5, None, 0.25], None, None)
    assert bad == [3]


def test_an_evaluation_is_a_line_of_its_own() -> None:
    assert lines(small())["team/run:eval/score (eval)"][:2] == [2, [0.7]]


def test_the_figures_of_a_metric() -> None:
    found = about(small())
    chunk, direction, term, best, best_step, mean, checkpoint, last, last_step = found["metrics"][REWARD]
    assert (chunk, direction, term) == (0, "up", "skyrl-avg_raw_reward")
    assert (best, best_step, mean, last, last_step) == (0.7, 3, pytest.approx(0.4), 0.4, 4)
    assert checkpoint == [0.1, 0.4, 0.7, 0.4][found["checkpoint"] - 1]
    assert found["metrics"]["timing/step"][1] == "down"
    assert found["metrics"]["policy/raw_grad_norm"][1] == "", "it has no better direction"
    assert (found["samples"], found["last"], found["reward"], found["framework"]) == (8, 4, REWARD, "skyrl")


def test_what_an_assumed_configuration_says_is_not_known() -> None:
    settings = {
        "generator.n_samples_per_prompt": 8,
        "trainer.train_batch_size": 64,
        "data.train_data": ["org/tasks"],
        "trainer.placement.policy_num_nodes": 2,
        "trainer.placement.policy_num_gpus_per_node": 8,
        "trainer.placement.colocate_all": True,
    }
    recorded = make_config(settings)
    keys = ("samples", "batch", "data", "gpus")
    found = about(make_run(steps=make_steps([{"step": 1, REWARD: 0.5}]), config=recorded))
    assert [found[key] for key in keys] == [8, 64, "org/tasks", 16]
    run = make_run(
        steps=make_steps([{"step": 1, REWARD: 0.5}]), config=replace(recorded, header="Assumed, not recorded")
    )
    assert [about(run)[key] for key in keys] == [None, None, None, None]


def test_what_is_shown_at_first_is_in_one_script_and_the_rest_in_others() -> None:
    names = [f"group/metric_{i}" for i in range(300)]
    steps = make_steps([{"step": s, REWARD: s / 90, **dict.fromkeys(names, s / 7)} for s in range(1, 81)])
    run = make_run(slug="r", steps=steps)
    made, found = files_of(run), about(run)
    roles = {found["roles"][role] for role in SHOWN_ROLES if role in found["roles"]}
    assert set(registered(made[0])[1]) == {f"r:{name}" for name in roles}
    assert len(made) > 4
    assert all(len(file.content) < 80_000 for file in made[:-1])
    for name, figures in found["metrics"].items():
        (holder,) = [file for file in made[:-1] if f"r:{name}" in registered(file)[1]]
        assert found["files"][figures[0]] == holder.path


def test_settings_are_as_they_are_shown_with_what_explains_them() -> None:
    found = about(small())
    assert found["config"] == {
        "generator.n_samples_per_prompt": "8",
        "trainer.hf_save_interval": "1",
        "b": "null",
        "a": shown_setting([1, 2]),
    }
    entry = glossary().find("generator.n_samples_per_prompt", "skyrl", "setting")
    assert entry is not None
    assert found["settings"]["generator.n_samples_per_prompt"].split(" ")[0] == entry.id
    assert "b" not in found["settings"]


def test_a_long_setting_is_cut_and_differs_where_the_whole_differs() -> None:
    one_, other = shown_setting("x" * 5000 + "a"), shown_setting("x" * 5000 + "b")
    assert len(one_) < 700
    assert one_ != other
    assert one_ == shown_setting("x" * 5000 + "a")


def test_a_long_line_keeps_its_extremes() -> None:
    values = [0.5] * 3000
    values[1234], values[2345] = 0.9, 0.1
    run = make_run(slug="r", steps=make_steps([{"step": i + 1, REWARD: v} for i, v in enumerate(values)]))
    steps, raw, *_ = lines(run)[f"r:{REWARD}"]
    assert len(raw) <= 500
    assert (steps[0], steps[-1]) == (1, 3000)
    assert (max(raw), min(raw)) == (0.9, 0.1)
    assert raw[steps.index(1235)] == 0.9


def test_hostile_names_stay_data() -> None:
    name = '</script><b>"\u2028奖励'
    run = make_run(slug="r", steps=make_steps([{"step": 1, name: 1.0}]), config=make_config({name: name}))
    assert all(b"</" not in file.content for file in files_of(run))
    assert list(about(run)["metrics"]) == [name]
    assert about(run)["config"] == {name: name}


def test_a_run_without_anything_still_says_so() -> None:
    found = about(make_run(slug="r"))
    assert (found["metrics"], found["files"], found["config"], found["last"]) == ({}, [], {}, None)


def test_the_files_of_a_run_are_the_same_every_time_and_named_by_content() -> None:
    first, again = files_of(small()), files_of(small())
    assert first == again
    other = make_run(slug="team/run", steps=make_steps([{"step": 1, REWARD: 0.2}]))
    assert files_of(other)[-1].path != first[-1].path
    assert all(re.fullmatch(r"runs/team/run/data/(lines-\d+|compare)\.[0-9a-f]{10}\.js", file.path) for file in first)


def test_all_runs_are_found_in_the_order_of_the_index() -> None:
    rows = [row("x"), row("y"), row("z")]
    paths = {"z": "runs/z/data/compare.0123456789.js", "x": "runs/x/data/compare.abcdef0123.js"}
    en, zh, found = compare_script(rows, site_context(), paths)
    assert registered(found) == (
        "compareFiles",
        {"hashes": ["abcdef0123", None, "0123456789"], "terms": {"en": en.path, "zh": zh.path}},
    )


def test_metrics_and_settings_are_explained_in_both_languages() -> None:
    run = one(0)
    rows = [run_row(run, analyse(run, SiteSettings()))]
    en, zh = (explained(rows, glossary(), lang) for lang in ("en", "zh"))
    assert list(en["terms"]) == list(zh["terms"])
    key = about(run)["metrics"]["timing/step"][2]
    assert re.search(r"[一-鿿]", zh["terms"][key]["s"])
    assert not re.search(r"[一-鿿]", en["terms"][key]["s"])
    for found in (en, zh):
        for item in found["terms"].values():
            assert set(item) == {"t", "s", "m"}
            assert all(0 <= place < len(found["facts"]) for place in item["m"])
    settings = about(run)["settings"].values()
    assert set(settings) <= set(en["terms"])


def test_every_link_of_an_explanation_has_its_page() -> None:
    from sitegen.pages.glossary import book

    run = one(0)
    rows = [run_row(run, analyse(run, SiteSettings()))]
    pages = book(rows, glossary()).ids
    assert {key.split(" ")[0] for key in explained(rows, glossary(), "en")["terms"]} <= pages
