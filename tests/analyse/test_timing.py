import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.timing import TREES, timing
from sitegen.settings import SiteSettings
from tests.factories import make_run, make_series, make_steps, published_run

nan, inf = math.nan, math.inf


def spans(found):
    return {span.name: span for span in found.spans}


def test_published_run_waits_for_generation_most_of_the_time():
    found = timing(published_run())
    wait = spans(found)["wait_for_generation_buffer"]
    assert round(100 * wait.share_of_step, 1) == 87.8
    assert wait.mean_s == pytest.approx(890.121, abs=0.01)
    assert (found.rows, wait.count) == (81, 81)
    assert found.wait_span == "wait_for_generation_buffer"
    assert spans(found)["step"].mean_s == pytest.approx(998.994, abs=0.01)
    assert found.total_step_s == pytest.approx(40348.5 + 40570.1, abs=0.01)
    assert found.redone_s == 1133.4
    rest = spans(found)["unattributed"]
    assert rest.share_of_step == pytest.approx(1 - wait.share_of_step)
    assert found.slowest[0].step == 45
    assert (found.slowest[0].seconds, found.slowest[0].main_span) == (3038.2, "wait_for_generation_buffer")
    assert [slow.step for slow in found.slowest] == [45, 75, 47, 46, 72]
    assert found.slowest[2].job == "job_561774"


def test_tree_order_depth_and_shares_by_hand():
    rows = [
        {
            "step": 1,
            "timing/step": 100.0,
            "timing/generate": 20.0,
            "timing/run_training": 60.0,
            "timing/policy_train": 45.0,
            "timing/fwd_logprobs_values_reward": 10.0,
            "timing/save_checkpoints": 7.0,
            "timing/cleanup_old_checkpoints": 2.0,
            "timing/mystery": 3.0,
        },
        {
            "step": 2,
            "timing/step": 50.0,
            "timing/generate": 25.0,
            "timing/run_training": 20.0,
            "timing/policy_train": 5.0,
        },
    ]
    found = timing(make_run(steps=make_steps(rows)))
    assert [(span.name, span.depth, span.parent, span.inside, span.declared) for span in found.spans] == [
        ("step", 0, None, True, True),
        ("run_training", 1, "step", True, True),
        ("policy_train", 2, "run_training", True, True),  # train_critic_and_policy was not recorded
        ("fwd_logprobs_values_reward", 2, "run_training", True, True),
        ("generate", 1, "step", True, True),
        ("unattributed", 1, "step", True, True),
        ("save_checkpoints", 0, None, False, True),
        ("cleanup_old_checkpoints", 1, "save_checkpoints", False, True),
        ("mystery", 0, None, False, False),
    ]
    training, policy, rest = (spans(found)[name] for name in ("run_training", "policy_train", "unattributed"))
    assert training.share_of_step == pytest.approx((0.6 + 0.4) / 2)
    assert training.total_share == pytest.approx(80 / 150)
    assert policy.share_of_parent == pytest.approx(50 / 80)
    assert (rest.mean_s, rest.share_of_step) == (pytest.approx(12.5), pytest.approx((0.2 + 0.1) / 2))
    assert spans(found)["step"].share_of_step == 1.0
    saved = spans(found)["save_checkpoints"]
    assert (saved.count, saved.mean_s, saved.share_of_step) == (1, 7.0, 0.07)


def test_children_that_exceed_the_step_are_an_overlap_row():
    rows = [{"step": 1, "timing/step": 10.0, "timing/generate": 8.0, "timing/run_training": 6.0}]
    found = timing(make_run(steps=make_steps(rows)))
    assert "unattributed" not in spans(found)
    assert (spans(found)["overlap"].mean_s, spans(found)["overlap"].share_of_step) == (4.0, pytest.approx(0.4))


def test_step_without_recorded_children_has_no_computed_row():
    found = timing(make_run(steps=make_series("timing/step", [1.0, 2.0])))
    assert [span.name for span in found.spans] == ["step"]


def test_cold_start_and_slow_steps():
    rows = [{"step": i, "timing/step": s} for i, s in enumerate([100.0, 10.0, 12.0, 10.0, 16.0, 10.0], 1)]
    found = timing(make_run(steps=make_steps(rows)))
    assert found.cold_start_s == 90.0
    assert found.median_step_s == 11.0
    assert [(slow.step, slow.main_span) for slow in found.slowest] == [(1, None)]
    assert timing(make_run(steps=make_series("timing/step", [30.0, 10.0, 10.0]))).cold_start_s is None  # only slow
    assert timing(make_run(steps=make_series("timing/step", [30.1, 10.0, 10.0]))).cold_start_s == pytest.approx(20.1)


