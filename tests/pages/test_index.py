import re
from html.parser import HTMLParser

import pytest

from sitegen.pages.base import render_page
from sitegen.pages.index import draw_spark, index_page, searchable_settings, spark_range, totals
from sitegen.pages.row import RunRow, Spark
from sitegen.text import LANGS
from tests.pages.rows import JUNE, curve, many, row
from tests.pages.site_fixture import site_context


def html(rows: list[RunRow], lang: str = "en", **settings: object) -> str:
    site = site_context(**settings)
    return render_page("pages/index.html", index_page(rows, site), site, lang).content.decode()


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
    assert found[0].startswith("mcqa-25-8BSkyRL · Qwen3-8B · nemotron-gym · rloo_n")
    assert found[1] == "Finished"
    assert found[2] == "80of 80 · 2 jobs"
    assert found[4:] == [
        "EMA0.528step 25",
        "Pass@k0.891@8, step 64",
        "0.185",
        "43,795",
        "Solved, %48.5",
        "11.8",
        "895",
        "87.8",
        "1,323",
        "1\u00a0Jun\u00a02026",
        "4",
    ]


def test_what_is_missing_is_a_dash_and_no_sort_value() -> None:
    missing = {"checkpoint_ema": None, "trials": None, "waiting_share": None, "fact_gpu_hours": None}
    page = html([row("a", **missing, fact_started=JUNE + 1), row("b")])
    found = cells(page)[0]
    assert [found[i] for i in (4, 7, 11, 12)] == ["EMA–", "–", "–", "–"]
    assert 'data-v="None"' not in page


def test_a_column_without_any_value_is_left_out() -> None:
    page = html([row("a", fact_started=None, fact_gpu_hours=None), row("b", fact_started=None, fact_gpu_hours=None)])
    assert 'data-key="started"' not in page
    assert 'data-key="gpu"' not in page
    assert len(cells(page)[0]) == 13


def test_tags_that_every_run_has_are_not_repeated_in_each_row() -> None:
    page = index_page([row("a", tags=("rl", "web")), row("b", tags=("rl",))], site_context())
    assert [item.tags for item in page.rows] == [("web",), ()]
    assert [item.tags for item in index_page([row("a", tags=("rl",))], site_context()).rows] == [("rl",)]


def test_newest_first_and_runs_without_a_clock_last() -> None:
    rows = [
        row("b", fact_started=None),
        row("old", fact_started=JUNE),
        row("new", fact_started=JUNE + 9),
        row("a", fact_started=None),
    ]
    page = index_page(rows, site_context())
    assert [item.run.slug for item in page.rows] == ["new", "old", "a", "b"]


def test_different_rewards_are_said_and_not_ranked_together() -> None:
    page = html([row("a"), row("b"), row("c", framework="verl", fact_reward_metric="critic/score/mean")])
    assert "Reward means 2 different things" in page
    assert re.findall(r'data-group="(\d)"', page) == ["0", "0", "1"]
    assert "Reward means" not in html([row("a"), row("b")])


def test_a_run_without_reward_makes_no_meaning_of_its_own() -> None:
    page = index_page([row("a"), row("b", fact_reward_metric=None, spark=None)], site_context())
    assert len(page.meanings) == 1


def test_totals_count_only_what_is_known() -> None:
    sums = totals([row("a"), row("b", trials=None, fact_gpu_hours=None, fact_started=None, fact_finished=None)])
    assert (sums.runs, sums.steps, sums.jobs) == (2, 160, 4)
    assert (sums.trials, sums.with_trials) == (43795, 1)
    assert (sums.gpu_hours, sums.with_gpu_hours) == (1323.4, 1)
    assert sums.first == JUNE


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
    drawn = draw_spark(Spark(step=(1, 2, 3, 4), raw=(0.0, None, 1.0, 1.0), ema=(0.0, None, 1.0, 1.0)), (0, 1), 60, 3)
    assert drawn.raw == "M2 28h0M87.5 2l42.5 0"
    assert drawn.checkpoint == (pytest.approx(87.33, abs=0.01), 2.0)


def test_facets_need_a_choice_and_count_runs() -> None:
    page = index_page([row("a"), row("b"), row("c", fact_status="failed")], site_context())
    assert [facet.id for facet in page.facets] == ["status"]
    assert [(v.value, v.count) for v in page.facets[0].values] == [("finished", 2), ("failed", 1)]


def test_the_filter_searches_settings_that_differ() -> None:
    rows = [row("a", config={"lr": 8e-6, "seed": 1}), row("b", config={"lr": 2e-5, "seed": 1})]
    assert searchable_settings(rows) == ("lr",)
    assert "lr=8e-6" in html(rows)
    assert "seed=1" not in html(rows)


def test_a_figure_from_a_report_is_marked() -> None:
    page = html([row(published=("trials",))])
    assert cells(page)[0][7] == "43,795‡"
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
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]*)</th>", page)
    assert len(heads) == 15
    assert not [head for head in heads if re.fullmatch(r"[A-Za-z ,%]+", head)]
