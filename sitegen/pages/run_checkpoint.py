"""The checkpoint section of the overview: what was selected, every reason against the others, what would change it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sitegen import format as fmt
from sitegen.analyse.checkpoint import Alternative, Candidate, CheckpointSelection, select_checkpoint
from sitegen.analyse.config_keys import find_int
from sitegen.model.run import Run
from sitegen.pages.run_view import Mark, RunInput, Voice, percent_of

USUAL_INTERVAL = 20
"""Steps between exports that checkpoint selection scripts assume when nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow:
    """One candidate checkpoint."""

    step: str
    """Step."""
    reward: str
    """Raw reward."""
    ema: str
    """Smoothed reward."""
    behind: str
    """Difference to the selected EMA; empty for the selected one."""
    raw_at: str
    """Place of the raw value on the strip; empty without one."""
    ema_at: str
    """Place of the EMA on the strip; empty without one."""
    saved: str
    """`yes`, `no` or `unknown`."""
    eligible: bool
    """Whether it may be selected."""
    why: str
    """Why not, or what it is."""
    chosen: bool
    """The selected one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What another rule would have selected."""

    label: str
    """What is changed."""
    detail: str
    """Its value."""
    result: str
    """Selected step under it."""
    changes: bool
    """Whether the choice would change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointView:
    """The checkpoint section."""

    sentence: str
    """What was selected, or why nothing was."""
    metric: str | None
    """Reward used."""
    rows: tuple[CandidateRow, ...]
    """Candidates, rising."""
    strip_title: str
    """Heading of the strip with its range."""
    selected_at: str
    """Place of the selected EMA on the strip; empty without a selection."""
    what_if: tuple[WhatIf, ...]
    """Other rules, those that change the choice first."""
    published: str
    """What a published report or the run's own name says; empty when nothing does."""
    published_mark: Mark | None
    """Whether it agrees."""
    formula: str
    """The smoothing in words."""
    rule: str
    """Which steps are eligible."""


def checkpoint_view(given: RunInput, voice: Voice) -> CheckpointView | None:
    """The section; None when no reward was logged at all."""
    chosen = given.analysis.checkpoint
    if chosen.reward_metric is None:
        return None
    low, high = _strip_range(chosen)
    told, mark = _published(given.run, chosen, voice)
    return CheckpointView(
        sentence=voice.sentences((checkpoint_sentence(given.run, chosen, voice), _noise(chosen, voice))),
        metric=chosen.reward_metric,
        rows=tuple(_row(item, chosen, low, high, voice) for item in chosen.candidates),
        strip_title=voice.say("ckpt.strip", low=fmt.fixed(low, 2), high=fmt.fixed(high, 2)),
        selected_at="" if chosen.ema is None else percent_of(chosen.ema, low, high),
        what_if=_what_ifs(given, voice),
        published=told,
        published_mark=mark,
        formula=voice.say("ckpt.formula", alpha=_alpha(chosen.alpha)),
        rule=_rule(chosen, voice),
    )


def checkpoint_sentence(run: Run, chosen: CheckpointSelection, voice: Voice) -> str:
    """One sentence: the selected step, or why there is none."""
    if chosen.step is None:
        return voice.say(f"ckpt.none-{chosen.reason or 'no-candidate'}")
    source = chosen.interval_source or "config"
    assumed = source == "config" and run.config is not None and run.config.assumed
    key = "ckpt.sentence" if chosen.runner_up is None else "ckpt.sentence-close"
    runner = next((item for item in chosen.candidates if item.step == chosen.runner_up), None)
    lead = None
    if runner and runner.ema is not None and chosen.ema is not None:
        lead = chosen.ema - runner.ema
    return voice.say(
        key,
        step=voice.count(chosen.step),
        ema=fmt.fixed(chosen.ema, 4),
        interval=voice.count(chosen.save_interval),
        source=voice.say("ckpt.source-config-assumed" if assumed else f"ckpt.source-{source}"),
        runner=voice.count(chosen.runner_up),
        lead=fmt.fixed(lead, 4),
    )


def _noise(chosen: CheckpointSelection, voice: Voice) -> str:
    """How much a smoothed value is off by chance, and the lead in units of it; empty where neither is known."""
    if chosen.noise is None or not chosen.ema_noise or chosen.margin is None:
        return ""
    return voice.say(
        "ckpt.noise",
        noise=voice.number(chosen.noise, 2),
        ema=voice.number(chosen.ema_noise, 2),
        times=voice.number(chosen.margin / chosen.ema_noise, 2),
    )


def _alpha(alpha: float) -> str:
    return "1/3" if abs(alpha - 1 / 3) < 1e-9 else fmt.number(alpha, 3)


def _rule(chosen: CheckpointSelection, voice: Voice) -> str:
    if chosen.save_interval is None:
        return ""
    key = "ckpt.rule" if chosen.latest_checkpoint is None else "ckpt.rule-capped"
    rule = voice.say(
        key,
        interval=voice.count(chosen.save_interval),
        first=voice.count(2 * chosen.save_interval),
        last=voice.count(chosen.latest_checkpoint),
    )
    return " ".join((rule, _overlap(chosen, voice))).strip() if voice.lang == "en" else rule + _overlap(chosen, voice)