def test_a_slow_record_that_was_trained_again_is_marked():
    rows = [{"step": i, "timing/step": 10.0} for i in range(1, 6)]
    rows.insert(2, {"step": 3, "timing/step": 80.0, "superseded_last": 1})
    (slow,) = timing(make_run(steps=make_steps(rows))).slowest
    assert (slow.step, slow.superseded) == (3, True)


def test_zero_and_missing_step_times_give_no_share():
    rows = [
        {"step": 1, "timing/step": 0.0, "timing/generate": 1.0},
        {"step": 2, "timing/step": nan, "timing/generate": 1.0},
        {"step": 3, "timing/step": 4.0, "timing/generate": 1.0},
    ]
    generate = spans(timing(make_run(steps=make_steps(rows))))["generate"]
    assert (generate.share_of_step, generate.total_share, generate.count) == (0.25, 0.25, 3)


@pytest.mark.parametrize(
    ("framework", "rows", "expected"),
    [
        (
            "verl",
            {
                "timing_s/step": 10.0,
                "timing_s/gen": 6.0,
                "timing_s/update_actor": 3.0,
                "timing_s/testing": 5.0,
                "timing_s/generation_timing/topk_ratio": 0.1,
                "timing_s/agent_loop/slowest/prompt_length": 900.0,
            },
            ["step", "gen", "update_actor", "unattributed", "testing"],
        ),
        (
            "xtuner",
            {
                "time/step": 10.0,
                "time/generation_time": 5.0,
                "time/generation": 6.0,
                "time/save_ckpt": 1.0,
                "timing/task_n": 256.0,
            },
            ["step", "generation", "generation_time", "save_ckpt", "unattributed"],
        ),
        ("trl", {"step_time": 10.0}, ["step_time"]),
        (
            "tinker",
            {"time/total": 9.0, "time/sampling": 4.0, "time/policy_sample:total": 800.0},
            ["total", "sampling", "unattributed"],
        ),
    ],
)
def test_other_frameworks(framework, rows, expected):
    found = timing(make_run(framework=framework, steps=make_steps([{"step": 1, **rows}])))
    assert [span.name for span in found.spans] == expected


def test_unknown_framework_is_told_by_its_root_span():
    steps = make_steps([{"step": 1, "timing_s/step": 10.0, "timing_s/gen": 6.0}])
    assert timing(make_run(framework=None, steps=steps)).step_metric == "timing_s/step"


def test_site_names_the_step_time():
    steps = make_steps([{"step": 1, "mine": 10.0}])
    assert timing(make_run(steps=steps)) is None
    assert timing(make_run(steps=steps), SiteSettings(roles={"step_s": ("mine",)})).step_metric == "mine"


@pytest.mark.parametrize("values", [[], [nan], [inf, nan]])
def test_no_step_time_no_timing(values):
    assert timing(make_run(steps=make_series("timing/step", values))) is None


def test_trees_declare_each_span_once_and_hang_together():
    for tree in TREES:
        names = [name for name, _ in tree.inside] + list(tree.outside) + [name for name, _ in tree.outside_in]
        assert len(names) == len(set(names)), tree.framework
        assert {parent for _, parent in tree.inside} <= {tree.root, *(name for name, _ in tree.inside)}
        assert {parent for _, parent in tree.outside_in} <= set(tree.outside)
        assert set(tree.wait) <= {name for name, _ in tree.inside}


seconds = st.one_of(st.floats(0, 1e5), st.just(nan), st.just(inf))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(seconds, seconds, seconds, st.booleans()), max_size=8))
def test_children_and_computed_row_add_up_to_the_step(rows):
    logged = [
        {
            "step": i,
            "timing/step": step,
            "timing/generate": generate,
            "timing/run_training": training,
            "superseded_last": int(off),
        }
        for i, (step, generate, training, off) in enumerate(rows)
    ]
    found = timing(make_run(steps=make_steps(logged)))
    known = [row for row in rows if math.isfinite(row[0])]
    if found is None:
        assert not any(math.isfinite(row[0]) and not row[3] for row in rows)
        return
    assert found.rows == len(known)
    assert found.total_step_s == pytest.approx(sum(row[0] for row in known))
    by_name = spans(found)
    for span in found.spans:
        assert span.share_of_step is None or math.isfinite(span.share_of_step)
        assert span.mean_s >= 0
    taken = sum(sum(part for part in row[1:3] if math.isfinite(part)) for row in known)
    computed = by_name.get("unattributed") or by_name.get("overlap")
    if computed is not None:
        signed = -computed.mean_s if computed.name == "overlap" else computed.mean_s
        mean = (sum(row[0] for row in known) - taken) / len(known)
        assert signed == pytest.approx(mean, abs=1e-5 * max(1.0, by_name["step"].mean_s))
