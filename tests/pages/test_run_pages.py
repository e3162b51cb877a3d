"""The pages of a run: which exist, what they say, and that nothing a run is called can break them."""

from __future__ import annotations

import gzip
import html
import json
import posixpath
import re
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from sitegen.model.problems import Problem
from sitegen.model.run import Published, PublishedMetric, PublishedTrials, Run, RunConfig, RunSettings, SourceUse
from sitegen.text import Text
from tests.factories import (
    make_batches,
    make_config,
    make_engines,
    make_run,
    make_series,
    make_steps,
    make_trials,
    published_run,
)
from tests.pages.run_fixture import files, read, text_of

CONFIG = make_config(
    {
        "trainer.train_batch_size": 64,
        "trainer.ckpt_interval": 2,
        "trainer.hf_save_interval": 5,
        "trainer.policy.optimizer_config.lr": 8e-6,
        "harbor.enable_error_classification": True,
        "harbor.mask_exceptions": ["DaytonaError"],
        "harbor.passthrough_exceptions": ["AgentTimeoutError", "DaytonaError"],
    },
    header="Assumed, from a sister configuration",
)

TRIALS_TOLD = PublishedTrials(
    total=43795,
    graded=43482,
    mean_reward=0.4853,
    success_rate=0.485,
    turns={"mean": 2.1},
    exceptions={"none": 38610, "AgentTimeoutError": 4917, "DaytonaError": 268},
    by_exception={"AgentTimeoutError": {"mean": 1.3, "median": 1.0, "count": 4917}},
    by_outcome={
        "success": {"mean": 2.2, "median": 2.0, "count": 21100},
        "failure": {"mean": 2.0, "median": 2.0, "count": 22382},
    },
)


def report(**fields: object) -> Published:
    base = Published(
        path="run/report.md",
        metrics={},
        timing={},
        engines={},
        trials=None,
        checkpoint_step=None,
        values=(),
    )
    return replace(base, **fields)  # type: ignore[arg-type]


def whole_run(**fields: object) -> Run:
    """A run that has something for every page."""
    steps = make_series("reward/avg_raw_reward", [0.1 * (i % 7) for i in range(1, 21)])
    steps["timing/step"] = [100.0] * 20
    steps["timing/wait_for_generation_buffer"] = [75.0] * 20
    trials = make_trials(
        [
            {"task": f"task-{i % 3}", "trial": f"task-{i % 3}__x{i}", "reward": float(i % 2), "turns": i % 5 + 1}
            for i in range(30)
        ]
        + [{"task": "task-9", "exception": "DaytonaError"}]
    )
    engines = make_engines([{"time": 10.0 * i, "running": 3.0, "waiting": 1.0, "kv_cache_pct": 40.0} for i in range(9)])
    made = make_run(steps=steps, trials=trials, engines=engines, config=CONFIG)
    return replace(made, **fields)  # type: ignore[arg-type]


# ------------------------------------------------------------------ which pages


def test_a_run_with_everything_has_six_pages_in_both_languages() -> None:
    made = files(whole_run())
    kinds = ("index", "metrics", "trials", "engines", "config", "sources")
    pages = {path for path in made if path.endswith(".html")}
    framed = {path for path in pages if "/embed/" in path}
    assert pages - framed == {f"{lang}runs/run/{kind}.html" for lang in ("", "zh/") for kind in kinds}
    assert {"runs/run/embed/reward.html", "zh/runs/run/embed/reward.html"} <= framed
    told = json.loads(made["runs/run/run.json"])
    assert told["slug"] == "run"
    assert f"runs/run/{told['steps_table']}" in made


def test_a_run_without_anything_has_overview_and_sources_and_links_nothing_else() -> None:
    made = files(make_run())
    assert {path for path in made if path.endswith(".html")} == {
        f"{lang}runs/run/{kind}.html" for lang in ("", "zh/") for kind in ("index", "sources")
    }
    page = read(made["runs/run/index.html"])
    assert not [link for link in page.links if re.search(r"(metrics|trials|engines|config)\.html", link)]
    assert "No trial table in this folder." in page.text
    assert "No configuration in this folder." in page.text
    assert "No training step was logged." in page.text


