"""The tasks view of the trials page: what became of each task, what the script is given, the longest trials."""

from __future__ import annotations

from typing import Any

from sitegen.pages.run_tasks import tasks_data, tasks_table
from sitegen.pages.run_view import Voice
from tests.factories import make_run, make_trials
from tests.pages.run_fixture import files, given

EN = Voice("en", "runs/run/trials.html")
ROWS: tuple[dict[str, Any], ...] = (
    *({"task": "always", "reward": 1.0, "turns": 2.0} for _ in range(4)),
    {"task": "flaky", "reward": 1.0, "turns": 12.0},
    {"task": "flaky", "reward": 0.0, "exception": "DaytonaError"},
    {"task": "flaky"},
    {"task": "never", "reward": 0.0},
    {"task": "never", "reward": 0.0},
    {"task": "unknown"},
)


def test_how_often_each_task_is_solved() -> None:
    trials = given(make_run(trials=make_trials(ROWS))).analysis.trials
    assert trials is not None
    found = {row[0].text: [cell.text for cell in row[1:6]] for row in tasks_table(trials, None, EN).rows}
    assert found == {
        "always": ["always", "4", "4", "4", "100.0\u00a0%"],
        "flaky": ["sometimes", "3", "2", "1", "50.0\u00a0%"],
        "never": ["never", "2", "2", "0", "0.0\u00a0%"],
        "unknown": ["not graded", "1", "0", "0", "–"],
    }


def test_each_task_leads_to_its_trials_whatever_its_name() -> None:
    trials = given(make_run(trials=make_trials([{"task": "a&b #1/x"}]))).analysis.trials
    assert trials is not None
    assert tasks_table(trials, None, EN).rows[0][0].href == "#t-task=a%26b%20%231%2Fx"


def test_the_script_gets_all_tasks_in_the_order_of_the_page() -> None:
    trials = given(make_run(trials=make_trials(ROWS))).analysis.trials
    assert trials is not None
    data = tasks_data(trials, None)
    assert data["total"] == 4
    assert [data["names"]["task"][place] for place in data["columns"]["task"]] == [
        "always",
        "flaky",
        "never",
        "unknown",
    ]
    assert data["columns"]["outcome"] == [2, 1, 0, -1]
    assert data["columns"]["rate"] == [1.0, 0.5, 0.0, None]
    assert data["columns"]["turns"] == [2.0, 12.0, None, None]
    assert "early" not in data["columns"]


def test_halves_are_columns_only_where_trials_carry_a_time() -> None:
    rows = [{"task": "t", "reward": float(n > 1), "started": 1000.0 + n} for n in range(4)]
    run = given(make_run(trials=make_trials(rows)))
    assert run.analysis.trials is not None
    table = tasks_table(run.analysis.trials, run.analysis.halves, EN)
    texts = dict(zip((column.title for column in table.columns), (cell.text for cell in table.rows[0]), strict=True))
    assert [texts[EN.say(f"col.{name}")] for name in ("first-half", "second-half", "change")] == [
        "0.0\u00a0%",
        "100.0\u00a0%",
        "+100.0\u00a0%",
    ]


def test_the_long_tail_is_listed_longest_first_and_absent_without_one() -> None:
    rows = [{"task": "t", "trial": f"t__{n}", "turns": float(n)} for n in (3, 11, 25, 10, 14)]
    page = files(make_run(trials=make_trials(rows)))["runs/run/trials.html"].decode()
    listed = page.split('id="tail-table"')[1].split("</table>")[0]
    assert [n for n in ("25", "14", "11", "10", "3") if f'data-v="{n}.0"' in listed] == ["25", "14", "11"]
    assert listed.index('data-v="25.0"') < listed.index('data-v="14.0"') < listed.index('data-v="11.0"')
    short = files(make_run(trials=make_trials(rows[:1])))["runs/run/trials.html"].decode()
    assert "tail-table" not in short


def test_the_exceptions_of_a_task_lead_to_its_trials_that_ended_with_one() -> None:
    trials = given(make_run(trials=make_trials([{"task": "a&b", "exception": "X"}, {"task": "c"}]))).analysis.trials
    assert trials is not None
    shown = {
        row[0].text: next(cell for cell in row if cell.href and "exception" in cell.href).href
        for row in tasks_table(trials, None, EN).rows
        if row[-2].text == "1"
    }
    assert shown == {"a&b": "#t-task=a%26b&t-exception=any"}
    page = files(make_run(trials=make_trials([{"task": "c"}])))["runs/run/trials.html"].decode()
    assert "t-exception=any" not in page
    assert 'data-l="Graded"' in page
