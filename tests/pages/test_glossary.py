import pytest

from sitegen.glossary.patterns import names_of
from sitegen.pages.base import render_page
from sitegen.pages.glossary import Book, GlossaryEntryPage, book, entry_pages, glossary_index, group_pages
from sitegen.pages.row import RunRow
from sitegen.text import LANGS
from tests.pages.rows import many, metric, row
from tests.pages.site_fixture import glossary, site_context

REWARD = "skyrl-avg_raw_reward"


def pages(rows: list[RunRow]) -> dict[str, GlossaryEntryPage]:
    found = book(rows, glossary())
    return {page.entry.id: page for page in entry_pages(found, site_context())}


def render(page: GlossaryEntryPage, lang: str = "en") -> str:
    return render_page("pages/glossary_entry.html", page, site_context(), lang).content.decode()


@pytest.fixture(scope="module")
def found() -> Book:
    return book(many(), glossary())


def test_every_logged_name_has_an_entry(found: Book) -> None:
    for run in many():
        for name in [item.name for item in run.metrics] + list(run.names):
            assert glossary().explain(name, run.framework).id in found.ids
        for name in run.exceptions:
            assert glossary().explain(name, run.framework, "exception").id in found.ids


def test_what_an_entry_refers_to_has_a_page(found: Book) -> None:
    for entry in list(found.entries.values()):
        if entry.id in found.logged:
            assert {other.id for other in glossary().related(entry)} <= found.ids


def test_other_frameworks_stay_out(found: Book) -> None:
    only = book([row()], glossary())
    assert {entry.framework for entry in only.entries.values()} <= {"skyrl", "vllm", "harbor", "common"} | {
        other.framework for entry in only.entries.values() for other in glossary().related(entry)
    }


def test_what_nothing_in_the_archive_needs_gets_a_page_only_on_request() -> None:
    unused = glossary().explain("policy/z_clip/effective_max", "skyrl").id
    assert unused not in book([row()], glossary()).ids
    every = book([row()], glossary(), every=True).ids
    assert unused in every
    assert every >= {entry.id for entry in glossary().entries}


def test_settings_of_a_run_have_their_pages_and_no_others() -> None:
    lr = glossary().find("trainer.policy.optimizer_config.lr", "skyrl", "setting")
    assert lr is not None
    assert lr.id in book([row(config={"trainer.policy.optimizer_config.lr": 1e-6})], glossary()).ids
    bare = book([row(metrics=(), config={})], glossary())
    assert lr.id not in bare.ids
    assert "concept" in {entry.kind for entry in bare.entries.values()}


def test_a_page_lists_the_runs_that_log_it_once() -> None:
    page = pages([row("a"), row("b"), row("c", metrics=())])[REWARD]
    assert [run.slug for run in page.logged] == ["a", "b"]


@pytest.mark.parametrize("kind", ["setting", "engine-field", "trial-column", "concept"])
def test_nothing_is_called_not_logged_where_no_run_is_asked(found: Book, kind: str) -> None:
    page = next(page for page in entry_pages(found, site_context()) if page.entry.kind == kind)
    assert "No run of this archive logs it" not in render(page)
    assert "In this archive" not in render(page)


def test_a_metric_that_no_run_logs_says_so() -> None:
    page = pages([row(metrics=())])
    unlogged = next(item for item in page.values() if item.entry.kind == "metric" and not item.logged)
    assert "No run of this archive logs it" in render(unlogged)


def test_strips_lie_on_one_axis() -> None:
    rows = [
        row("a", metrics=(metric("reward/avg_raw_reward", 0.0, 2.0, median=0.5),)),
        row("b", metrics=(metric("reward/avg_raw_reward", 1.0, 4.0, median=2.0),)),
    ]
    page = pages(rows)[REWARD]
    assert page.axis == (0.0, 4.0)
    assert [(s.low, s.high, s.median) for s in page.strips] == [(0.0, 0.5, 0.125), (0.25, 1.0, 0.5)]


def test_a_share_keeps_the_whole_axis_unless_its_values_are_tiny() -> None:
    name = "policy/ppo_clip_ratio"
    entry = glossary().explain(name, "skyrl").id
    assert pages([row(metrics=(metric(name, 0.1, 0.6),))])[entry].axis == (0.0, 1.0)
    assert pages([row(metrics=(metric(name, 0.001, 0.02),))])[entry].axis == (0.0, 0.02)