@pytest.mark.parametrize("slug", ["run", "team/lab/run-1"])
def test_every_link_of_a_run_page_leads_to_a_file(slug: str) -> None:
    made = files(whole_run(slug=slug))
    shared = re.compile(
        r"assets/|glossary/|index\.html$|compare/index\.html$|about\.html$|search\.html$|zh/index\.html$"
    )
    for path, content in made.items():
        if not path.endswith(".html"):
            continue
        page = read(content)
        for link in page.links:
            target, _, anchor = link.partition("#")
            if link.startswith(("#", "data:")) or not target:
                assert not anchor or "=" in anchor or anchor in content.decode(), link
                continue
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            assert found in made or shared.match(found.removeprefix("zh/")), (path, link)


def test_ids_are_distinct_on_every_page() -> None:
    for path, content in files(whole_run()).items():
        if path.endswith(".html"):
            ids = read(content).ids
            assert len(ids) == len(set(ids)), (path, sorted({i for i in ids if ids.count(i) > 1}))


def test_pages_hold_no_inline_style_script_or_handler() -> None:
    for path, content in files(whole_run()).items():
        if not path.endswith(".html"):
            continue
        page = read(content)
        assert "style" not in page.tags
        assert not [pair for pair in page.attributes if pair[1] == "style" or pair[1].startswith("on")], path
        for script in re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", content.decode()):
            assert 'type="application/json"' in script


def test_the_same_run_gives_the_same_bytes() -> None:
    assert files(whole_run()) == files(whole_run())


# ------------------------------------------------------------------ what they say


def published(**fields: object) -> dict[str, bytes]:
    told = report(
        trials=TRIALS_TOLD,
        metrics={"policy/policy_entropy": PublishedMetric(mean=0.213363, std=0.01, min=0.18, max=0.24, count=81)},
    )
    run = published_run(config=CONFIG, published=told, **fields)
    first, second = run.jobs
    return files(replace(run, jobs=(first, replace(second, redone=1))))


def test_the_published_run_shows_its_figures() -> None:
    text = text_of(published(), "index", "published")
    for figure in ("81 records", "80 distinct steps", "step 47 was logged twice", "0.4798", "0.7426"):
        assert figure in text
    assert "Step 25 is selected: EMA 0.5281" in text
    assert "Both overlap rules select step 25." in text
    assert "87.8 % of step time is waiting for generation" in text
    assert "Saves every 2 steps 0.5878; first seen wins: step 48, 0.5891 step 48" in text
    assert "Saves every 20 steps 0.5089 step 40" in text
    assert "43,795" in text
    assert "88.2 % without" in text


def test_a_share_says_what_it_is_the_mean_of() -> None:
    text = text_of(published(), "index", "published")
    assert "87.8 % of step time is waiting for generation (mean of timing/ wait_" in text
    assert "step over the 81 records of 2 jobs, superseded ones included); the median step takes 895" in text
    assert "Trials with turns" in text
    assert "Only trials that report turns are counted here; under Errors all are." in text
    assert "Counted over all 31 trials in trials.csv." in text_of(files(whole_run()), "index")
    assert "按 trials.csv 中全部 31 次试验统计。" in text_of(files(whole_run()), "trials", lang="zh")


def test_the_status_says_what_it_rests_on() -> None:
    text = text_of(published(), "index", "published")
    assert "Stopped early, a guess neither a log line nor planned steps tell" in text
    planned = make_config({"max_steps": 20})
    assert "Finished the planned steps of the configuration were reached" in text_of(
        files(whole_run(config=planned)), "index"
    )


def test_metrics_that_never_change_are_lines_of_text_not_charts() -> None:
    made = files(whole_run())
    page = made["runs/run/metrics.html"].decode()
    assert 'id="chart-metric-reward-avg_raw_reward"' in page
    assert 'id="chart-metric-timing-step"' not in page
    assert 'id="same-timing-step"' in page
    text = text_of(made, "metrics")
    assert "Never change" in text
    assert "timing/ step 100" in text
    assert "Time and speed 2" in text  # counted with the charts


def test_charts_of_the_overview_that_never_change_are_lines_of_text_too() -> None:
    steps = make_series("reward/avg_raw_reward", [0.1 * (i % 7) for i in range(1, 21)])
    steps["policy/policy_entropy"] = [0.3 - 0.01 * i for i in range(20)]
    steps["policy/policy_lr"] = [8e-6] * 20
    made = files(make_run(steps=steps))
    page = made["runs/run/index.html"].decode()
    assert '<figure class="c6 card chart-card" id="chart-entropy"' in page
    assert 'id="chart-learning-rate">' in page
    assert 'data-chart="learning-rate"' not in page
    assert "policy/ policy_ lr 8e-6" in text_of(made, "index")


