"""XTuner's SFT console, a line per rank."""

from tests.readers.console.trainer_logs import kinds, logged, read, sample, values


def test_rank_0_counts_and_a_step_is_one_record():
    result = read("xtuner", "ranks-out-of-order")
    assert result.framework == "xtuner"
    assert values(result, "local_loss") == [(1, 2.45), (2, 1.45), (3, 1.3)]
    assert values(result, "text_tokens") == [(1, 310), (2, 311), (3, 302)]
    assert result.steps["row"].tolist() == [2, 5, 4]
    assert kinds(result) == {"console.other-ranks": None}


def test_the_time_of_a_step_is_called_as_in_the_tracker():
    result = read("xtuner", "ranks-out-of-order")
    assert values(result, "time/step_time") == [(1, 17.0), (2, 3.0), (3, 3.6)]
    assert result.steps["time"].tolist() == [1768909379.0, 1768909386.0, 1768909386.0]


def test_units_and_the_remaining_time_are_no_metrics():
    result = read("xtuner", "ranks-out-of-order")
    assert values(result, "max_memory") == [(1, 5.4), (2, 5.4), (3, 5.36)]
    assert values(result, "tgs") == [(1, 91), (2, 96), (3, 95)]
    assert "eta" not in result.steps.columns
    assert logged(result) == [(3, "reduced_llm_loss", "nan")]
    assert result.facts["planned_steps"] == 17


def test_sample_eight_ranks_whose_lines_are_cut():
    result = sample("xtuner_sft_8ranks_interleaved.log")
    assert [step for step, _ in values(result, "lr")] == [1, 2, 3, 1, 2, 3]
    assert [value for _, value in values(result, "reduced_llm_loss")] == [
        *(2.42747331, 1.46919549, 1.46236241),
        *(2.42747331, 1.46951342, 1.46232116),
    ]
    assert [value for _, value in values(result, "local_base_loss")] == [
        *(0.30590549, 0.18434387, 0.17896292),
        *(0.30590549, 0.18441591, 0.17890446),
    ]
    assert result.steps["row"].tolist() == [8, 9, 23, 30, 39, 45]
    assert result.facts["planned_steps"] == 17
    assert set(kinds(result)) == {"console.pair-broken", "console.other-ranks"}
    assert not any(name.startswith("efficient") for name in result.steps.columns)
