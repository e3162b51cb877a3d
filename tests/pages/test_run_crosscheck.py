"""The cross-check on the run's pages and in `run.json`."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from sitegen.analyse.crosscheck import counts
from sitegen.pages.run_crosscheck import SHOWN, crosscheck_view, only_report
from sitegen.pages.run_view import Voice
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.factories import make_run, make_series, make_trials
from tests.pages.run_fixture import files, given, text_of

RUNS = Path(__file__).parents[2] / "runs"
SLUG = "published"


@cache
def published():
    (task,) = [t for t in find_runs(RUNS, SiteSettings()).tasks if t.folder.path.startswith("a3-rl")]
    return read_run(task, SiteSettings())


@cache
def pages() -> dict[str, bytes]:
    return files(published())


def text(kind: str, lang: str = "en") -> str:
    return text_of(pages(), kind, published().slug, lang)


def test_the_overview_counts_and_shows_the_differing_numbers_first():
    made = given(published())
    found = counts(made.analysis.crosscheck)
    view = crosscheck_view(made, Voice("en", "runs/x/index.html"))
    total = sum(found.values())
    counted = f"Agree: {found['agrees']}; differ: {found['differs']}; cannot be checked"
    sentence = f"Numbers printed in the report: {total}. {counted}"
    assert sentence in view.sentence
    assert sentence in text("index")
    assert [row.mark.word for row in view.rows[:3]] == ["differs", "differs", "agrees"]
    assert [row.mark.tone for row in view.rows[:3]] == ["warn", "warn", "good"], "both differ by a filler only"
    assert f"All {found['agrees']} that agree are held against the report’s own tables" in view.sentence
    assert len(view.rows) == SHOWN
    assert view.rest == total - SHOWN


def test_numbers_are_not_called_the_reports_own_where_another_source_is_there():
    run = published()
    assert only_report(run)
    assert not only_report(replace(run, steps_from_report=False))
    assert not only_report(replace(run, trials=make_trials([{"reward": 1.0}])))


def test_each_number_shows_both_values_its_tolerance_and_its_reason():
    overview = text("index")
    assert "0.4752" not in overview.split("Report cross-check")[1]  # one number of each label
    assert "mean over the 47 records of the log; ± 8.3e-5" in overview
    assert "the label says final; the last value is 0.6699" in overview
    assert "561773, line 9" in overview


def test_the_sources_page_has_all_of_them():
    view = crosscheck_view(given(published()), Voice("en", "runs/x/sources.html"), everything=True)
    assert view.rest == 0
    assert len(view.rows) == len(given(published()).analysis.crosscheck)
    assert "sum over the 34 records of the log; ± 1.1" in text("sources")


def test_very_many_numbers_are_cut_short_but_no_difference_is_lost(monkeypatch):
    monkeypatch.setattr("sitegen.pages.run_crosscheck.ALL_SHOWN", 20)
    made = given(published())
    view = crosscheck_view(made, Voice("zh", "zh/runs/x/sources.html"), everything=True)
    assert (len(view.rows), view.rest) == (20, len(made.analysis.crosscheck) - 20)
    assert sum(row.mark.word == "不符" for row in view.rows) == counts(made.analysis.crosscheck)["differs"]


def test_the_numbers_filter_by_verdict_and_stay_folded_without_scripts():
    page = pages()[f"runs/{published().slug}/sources.html"].decode()
    part = page.split('id="check-h"', 1)[1]
    counted = dict(
        re.findall(r'data-facet="verdict" value="(\w+)"><span>[^<]*<span class="count">([\d,]+)</span>', part)
    )
    for verdict, n in counted.items():
        assert part.count(f"&#34;verdict&#34;: [&#34;{verdict}&#34;]") == int(n.replace(",", ""))
    assert next(iter(counted)) == "differs"
    assert re.findall(r"<details class=\"data\" data-filter-group( open)?>", part) == [
        " open",
        *[""] * (len(counted) - 1),
    ]


def test_in_chinese():
    assert "报告核对" in text("index", "zh")
    assert "该日志的 47 条记录的平均值；±" in text("index", "zh")


def test_a_run_without_anything_published_has_no_section():
    assert crosscheck_view(given(make_run(steps=make_series("m", [1.0]))), Voice("en", "runs/x/index.html")) is None


def test_run_json_has_every_number():
    document = json.loads(pages()[f"runs/{published().slug}/run.json"])
    checks = document["crosscheck"]
    assert len(checks) == len(given(published()).analysis.crosscheck)
    (waiting,) = [c for c in checks if c["name"] == "Avg % of Step Time" and c["verdict"] == "agrees"]
    assert (waiting["published"], round(waiting["computed"], 3)) == ("87.8%", 87.794)
    assert {c["verdict"] for c in checks} == {"agrees", "differs", "unchecked"}
    assert all((c["tolerance"] is None) == (c["computed"] is None) for c in checks)
