"""A page per leading chart, made to stand in a frame of somebody else's page: no bar, one chart, a link back.

Leading are the charts of a run's first page that are drawn at build time, so that an embedded one is there without
scripts too. `docs/embedding.md` says what may be set in the address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sitegen.charts.base import Chart
from sitegen.pages.base import PageHead, SiteContext, SiteFile, View, embed_path, render_page, run_page
from sitegen.pages.run_cards import chart_cards
from sitegen.pages.run_header import RunHeader, run_header
from sitegen.pages.run_view import ChartCard, RunInput, Voice
from sitegen.text import LANGS, Text, same, ui

TEMPLATE = "pages/embed.html"
_KEYED = frozenset({"lines"})
"""Chart forms whose marks the run's key explains; the others bring a legend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedPage:
    """One chart of one run in one language."""

    head: PageHead
    """Its head."""
    header: RunHeader
    """The run's name and the marks that its charts use."""
    card: ChartCard
    """The chart."""
    keyed: bool
    """Whether the key of marks belongs to it."""
    back: str
    """Link to the chart on the run's page."""


def leading_charts(given: RunInput, charts: tuple[Chart, ...]) -> tuple[Chart, ...]:
    """Those of the first page's charts that have a drawing made at build time."""
    return tuple(chart for chart in charts if chart.static_svg is not None)


def embed_pages(given: RunInput, charts: tuple[Chart, ...], head: PageHead) -> Iterator[SiteFile]:
    """The pages of the leading charts in both languages.

    Args:
        given: the run.
        charts: the charts of its first page.
        head: that page's head, whose scripts and names hold here too.
    """
    for chart in leading_charts(given, charts):
        for lang in LANGS:
            own = replace(
                head,
                path=embed_path(given.run.slug, chart.id),
                title=_title(given, chart),
                description=None,
                run=None,
                picture=None,
                dataset=None,
            )
            yield _rendered(_page(given, chart, own, Voice(lang, own.path)), given.context, lang)


def _rendered(page: View, context: SiteContext, lang: str) -> SiteFile:
    return render_page(TEMPLATE, page, context, "zh" if lang == "zh" else "en")


def _title(given: RunInput, chart: Chart) -> Text:
    return ui("embed.title", chart=chart.title, run=same(given.run.title))


def _page(given: RunInput, chart: Chart, head: PageHead, voice: Voice) -> EmbedPage:
    (card,) = chart_cards(given, voice, [chart])
    return EmbedPage(
        head=head,
        header=run_header(given, voice, "index"),
        card=card,
        keyed=chart.form in _KEYED,
        back=voice.urls.page_to(run_page(given.run.slug), f"chart-{chart.id}"),
    )