def test_the_runs_own_words_name_their_language() -> None:
    made = files(whole_run(settings=RunSettings(notes="A probe of the sandboxes.")))
    assert '<span lang="en">A probe of the sandboxes.</span>' in made["zh/runs/run/index.html"].decode()
    made = files(whole_run(settings=RunSettings(notes="先看第 3 步。")))
    assert '<span lang="zh-CN">先看第 3 步。</span>' in made["runs/run/index.html"].decode()


def test_a_synthetic_run_says_so_once_with_its_own_words_on_it() -> None:
    settings = RunSettings(tags=("synthetic",), notes="Synthetic: drawn by a seed.")
    page = files(whole_run(settings=settings))["runs/run/index.html"].decode()
    assert '<q lang="en">Synthetic: drawn by a seed.</q>' in page
    assert "<b>Note.</b>" not in page
    other = files(whole_run(settings=RunSettings(tags=("synthetic",), notes="Seed 3.")))["runs/run/index.html"].decode()
    assert "<b>Note.</b>" in other
    assert "<q" not in other


def test_what_only_a_report_says_is_marked() -> None:
    page = published()["runs/published/index.html"].decode()
    for section in ("errors", "trials", "published"):
        head = page.split(f'id="{section}-h"', 1)[1][:200]
        assert '<span class="badge">published</span>' in head, section
    assert "Steps read from a published report." in page
    assert "Configuration assumed." in page
    assert "interval from the assumed configuration" in page
    table = text_of(published(), "metrics", "published")
    assert "Printed in a report; nothing in this folder can recompute them." in table
    assert "0.2134" in table


def test_computed_trials_are_not_marked_as_published() -> None:
    page = files(whole_run())["runs/run/index.html"].decode()
    assert '<span class="badge">published</span>' not in page


def test_exceptions_of_the_table_and_of_the_batches_are_told_apart() -> None:
    def said(masked: int, lang: str = "en", kind: str = "DaytonaError") -> str:
        batches = make_batches([{"step": 1, "instances": 512, "exception/DaytonaError": masked}])
        trials = make_trials([{"exception": kind}, {"reward": 1.0}])
        run = make_run(steps=make_steps([{"step": 1, "reward/avg_raw_reward": 0.5}]), batches=batches, trials=trials)
        return text_of(files(run), "index", lang=lang)

    assert "holds the 2 trials whose results are in this folder" in said(40)
    assert "every batch that was logged (steps: 1), which attempted 512 trials and met 40 exceptions" in said(40)
    assert "共尝试 512 次试验，遇到 40 次异常" in said(40, "zh")
    assert "Two counts" not in said(1)  # the same number of both
    assert "may be a sample of these trials" in said(40)
    other = said(40, kind="VerifierTimeoutError")
    assert "Typesthatonlythetablehas:1(VerifierTimeoutError)." in "".join(other.split())  # the name is marked up
    assert "may be a sample" not in other
    told = "".join(said(40, "zh", "VerifierTimeoutError").split())
    assert "仅出现在表格中的类型有1种（VerifierTimeoutError）" in told


def test_treatments_follow_the_configuration_and_a_name_in_two_lists_is_said() -> None:
    text = text_of(files(whole_run()), "trials")
    assert "DaytonaError in more than one list; the stronger rule is shown" in text
    assert "passed through" in text


def test_the_threshold_is_printed_with_its_weakness() -> None:
    assert "Solved means reward above 0. Where rewards are partial, this is lenient." in text_of(
        files(whole_run()), "trials"
    )


