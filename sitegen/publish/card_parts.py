"""What a run's model card says: one line, key numbers, how they were measured. Pure; nothing that is not known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sitegen import format as fmt
from sitegen.analyse.batch_exceptions import batch_exceptions
from sitegen.analyse.checked_card import check_card
from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.trials import NO_EXCEPTION
from sitegen.charts.errors import exception_counts
from sitegen.charts.pictures import Bar
from sitegen.model.run import ModelCard, Run
from sitegen.publish.report import escaped
from sitegen.text import LANGS, Lang, Text, same, ui

SYNTHETIC = "synthetic"
"""Tag of runs whose numbers no training made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """The one number that stands for the run."""

    value: float
    """Smoothed training reward."""
    step: int
    """Step at which it stands."""
    metric: str
    """Logged name."""
    selected: bool
    """Whether the step is the selected checkpoint, else the last one with a reward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """One row of the table of key numbers, in Markdown."""

    label: Text
    """What it is."""
    value: Text
    """The number, with what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorShares:
    """How often trials ended with which exception."""

    bars: tuple[Bar, ...]
    """Largest first."""
    caption: str
    """What they are shares of, for the picture."""
    text: Text
    """The same in words."""


def code(name: str) -> str:
    """A name as Markdown code; as escaped text where code could not hold it on one line of a table."""
    plain = name.isprintable() and not any(mark in name for mark in "`|<&\\") and name.strip() == name
    return f"`{name}`" if plain and name else escaped(name)


def card_reward(analysis: RunAnalysis) -> Reward | None:
    """The smoothed reward at the selected checkpoint, else at the last step that logged one; None without."""
    chosen = analysis.checkpoint
    if chosen.step is not None and chosen.ema is not None and chosen.reward_metric:
        return Reward(value=chosen.ema, step=chosen.step, metric=chosen.reward_metric, selected=True)
    curve = _reward_curve(analysis)
    if curve is None or not np.isfinite(curve.ema).any():
        return None
    last = int(np.flatnonzero(np.isfinite(curve.ema))[-1])
    return Reward(value=float(curve.ema[last]), step=int(curve.step[last]), metric=curve.metric, selected=False)


def _reward_curve(analysis: RunAnalysis) -> Curve | None:
    return analysis.curve(analysis.facts.reward_metric)


def result_line(analysis: RunAnalysis) -> Text:
    """The run in one sentence of Markdown."""
    reward, curve, steps = card_reward(analysis), _reward_curve(analysis), analysis.facts.steps_done
    if reward is None or curve is None:
        return ui("card.result.no-reward", steps=fmt.count(steps)) if steps else ui("card.result.no-steps")
    first = int(np.flatnonzero(np.isfinite(curve.ema))[0])
    values = {
        "value": fmt.number(reward.value),
        "step": fmt.count(reward.step),
        "first": fmt.number(float(curve.ema[first])),
        "first_step": fmt.count(float(curve.step[first])),
    }
    if reward.step == int(curve.step[first]):
        return ui("card.result.one", **values)
    return ui("card.result.selected" if reward.selected else "card.result.last", **values)


def badge_words(analysis: RunAnalysis) -> tuple[Text, Text]:
    """Label and value of the badge."""
    reward, steps = card_reward(analysis), analysis.facts.steps_done
    if reward is not None:
        said = ui("card.badge.reward", value=fmt.fixed(reward.value, 3), step=fmt.count(reward.step))
    else:
        said = ui("card.badge.steps", n=fmt.count(steps)) if steps else ui("card.badge.none")
    return ui("card.badge.label"), said


# Key numbers ---------------------------------------------------------------------------------------------------------


def key_rows(run: Run, analysis: RunAnalysis) -> tuple[CardRow, ...]:
    """The table of key numbers; a number that is not known has no row."""
    return (*_reward_rows(analysis), *_course_rows(run, analysis), *_trial_rows(run, analysis), *_recipe_rows(analysis))


def _row(key: str, value: Text | str) -> CardRow:
    return CardRow(label=ui(f"card.row.{key}"), value=value if isinstance(value, Text) else same(value))


