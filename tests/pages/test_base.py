import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.pages.base import Urls, glossary_page, relative, run_page

PART = st.text(alphabet="abc-.", min_size=1, max_size=4).filter(lambda part: part not in (".", ".."))
PATH = st.lists(PART, min_size=1, max_size=5).map("/".join)


@given(PATH, st.lists(PART, max_size=4).map("/".join))
def test_a_relative_link_leads_back_to_its_target(target: str, folder: str) -> None:
    link = relative(target, folder)
    assert posixpath.normpath(posixpath.join(folder, link)) == posixpath.normpath(target)
    assert not link.startswith("/")


@pytest.mark.parametrize(
    ("page", "lang", "target", "link"),
    [
        ("index.html", "en", run_page("team/run-1"), "runs/team/run-1/index.html"),
        ("zh/index.html", "zh", run_page("a"), "runs/a/index.html"),
        ("runs/a/index.html", "en", glossary_page("skyrl-x"), "../../glossary/skyrl-x.html"),
        ("zh/runs/a/index.html", "zh", run_page("a", "metrics"), "metrics.html"),
    ],
)
def test_page_links_stay_in_the_language(page: str, lang: str, target: str, link: str) -> None:
    assert Urls(page, lang).page_to(target) == link  # type: ignore[arg-type]


def test_data_is_shared_between_languages() -> None:
    assert Urls("zh/runs/a/index.html", "zh").to("runs/a/data/m.js") == "../../../runs/a/data/m.js"


def test_the_other_language_is_the_same_page() -> None:
    assert Urls("runs/a/index.html", "en").alternate("zh") == "../../zh/runs/a/index.html"
    assert Urls("zh/runs/a/index.html", "zh").alternate("en") == "../../../runs/a/index.html"
    assert Urls("zh/about.html", "zh").alternate("zh") == "about.html"


def test_a_link_may_carry_an_anchor() -> None:
    assert Urls("index.html", "en").page_to("glossary/index.html", "time") == "glossary/index.html#time"
