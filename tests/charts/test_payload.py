import itertools

import pytest

from sitegen.charts.end_names import End, names
from sitegen.charts.payload import chart_id, job_label, label, number


def end(series: str, y: float, below: float = 0.0) -> End:
    return End(series=series, name=series, y=y, below=below)


def offsets(*ends: End) -> dict[str, float]:
    found = names(ends)
    return dict(zip(found["series"], found["dy"], strict=True))


def test_names_stand_over_lines_that_lie_apart() -> None:
    assert offsets(end("1", 100), end("2", 200)) == {"1": -14, "2": -14}


def test_the_lower_of_two_close_lines_has_its_name_below() -> None:
    assert offsets(end("1", 105), end("2", 100)) == {"2": -14, "1": 20}
    assert offsets(end("1", 105, below=16), end("2", 100)) == {"2": -14, "1": 36}


def test_names_of_lines_at_one_place_never_overlap() -> None:
    ends = [end(str(n), 50) for n in range(1, 6)]
    found = sorted(offsets(*ends).values())

    assert all(later - earlier >= 13 for earlier, later in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), (float("nan"), None), (float("-inf"), None), (2.0, 2), (0.123456789, 0.1234568), (-0.0, 0)],
)
def test_drawn_numbers_carry_seven_digits(value: float | None, expected: float | None) -> None:
    assert number(value) == expected


def test_labels_lose_control_characters_and_the_middle() -> None:
    assert label("a\x00b\ud800") == "a\ufffdb\ufffd"
    assert label("a" * 30 + "b" * 30, 21) == "a" * 10 + "…" + "b" * 10


def test_a_job_is_called_by_its_number() -> None:
    assert job_label("rl_qwen3_8b_561773.out") == "561773"
    assert job_label("resumed run") == "resumed run"


def test_chart_ids_stay_when_other_metrics_come_and_go() -> None:
    alone = chart_id("metric", "a.b", set())
    taken: set[str] = set()
    beside = [chart_id("metric", name, taken) for name in ("a-b", "a b", "a.b")]

    assert beside[2] == alone
    assert len(set(beside)) == 3
    assert chart_id("metric", "运行", set()).startswith("metric-")