def test_what_the_solved_share_leaves_out_is_said_with_the_share_that_counts_it() -> None:
    """6 of 8 graded are solved; 4 ungraded: 2 of a type scored 0, 1 passed through, 1 without exception."""
    rows: list[dict[str, Any]] = [{"reward": float(n < 6)} for n in range(8)]
    rows += [{"exception": "SetupError"}, {"exception": "SetupError"}, {"exception": "AgentTimeoutError"}, {}]
    keys = {
        "enable_error_classification": True,
        "zero_exceptions": ["SetupError"],
        "passthrough_exceptions": ["AgentTimeoutError"],
    }
    steps = make_steps([{"step": 1, "reward/avg_raw_reward": 0.5}])
    ruled = make_run(steps=steps, trials=make_trials(rows), config=make_config(keys))
    text = text_of(files(ruled), "trials")
    assert (
        "The share leaves out 4 trials without a grade: 2 ended with an exception that the configuration scores 0, "
        "1 with one that it passes through. With 2 of them counted as unsolved it would be 60.0 % (6 of 10)."
    ) in text
    bare = make_run(steps=steps, trials=make_trials(rows))
    assert "leaves out 4 trials without a grade; counted as unsolved, it would be 50.0 % (6 of 12)." in text_of(
        files(bare), "index"
    )
    whole = make_run(steps=steps, trials=make_trials(rows[:8]))
    assert "leaves out" not in text_of(files(whole), "trials")


def test_what_the_trial_table_lacks_is_said() -> None:
    text = text_of(files(whole_run()), "trials")
    assert "What the source does not tell" in text
    assert "Tokens used." in text
    assert "Input tokens" not in text


def test_a_synthetic_run_says_so_on_every_page() -> None:
    made = files(whole_run(settings=RunSettings(tags=("synthetic",))))
    for path, content in made.items():
        if path.endswith(".html"):
            words = "合成数据" if path.startswith("zh/") else "Synthetic run."
            assert words in content.decode(), path


def test_a_missing_gradient_norm_is_a_dash_and_no_zero() -> None:
    steps = make_steps([{"step": 1, "a/b": 1.0, "c": float("nan")}, {"step": 2, "a/b": 2.0, "c": 5.0}])
    made = files(make_run(steps=steps))
    rows = made["runs/run/data/steps.csv"].decode().splitlines()
    column = rows[0].split(",").index("c")
    assert [row.split(",")[column] for row in rows[1:]] == ["", "5.0"]


def test_problems_come_worst_first_with_path_and_line() -> None:
    def item(severity: str, line: int) -> Problem:
        return Problem(
            kind="k",
            severity=severity,  # type: ignore[arg-type]
            path="run/log.out",
            line=line,
            what=Text(f"what {line}", f"何事 {line}"),
            effect=Text("effect", "影响"),
        )

    made = files(make_run(problems=(item("info", 1), item("error", 2), item("warning", 3))))
    text = text_of(made, "sources")
    assert text.index("what 2") < text.index("what 3") < text.index("what 1")
    assert re.search(r"log\. ?out: ?2", text)
    assert "3 problems" in text_of(made, "index")


def test_many_alike_files_are_summed_up() -> None:
    sources = tuple(
        SourceUse(path=f"run/t{i:04d}/result.json", size=10, reader="harbor", rows=1, used_for=("trials",), note=None)
        for i in range(1000)
    )
    text = text_of(files(make_run(sources=sources)), "sources")
    assert "1,000 files" in text
    assert "960 more files, like result.json" in text


def test_raw_configuration_is_escaped_and_whole() -> None:
    raw = "a: '</pre><script>alert(1)</script>'\n"
    config = RunConfig(path="run/c.yaml", values={"a": "</pre><script>"}, lines={"a": 1}, raw=raw, header="")
    content = files(make_run(config=config))["runs/run/config.html"].decode()
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in content
    assert "<script>alert" not in content


# ------------------------------------------------------------------ hostile names

