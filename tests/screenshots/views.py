"""Every kind of page and every state of one that looks different: where it is, and how one gets there.

The pictures and the tests of accessibility walk this list, so that a new kind of page is added once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page

SiteName = Literal["sample", "many"]
"""The sample archive, or the index of many invented runs."""

CALENDAR = "synthetic-agent-calendar-80-8b"
OUTAGE = "synthetic-web-search-outage"
REPORTED = "a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8b"
DAMAGED = "damaged-files"
REWARD = "reward/avg_raw_reward"
ENTRY = "glossary/skyrl-policy_entropy.html"
INDEX_READY = "() => window.sitegen && sitegen.index && sitegen.index.view !== undefined"
LOADED = "() => document.readyState === 'complete'"


def nothing(page: Page) -> None:
    """The page as it opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A kind of page, or a state of one."""

    name: str
    """What it is called in file names."""
    path: str
    """Site path of the English page, with its hash; with `*` the first that fits."""
    site: SiteName = "sample"
    """Where it lies."""
    ready: str = LOADED
    """Script that says whether the page has come to its state."""
    act: Callable[[Page], None] = nothing
    """Brings the page into the state when it has loaded."""
    top: bool = False
    """Whether what matters stands over the page, so that only the window is of interest."""
    translated: bool = True
    """Whether there is a Chinese page."""

    def at(self, root: Path, lang: str) -> str:
        """Site path in a language, of a site that lies in a folder."""
        path, mark, state = self.path.partition("#")
        if "*" in path:
            path = min(found.relative_to(root).as_posix() for found in root.glob(path))
        return f"{'zh/' if lang == 'zh' and self.translated else ''}{path}{mark}{state}"


def _wait(selector: str) -> str:
    return f"() => document.querySelector({selector!r}) !== null"


def _click(selector: str, then: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator(selector).first.click()
        page.wait_for_selector(then)

    return act


def _outcome(page: Page) -> None:
    page.locator("#outcome").scroll_into_view_if_needed()
    page.wait_for_selector("svg.scatter a, svg.strip a")
    page.click("#outcome details.axes summary")


def _explanation(page: Page) -> None:
    page.locator("main .term").first.focus()
    page.wait_for_selector(".pop.open")


def _search(page: Page) -> None:
    page.keyboard.press("/")
    page.wait_for_selector("dialog.find-box[open]")
    page.keyboard.type("reward")
    page.wait_for_selector("dialog .find-item")


def _keys(page: Page) -> None:
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")


def _run(kind: str, run: str = CALENDAR) -> str:
    return f"runs/{run}/{kind}.html"


def open_view(page: Page, view: View, root: Path, lang: str, base: str = "") -> None:
    """Opens a view of a site that lies in a folder and brings it into its state.

    Args:
        page: where.
        view: what.
        root: the site's folder.
        lang: language of the page.
        base: address of the site where it is not opened from disk, with a slash at its end.
    """
    page.goto(f"{base or root.as_uri() + '/'}{view.at(root, lang)}")
    page.wait_for_function(LOADED)
    page.wait_for_function(view.ready)
    view.act(page)


VIEWS = (
    View(name="index", path="index.html", ready=INDEX_READY),
    View(name="index-many", site="many", path="index.html", ready=INDEX_READY),
    View(
        name="index-filtered",
        site="many",
        path=f"index.html#framework=verl&ema=0.1..0.6&sel=run-00003,run-00008&cols=status,reward,ema,best.{REWARD},set.trainer.seed",
        ready=INDEX_READY,
    ),
    View(name="index-wall", site="many", path="index.html#view=wall", ready=INDEX_READY),
    View(name="index-outcome", site="many", path="index.html", ready=INDEX_READY, act=_outcome, top=True),
    View(
        name="index-columns",
        site="many",
        path="index.html",
        ready=INDEX_READY,
        act=_click("details.picker summary", "[data-option]"),
        top=True,
    ),
    View(name="list", site="many", path="list/*.html"),
    View(name="overview", path=_run("index")),
    View(name="overview-outage", path=_run("index", OUTAGE)),
    View(name="overview-reported", path=_run("index", REPORTED)),
    View(name="overview-damaged", path=_run("index", DAMAGED)),
    View(name="metrics", path=_run("metrics")),
    View(name="metrics-marked", path=_run("metrics") + "#step=40&x=20-60"),
    View(name="trials", path=_run("trials")),
    View(name="engines", path=_run("engines")),
    View(name="config", path=_run("config")),
    View(name="logs", path=_run("logs", OUTAGE)),
    View(name="sources", path=_run("sources", REPORTED)),
    View(name="sources-damaged", path=_run("sources", DAMAGED)),
    View(name="trial", path=f"runs/{CALENDAR}/trials/*/*.html"),
    View(name="compare-empty", path="compare/index.html"),
    View(
        name="compare",
        path=f"compare/index.html#runs={CALENDAR},{OUTAGE},{REPORTED}",
        ready=_wait("[data-numbers] table"),
    ),
    View(name="glossary", path="glossary/index.html"),
    View(name="glossary-group", path="glossary/group-policy.html"),
    View(name="glossary-entry", path=ENTRY),
    View(name="about", path="about.html"),
    View(name="search", path="search.html#q=reward", ready=_wait(".found-item")),
    View(name="search-open", path="about.html", act=_search, top=True),
    View(name="keys", path="about.html", act=_keys, top=True),
    View(name="explanation", path=_run("index"), act=_explanation, top=True),
    View(name="missing", path="404.html", translated=False),
)
"""All of them, in the order of a reader's way through the site."""
