"""Entries composed from the parts of a name: wording, unit, direction, and what is not known."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.glossary.checks import pair_faults
from sitegen.glossary.compose import code, compose
from sitegen.glossary.lookup import load_glossary
from sitegen.glossary.observed import Observed, checked_against, contradictions
from sitegen.glossary.words import direction_text, join_zh, vocabulary
from sitegen.text import Text


@pytest.mark.parametrize(
    ("name", "title_en", "title_zh"),
    [
        ("task_time/p99", "99th percentile of task time", "任务耗时的 99 分位数"),
        ("agent/avg_turns", "Mean of agent turns", "智能体轮数的均值"),
        ("reward/std", "Standard deviation of rewards of the sampled answers", "采样回答的奖励的标准差"),
        ("trainGradNorm", "Training gradient norm", "训练梯度范数"),
        ("async/aborted_samples_count", "Number of aborted samples", "被中止的样本的数量"),
        ("diag/frac_groups_mixed", "Share of mixed prompt groups", "混合的提示组的占比"),
        ("timing/frobnicate_all", "Time spent in `frobnicate_all`", "`frobnicate_all` 阶段的耗时"),
        ("eval/GSM8K/acc/mean@8", "Average over 8 tries: `GSM8K` accuracy", "`GSM8K` 准确率：8 次尝试的平均值"),
        ("errors/timeouts_per_group", "Timeouts per group", "每组超时"),
        ("num_x_p1/max/mean", "Mean of largest 1st percentile of number of `x`", "`x` 的数量的 1 分位数的最大值的均值"),
        ("kv_cache_usage_perc", "KV cache utilisation", "KV 缓存利用率"),
        ("train/kl_to_ref_mean", "Mean of KL divergence to the reference model", "与参考模型的 KL 散度的均值"),
        ("reward/format_std", "Standard deviation of format reward", "格式奖励的标准差"),
        ("reward/num_samples", "Number of samples", "样本的数量"),
        ("data/num_prompts", "Number of `data` prompts", "`data` 提示的数量"),
        ("agent/tool_call_failures", "Failed agent tool calls", "失败的智能体工具调用"),
        ("agent/num_tool_calls_mean", "Mean of number of agent tool calls", "智能体工具调用次数的均值"),
        ("max_failed_trials", "Largest number of failed trials", "失败的试验数的最大值"),
        ("batch/num_masked", "Number of masked batches", "被屏蔽的批次的数量"),
        ("num_tokens_masked", "Masked tokens", "被屏蔽的词元数"),
        ("tokens_dropped_ratio", "Share of dropped tokens", "被丢弃的词元的占比"),
        ("gpu3/mem_used_gb", "GPU 3 memory in use", "GPU 3 已用显存"),
        ("worker_3/queue_size", "Worker 3 queue length", "工作进程 3 队列长度"),
        ("host/mem_used_gb", "`host` memory in use", "`host` 已用内存"),
        ("rollout/timeouts_total", "Total timeouts", "超时总计"),
        ("env/success_rate", "Success rate", "成功率"),
        ("requests_per_second", "Requests per second", "每秒请求"),
        ("sandbox/boot_seconds_max", "Largest sandbox `boot` time", "沙箱 `boot` 耗时的最大值"),
        ("step_s", "Step time", "步耗时"),
    ],
)
def test_titles_read_naturally_in_both_languages(name: str, title_en: str, title_zh: str) -> None:
    title = compose(name, "skyrl").title
    assert (title.en, title.zh) == (title_en, title_zh)


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("policy/loss", "context"),
        ("pg_loss", "context"),
        ("value_loss", "down"),
        ("response/length/clip_ratio", "down"),
        ("ppo_clip_ratio", "context"),
        ("importance_ratio_mean", "near:1"),
        ("n_tokens_dp_gt_10pct", "context"),
        ("cache_hit_rate", "up"),
        ("tool_failure_rate", "down"),
        ("samples_dropped", "down"),
        ("timing/tokens_per_second", "up"),
        ("queue_time", "down"),
        ("uptime", "info"),
        ("max_staleness", "down"),
        ("max_length", "context"),
        ("reward_max", "context"),
        ("time_std", "down"),
        ("reward_std", "context"),
        ("logprob_diff", "near:0"),
        ("rollout_p99_p50_ratio", "near:1"),
        ("mismatch/k3_kl", "near:0"),
        ("ref_kl", "context"),
        ("learning_rate", "info"),
        ("accuracy", "up"),
        ("entropy", "stable"),
        ("reward/num_samples", "context"),
        ("errors/num_agents", "down"),
        ("advantages_abs_mean", "context"),
        ("log_ratio_abs_mean", "near:0"),
        ("reward_abs", "up"),
        ("env/steps_per_sec", "up"),
        ("timeouts_per_second", "down"),
        ("num_tokens_masked", "context"),
        ("rollout/timeouts_total", "down"),
        ("boot_seconds_max", "down"),
        ("step_s", "down"),
    ],
)
def test_the_quantity_decides_the_direction_and_traps_come_first(name: str, direction: str) -> None:
    assert compose(name, "skyrl").direction == direction


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("queue_time_ms", "ms"),
        ("queue_time", "s"),
        ("mem_used_gb", "gb"),
        ("num_requests", "count"),
        ("frac_requests", "ratio"),
        ("gpu_util_pct", "percent"),
        ("importance_ratio", "one"),
        ("avg_turns", "turns"),
        ("tokens_per_sec", "tokens_per_s"),
        ("timing/anything", "s"),
        ("length_var", "varies"),
        ("time_cv", "one"),
        ("latency_ms_p95", "ms"),
        ("sandbox/boot_seconds_max", "s"),
        ("mem_used_gb_max", "gb"),
        ("requests_per_second", "per_s"),
        ("env/steps_per_sec", "per_s"),
        ("judge/cost_usd", "usd"),
        ("num_tokens_masked", "tokens"),
        ("step_s", "s"),
        ("samples_per_sec_mean", "samples_per_s"),
    ],
)
def test_the_unit_follows_the_aggregate_then_the_ending_then_the_quantity(name: str, unit: str) -> None:
    assert compose(name, "skyrl").unit == unit


def test_a_name_without_known_parts_says_so_plainly() -> None:
    entry = compose("zorp/blarg", "skyrl")
    assert entry.confidence == "unknown"
    assert entry.title == Text("`zorp/blarg`", "`zorp/blarg`")
    assert "not known" in entry.short.en
    assert "未知" in entry.short.zh
    assert entry.group == "other"


def test_the_part_that_is_not_known_is_named() -> None:
    entry = compose("zorp_length", "skyrl")
    assert "What `zorp` stands for is not known." in entry.what.en
    assert "`zorp` 的含义未知" in entry.what.zh


def test_several_unknown_parts_are_named_one_by_one() -> None:
    entry = compose("foo/bar_ratio", "skyrl")
    assert "What `foo` and `bar` stand for is not known." in entry.what.en
    assert "其中 `foo` 与 `bar` 的含义未知。" in entry.what.zh


def test_a_unit_without_a_quantity_is_a_time_only_where_it_cannot_be_a_plural() -> None:
    assert compose("sandbox_boot_ms", "skyrl").title.en == "Sandbox `boot` time"
    assert compose("zorp_s", "skyrl").confidence == "unknown"


def test_the_namespace_of_the_training_loop_does_not_hide_what_is_measured() -> None:
    assert compose("train/kl_to_ref_mean", "skyrl").group == "policy"
    assert compose("train/zorp", "skyrl").group == "progress"
    assert compose("eval/zorp/accuracy", "skyrl").group == "evaluation"


def test_what_is_composed_is_marked() -> None:
    entry = compose("task_time/p99", "verl")
    assert entry.confidence == "inferred"
    assert entry.notice == vocabulary().notices["inferred"]
    assert entry.framework == "verl"
    assert entry.names == ("task_time/p99",)
    assert (entry.checked, entry.source.repository) == ("", "")


WORDS = sorted({word for phrase in vocabulary().words for word in phrase} | {"zorp", "p95", "gt_5pct"})


@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_composed_texts_keep_the_rules_of_written_ones(words: list[str]) -> None:
    entry = compose("_".join(words), "skyrl")
    for name, text in (("title", entry.title), ("short", entry.short), ("what", entry.what)):
        assert list(pair_faults(text, may_equal=name == "title")) == [], text


def test_an_unknown_exception_says_what_happens_to_the_trial() -> None:
    entry = load_glossary().explain("FrobnicationError", "skyrl", "exception")
    assert (entry.kind, entry.blame, entry.confidence) == ("exception", "unclear", "unknown")
    assert entry.title.en == "`FrobnicationError`"
    assert entry.treatment is not None
    assert list(pair_faults(entry.treatment)) == []


@given(st.text(max_size=400))
def test_a_hostile_name_stays_inside_its_code_span(name: str) -> None:
    entry = compose(name, "skyrl")
    for text in (entry.title, entry.short, entry.what):
        for words in (text.en, text.zh):
            assert words.count("`") % 2 == 0
            assert "\n" not in words
            assert "<" not in re.sub(r"`[^`]*`", "", words)


@given(st.text(max_size=400))
def test_a_code_span_is_one_printable_line(name: str) -> None:
    span = code(name)
    assert span.startswith("`")
    assert span.endswith("`")
    assert "`" not in span[1:-1]
    assert span.isprintable()
    assert 3 <= len(span) <= 82


def test_scripts_are_joined_with_a_space_where_they_meet() -> None:
    assert join_zh("奖励的", "99", "分位数") == "奖励的 99 分位数"
    assert join_zh("`a`", "的均值") == "`a` 的均值"
    assert join_zh("任务", "耗时") == "任务耗时"
    assert join_zh("", "耗时") == "耗时"


def test_a_near_direction_names_its_value() -> None:
    assert direction_text("near:1") == Text("Should stay close to 1.", "应接近 1。")
    assert direction_text("up").en == "Higher is better."


def observed(low: float, high: float, *, whole: bool = False, never_falls: bool = False) -> Observed:
    return Observed(low=low, high=high, whole=whole, never_falls=never_falls, count=10)


def notes(name: str, values: Observed) -> list[str]:
    known = {text: key for key, text in vocabulary().observed.items()}
    return [known[text] for text in contradictions(compose(name, "skyrl"), values)]


def test_values_that_contradict_a_guess_are_said() -> None:
    assert notes("frac_requests", observed(0.1, 1.5)) == ["share"]
    assert notes("frac_requests", observed(0.1, 0.9)) == []
    assert notes("gpu_util_pct", observed(0, 130)) == ["percent"]
    assert notes("num_requests", observed(1, 2.5)) == ["fraction"]
    assert notes("num_requests", observed(1, 9, whole=True, never_falls=True)) == ["rising"]
    assert notes("ref_kl", observed(-0.1, 0.2)) == ["negative_kl"]
    assert notes("clip_frac", observed(0, 0, whole=True)) == ["constant"]


def test_a_contradicted_guess_loses_its_direction() -> None:
    guess = compose("frac_errors", "skyrl")
    assert guess.direction == "down"
    assert checked_against(guess, observed(0, 3)).direction == "context"
    assert checked_against(guess, observed(0, 0.5)) == guess