HOSTILE = ("</script><img src=x onerror=alert(1)>", 'a.b[0]:c "<b>', "运行 一", "{0} {x} %s {{ 7*7 }}", "=1+1")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_gets_working_pages(name: str) -> None:
    steps = make_series(name, [0.1, 0.2, 0.4])
    steps["reward/avg_raw_reward"] = [0.1, 0.2, 0.3]
    trials = make_trials([{"task": name, "trial": name, "exception": name, "reward": 1.0, "turns": 2}] * 3)
    config = RunConfig(path=f"run/{name}.yaml", values={name: name}, lines={}, raw=name, header=name)
    run = make_run(
        title=name,
        name=name,
        steps=steps.assign(job=name),
        trials=trials,
        config=config,
        settings=RunSettings(
            tags=(name,), notes=name, links={name: "https://example.org", "bad": "javascript:alert(1)"}
        ),
    )
    made = files(run)
    plain = {path: read(content) for path, content in made.items() if path.endswith(".html")}
    for path, page in plain.items():
        assert "img" not in page.tags, path
        assert "<" not in name or name not in made[path].decode(), path
        assert not [pair for pair in page.attributes if pair[1] in ("onerror", "style")], path
        assert not [link for link in page.links if link.startswith("javascript:")]
    for lang in ("", "zh/"):
        assert name in re.sub(r"\s+", " ", made_title(made[f"{lang}runs/run/index.html"]))
    for path, content in made.items():
        if path.endswith(".js"):
            assert b"</script" not in content
            json.loads(re.fullmatch(rb"sitegen\.register\(\"\w+\",(.*)\);\n", content, re.DOTALL).group(1))  # type: ignore[union-attr]
        if path.endswith(".csv"):
            assert not re.search(rb"(^|,)=", content, re.MULTILINE), path


def made_title(content: bytes) -> str:
    """The document's title, entities resolved."""
    found = re.search(r"<title>(.*?)</title>", content.decode(), re.DOTALL)
    assert found
    return html.unescape(found.group(1))


# ------------------------------------------------------------------ budgets


def test_a_page_of_two_hundred_metrics_and_two_thousand_steps_stays_in_budget() -> None:
    count = 2000
    steps = make_series("reward/avg_raw_reward", [((i * 37) % 101) / 101 for i in range(count)])
    extra = {f"group{m % 9}/metric_{m}": [((i * (m + 3)) % 997) / 997 for i in range(count)] for m in range(200)}
    run = make_run(steps=pd.concat([steps, pd.DataFrame(extra)], axis="columns"))
    for path, content in files(run).items():
        if path.endswith(".html"):
            assert len(gzip.compress(content)) <= 150_000, path


def test_forty_five_thousand_trials_stay_in_budget() -> None:
    rows = 45_000
    trials = make_trials([{"task": "t"}]).loc[[0] * rows].reset_index(drop=True)
    names = [f"{(i * 2654435761) % 2**40:010x}"[:7] for i in range(rows)]
    trials = trials.assign(
        task=[f"knowledge-web-search-{(i * 7919) % 1200:05d}" for i in range(rows)],
        row=range(2, rows + 2),
        reward=[float((i * 31) % 97 > 48) for i in range(rows)],
        turns=[float((i * 17) % 9 + 1) for i in range(rows)],
        input_tokens=[float((i * 7907) % 60013 + 900) for i in range(rows)],
        output_tokens=[float((i * 104729) % 7001 + 50) for i in range(rows)],
        wall_s=[((i * 15485863) % 90001) / 100 for i in range(rows)],
    )
    trials["trial"] = [f"{task}__{name}" for task, name in zip(trials["task"], names, strict=True)]
    made = files(make_run(trials=trials))
    script = next(content for path, content in made.items() if "trials-table" in path)
    assert len(gzip.compress(script)) <= 1_200_000
    page = made["runs/run/trials.html"]
    assert len(gzip.compress(page)) <= 150_000
    assert page.decode().split('id="all-trials"')[1].split("</table>")[0].count("<tr>") == 201


def test_fewer_steps_than_the_number_of_the_last_one_say_so() -> None:
    rows = [{"step": step, "reward/avg_raw_reward": 0.5} for step in (1, 2, 4)]
    assert "the last is step 4" in text_of(files(make_run(steps=make_steps(rows))), "index")
    assert "the last is step" not in text_of(files(make_run(steps=make_steps(rows[:2]))), "index")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.75, 0.0, 0.25], "Reward goes from 0.750 at step 1 to 0.250 at step 3; its highest is 0.750 at step 1."),
        # EMA of a constant is the constant
        ([0.5] * 10, "Smoothed reward goes from 0.500 at step 1 to 0.500 at step 10; its highest is 0.500 at step 1."),
    ],
    ids=["fewer-than-ten-are-not-smoothed", "ten-are"],
)
def test_the_sentence_on_reward_is_about_the_line_that_is_drawn(values: list[float], said: str) -> None:
    page = files(make_run(steps=make_series("reward/avg_raw_reward", values)))["runs/run/index.html"]
    assert said in read(page).text
