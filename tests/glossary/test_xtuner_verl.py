"""XTuner and verl: every name that a published guide lists is explained, and names shared with others stay apart."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from sitegen.glossary.lookup import load_glossary

HERE = Path(__file__).parent
ARTICLE_NAMES = (HERE / "xtuner_names.txt").read_text(encoding="utf-8").split()
SEED = HERE.parents[1].parent / "shared" / "seeds" / "article_metric_glossary_zh.txt"
GLOSSARY = load_glossary()


def test_the_103_names_of_the_article_have_checked_entries_of_xtuner() -> None:
    assert len(ARTICLE_NAMES) == len(set(ARTICLE_NAMES)) == 103
    entries = [GLOSSARY.explain(name, "xtuner") for name in ARTICLE_NAMES]
    assert {entry.framework for entry in entries} == {"xtuner"}
    assert {entry.confidence for entry in entries} == {"code"}
    assert [entry.id for entry in entries if entry.notice is not None] == []


def test_what_the_article_looks_at_first_is_looked_at_first() -> None:
    first = [name for entry in GLOSSARY.look_first("xtuner") for name in entry.names]
    assert {
        "reward/avg_raw_reward",
        "train_metrics/worker_{i}/step_avg_reduced_llm_loss",
        "mismatch/mismatch_kl",
        "mismatch/mismatch_k3_kl",
        "rollout_is/mismatch/rollout_is_mean",
        "rollout_is/mismatch/rollout_is_eff_sample_size",
        "task_time/p95",
        "task_time/p99_p50_ratio",
        "time/step",
    } <= set(first)


@pytest.mark.skipif(not SEED.exists(), reason="the article is not beside this checkout")
def test_ranges_of_the_article_fit_the_units_except_where_the_entry_names_the_fault() -> None:
    rows = re.findall(r"^(\S+/\S+) \|\n.*?\| (\S+) ~ (\S+) \|", SEED.read_text("utf-8"), re.MULTILINE)
    assert sorted(name for name, _, _ in rows) == sorted(ARTICLE_NAMES)
    outside = []
    for name, low, high in rows:
        unit = GLOSSARY.units.get(GLOSSARY.explain(name, "xtuner").unit)
        below = unit is not None and unit.low is not None and float(low.replace(",", "")) < unit.low
        above = unit is not None and unit.high is not None and float(high.replace(",", "")) > unit.high
        outside += [(name, high)] if below or above else []
    assert outside == [("rollout_is/mismatch/rollout_is_eff_sample_size", "inf")]
    traps = GLOSSARY.explain(outside[0][0], "xtuner").traps
    assert any("nfinite" in trap.en and "91e30dd16" in trap.en for trap in traps)
    assert math.isinf(float(outside[0][1]))


@pytest.mark.parametrize(
    ("name", "framework", "entry_id"),
    [
        ("reward/avg_raw_reward", "xtuner", "xtuner-avg_raw_reward"),
        ("reward/avg_raw_reward", "skyrl", "skyrl-avg_raw_reward"),
        ("mismatch/mismatch_kl", "xtuner", "xtuner-mismatch_kl"),
        ("mismatch/mismatch_kl", "verl", "verl-rollout_corr-kl"),
        ("train_metrics/worker_7/step_avg_grad_norm", "xtuner", "xtuner-step_avg_grad_norm"),
        ("train_metrics/worker_7/grad_norm", "xtuner", "xtuner-step_avg_grad_norm"),
        ("train_metrics/worker_0/step_avg_new_value", "xtuner", "xtuner-train_metrics"),
        ("eval/AIME2024_Pass@16", "xtuner", "xtuner-eval-pass"),
        ("eval/AIME2024_Acc_Mean@16", "xtuner", "xtuner-eval-acc_mean"),
        ("eval/avg_pass@4", "xtuner", "xtuner-eval-avg_pass"),
        ("timing_s/agent_loop/tool_calls/mean", "verl", "verl-timing_s-agent_loop"),
        ("timing_s/agent_loop/num_preempted/mean", "verl", "verl-timing_s-agent_loop-num_preempted"),
        ("timing_s/some_new_phase", "verl", "verl-timing_s"),
        ("val-core/math_dapo/acc/mean@32", "verl", "verl-val-mean"),
        ("val-core/openai/gsm8k/reward/mean@1", "verl", "verl-val-mean"),
        ("val-aux/openai/gsm8k/reward/best@8/mean", "verl", "verl-val-best"),
        ("val-aux/openai/gsm8k/reward/worst@8/std", "verl", "verl-val-boot-std"),
        ("rollout_corr/rollout_rs_seq_mean_k3_seq_max_deviation", "verl", "verl-rollout_corr-rollout_rs"),
        ("rollout_corr/rollout_rs_masked_fraction", "verl", "verl-rollout_corr-rollout_rs_masked_fraction"),
    ],
)
def test_a_name_leads_to_the_entry_of_the_run_s_framework(name: str, framework: str, entry_id: str) -> None:
    entry = GLOSSARY.explain(name, framework)
    assert entry.id == entry_id
    assert entry.notice is None


def test_what_a_pattern_matched_stands_in_the_text() -> None:
    entry = GLOSSARY.explain("eval/GPQA_diamond_Pass@4", "xtuner")
    assert entry.title.en == "GPQA_diamond: Pass@4"
    assert "{" not in entry.short.zh
