import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.findings import RULES, SEVERITIES, SHOWN
from sitegen.analyse.findings.finding import count, number, seconds, share, signed
from sitegen.analyse.findings.saves import saved_steps, state_interval
from sitegen.analyse.findings.thresholds import THRESHOLDS
from sitegen.run_work import find_runs, read_run
from sitegen.settings import load_site_settings
from sitegen.text import placeholders, ui_strings
from tests.analyse.findings.cases import CASES, TOLD
from tests.analyse.findings.runs import REWARD, analysed, findings, flat, quiet_run, report, report_trials, steps_of
from tests.factories import make_batches, make_config, make_engines, make_run, make_steps, make_trials

nan = math.nan
ARCHIVE = Path(__file__).parents[3] / "runs"


def test_every_rule_has_a_case():
    assert set(CASES) == {rule.id for rule in RULES}
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", CASES)
def test_rule_fires_with_its_numbers(rule):
    case = CASES[rule]
    found = findings(case.fires())
    assert rule in found
    item = found[rule]
    for name, value in case.values.items():
        assert item.values[name] == value, name
    if case.values:
        assert set(item.values) == set(case.values)
    assert (item.severity, item.published) == (case.severity, case.published)


@pytest.mark.parametrize("rule", CASES)
def test_rule_is_silent_just_short_of_its_threshold(rule):
    assert rule not in findings(CASES[rule].quiet())


@pytest.mark.parametrize("rule", CASES)
def test_numbers_of_a_sentence_say_what_they_come_from(rule):
    item = findings(CASES[rule].fires())[rule]
    assert item.evidence.table
    assert item.evidence.metrics
    if item.evidence.table not in ("config",):
        assert item.evidence.rows is not None
        assert item.evidence.rows > 0


def test_checkpoint_is_close_by_hand():
    run = CASES["checkpoint-close"].fires()
    item = findings(run)["checkpoint-close"]
    along = run.steps[run.steps["superseded_last"] == 0].sort_values("step")
    values = along[REWARD].to_numpy()
    ema = [values[0]]
    for value in values[1:]:
        ema.append(value / 3 + ema[-1] * 2 / 3)
    best = sorted(range(10, 81, 5), key=lambda step: -ema[step - 1])
    assert (item.values["step"], item.values["runner_up"]) == (best[0], best[1])
    assert item.values["margin"] == pytest.approx(ema[best[0] - 1] - ema[best[1] - 1])
    change = np.diff(values)
    mad = np.median(np.abs(change - np.median(change)))
    assert item.values["noise"] == pytest.approx(1.4826 * mad / math.sqrt(2))


@pytest.mark.parametrize("seed", range(30))
def test_no_rule_fires_on_a_quiet_run(seed):
    assert findings(quiet_run(seed, size=20 + seed % 29)) == {}


@pytest.mark.parametrize("seed", range(10))
def test_no_rule_fires_on_a_long_quiet_run_at_its_ceiling(seed):
    run = quiet_run(seed, size=120)
    steps = run.steps.assign(**{REWARD: flat(0.96, 120, seed=seed, spread=0.008)})
    trials = run.trials.assign(reward=(np.arange(600) % 7 > 0).astype("float64"))
    assert findings(make_run(steps=steps, config=run.config, trials=trials, engines=run.engines)) == {}


def test_nearly_every_long_flat_run_is_told_that_it_did_not_rise():
    found = [set(findings(quiet_run(seed, size=100))) for seed in range(20)]
    assert set.union(*found) == {"reward-flat"}
    assert sum("reward-flat" in rules for rules in found) >= 18  # 95 % intervals


@pytest.mark.parametrize(
    "run",
    [
        make_run(),
        make_run(steps=make_steps([{"step": 1, REWARD: 0.5, "timing/step": 3.0}])),
        make_run(steps=steps_of({REWARD: [nan] * 60, "timing/step": [nan] * 60})),
        make_run(trials=make_trials([]), engines=make_engines([])),
        make_run(trials=make_trials([{"reward": nan, "turns": nan}]), engines=make_engines([{"running": nan}])),
        make_run(config=make_config({})),
    ],
    ids=["empty", "one-row", "all-nan", "empty-tables", "nan-tables", "empty-config"],
)
def test_nothing_to_say_of_next_to_nothing(run):
    assert findings(run) == {}