def test_a_constant_metric_is_said_to_be_constant() -> None:
    name = "policy/ppo_clip_ratio"
    page = pages([row(metrics=(metric(name, 0.0, 0.0),))])[glossary().explain(name, "skyrl").id]
    assert "always 0" in render(page)
    assert "恒为 0" in render(page, "zh")


def test_a_metric_that_was_never_finite_has_no_strip() -> None:
    gone = metric("reward/avg_raw_reward", 0.0, 0.0, mean=None, min=None, max=None, last=None, count=0, non_finite=80)
    page = pages([row(metrics=(gone,))])[REWARD]
    assert page.strips == ()
    assert [run.slug for run in page.logged] == ["mcqa-25-8b"]


def test_a_guess_says_that_it_is_one() -> None:
    name = "custom/mystery_ratio"
    page = pages([row(metrics=(metric(name, 0.0, 1.0),))])[glossary().explain(name, "skyrl").id]
    assert page.entry.notice is not None
    assert "callout" in render(page)


@pytest.mark.parametrize("lang", LANGS)
def test_entry_pages_render_without_raw_markup(found: Book, lang: str) -> None:
    for page in entry_pages(found, site_context()):
        html = render(page, lang)
        assert "<img" not in html
        assert "None" not in html.split("<main")[1].split("<script")[0] or "None" in page.entry.what.en + page.name


@pytest.mark.parametrize("lang", LANGS)
def test_the_index_lists_every_entry_once(found: Book, lang: str) -> None:
    page = glossary_index(found, many(), site_context())
    html = render_page("pages/glossary_index.html", page, site_context(), lang).content.decode()
    assert html.count('<li class="gloss-line"') == len(found.entries)
    assert page.logged == sum(1 for key in found.entries if key in found.logged)


def test_the_chinese_index_is_searched_by_both_languages(found: Book) -> None:
    page = glossary_index(found, many(), site_context())
    line = next(item for group in page.groups for item in group.entries if item.entry.id == REWARD)
    assert "平均原始奖励" in line.text.zh
    assert "Mean raw reward" in line.text.zh
    assert "reward/avg_raw_reward" in line.text.en


@pytest.mark.parametrize("lang", LANGS)
def test_each_group_has_a_page_with_all_its_entries_once(found: Book, lang: str) -> None:
    listed: list[str] = []
    for page in group_pages(found, many(), site_context()):
        html = render_page("pages/glossary_group.html", page, site_context(), lang).content.decode()
        assert page.head.path == f"glossary/group-{page.group.id}.html"
        assert page.group.about.of(lang).split("`")[0] in html
        assert html.count("<tr id=") == len(page.rows)
        listed += [row.line.entry.id for row in page.rows]
    assert sorted(listed) == sorted(found.entries)


def test_a_group_shows_what_to_look_at_first_of_its_own(found: Book) -> None:
    by_id = {page.group.id: page for page in group_pages(found, [row()], site_context())}
    firsts = [entry.entry.id for part in by_id["reward"].first for entry in part.entries]
    assert firsts == ["skyrl-avg_raw_reward", "skyrl-avg_pass_at_n"]
    assert by_id["concept"].first == ()


def test_what_xtuner_readers_look_at_first_stands_in_order() -> None:
    named = [
        *("reward/avg_raw_reward", "train_metrics/worker_0/step_avg_reduced_llm_loss", "mismatch/mismatch_kl"),
        *("mismatch/mismatch_k3_kl", "rollout_is/mismatch/rollout_is_mean"),
        *("rollout_is/mismatch/rollout_is_eff_sample_size", "task_time/p95", "task_time/p99_p50_ratio", "time/step"),
    ]
    runs = [row("x", framework="xtuner", metrics=tuple(metric(name, 0.0, 1.0) for name in named))]
    page = glossary_index(book(runs, glossary()), runs, site_context())
    wanted = [glossary().explain(name, "xtuner").id for name in named]
    assert [entry.entry.id for entry in page.first[0].entries] == wanted


