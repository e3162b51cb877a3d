import re

import pytest

from sitegen.analyse.findings import RULES
from sitegen.pages.about import about_page
from sitegen.pages.base import render_page
from sitegen.pages.run_findings import LOOKS, findings_view
from sitegen.pages.run_view import RunInput, Voice
from tests.analyse.findings.cases import CASES
from tests.analyse.findings.runs import analysed, quiet_run
from tests.factories import make_config, make_engines, make_run, make_trials
from tests.pages.run_fixture import context


def view(run, sections=("reward",), links=None, lang="en"):
    given = RunInput(run=run, analysis=analysed(run), charts=(), context=context())
    return findings_view(given, Voice(lang, "runs/run/index.html"), sections, links or {})


def test_every_severity_has_a_shape_a_colour_and_a_word():
    assert len({look[0] for look in LOOKS.values()}) == len(LOOKS)


def test_five_are_shown_and_the_rest_is_folded():
    rows = [{"exception": "AgentTimeoutError", "turns": 1.0}] * 30 + [{"exception": "DaytonaError"}] * 30
    rows += [{"task": f"t{i % 5}", "turns": 12.0, "reward": 1.0} for i in range(60)]
    lists = {
        "enable_error_classification": True,
        "mask_exceptions": ["A"],
        "zero_exceptions": ["A"],
        "max_num_seqs": 24,
    }
    run = make_run(
        steps=CASES["generation-bound"].fires().steps.assign(**{"async/discard_rate": 0.5}),
        trials=make_trials(rows),
        engines=make_engines([{"running": 4.0, "waiting": 0.0, "prefix_hit_pct": 80.0}] * 5),
        config=make_config(lists),
    )
    found = view(run)
    assert len(found.shown) == 5
    assert len(found.rest) >= 1
    assert len(found.shown) + len(found.rest) == len(analysed(run).findings)


def test_quiet_run_has_no_rows():
    found = view(quiet_run(1))
    assert (found.shown, found.rest) == ((), ())


@pytest.mark.parametrize(
    ("sections", "links", "href"),
    [
        (("errors",), {"trials": "trials.html"}, "#errors"),
        ((), {"trials": "trials.html"}, "trials.html"),
        ((), {}, ""),
    ],
)
def test_evidence_is_linked_where_it_is(sections, links, href):
    (row, *_) = view(CASES["timeouts"].fires(), sections, links).shown
    assert (row.rule, row.href) == ("timeouts", href)
    assert row.rule_href == "../../about.html#rule-timeouts"


def test_both_languages():
    run = CASES["data-problems"].fires()
    english, chinese = (view(run, lang=lang).shown[0] for lang in ("en", "zh"))
    assert english.lead == "Data were lost: the numbers are incomplete."
    assert chinese.lead == "有数据丢失，各项数字并不完整。"
    assert (english.mark.word, chinese.mark.word) == ("Serious", "严重")


def test_about_lists_every_rule_with_its_thresholds():
    page = about_page(context())
    assert [rule.id for rule in page.rules] == [rule.id for rule in RULES]
    for lang in ("en", "zh"):
        html = render_page("pages/about.html", page, context(), lang).content.decode("utf-8")
        assert set(re.findall(r'id="rule-([a-z-]+)"', html)) == {rule.id for rule in RULES}
    english = render_page("pages/about.html", page, context(), "en").content.decode("utf-8")
    assert "at least 50\u00a0% of the step" in english
    assert "at least 50 steps" in english
