"""The pictures of a run's card; a site has them too, under `runs/<path>/card/`."""

from __future__ import annotations

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart
from sitegen.charts.pictures import THEMES, Theme, badge, bars_picture, chart_keys, chart_picture
from sitegen.model.run import Run
from sitegen.publish.card_parts import badge_words, card_reward, error_shares
from sitegen.text import Lang

BADGE_FILE = "badge.svg"


def run_pictures(run: Run, analysis: RunAnalysis, leading: Chart | None) -> dict[str, str]:
    """SVG text by file name: the reward with its checkpoint, and error shares, in both themes.

    Args:
        run: The run.
        analysis: Its analyses.
        leading: Its reward chart; None without.
    """
    made: dict[str, str] = {}
    shares = error_shares(run, analysis)
    for theme in THEMES:
        drawn = _reward_picture(run, analysis, leading, theme) if leading is not None else None
        if drawn is not None:
            made[f"reward-{theme}.svg"] = drawn
        if shares is not None:
            made[f"errors-{theme}.svg"] = bars_picture(shares.bars, run.title, shares.caption, theme)
    return made


def _reward_picture(run: Run, analysis: RunAnalysis, leading: Chart, theme: Theme) -> str | None:
    reward = card_reward(analysis)
    said = f"{reward.step} · EMA {reward.value:.3f}" if reward is not None and reward.selected else ""
    return chart_picture(leading, run.title, theme, chart_keys(leading, said))


def badge_svg(analysis: RunAnalysis, lang: Lang) -> str:
    """The run's badge."""
    label, value = badge_words(analysis)
    return badge(label.of(lang), value.of(lang))