def test_a_pattern_reads_naturally_and_names_what_is_logged() -> None:
    page = pages([row(metrics=(metric("reward/avg_pass_at_8", 0.2, 0.9),))])["skyrl-avg_pass_at_n"]
    assert page.entry.title.en == "Pass@n in training"
    assert page.examples == ("reward/avg_pass_at_8",)
    html = render(page)
    assert "{n}" not in html
    assert "avg_<wbr>pass_<wbr>at_<var>n</var>" in html
    popover = html.split('id="popovers">')[1]
    assert '"skyrl-avg_pass_at_n reward/avg_pass_at_8":{"t":"Pass@8 in training"' in popover


def test_no_page_shows_a_raw_placeholder() -> None:
    for page in entry_pages(book([row()], glossary(), every=True), site_context()):
        for text in (page.head.title, page.entry.title, page.entry.short):
            for hole in {hole for name in page.entry.names for hole in names_of(name)}:
                assert f"{{{hole}}}" not in text.en + text.zh


def test_values_that_contradict_a_guess_are_said_with_their_runs() -> None:
    name = "custom/frac_requests"
    runs = [row("a", metrics=(metric(name, 0.0, 3.0),)), row("b", metrics=(metric(name, 0.1, 0.9),))]
    page = pages(runs)[glossary().explain(name, "skyrl").id]
    assert [[run.slug for run in seen] for _, seen in page.observed] == [["a"]]
    assert page.entry.direction == "context"
    html = render(page)
    assert "it is no share" in html
    assert 'href="../runs/a/index.html"' in html.split("it is no share")[1].split("</li>")[0]


def test_a_checked_entry_is_not_doubted_because_of_its_values() -> None:
    name = "policy/ppo_clip_ratio"
    page = pages([row(metrics=(metric(name, 0.0, 3.0),))])[glossary().explain(name, "skyrl").id]
    assert page.observed == ()


def test_a_name_of_another_framework_in_the_folder_is_explained_as_that_one() -> None:
    run = row("m", metrics=(metric("mismatch/mismatch_kl", 0.0, 1.0),), frameworks={"mismatch/mismatch_kl": "xtuner"})
    found = book([run], glossary())
    assert "xtuner-mismatch_kl" in found.logged
    assert [item.title.en for item in glossary_index(found, [run], site_context()).first] == ["SkyRL", "XTuner"]


def test_an_exception_that_nobody_explained_has_a_page_of_its_kind() -> None:
    page = pages([row(exceptions=("FrobnicationError",))])[
        glossary().explain("FrobnicationError", "skyrl", "exception").id
    ]
    assert page.entry.kind == "exception"
    assert "What becomes of the trial" in render(page)


def test_an_entry_does_not_lead_to_itself() -> None:
    page = pages([row(exceptions=("AgentTimeoutError",))])["harbor-agenttimeouterror"]
    assert page.entry.source.function == "AgentTimeoutError"
    article = render(page).split("<main")[1]
    assert 'data-term="harbor-agenttimeouterror"' not in article


def test_the_symbols_of_a_formula_have_their_subscripts() -> None:
    name = "async/staleness_ratio"
    html = render(pages([row(metrics=(metric(name, 0.0, 1.0),))])["skyrl-staleness_ratio"])
    assert "<var>d<sub>g</sub></var>: staleness of group" in html
    assert "d_g" not in html.split("<mfrac>")[0] + html.split("</math>")[1]


def test_a_paper_is_named_and_linked_as_a_paper() -> None:
    html = render(pages([row()])["common-entropy"])
    assert 'href="https://arxiv.org/abs/2505.22617"' in html
    assert "from a paper" in html
    assert "official documentation" not in html


def test_a_concept_is_not_also_called_by_its_title() -> None:
    for page in pages([row()]).values():
        if page.entry.kind == "concept":
            html = render(page)
            called = html.split("Also called")[1].split("</p>")[0] if "Also called" in html else ""
            assert f">{page.entry.title.en.lower()}</code>" not in called.lower()


def test_a_run_of_which_only_a_report_tells_a_metric_did_not_log_it() -> None:
    name = "policy/policy_entropy"
    rows = [row("a", metrics=(metric(name, 0.0, 1.0),)), row("b", metrics=(), names=(name,))]
    page = pages(rows)["skyrl-policy_entropy"]
    assert page.published == {"b"}
    assert render(page).count("published only") == 1