value = st.one_of(st.just(nan), st.just(math.inf), st.just(0.0), st.floats(-1e3, 1e3), st.floats(-1e300, 1e300))
row = st.fixed_dictionaries(
    {
        "job": st.sampled_from(["a", "b{0}"]),
        "step": st.integers(0, 40),
        "superseded_last": st.integers(0, 1),
        REWARD: value,
        "reward/avg_pass_at_8": st.floats(0, 1),
        "timing/step": value,
        "timing/wait_for_generation_buffer": value,
        "timing/save_checkpoints": value,
        "policy/policy_entropy": value,
        "policy/raw_grad_norm": value,
        "async/effective_batch_samples": value,
        "batch_errors/total_instances": value,
        "batch_errors/total_masked": value,
    }
)
trial = st.fixed_dictionaries(
    {
        "task": st.sampled_from(["t", "{x}", "<b>"]),
        "reward": value,
        "turns": value,
        "exception": st.sampled_from([None, "AgentTimeoutError", "DaytonaError", "{oops}"]),
    }
)
config = st.sampled_from(
    [
        None,
        {},
        {"max_num_seqs": 0, "trainer.train_batch_size": 0, "n_samples_per_prompt": 8, "max_steps": 100},
        {"max_num_seqs": 4, "trainer.train_batch_size": 2, "generator.n_samples_per_prompt": 8, "save_freq": 2},
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(row, max_size=40, unique_by=lambda r: r["step"]), st.lists(trial, max_size=60), config)
def test_any_run_has_findings_that_can_be_printed(rows, trials, values):
    run = make_run(
        steps=make_steps(rows),
        trials=make_trials(trials),
        engines=make_engines([{"running": r[REWARD], "waiting": r["timing/step"]} for r in rows]),
        config=None if values is None else make_config(values),
    )
    for item in analysed(run).findings:
        for text in (item.lead, item.text, item.advice):
            assert text.en
            assert text.zh
            assert "nan" not in text.en.lower().replace("nan or infinite", "")
            assert "–" not in text.en.replace("–", "", 0) or re.search(r"\d–\d", text.en)
        assert item.severity in SEVERITIES


def test_most_serious_come_first_then_the_order_of_the_rules():
    order = [rule.id for rule in RULES]
    for rule in CASES:
        found = analysed(CASES[rule].fires()).findings
        ranks = [(SEVERITIES.index(item.severity), order.index(item.rule)) for item in found]
        assert ranks == sorted(ranks)


def test_outage_hides_what_it_explains():
    found = findings(CASES["sandbox-down"].fires())
    assert {"reward-zero", "exceptions-split", "ungraded"}.isdisjoint(found)


def test_split_of_exceptions_says_nothing_beyond_time_outs():
    assert "exceptions-split" not in findings(CASES["timeouts"].fires())
    both = [{"exception": "AgentTimeoutError"}] * 6 + [{"exception": "DaytonaError"}] * 4 + [{"reward": 1.0}] * 90
    assert {"timeouts", "exceptions-split"} <= set(findings(make_run(trials=make_trials(both))))


def test_cancelled_trials_are_neither_the_agents_nor_the_services_fault():
    rows = [{"exception": "CancelledError"}] * 50 + [{"exception": "VerifierTimeoutError"}] * 4 + [{"reward": 0.0}] * 46
    run = make_run(trials=make_trials(rows), steps=steps_of({REWARD: [0.4, 0.0, 0.0]}))
    found = findings(run)
    assert "sandbox-down" not in found
    split = found["exceptions-split"].values
    assert (split["agent"], split["infrastructure"], split["other"]) == (0, 4, 50)


def test_numbers_of_a_report_are_marked_as_published():
    found = findings(make_run(published=TOLD))
    assert {rule: item.published for rule, item in found.items()} == {"timeouts": True, "masked": True}
    assert found["timeouts"].values["share"] == pytest.approx(0.112)
    assert found["masked"].values["n"] == 648  # 8.0 x 81
    assert (found["masked"].values["exception"], found["masked"].values["most"]) == ("InvalidChatHistory", 703)


def test_masked_is_doubted_where_the_counts_of_a_report_do_not_fit(sample):
    run, found = sample["a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8B"]
    item, told = found["masked"], run.published.metrics

    def summed(name):
        return told[name].mean * told[name].count

    parts = sum(summed(f"batch_errors/total_{part}") for part in ("successful", "failed", "masked"))
    kinds = ("DaytonaError", "ContextLengthExceededError")  # of the types told, those that the configuration masks
    types = sum(summed(f"batch_errors/total_{kind}") for kind in kinds)
    assert item.values["doubts"] == "parts, trained, types"
    assert (round(parts), round(types)) == (38447, 67)
    for told_number in (f"{round(parts):,}", f"{512 * 81:,}", f"{round(types):,}", "37,008", "3,296"):
        assert told_number in item.text.en
        assert told_number in item.text.zh
    assert "InvalidChatHistory" not in item.text.en + item.advice.en


def masked_run(config, **columns):
    batch = {"instances": 100.0, "masked": 10.0, **columns}
    return findings(make_run(batches=make_batches([{"step": 1, **batch}]), config=config))["masked"]


def test_nothing_is_masked_of_no_attempts_or_of_impossible_ones():
    for instances in (0.0, -100.0):
        batches = make_batches([{"step": 1, "instances": instances, "masked": 10.0}])
        assert "masked" not in findings(make_run(batches=batches))
    assert "masked" not in findings(make_run(steps=steps_of({"batch_errors/total_instances": [-1.0]})))


def test_masked_names_the_most_frequent_type_that_is_masked():
    config = make_config({"enable_error_classification": True, "mask_exceptions": ["DaytonaError"]})
    item = masked_run(config, **{"exception/DaytonaError": 9.0, "exception/InvalidChatHistory": 30.0})
    assert (item.values["exception"], item.values["most"]) == ("DaytonaError", 9)
    assert "doubts" not in item.values


def test_masked_is_doubted_where_the_masked_types_are_few():
    config = make_config({"enable_error_classification": True, "mask_exceptions": ["DaytonaError"]})
    few = {"exception/DaytonaError": 4.0, "exception/InvalidChatHistory": 30.0}
    assert masked_run(config, **few).values["doubts"] == "types"
    assert masked_run(config, **few | {"successful": 92.0}).values["doubts"] == "parts, types"
    assert "doubts" not in masked_run(None, **few, successful=91.0).values  # 101 of 100: within rounding


def test_masked_trajectories_are_counted_from_the_logs_own_lines():
    lines = {"instances": 100.0, "masked": 10.0, "failed": 3.0, "exception/DaytonaError": 6.0}
    batches = make_batches([{"step": 1, **lines}, {"step": 2, "instances": 100.0, "masked": 2.0}])
    item = findings(make_run(batches=batches))["masked"]
    assert (item.values["n"], item.values["total"], item.values["most"]) == (12, 200, 6)
    assert (item.values["exception"], item.evidence.table, item.evidence.rows) == ("DaytonaError", "batches", 2)


def test_trials_of_the_run_come_before_those_of_a_report():
    own = make_trials([{"reward": 1.0, "turns": 2.0}] * 100)
    assert "timeouts" not in findings(make_run(published=TOLD, trials=own))


def test_assumed_configuration_is_said():
    lists = {"enable_error_classification": True, "passthrough_exceptions": ["AgentTimeoutError"]}
    assumed = make_config(lists, header="Assumed: from a sister run")
    item = findings(make_run(published=TOLD, config=assumed))["timeouts"]
    assert (item.values["treatment"], item.values["config"]) == ("passthrough", "assumed")
    assert "assumed configuration passes them through" in item.text.en


def test_report_of_a_few_trials_proves_nothing():
    few = report(trials=report_trials(total=49, exceptions={"none": 30, "AgentTimeoutError": 19}))
    assert findings(make_run(published=few)) == {}


def test_advice_on_waiting_does_not_contradict_the_engines():
    steps = CASES["generation-bound"].fires().steps
    for running, waiting, word in ((4.0, 0.0, "The engines have room"), (24.0, 9.0, "The engines are full")):
        engines = make_engines([{"running": running, "waiting": waiting}] * 20)
        run = make_run(steps=steps, engines=engines, config=make_config({"max_num_seqs": 24}))
        assert findings(run)["generation-bound"].advice.en.startswith(word)


def test_hostile_names_stay_names():
    trials = [{"exception": "{0}{x}%s<b>"}] * 10 + [{"reward": 1.0}] * 90
    item = findings(make_run(trials=make_trials(trials)))["exceptions-split"]
    assert "{0}{x}%s<b>" in item.text.en


# Strings


def test_every_rule_form_and_threshold_has_its_strings_and_no_string_is_left_over():
    used = {f"finding.{rule.id}.rule" for rule in RULES}
    for rule in RULES:
        for form in rule.forms:
            key = f"finding.{rule.id}" + (f".{form}" if form else "")
            used |= {f"{key}.lead", f"{key}.text", f"{key}.next"}
    used |= {f"finding.threshold.{item.id}" for item in THRESHOLDS}
    words = (
        "finding.cause.",
        "finding.treatment.",
        "finding.limit.",
        "finding.config.",
        "finding.known.",
        "finding.side.",
        "finding.saving.",
        "finding.restart.",
        "finding.doubt.",
    )
    known = {key for key in ui_strings() if key.startswith("finding.") and not key.startswith(words)}
    assert used == known


def test_every_threshold_belongs_to_a_rule_and_is_based_on_something():
    assert {item for rule in RULES for item in rule.thresholds} == set(THRESHOLDS)
    assert len({item.id for item in THRESHOLDS}) == len(THRESHOLDS)
    for item in THRESHOLDS:
        assert item.source.endswith(".")
        assert placeholders(ui_strings()[f"finding.threshold.{item.id}"].en) == {"value"}


def test_values_are_printed_in_both_languages():
    assert (share(0.112).text.en, share(0.112).text.zh) == ("11.2\u00a0%", "11.2%")
    assert seconds(16200.5).text.en == "4\u00a0h 30\u00a0min"
    assert (count(4917).text.en, number(0.0346).text.zh) == ("4,917", "0.0346")
    assert signed(-0.0019).text.en == "\u22120.0019"


# The sample runs


def dip_of(jobs, rewards, **columns):
    """The finding on a run with the rewards of steps 1, 2, …, and a discarded attempt of 0.77 at step 6."""
    frame = {REWARD: rewards, **columns}
    rows = [{name: values[i] for name, values in frame.items()} for i in range(len(rewards))]
    rows = [row | {"step": i + 1, "job": jobs[i]} for i, row in enumerate(rows)]
    rows.append({REWARD: 0.77, "step": 6, "job": "a", "superseded_last": 1})
    return findings(make_run(steps=make_steps(rows)))["boundary-dip"]


def test_a_dip_at_a_change_of_job_says_what_is_known_and_proves_nothing():
    rewards = [0.8, 0.81, 0.79, 0.8, 0.82, 0.5, 0.6, 0.82, 0.8, 0.81, 0.8, 0.79]
    errors = [2, 0, 4, 2, 2, 30, 9, 2, 2, 2, 1, 3]  # without step 6: 0 1 2 2 2 2 2 2 3 4 9
    waits = [10.0, 20.0, 30.0, 40.0, 50.0, 900.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0]  # without step 6: middle 60
    item = dip_of(
        ["a"] * 5 + ["b"] * 5 + ["c"] * 2,
        rewards,
        **{"batch_errors/total_DaytonaError": errors, "timing/wait_for_generation_buffer": waits},
    )
    values = item.values
    assert (values["exceptions"], values["usual_exceptions"]) == (30, 2)
    assert (values["wait"], values["usual_wait"]) == (900, 60)
    assert values["discarded"] == 0.77
    assert (values["calm"], values["changes"]) == (1, 2)
    assert "Exceptions at step 6: 30; median of the other steps: 2." in item.text.en
    assert "Changes of job without such a dip: 1 of 2." in item.text.en
    assert "not a proven one" in item.advice.en
    assert item.evidence.metrics == (REWARD, "timing/wait_for_generation_buffer")


def test_a_dip_in_the_first_steps_may_be_a_cold_start():
    rewards = [0.79, 0.5, 0.82, 0.8, 0.81, 0.79, 0.8, 0.81, 0.8, 0.82, 0.8, 0.81]
    rows = [{"step": i + 1, REWARD: value, "job": "a" if i < 2 else "b"} for i, value in enumerate(rewards)]
    item = findings(make_run(steps=make_steps(rows)))["boundary-dip"]
    assert (item.values["step"], item.values["known"]) == (2, "nothing")
    assert "cold start" in item.advice.en
    assert "冷启动" in item.advice.zh


@pytest.fixture(scope="module")
def sample():
    site = load_site_settings(ARCHIVE)
    runs = [read_run(task, site) for task in find_runs(ARCHIVE, site).tasks]
    return {run.name: (run, findings(run)) for run in runs}


def test_calendar_twin(sample):
    run, found = sample["synthetic-agent-calendar-80-8B"]
    expected = {
        "pass-before-mean",
        "boundary-dip",
        "cold-start",
        "exceptions-split",
        "failures-early",
        "prefix-cache",
        "reward-rose",
        "redone-steps",
    }
    assert expected <= set(found)
    early = found["pass-before-mean"].values
    assert (early["level"], early["pass_step"], early["reward_step"]) == (0.99, 8, 55)
    dip = found["boundary-dip"].values
    assert (dip["job"], dip["step"], dip["after_step"]) == ("job_554409", 2, 3)
    split, exception = found["exceptions-split"].values, run.trials["exception"]
    assert split["clean"] == pytest.approx(exception.isna().mean())
    own = exception.isin(["AgentTimeoutError", "ContextLengthExceededError"]).sum()
    assert (split["agent"], split["infrastructure"]) == (own, exception.notna().sum() - own)
    turns = run.trials.groupby(run.trials["reward"].dropna() > 0)["turns"].median()
    assert (found["failures-early"].values["failed"], found["failures-early"].values["solved"]) == (2, turns[True])
    active = run.engines[(run.engines["running"] > 0) | (run.engines["waiting"] > 0)]
    assert found["prefix-cache"].values["hit"] == pytest.approx(active["prefix_hit_pct"].mean() / 100)
    along = run.steps[run.steps["superseded_last"] == 0].sort_values("step")
    cold = found["cold-start"].values
    assert (cold["n"], cold["off"]) == (3, 1)  # steps 1 and 2, and the superseded record of step 3
    first_job = run.steps[run.steps["job"] == run.jobs[0].name]["timing/step"]
    assert cold["lost"] == pytest.approx(first_job.sum() - 3 * along["timing/step"].median())
    assert cold["part"] == pytest.approx(cold["lost"] / run.steps["timing/step"].sum())
    redone = found["redone-steps"]
    assert (redone.values["steps"], redone.values["saving"], redone.values["top"]) == ("3,75", "close 2", 3)
    off = run.steps[run.steps["superseded_last"] != 0].set_index("step")["timing/step"]
    assert redone.values["top_part"] == pytest.approx(off[3] / off.sum())
    assert redone.values["top_s"] == off[3]
    assert redone.advice.en.startswith("State is saved every 2 steps already")


def test_published_run(sample):
    run, found = sample["a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8B"]
    assert next(iter(found)) == "reward-flat"
    slope = found["reward-flat"].values
    along = run.steps[run.steps["superseded_last"] == 0]
    assert slope["slope"] == pytest.approx(10 * np.polyfit(along["step"], along[REWARD], 1)[0])
    assert slope["low"] < 0 < slope["high"]
    waiting = (run.steps["timing/wait_for_generation_buffer"] / run.steps["timing/step"]).mean()
    assert found["generation-bound"].values["share"] == pytest.approx(waiting)
    assert round(found["generation-bound"].values["share"], 3) == 0.878
    near = found["checkpoint-close"].values
    assert (near["step"], near["runner_up"]) == (25, 50)
    late = found["timeouts"]
    assert late.published
    assert (late.values["n"], round(late.values["share"], 3), late.values["treatment"]) == (4917, 0.112, "passthrough")
    assert found["redone-steps"].values["steps"] == "47"
    bump = found["transient"].values
    assert (bump["slow_step"], bump["first_step"], bump["last_step"]) == (45, 46, 48)
    assert (bump["side"], bump["job_step"]) == ("above", 47)
    assert "stand out above the level" in found["transient"].lead.en
    assert f"At step 47 {bump['job']} takes over." in found["transient"].text.en
    values = along.sort_values("step").set_index("step")[REWARD]
    calm = values.mask(values.index.isin([46, 47, 48]), bump["level"])
    assert near["bumped"] == 50
    assert near["bumped_ema"] == pytest.approx(ema_of(values)[50])
    assert near["calm"] == pytest.approx(ema_of(calm)[50])
    assert near["calm"] < 0.9 * near["bumped_ema"]  # without the bump it would be no rival
    assert (near["first"], near["first_ema"]) == (5, pytest.approx(ema_of(values)[5]))
    assert near["first_ema"] > ema_of(values)[25]


def ema_of(values):
    """EMA of weight 1/3 by step, written out."""
    found, last = {}, None
    for step, value in values.items():
        last = value if last is None else value / 3 + last * 2 / 3
        found[step] = last
    return found


def test_steps_that_stand_out_below_say_so_and_name_no_job_elsewhere():
    values = 1 - CASES["transient"].fires().steps[REWARD].to_numpy()
    item = findings(make_run(steps=steps_of({REWARD: values}, jobs=["a"] * 40 + ["b"] * (len(values) - 40))))[
        "transient"
    ]
    assert item.values["side"] == "below"
    assert "job" not in item.values
    assert "stand out below the level" in item.lead.en
    assert "低于" in item.lead.zh


@pytest.mark.parametrize(
    ("interval", "said"), [(1, "close 1"), (2, "close 2"), (3, "often 3"), (20, "often 20"), (None, "unknown")]
)
def test_saving_more_often_is_advised_only_where_it_can_be_done(interval, said):
    config = make_config({"trainer.ckpt_interval": interval}) if interval else None
    run = CASES["redone-steps"].fires()
    item = findings(make_run(steps=run.steps, config=config))["redone-steps"]
    assert item.values["saving"] == said
    assert ("more often would lose less" in item.advice.en) == said.startswith("often")
    assert ("更频繁地保存可减少损失" in item.advice.zh) == said.startswith("often")


def test_saves_that_were_timed_come_before_what_the_configuration_says():
    rows = [
        {"step": s, "timing/step": 1.0, "timing/save_checkpoints": 1.0 if s % 4 == 0 else nan} for s in range(1, 13)
    ]
    run = make_run(steps=make_steps(rows), config=make_config({"trainer.ckpt_interval": 2}))
    assert (saved_steps(run), state_interval(run)) == ((4, 8, 12), 4)
    assert state_interval(make_run(steps=make_steps(rows[:5]))) is None  # one save has no interval


def test_nine_tenths_lie_between_the_two_means_of_the_sentence(sample):
    run, found = sample["synthetic-agent-calendar-80-8B"]
    said = found["reward-rose"].values
    values = run.steps[run.steps["superseded_last"] == 0].sort_values("step").set_index("step")[REWARD]
    assert said["goal"] == pytest.approx(values.iloc[:10].mean() * 0.1 + values.iloc[-10:].mean() * 0.9)
    smooth = ema_of(values)
    assert said["step"] == min(step for step, value in smooth.items() if value >= said["goal"])


def test_outage_run(sample):
    _, found = sample["synthetic-web-search-outage"]
    assert list(found)[:2] == ["sandbox-down", "ended-early"]
    down = found["sandbox-down"]
    assert down.values["exception"] == "DaytonaError"
    assert (down.values["n"], down.values["total"]) == (250, 320)
    assert (down.values["from"], down.values["met"], down.values["tried"]) == (2, 3 + 241 + 256 + 256, 4 * 256)
    assert down.values["met_share"] == pytest.approx(756 / 1024)
    assert down.values["restart"] == "beginning"
    assert "saves are 5 steps apart and none came before step 2" in down.advice.en


def test_an_outage_after_a_save_names_it():
    steps = steps_of({REWARD: [0.4, 0.4, 0.4, 0.0, 0.0], "timing/save_checkpoints": [nan, 3.0, nan, nan, nan]})
    run = make_run(steps=steps, trials=CASES["sandbox-down"].fires().trials)
    item = findings(run)["sandbox-down"]
    assert item.values["restart"] == "step 2"
    assert "from step 2, the last save known" in item.advice.en
    assert "met" not in item.values


def test_damaged_run(sample):
    run, found = sample["damaged-files"]
    assert next(iter(found)) == "data-problems"
    severities = [problem.severity for problem in run.problems]
    assert found["data-problems"].values["errors"] == severities.count("error")
    assert found["data-problems"].values["warnings"] == severities.count("warning")


def test_overview_shows_what_matters_first(sample):
    for _, found in sample.values():
        assert len(list(found)[:SHOWN]) <= 7
