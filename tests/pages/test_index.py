import re
from html.parser import HTMLParser

import pytest

from sitegen.pages.base import render_page
from sitegen.pages.index import (
    FIRST_ROWS,
    LIST_ROWS,
    SPARK_DOT,
    SPARK_LEVELS,
    ArchiveScripts,
    IndexPage,
    draw_spark,
    index_page,
    list_pages,
    spark_codes,
    spark_range,
    totals,
)
from sitegen.pages.row import RunRow, Spark
from sitegen.text import LANGS
from tests.pages.rows import JUNE, curve, many, row
from tests.pages.site_fixture import site_context

DATA = ArchiveScripts(runs="data/runs.0.js", columns="data/columns.0.js")


def index(rows: list[RunRow]) -> IndexPage:
    return index_page(rows, site_context(), DATA)


def html(rows: list[RunRow], lang: str = "en", **settings: object) -> str:
    site = site_context(**settings)
    return render_page("pages/index.html", index_page(rows, site, DATA), site, lang).content.decode()


class Rows(HTMLParser):
    """Texts of the cells of the body's rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tbody":
            self.inside = True
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "tbody":
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def cells(page: str) -> list[list[str]]:
    parser = Rows()
    parser.feed(page)
    return [[cell.strip() for cell in cells] for cells in parser.rows]


def test_a_row_shows_the_figures_of_its_run() -> None:
    found = cells(html([row(title="mcqa-25-8B")]))[0]
    # beside each figure its name, which only narrow windows show
    assert found[:2] == ["", "mcqa-25-8BSkyRL · Qwen3-8B · nemotron-gym · rloo_n"], "the box to tick needs scripts"
    assert found[2:4] == ["Finished", "Steps80of 80 · 2 jobs"]
    assert found[5:] == [
        "EMA0.528step 25",
        "Trials43,795",
        "Solved, %48.5",
        "Exceptions, %11.8",
        "Step, s895",
        "Started1\u00a0Jun\u00a02026",
        "Problems4",
    ]


def test_what_is_missing_is_a_dash() -> None:
    missing = {"checkpoint_ema": None, "trials": None, "success_rate": None, "fact_started": None}
    found = cells(html([row("a"), row("b", **missing)]))[1]
    assert [found[i] for i in (5, 6, 7, 10)] == ["EMA–", "Trials–", "Solved, %–", "Started–"]


def test_a_column_without_any_value_is_left_out() -> None:
    rows = [row("a", fact_started=None, fact_gpu_hours=None), row("b", fact_started=None, fact_gpu_hours=None)]
    page = html(rows)
    assert 'data-key="started"' not in page
    assert len(cells(page)[0]) == 11
    assert {"started", "gpu"}.isdisjoint(column.id for column in index(rows).columns)


def test_the_table_begins_with_the_columns_to_look_at_first() -> None:
    page = index(many())
    shown = [column.id for column in page.columns if column.shown]
    first = "run status steps reward ema trials solved exceptions step started problems"
    assert shown == first.split()
    others = {column.id for column in page.columns} - set(shown)
    assert others >= {"framework", "model", "data", "algorithm", "jobs", "pass", "entropy", "waiting", "gpu"}
    assert re.findall(r'data-key="(\w+)"', html(many())) == shown


def test_beyond_the_first_rows_all_runs_are_on_plain_pages() -> None:
    rows = [row(f"run-{number:04d}", fact_started=None) for number in range(LIST_ROWS + 1)]
    page = index(rows)
    assert len(page.rows) == FIRST_ROWS
    assert page.lists == ("list/1.html", "list/2.html")
    parts = list(list_pages(rows, site_context()))
    assert [item.run.slug for part in parts for item in part.rows] == [item.slug for item in rows]
    site = site_context()
    text = render_page("pages/run_list.html", parts[1], site, "en").content.decode()
    assert "Runs 501 to 501 of 501" in text
    assert 'href="../runs/run-0500/index.html"' in text
    assert 'href="list/2.html"' in html(rows)


def test_an_archive_that_fits_the_page_has_no_plain_list() -> None:
    assert index(many()).lists == ()
    assert list(list_pages(many(), site_context())) == []


def test_tags_that_every_run_has_are_not_repeated_in_each_row() -> None:
    page = index([row("a", tags=("rl", "web")), row("b", tags=("rl",))])
    assert [item.tags for item in page.rows] == [("web",), ()]
    assert [item.tags for item in index([row("a", tags=("rl",))]).rows] == [("rl",)]


def test_newest_first_and_runs_without_a_clock_last() -> None:
    rows = [
        row("b", fact_started=None),
        row("old", fact_started=JUNE),
        row("new", fact_started=JUNE + 9),
        row("a", fact_started=None),
    ]
    page = index(rows)
    assert [item.run.slug for item in page.rows] == ["new", "old", "a", "b"]


def test_different_rewards_are_said() -> None:
    page = html([row("a"), row("b"), row("c", framework="verl", fact_reward_metric="critic/score/mean")])
    assert "Reward means 2 different things" in page
    assert "Reward means" not in html([row("a"), row("b")])


def test_a_run_without_reward_makes_no_meaning_of_its_own() -> None:
    page = index([row("a"), row("b", fact_reward_metric=None, spark=None)])
    assert len(page.meanings) == 1


def test_totals_count_only_what_is_known() -> None:
    sums = totals([row("a"), row("b", trials=None, fact_gpu_hours=None, fact_started=None, fact_finished=None)])
    assert (sums.runs, sums.steps, sums.jobs) == (2, 160, 4)
    assert (sums.trials, sums.with_trials, sums.told_trials) == (43795, 1, 0)
    assert sums.with_start == 1
    assert (sums.gpu_hours, sums.with_gpu_hours) == (1323.4, 1)
    assert sums.first == JUNE


def test_the_totals_say_what_only_reports_tell_and_of_how_many_runs_the_dates_are() -> None:
    text = html([row("a"), row("b", published=("trials",), fact_started=None, fact_finished=None)])
    assert "43,795 of them ‡ from published reports" in text
    assert "First start to last end, known for 1 of 2 runs: " in text
    assert "known for" not in html([row("a"), row("b")])


def test_totals_nobody_knows_are_not_zero() -> None:
    sums = totals([row(trials=None, fact_gpu_hours=None)])
    assert sums.trials is None
    assert sums.gpu_hours is None
    assert "GPU-hours" not in html([row(trials=None, fact_gpu_hours=None)])


def test_rates_share_the_range_zero_to_one_others_their_own() -> None:
    assert spark_range([row("a", spark=curve(level=0.5))]) == (0.0, 1.0)
    wide = Spark(step=(1, 2), raw=(-2.0, 7.0), ema=(-2.0, 1.0))
    assert spark_range([row("a"), row("b", spark=wide)]) == (-2.0, 7.0)
    assert spark_range([]) == (0.0, 1.0)


def test_a_gap_in_a_sparkline_is_not_bridged() -> None:
    spark = Spark(step=(1, 2, 3, 4), raw=(0.0, None, 1.0, 1.0), ema=(0.0, None, 1.0, 1.0))
    drawn = draw_spark(spark, (0, 1), 60, 3)
    assert drawn.raw == f"M2 28{SPARK_DOT}M88 2l42 0", "x of step 3 is 2 + 128 * 59/88, of step 4 130"
    assert drawn.checkpoint == (pytest.approx(2 + 128 * 59 / 88), 2.0)


def test_a_sparkline_is_a_character_a_coordinate() -> None:
    assert len(SPARK_LEVELS) == 89
    assert len(set(SPARK_LEVELS) & set('"\\<>&~')) == 0
    low, high, middle = SPARK_LEVELS[0], SPARK_LEVELS[-1], SPARK_LEVELS[44]
    spark = Spark(step=(1, 2, 3), raw=(0.0, None, 1.0), ema=(0.0, None, 0.5))
    assert spark_codes(spark, (0, 1), 60, 3) == high + middle + low * 3 + middle + "~~" + high * 2 + middle
    assert spark_codes(spark, (0, 1), 60, None).startswith("~~")


def test_facets_need_a_choice_and_count_runs() -> None:
    page = index([row("a"), row("b"), row("c", fact_status="failed")])
    assert [facet.id for facet in page.facets] == ["status"]
    assert [(v.value, v.count) for v in page.facets[0].values] == [("finished", 2), ("failed", 1)]


def test_a_filter_of_very_many_values_names_the_frequent_ones() -> None:
    rows = [row(f"r{number}", tags=(f"t{number % 90:02d}",)) for number in range(180)] + [row("x", tags=("t89",))]
    tags = next(facet for facet in index(rows).facets if facet.id == "tag")
    assert (len(tags.values), tags.values[0].value, tags.values[0].count) == (60, "t89", 3)


def test_a_figure_from_a_report_is_marked() -> None:
    page = html([row(published=("trials",))])
    assert cells(page)[0][6] == "Trials43,795‡"
    assert "known only from a run&#39;s published report" in page


@pytest.mark.parametrize("lang", LANGS)
def test_hostile_and_chinese_names_are_text(lang: str) -> None:
    page = html(many(), lang)
    assert "<img" not in page
    assert "运行 一" in page
    assert page.count("<tr data-row") == len(many())


def test_an_empty_archive_says_so() -> None:
    page = html([])
    assert "No runs were found" in page
    assert "<table" not in page


def test_chinese_page_has_no_english_headings() -> None:
    page = html(many(), "zh")
    heads = re.findall(r"<th scope=\"col\"[^>]*>(?:<a [^>]*>)?([^<]*)(?:</a>)?</th>", page)
    assert len(heads) == 11
    assert not [head for head in heads if re.fullmatch(r"[A-Za-z ,%]+", head)]
