import json
import math
import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, UndefinedError

from sitegen import render as rendering
from sitegen.glossary.observed import Observed
from sitegen.glossary.places import ALGORITHMS, CONCEPTS, LABELS
from sitegen.pages.base import PageHead, SiteContext, render_page
from sitegen.text import LANGS, Text, ui_strings
from tests.pages.site_fixture import site_context

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_json_in_a_page_reads_back_and_cannot_end_its_element(data: object) -> None:
    html = str(rendering.json_script(data))
    body = html.removeprefix('<script type="application/json">').removesuffix("</script>")
    assert json.loads(body) == data
    assert not set("<>&\u2028\u2029") & set(body)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_json_refuses_what_json_cannot_hold(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        rendering.json_script({"a": value})


@pytest.mark.parametrize(
    ("source", "absent"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("[x](javascript:alert(1))", "<a "),
        ("![p](https://host.example/p.png)", "<img"),
        ("![p](data:image/png;base64,AAAA)", "<img"),
        ('<a href="https://a.example" onclick="x()">y</a>', "<a "),
        ("[local](../secret.txt)", "href"),
        ("[anchor](#top)", "href"),
        ("<style>*{}</style>", "<style"),
        ("| a |\n|:-:|\n| 1 |", "style="),
    ],
)
def test_a_document_brings_nothing_dangerous(source: str, absent: str) -> None:
    assert absent not in str(rendering.markdown(source))


def test_a_document_keeps_its_text_links_and_tables() -> None:
    html = str(rendering.markdown("# Report\n\nsee [it](https://a.example/x)\n\n| n | v |\n|---|--:|\n| a | 0.5 |\n"))
    assert "<h3>Report</h3>" in html
    assert 'href="https://a.example/x" rel="noopener noreferrer"' in html
    assert '<td class="n">0.5</td>' in html


def test_deep_headings_stop_at_six() -> None:
    assert "<h6>x</h6>" in str(rendering.markdown("###### x"))


def test_an_image_becomes_a_link_with_its_description() -> None:
    html = str(rendering.markdown("![reward curve](https://a.example/r.png)"))
    assert ">reward curve</a>" in html


def test_raw_markup_in_a_document_stays_visible_as_text() -> None:
    assert "&lt;b&gt;" in str(rendering.markdown("a <b> c"))


def test_a_name_breaks_after_its_joints_and_is_escaped() -> None:
    assert str(rendering.wrap("a-b_<c>/d")) == "a-<wbr>b_<wbr>&lt;c&gt;/<wbr>d"


def test_a_long_name_breaks_before_its_capitals_and_never_inside_a_word() -> None:
    assert str(rendering.wrap("VerifierTimeoutError")) == "Verifier<wbr>Timeout<wbr>Error"
    assert str(rendering.wrap("SkyRL KVCache 8B")) == "SkyRL KVCache 8B"


def test_a_formula_keeps_math_and_nothing_else() -> None:
    html = str(rendering.mathml('<math display="block" onclick="x"><mi>r</mi><script>1</script></math>'))
    assert html == '<math display="block"><mi>r</mi></math>'


@dataclass(frozen=True)
class Probe:
    head: PageHead


@pytest.fixture
def site() -> SiteContext:
    return site_context()


def page(site: SiteContext, template: str, monkeypatch: pytest.MonkeyPatch, lang: str = "en", **of_head: object) -> str:
    """A page whose content block is `template`."""
    from jinja2 import ChoiceLoader, DictLoader

    environment = rendering.environment()
    source = '{% extends "base.html" %}{% block content %}' + template + "{% endblock %}"
    loaders = ChoiceLoader([DictLoader({"probe.html": source}), environment.loader])
    monkeypatch.setattr(environment, "loader", loaders)
    environment.cache.clear()
    head = PageHead(path="runs/a/b/index.html", title=Text("A", "甲"), framework="skyrl", **of_head)
    return render_page("probe.html", Probe(head), site, lang).content.decode()


def test_a_missing_value_in_a_template_is_an_error(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UndefinedError):
        page(site, "{{ page.nothing }}", monkeypatch)


def test_numbers_and_words_follow_the_page_language(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    template = "[{{ 0.878|pct }}|{{ 7200|dur }}|{{ t('nav.runs') }}]"
    assert "[87.8\u00a0%|2\u00a0h|Runs]" in page(site, template, monkeypatch)
    assert "[87.8%|2\u00a0小时|运行]" in page(site, template, monkeypatch, "zh")


def test_sentences_are_parted_as_the_language_does_and_counts_are_grouped(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = "[A.{{ gap() }}B|{{ t('crosscheck.rest', n=12345) }}]"
    assert "[A. B|12,345 more numbers are in run.json.]" in page(site, template, monkeypatch)
    assert "[A.B|另有 12,345 个数字见 run.json。]" in page(site, template, monkeypatch, "zh")


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        ("a run", ' lang="en"'),
        ("“déjà vu” – 3", ' lang="en"'),
        ("日历运行 v2", ' lang="zh-CN"'),
        ("a very long run of the agent 好", ' lang="en"'),
        ("прогон", ""),
        ("", ' lang="en"'),
    ],
)
def test_a_runs_own_words_name_their_language(words: str, lang: str) -> None:
    assert rendering.lang_of(words) == lang


def test_a_constant_is_not_folded_in_the_first_language(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    template = "[{{ 0.5|pct }}]"
    assert "[50.0%]" in page(site, template, monkeypatch, "zh")
    assert "[50.0\u00a0%]" in page(site, template, monkeypatch)


def test_only_icons_in_use_are_defined(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(site, "{{ icon('i-copy') }}", monkeypatch)
    assert '<symbol id="i-copy"' in html
    assert '<symbol id="i-cols"' not in html


def test_a_metric_is_linked_and_its_popover_is_in_the_page(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(site, "{{ metric('reward/avg_raw_reward') }}", monkeypatch)
    assert 'href="../../../glossary/skyrl-avg_raw_reward.html" data-term="skyrl-avg_raw_reward"' in html
    popovers = json.loads(html.split('id="popovers">')[1].split("</script>")[0])
    assert set(popovers["terms"]) == {"skyrl-avg_raw_reward"}
    told = popovers["terms"]["skyrl-avg_raw_reward"]
    assert told["t"] == "Mean raw reward"
    assert [popovers["facts"][place] for place in told["m"]] == ["reward units", "higher is better"]


def test_a_hostile_metric_name_is_explained_and_harmless(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "</script><img src=x onerror=alert(1)>"
    html = page(site, "{{ metric(page.head.title.en) }}", monkeypatch)
    assert "data-term" in html
    assert "<img" not in page(site, "{{ metric('" + name + "') }}", monkeypatch)


def test_popovers_stop_at_their_budget_and_links_stay(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(site, "{% for i in range(400) %}{{ metric('custom/thing_' ~ i) }}{% endfor %}", monkeypatch)
    popovers = html.split('id="popovers">')[1].split("</script>")[0]
    assert 20_000 < len(popovers.encode()) <= 30_000
    assert html.count("data-term=") == 400


NAMES = {"policy/loss": "metric", "policy/loss_max": "metric", "entropy": "metric", "timing/generate": "metric"}
NAMES |= {"AgentTimeoutError": "exception"}


def sentence(
    site: SiteContext, template: str, monkeypatch: pytest.MonkeyPatch, lang: str = "en", **head: object
) -> list[str]:
    """The data-term keys of a page about a run with `NAMES`."""
    html = page(site, template, monkeypatch, lang, names=NAMES, **head)
    return re.findall(r'data-term="([^"]+)"', html)


def test_names_of_the_run_are_explained_in_a_sentence_and_only_as_wholes(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sentence(site, "{{ 'policy/loss fell, policy/loss_max rose; x/policy/loss stays'|named }}", monkeypatch)
    glossary = site.glossary
    assert found == [glossary.explain(name, "skyrl").id for name in ("policy/loss", "policy/loss_max")]
    chinese = sentence(site, "{{ '以 AgentTimeoutError 结束'|named }}", monkeypatch, "zh")
    assert chinese == ["harbor-agenttimeouterror"]


def test_an_ordinary_word_is_a_name_only_where_its_rule_says_so(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sentence(site, "{{ 'The entropy fell'|named }}", monkeypatch) == []
    assert len(sentence(site, "{{ 'The entropy fell'|named(['entropy', 'step']) }}", monkeypatch)) == 1
    span = sentence(site, "{{ 'Most of it is generate'|named(['generate']) }}", monkeypatch)
    assert span == [site.glossary.explain("timing/generate", "skyrl").id]


def test_a_sentence_stays_as_it_is_around_its_names(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(site, "[{{ '<b> policy/loss & x'|named }}]", monkeypatch, names=NAMES)
    assert re.sub(r"</?(a|code|wbr)[^>]*>", "", html.split("[", 1)[1].split("]")[0]) == "&lt;b&gt; policy/loss &amp; x"


def test_the_framework_of_the_file_decides_over_that_of_the_run(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = page(
        site, "{{ metric('reward/avg_raw_reward') }}", monkeypatch, frameworks={"reward/avg_raw_reward": "xtuner"}
    )
    assert 'data-term="xtuner-avg_raw_reward"' in html


def test_a_guess_that_the_values_contradict_says_so_in_its_popover(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = Observed(low=0.0, high=3.0, whole=False, never_falls=False, count=9)
    html = page(site, "{{ metric('custom/frac_requests') }}", monkeypatch, observed={"custom/frac_requests": values})
    told = json.loads(html.split('id="popovers">')[1].split("</script>")[0])
    (popover,) = told["terms"].values()
    assert "it is no share" in popover["s"]
    assert "depends on the setting" in told["facts"]


def test_a_section_names_the_concepts_it_rests_on(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(site, "{{ concepts('checkpoint') }}{{ concepts('nowhere') }}", monkeypatch)
    keys = ["common-ema", "common-checkpoint_selection", "common-lineage"]
    assert re.findall(r'data-term="([^"]+)"', html) == keys
    assert html.count('class="concepts"') == 1


def test_a_label_is_explained_where_an_entry_is_named_for_it(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = "{{ label_term('index.col-ema', 'EMA') }}{{ label_term('index.col-run', 'Run') }}"
    html = page(site, template, monkeypatch)
    assert re.findall(r'data-term="([^"]+)">([^<]+)<', html) == [("common-ema", "EMA")]
    assert "</a>Run" in html


def test_every_place_names_an_entry_that_every_site_has(site: SiteContext) -> None:
    named = {*LABELS.values(), *ALGORITHMS.values(), *(entry for part in CONCEPTS.values() for entry in part)}
    kinds = {entry.id: (entry.kind, entry.framework) for entry in site.glossary.entries}
    assert {entry for entry in named if kinds[entry][0] not in ("concept", "engine-field", "trial-column")} == set()
    assert {kinds[entry][1] for entry in named} == {"common", "harbor", "vllm"}
    keys = {key if key.startswith("index.") else f"run.{key}" for key in LABELS}
    assert keys <= set(ui_strings())


def test_an_unknown_setting_is_plain(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<code>no.<wbr>such.<wbr>key</code>" in page(site, "{{ term('no.such.key', kind='setting') }}", monkeypatch)


def test_control_characters_never_reach_a_page(site: SiteContext, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(site, "[{{ 'a\\x00b\\ud800'|e }}]", monkeypatch)
    assert "[a\ufffdb\ufffd]" in html


@pytest.mark.parametrize("lang", LANGS)
def test_every_link_of_the_shell_is_relative_and_names_a_file(
    site: SiteContext, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    import re

    html = page(site, "", monkeypatch, lang)
    links = re.findall(r'(?:href|src)="([^"#][^"]*)"', html)
    assert len(links) > 8
    for link in links:
        assert not link.startswith(("/", "http")), link
        assert re.search(r"\.\w+$", link), link
    assert " style=" not in html
    assert "<style" not in html
    assert not re.search(r"<script(?![^>]*(?:src=|application/json))", html)


def test_the_policy_is_strict() -> None:
    assert rendering.CSP.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in rendering.CSP
    assert "base-uri 'none'; form-action 'none'" in rendering.CSP


def test_compiled_templates_are_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given = rendering.compiled_templates()
    assert len(given) >= len(rendering.environment().list_templates()) > 0
    rendering.install_templates(given)
    rendering.environment.cache_clear()
    environment = rendering.environment()
    monkeypatch.setattr(environment, "_parse", None)
    try:
        names = [name for name in environment.list_templates() if environment.get_template(name).name != name]
    finally:
        rendering.environment.cache_clear()
    assert names == []


def test_code_of_another_source_is_compiled_anew() -> None:
    rendering.environment.cache_clear()
    environment = rendering.environment()
    environment.loader = DictLoader({"probe.html": "old"})
    assert environment.get_template("probe.html").render() == "old"
    rendering.environment.cache_clear()
    environment = rendering.environment()
    environment.loader = DictLoader({"probe.html": "new"})
    assert environment.get_template("probe.html").render() == "new"
    rendering.environment.cache_clear()