def _reward_rows(analysis: RunAnalysis) -> Iterator[CardRow]:
    reward, curve = card_reward(analysis), _reward_curve(analysis)
    if reward is not None:
        key = "selected" if reward.selected else "last"
        said = {"value": fmt.number(reward.value), "step": fmt.count(reward.step), "metric": code(reward.metric)}
        yield _row(key, ui("card.value.smoothed", **said))
    if curve is not None and curve.best is not None:
        said = {"value": fmt.number(curve.best), "step": fmt.count(curve.best_step), "metric": code(curve.metric)}
        yield _row("best", ui("card.value.at", **said))
    name = analysis.facts.pass_metric
    passed, summary = analysis.curve(name), analysis.metric(name)
    if passed is not None and passed.best is not None and summary is not None and summary.mean is not None:
        said = {"value": fmt.number(passed.best), "step": fmt.count(passed.best_step), "metric": code(passed.metric)}
        yield _row("pass", ui("card.value.best-mean", mean=fmt.number(summary.mean), **said))


def _course_rows(run: Run, analysis: RunAnalysis) -> Iterator[CardRow]:
    facts = analysis.facts
    if facts.steps_done:
        planned = facts.planned_steps
        whole = planned is not None and not (facts.config_assumed and facts.planned_from_config)
        values = {"n": fmt.count(facts.steps_done), "planned": fmt.count(planned)}
        yield _row("steps", ui("card.value.of-planned", **values) if whole else same(values["n"]))
    if run.jobs:
        yield _row("jobs", fmt.count(len(run.jobs)))
    if analysis.timing is not None and analysis.timing.median_step_s is not None:
        seconds = analysis.timing.median_step_s
        yield _row("step-time", Text(fmt.duration(seconds, "en"), fmt.duration(seconds, "zh")))
    if facts.gpu_hours is not None:
        said = ui("card.value.gpu-hours", hours=fmt.number(facts.gpu_hours, 3), gpus=fmt.count(facts.gpus))
        guessed = facts.config_assumed and run.settings.gpus is None
        yield _row("gpu-hours", ui("card.value.assumed", value=said) if guessed else said)


def _trial_rows(run: Run, analysis: RunAnalysis) -> Iterator[CardRow]:
    own, told = analysis.trials, run.published.trials if run.published else None
    total, graded, rate = (
        (own.total, own.graded, own.success_rate)
        if own
        else (told.total, told.graded, told.success_rate)
        if told
        else (None, None, None)
    )
    if total is not None:
        key = "card.value.trials" if graded is not None else "card.value.trials-only"
        yield _row("trials", _marked(ui(key, n=fmt.count(total), graded=fmt.count(graded)), published=own is None))
    if rate is not None:
        yield _row("solved", _marked(_percent(rate), published=own is None))
    shares = error_shares(run, analysis)
    if shares is not None:
        yield _row("exceptions", shares.text)


def _marked(text: Text, *, published: bool) -> Text:
    return ui("card.value.published", value=text) if published else text


def _percent(share: float) -> Text:
    en, zh = (fmt.percent(share, lang) for lang in LANGS)
    return Text(en, zh)


def _recipe_rows(analysis: RunAnalysis) -> Iterator[CardRow]:
    facts = analysis.facts
    assumed = facts.config_assumed
    values = (
        ("base-model", code(facts.base_model or "")),
        ("dataset", code(facts.dataset or "")),
        ("algorithm", code(facts.algorithm or "")),
        ("batch", "" if facts.batch_size is None else _batch(facts.batch_size, facts.samples_per_prompt)),
        ("learning-rate", "" if facts.learning_rate is None else fmt.setting(facts.learning_rate)),
    )
    for key, value in values:
        if value:
            yield _row(key, ui("card.value.assumed", value=value) if assumed else same(value))


def _batch(size: int, samples: int | None) -> str:
    return fmt.count(size) if samples is None else f"{fmt.count(size)} × {fmt.count(samples)}"


# Errors --------------------------------------------------------------------------------------------------------------


