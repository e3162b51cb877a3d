"""Every string of a run passes the border: planted secrets are found wherever they are put."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from sitegen.model.problems import problem
from sitegen.model.run import (
    Document,
    JobEnd,
    LogEvent,
    ModelCard,
    Published,
    PublishedMetric,
    PublishedValue,
    Run,
    RunConfig,
    RunSettings,
    SourceUse,
)
from sitegen.privacy import MASK, mask_text, masked
from tests.factories import make_job, make_nonfinite, make_run, make_steps, make_trials

PLANTED = "mail alice@example.org, home /home/alice/x, key hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz"
CLEAN = "mail ••••, home ~/x, key ••••"
HASH = "3bf21d52b4a5c6d7e8f90123456789abcdef0123"


def full_run() -> Run:
    config = RunConfig(
        path=PLANTED,
        values={
            "hub.hf_token": "correct horse battery staple 1",
            "trainer.logger": PLANTED,
            "hydra": ["++a.wandb_api_key=qqq", "lr=8e-6"],
            "secret": None,
            "password": 12345,
            "api_key": "${oc.env:KEY}",
            "pad_token": "<|pad|>",
            "max_input_tokens": 131072,
            "commit": HASH,
            "nested": [{"token": "abc", "x": PLANTED}],
        },
        lines={"hub.hf_token": 3},
        raw="hub:\n  hf_token: correct horse battery staple 1\n" + PLANTED,
        header=PLANTED,
    )
    event = LogEvent(
        job=PLANTED, level="error", shape=PLANTED, example=PLANTED, count=1, first_line=1, last_line=1, path=PLANTED
    )
    published = Published(
        path=PLANTED,
        metrics={"reward/mean@4.best": PublishedMetric(mean=1.0, std=None, min=None, max=None, count=1)},
        timing={"step": 0.5},
        engines={PLANTED: {"running": 1.0}},
        trials=None,
        checkpoint_step=None,
        values=(PublishedValue(where=PLANTED, name=PLANTED, text=PLANTED, value=1.0, line=1),),
    )
    steps = make_steps([{"step": 1, "job": PLANTED, "reward/a@b.org": 1.0}])
    end = JobEnd(cause="crashed", path=PLANTED, line=1, text=PLANTED)
    return make_run(
        name=PLANTED,
        path=PLANTED,
        title=PLANTED,
        steps=steps,
        jobs=(replace(make_job(PLANTED, [1]), end=end, sources=(PLANTED,)),),
        nonfinite=make_nonfinite([{"job": PLANTED, "step": 1, "metric": "reward/a@b.org", "value": "nan"}]),
        trials=make_trials([{"task": PLANTED, "trial": None, "exception": PLANTED}]),
        config=config,
        card=ModelCard(
            path=PLANTED,
            front_matter={"token": "abc", "authors": [PLANTED], "deep": {"api_key": "k", "n": 1}},
            body=PLANTED,
            base_models=(PLANTED,),
            datasets=(),
            license=None,
            tags=(PLANTED,),
        ),
        documents=(Document(path=PLANTED, kind="card", markdown="use correct horse battery staple 1\n" + PLANTED),),
        published=published,
        settings=RunSettings(title=PLANTED, notes=PLANTED, links={PLANTED: "https://me:pw@example.org/"}),
        events=(event,),
        facts={"wandb_url": PLANTED, "hf_token": "x", "n": 3},
        sources=(SourceUse(path=PLANTED, size=1, reader="r", rows=1, used_for=("steps",), note=None),),
        problems=(problem("scan.unreadable-file", PLANTED, None, reason=PLANTED),),
    )


def test_nothing_planted_survives_anywhere() -> None:
    run = masked(full_run())
    everything = repr(run) + "".join(
        table.to_csv()
        for table in (run.steps.drop(columns="reward/a@b.org"), run.nonfinite.drop(columns="metric"), run.trials)
        if table is not None
    )
    for secret in ("alice", "hf_AbC", "correct horse", "qqq", "me:pw"):
        assert secret not in everything


def test_what_is_shown_instead() -> None:
    run = masked(full_run())
    assert run.config is not None
    assert dict(run.config.values) == {
        "hub.hf_token": MASK,
        "trainer.logger": CLEAN,
        "hydra": ["++a.wandb_api_key=••••", "lr=8e-6"],
        "secret": None,
        "password": MASK,
        "api_key": "${oc.env:KEY}",
        "pad_token": "<|pad|>",
        "max_input_tokens": 131072,
        "commit": HASH,
        "nested": [{"token": MASK, "x": CLEAN}],
    }
    assert run.config.raw == f"hub:\n  hf_token: ••••\n{CLEAN}"
    assert run.documents[0].markdown == f"use ••••\n{CLEAN}"
    assert run.card is not None
    assert run.card.front_matter == {"token": MASK, "authors": [CLEAN], "deep": {"api_key": MASK, "n": 1}}
    assert (run.jobs[0].name, run.jobs[0].end.text, run.title) == (CLEAN, CLEAN, CLEAN)
    assert run.problems[0].what.zh == f"无法读取文件：{CLEAN}。"
    assert run.facts == {"wandb_url": CLEAN, "hf_token": MASK, "n": 3}


def test_metric_names_and_numbers_are_untouched() -> None:
    run = masked(full_run())
    assert run.steps["reward/a@b.org"].tolist() == [1.0]
    assert run.steps["job"].tolist() == [CLEAN]
    assert run.nonfinite["metric"].tolist() == ["reward/a@b.org"]
    assert run.published is not None
    assert list(run.published.metrics) == ["reward/mean@4.best"]
    assert run.trials is not None
    assert run.trials["trial"].tolist() == [None]


def test_masking_twice_changes_nothing_more() -> None:
    once = masked(full_run())
    twice = masked(once)
    assert repr(once) == repr(twice)
    for name in ("steps", "nonfinite", "trials"):
        pd.testing.assert_frame_equal(getattr(once, name), getattr(twice, name))


def test_a_clean_table_is_not_copied() -> None:
    run = make_run(steps=make_steps([{"step": 1, "m": 1.0}]))
    assert masked(run).steps is run.steps


def test_each_distinct_text_of_a_table_is_masked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(text: str, *, settings: bool = False) -> str:
        seen.append(text)
        return mask_text(text, settings=settings)

    monkeypatch.setattr("sitegen.privacy.border.mask_text", counted)
    trials = make_trials([{"trial": f"t{i}@x.org", "exception": f"E{i % 3}"} for i in range(300)])
    run = masked(make_run(trials=trials))
    assert run.trials is not None
    assert run.trials["trial"].unique().tolist() == [MASK]
    assert sum(text.endswith("@x.org") for text in seen) == 300
    assert not any(text.startswith("E") for text in seen)  # the column is clean as a whole


def test_the_framework_of_a_metric_is_kept_whatever_the_metric_is_called() -> None:
    frameworks = {"mm_num_token": "xtuner", "rollout/token": "slime"}
    assert masked(make_run(frameworks=frameworks)).frameworks == frameworks