def _overlap(chosen: CheckpointSelection, voice: Voice) -> str:
    """Both overlap rules in one sentence."""
    steps = {rule: step for rule, step, _ in chosen.by_rule}
    if set(steps) != {"last", "first"} or steps["last"] is None or steps["first"] is None:
        return ""
    if steps["last"] == steps["first"]:
        return voice.say("ckpt.both-rules", step=voice.count(steps["last"]))
    return voice.say("ckpt.rules-differ", last=voice.count(steps["last"]), first=voice.count(steps["first"]))


def _strip_range(chosen: CheckpointSelection) -> tuple[float, float]:
    values = [v for item in chosen.candidates for v in (item.reward, item.ema) if v is not None]
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    pad = (high - low) * 0.05 or 0.01
    return low - pad, high + pad


def _row(item: Candidate, chosen: CheckpointSelection, low: float, high: float, voice: Voice) -> CandidateRow:
    is_chosen = item.step == chosen.step
    behind = ""
    if item.ema is not None and chosen.ema is not None and not is_chosen:
        behind = fmt.signed(item.ema - chosen.ema, 4)
    return CandidateRow(
        step=voice.count(item.step),
        reward=fmt.fixed(item.reward, 4),
        ema=fmt.fixed(item.ema, 4),
        behind=behind,
        raw_at="" if item.reward is None else percent_of(item.reward, low, high),
        ema_at="" if item.ema is None else percent_of(item.ema, low, high),
        saved={True: "yes", False: "no", None: "unknown"}[item.saved],
        eligible=item.eligible,
        why=_why(item, chosen, voice),
        chosen=is_chosen,
    )


def _why(item: Candidate, chosen: CheckpointSelection, voice: Voice) -> str:
    if item.exclusion is not None:
        return voice.say(f"ckpt.why-{item.exclusion}")
    if item.step == chosen.step:
        return voice.say("ckpt.why-selected")
    return voice.say("ckpt.why-runner-up") if item.step == chosen.runner_up else ""


def _what_ifs(given: RunInput, voice: Voice) -> tuple[WhatIf, ...]:
    """Other rules and other intervals, those that change the choice first."""
    chosen = given.analysis.checkpoint
    made = [_what_if(item, chosen, voice) for item in chosen.alternatives]
    if chosen.save_interval is not None:
        made += [_interval(given, interval, voice) for interval in _other_intervals(given.run, chosen.save_interval)]
    if chosen.step is None:
        made = [item for item in made if item.changes]
    return tuple(sorted(made, key=lambda view: not view.changes))


def _other_intervals(run: Run, interval: int) -> tuple[int, ...]:
    """Intervals worth trying: that of resumable states, and the usual one of selection scripts."""
    others = (find_int(run.config, "ckpt_interval"), USUAL_INTERVAL)
    return tuple(sorted({other for other in others if other and other > 0} - {interval}))


def _interval(given: RunInput, interval: int, voice: Voice) -> WhatIf:
    run, chosen = given.run, given.analysis.checkpoint
    other = replace(run, settings=replace(run.settings, save_interval=interval), exports=None)
    found = select_checkpoint(other, given.context.settings, chosen.reward_metric)
    return WhatIf(
        label=voice.say("ckpt.if-interval", interval=voice.count(interval)),
        detail=_interval_detail(found, voice),
        result=voice.say("ckpt.nothing") if found.step is None else voice.say("step-n", step=voice.count(found.step)),
        changes=found.step != chosen.step,
    )


def _interval_detail(found: CheckpointSelection, voice: Voice) -> str:
    """Its EMA, and what the other overlap rule gives when that differs."""
    if found.ema is None:
        return ""
    ema = fmt.fixed(found.ema, 4)
    for rule, step, other in found.by_rule:
        if rule != found.overlap_rule and step is not None and (step != found.step or fmt.fixed(other, 4) != ema):
            name, where = voice.say(f"overlap.{rule}"), voice.say("step-n", step=voice.count(step))
            return voice.say("ckpt.if-other-rule", ema=ema, rule=name, step=where, other=fmt.fixed(other, 4))
    return ema


def _what_if(item: Alternative, chosen: CheckpointSelection, voice: Voice) -> WhatIf:
    other = {"last": "first", "first": "last"}[chosen.overlap_rule]
    return WhatIf(
        label=voice.say(f"ckpt.if-{item.rule}", rule=voice.say(f"overlap.{other}")),
        detail="" if item.value is None else fmt.fixed(item.value, 4),
        result=voice.say("ckpt.nothing") if item.step is None else voice.say("step-n", step=voice.count(item.step)),
        changes=item.changes,
    )


def _published(run: Run, chosen: CheckpointSelection, voice: Voice) -> tuple[str, Mark | None]:
    told = run.published.checkpoint_step if run.published else None
    if told is None:
        return "", None
    text = voice.say("ckpt.published", step=voice.count(told))
    if chosen.step is None:
        return text, None
    if told == chosen.step:
        return text, Mark(icon="c-eq", tone="good", word=voice.say("agrees"))
    return text, Mark(icon="c-ne", tone="bad", word=voice.say("differs"))