def error_shares(run: Run, analysis: RunAnalysis) -> ErrorShares | None:
    """Exceptions as shares of trials, largest first; None where none is known.

    From the trial table, else the published report's, else the batches of the lineage.
    """
    counts, total, source = _exceptions(run, analysis)
    counts = {name: count for name, count in counts.items() if count > 0}
    if not counts or not total:
        return None
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    bars = tuple(
        Bar(name=name, share=count / total, value=f"{fmt.percent(count / total, 'en')} · {fmt.count(count)}")
        for name, count in ordered
    )
    met = math.fsum(counts.values())
    said = [
        Text(f"{code(name)} {fmt.percent(count / total, 'en')}", f"{code(name)} {fmt.percent(count / total, 'zh')}")
        for name, count in ordered[:3]
    ]
    listed = Text(", ".join(item.en for item in said), "、".join(item.zh for item in said))
    text = ui(f"card.value.exceptions-{source}", share=_percent(met / total), n=fmt.count(met), listed=listed)
    return ErrorShares(bars=bars, caption=f"exceptions / {fmt.count(total)} trials", text=text)


def _exceptions(run: Run, analysis: RunAnalysis) -> tuple[dict[str, float], float, str]:
    if analysis.trials is not None:
        groups = analysis.trials.exceptions
        return {g.name: float(g.count) for g in groups if g.name != NO_EXCEPTION}, analysis.trials.total, "trials"
    told = run.published.trials if run.published else None
    if told is not None and told.total:
        counts = {name: float(count) for name, count in told.exceptions.items() if name != NO_EXCEPTION}
        return counts, told.total, "published"
    batches = batch_exceptions(run)
    if batches is None or not batches.attempted:
        return {}, 0, "batches"
    table = exception_counts(run)
    return {name: float(table[name].sum()) for name in table.columns if name != "step"}, batches.attempted, "batches"


# How it was measured -------------------------------------------------------------------------------------------------


def method_lines(run: Run, analysis: RunAnalysis) -> Iterator[Text]:
    """How the numbers were measured, a sentence each, in Markdown."""
    chosen, facts = analysis.checkpoint, analysis.facts
    if SYNTHETIC in run.settings.tags:
        yield ui("card.method.synthetic")
    if facts.reward_metric:
        yield ui("card.method.reward", metric=code(facts.reward_metric))
        yield ui("card.method.smoothed", alpha=f"{chosen.alpha:.3g}")
    if chosen.step is not None and chosen.save_interval is not None:
        yield ui("card.method.selected", interval=chosen.save_interval, first=2 * chosen.save_interval)
    elif chosen.reason is not None and facts.steps_done:
        yield ui(f"run.ckpt.none-{chosen.reason}")
    if facts.superseded:
        rule = ui(f"check.rule.{run.overlap_rule}")
        yield ui("card.method.superseded", n=fmt.count(facts.superseded), rule=rule)
    if run.steps_from_report:
        yield ui("card.method.from-report")
    if analysis.trials is not None and analysis.trials.success_rate is not None:
        yield ui("card.method.solved", threshold=fmt.number(analysis.trials.success_threshold))
    if facts.config_assumed:
        yield ui("card.method.assumed")


def differing(run: Run, body: str, path: str) -> tuple[Text, ...]:
    """Numbers in a model card's tables that the run's files do not give, a sentence of Markdown each.

    Args:
        run: The run.
        body: The card without its front matter and without our section.
        path: Its name.
    """
    card = ModelCard(path=path, front_matter={}, body=body, base_models=(), datasets=(), license=None, tags=())
    found = [item for item in check_card(replace(run, card=card)) if item.verdict == "differs"]
    return tuple(
        ui(
            "card.differs" if item.computed is not None else "card.differs-nothing",
            label=escaped(item.where if item.name in item.where else f"{item.where} – {item.name}"),
            published=escaped(item.published),
            computed=fmt.number(item.computed),
            how=Text(escaped(item.how.en), escaped(item.how.zh)),
        )
        for item in found
    )


def plain_lang(text: Text, lang: Lang) -> str:
    """A Markdown sentence without the marks of its code, for the words behind a picture."""
    return text.of(lang).replace("`", "").replace("\\", "")
