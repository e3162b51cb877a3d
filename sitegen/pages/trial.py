"""The page of one trial: its agent's dialogue, turn by turn.

One page per language: both are whole without scripts, and a link to a turn stays in its language. What is long is cut
with its beginning and end kept, and every cut says how much it leaves out. Nothing in a dialogue is markup here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import quote

from sitegen import format as fmt
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.model.run import Run
from sitegen.model.trajectory import LEFT_OUT, MARK_END, ToolCall, ToolResult, Trajectory, TrajectoryFile, Turn
from sitegen.pages.base import PageHead, SiteContext, SiteFile, render_page, run_page
from sitegen.pages.run_view import Fact, Link, Voice
from sitegen.text import LANGS, same, ui

TEMPLATE = "pages/trial.html"
SUMMARY_CHARS = 96
"""Of a call's first argument, shown while it is folded."""
LONG_CHARS = 1200
"""What the system or the user says is folded when it is longer: instructions that most trials share."""
_MARK = re.compile(f"{LEFT_OUT}(\\w+)\\|([^|{MARK_END}]*)\\|(\\d*){MARK_END}")

Talks = Callable[[TrajectoryFile], Trajectory | None]
"""Reads one trajectory, with nothing in it that must not be shown; None when it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a text."""

    text: str
    """What is printed."""
    gap: bool = False
    """Whether it stands for something that was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Something folded."""

    label: str
    """What it is."""
    code: str
    """A name behind the label, in code type; empty for none."""
    hint: str
    """How it begins, or how long it is."""
    parts: tuple[tuple[str, tuple[Piece, ...]], ...]
    """Name (empty for none) and text of each part."""
    kind: str
    """`message`, `reasoning`, `call` or `result`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One turn."""

    id: str
    """Anchor, the same in both languages."""
    number: str
    """Its number."""
    role: str
    """`system`, `user` or `agent`."""
    who: str
    """The role in words."""
    model: str
    """Model, where it is another than the trajectory's."""
    marks: tuple[str, ...]
    """Time since the turn before, tokens, cost."""
    when: str
    """Time of the turn, UTC; empty unknown."""
    before: tuple[Fold, ...]
    """What is folded above the message: reasoning, or a long message."""
    message: tuple[Piece, ...]
    """What is said; empty when it is folded."""
    folds: tuple[Fold, ...]
    """Calls and results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkView:
    """One dialogue: the trial's, or that of one of its steps."""

    id: str
    """Anchor."""
    title: str
    """Heading."""
    name: str
    """Name of the step, in the run's own words; empty for none."""
    files: tuple[Fact, ...]
    """Further files that are named: continuation, other agents."""
    notes: tuple[Piece, ...]
    """The writer's notes."""
    turns: tuple[TurnView, ...]
    """Turns shown."""
    sentence: str
    """How many turns, and what of them is not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPage:
    """View model of a trial's page."""

    head: PageHead
    """For `base.html`."""
    run_title: str
    """The run."""
    run_link: str
    """Its overview."""
    table_link: str
    """The table of its trials."""
    task_link: str
    """The table, this trial's task alone."""
    task: str
    """Task."""
    trial: str
    """Trial's name."""
    outcome: str
    """`success`, `failure` or `ungraded`."""
    exception: str
    """Exception; empty for none."""
    facts: tuple[Fact, ...]
    """Reward, turns, tokens, cost, duration, agent."""
    talks: tuple[TalkView, ...]
    """Its dialogue, or those of its steps."""
    previous: Link | None
    """The trial before in the table that has a page."""
    following: Link | None
    """The one after it."""


def trial_files(run: Run, analysis: RunAnalysis, site: SiteContext, talks: Talks) -> Iterator[SiteFile]:
    """The pages of a run's trials in both languages, made one trial at a time."""
    threshold = analysis.trials.success_threshold if analysis.trials else site.settings.success_threshold
    rows = _rows(run)
    shown = sorted((file for file in run.trajectories if file.page), key=lambda file: rows[file.result]["place"])
    trials = [sorted(files, key=lambda file: file.order) for _, files in groupby(shown, lambda file: file.result)]
    for place, files in enumerate(trials):
        told = [(file, talk) for file in files if (talk := talks(file)) is not None]
        if not told:
            continue
        before = trials[place - 1][0] if place else None
        around = (before, trials[place + 1][0] if place + 1 < len(trials) else None)
        maker = _Maker(run, rows[files[0].result], files[0], threshold)
        for lang in LANGS:
            voice = Voice(lang, maker.path)
            page = maker.page(told, voice, _Allowance(site.settings.trajectory_page_chars), site, around)
            yield render_page(TEMPLATE, page, site, lang)


def trial_page_path(slug: str, page: str) -> str:
    """English site path of a trial's page, given its address below the run's folder."""
    return f"runs/{slug}/{page}"


def trajectory_note(run: Run, site: SiteContext, voice: Voice) -> str:
    """What the trials page says about dialogues; empty where no trial has one."""
    if not run.trajectories or run.trials is None:
        return ""
    known = set(run.trials["source"])
    there = len({file.result for file in run.trajectories if file.result in known})
    shown = len({file.page for file in run.trajectories if file.page})
    values = {"n": voice.count(there), "total": voice.count(len(run.trials)), "shown": voice.count(shown)}
    if not site.settings.trajectories:
        return voice.say("talk.off", **values)
    key = "talk.on" if shown == there else "talk.cut" if shown >= site.settings.trajectory_pages else "talk.some"
    return voice.say(key, **values)


def _rows(run: Run) -> dict[str, dict[str, Any]]:
    """Result to the values of its row, with its place in the table."""
    assert run.trials is not None or not any(file.page for file in run.trajectories)
    if run.trials is None:
        return {}
    wanted = {file.result for file in run.trajectories if file.page}
    table = run.trials[run.trials["source"].isin(wanted)]
    return {
        str(values["source"]): {**{str(name): value for name, value in values.items()}, "place": place}
        for place, values in zip(table.index.tolist(), table.to_dict("records"), strict=True)
    }


class _Allowance:
    """Characters that a page may still show."""

    def __init__(self, most: int) -> None:
        self.left = most

    def take(self, wanted: int, limit: int) -> int:
        """How many of a text's characters are shown."""
        granted = max(0, min(wanted, limit, self.left))
        self.left -= granted
        return granted


class _Maker:
    """Makes one trial's page in any language."""

    def __init__(self, run: Run, row: Mapping[str, Any], file: TrajectoryFile, threshold: float) -> None:
        self.run, self.row, self.file, self.threshold = run, row, file, threshold
        self.path = trial_page_path(run.slug, file.page)

    def page(
        self,
        told: Sequence[tuple[TrajectoryFile, Trajectory]],
        voice: Voice,
        room: _Allowance,
        site: SiteContext,
        around: tuple[TrajectoryFile | None, TrajectoryFile | None],
    ) -> TrialPage:
        """The view model."""
        task, trial = str(self.row["task"] or ""), str(self.row["trial"] or "")
        exception = self.row["exception"] if isinstance(self.row["exception"], str) else ""
        steps = any(file.step for file, _ in told)
        talks = []
        for file, talk in told:
            talks.append(_talk_view(talk, file if steps else None, voice, room, site.settings.trajectory_message_chars))
        table = voice.urls.page_to(run_page(self.run.slug, "trials"))
        return TrialPage(
            head=self._head(task, trial, exception, site),
            run_title=self.run.title,
            run_link=voice.urls.page_to(run_page(self.run.slug)),
            table_link=f"{table}#t-find={quote(trial or task, safe='')}",
            task_link=f"{table}#t-task={quote(task, safe='')}",
            task=task,
            trial=trial,
            outcome=self._outcome(),
            exception=exception,
            facts=tuple(self._facts([talk for _, talk in told], voice)),
            talks=tuple(talks),
            previous=self._beside(around[0], voice),
            following=self._beside(around[1], voice),
        )

    def _head(self, task: str, trial: str, exception: str, site: SiteContext) -> PageHead:
        return PageHead(
            path=self.path,
            title=ui("run.talk.title", trial=same(trial or task), name=same(self.run.title)),
            area="runs",
            framework=self.run.framework,
            names={exception: "exception"} if exception else {},
            scripts=(site.assets["run.js"],) if "run.js" in site.assets else (),
            run=self.run.slug,
        )

    def _beside(self, other: TrajectoryFile | None, voice: Voice) -> Link | None:
        if other is None:
            return None
        path = trial_page_path(self.run.slug, other.page)
        return Link(href=voice.urls.page_to(path), text=other.result.split("/")[-2] if "/" in other.result else "")

    def _outcome(self) -> str:
        reward = _float(self.row["reward"])
        return "ungraded" if reward is None else "success" if reward > self.threshold else "failure"

    def _facts(self, talks: Sequence[Trajectory], voice: Voice) -> Iterator[Fact]:
        row = self.row
        tokens = {
            "input": (_float(row["input_tokens"]), _sum(talk.prompt_tokens for talk in talks)),
            "cached": (_float(row["cache_tokens"]), _sum(talk.cached_tokens for talk in talks)),
            "output": (_float(row["output_tokens"]), _sum(talk.completion_tokens for talk in talks)),
        }
        yield Fact(label=voice.say("trial.reward"), value=voice.number(_float(row["reward"])))
        turns = _float(row["turns"])
        if turns is not None:
            yield Fact(label=voice.say("trial.turns"), value=voice.count(turns))
        for name, (told, own) in tokens.items():
            value = told if told is not None else own
            if value is not None:
                yield Fact(label=voice.say(f"talk.{name}"), value=voice.count(value))
        cost = _float(row["cost_usd"])
        cost = _sum(talk.cost_usd for talk in talks) if cost is None else cost
        if cost is not None:
            yield Fact(label=voice.say("talk.cost"), value=f"{fmt.plain(cost, 4)} USD")
        wall = _float(row["wall_s"])
        if wall is not None:
            yield Fact(label=voice.say("talk.wall"), value=voice.duration(wall))
        for name, field in (("agent", "agent"), ("model", "model"), ("format", "version")):
            texts = dict.fromkeys(text for talk in talks if (text := getattr(talk, field)))
            if texts:
                yield Fact(label=voice.say(f"talk.{name}"), value=", ".join(texts), code=True)


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum of what is told; None where nothing is."""
    told = [value for value in values if value is not None]
    return sum(told) if told else None


def _talk_view(talk: Trajectory, step: TrajectoryFile | None, voice: Voice, room: _Allowance, limit: int) -> TalkView:
    """One dialogue; of a trial in steps, anchors begin with the step's number."""
    number = step.order + 1 if step else 0
    title = "talk.heading" if step is None else "talk.step" if step.step else "talk.step-open"
    turns = tuple(_turns(talk.turns, voice, room, limit, f"step-{number}-" if step else ""))
    return TalkView(
        id=f"step-{number}" if step else "talk",
        title=voice.say(title, n=number),
        name=step.step if step else "",
        files=tuple(_files(talk, voice)),
        notes=_pieces(talk.notes, limit, voice) if talk.notes else (),
        turns=turns,
        sentence=_sentence(talk, len(turns), voice),
    )


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value == value and abs(value) != float("inf") else None


def _files(talk: Trajectory, voice: Voice) -> Iterator[Fact]:
    if talk.continued:
        yield Fact(label=voice.say("talk.continued"), value=talk.continued, code=True)
    for name in talk.subagents:
        yield Fact(label=voice.say("talk.subagent"), value=name, code=True)


def _sentence(talk: Trajectory, shown: int, voice: Voice) -> str:
    total = len(talk.turns)
    if not total:
        return voice.say("talk.no-turns")
    key = "talk.turns" if shown == total else "talk.turns-cut"
    return voice.say(key, n=voice.count(total), shown=voice.count(shown), left=voice.count(total - shown))


def _turns(turns: Sequence[Turn], voice: Voice, room: _Allowance, limit: int, prefix: str = "") -> Iterator[TurnView]:
    """The turns until the page is full."""
    repeated = {number for number, count in Counter(turn.number for turn in turns).items() if count > 1}
    before: float | None = None
    for place, turn in enumerate(turns, 1):
        if room.left <= 0:
            return
        name = f"{prefix}turn-{place if repeated else turn.number}"
        long = turn.role != "agent" and len(turn.message) > LONG_CHARS
        above = [("reasoning", turn.reasoning), ("message", turn.message if long else "")]
        yield TurnView(
            id=name,
            number=str(turn.number),
            role=turn.role,
            who=voice.say("talk.agent-role" if turn.role == "agent" else f"talk.{turn.role}"),
            model=turn.model,
            marks=tuple(_marks(turn, before, voice)),
            when=fmt.iso(turn.time),
            before=tuple(_text_fold(kind, text, voice, room, limit) for kind, text in above if text),
            message=() if long else _block(turn.message, voice, room, limit),
            folds=tuple(_folds(turn, voice, room, limit)),
        )
        before = turn.time if turn.time is not None else before


def _marks(turn: Turn, before: float | None, voice: Voice) -> Iterator[str]:
    if turn.copied:
        yield voice.say("talk.copied")
    if turn.time is not None and before is not None:
        gap = turn.time - before
        yield f"{'+' if gap >= 0 else '−'}{voice.duration(abs(gap))}"
    if turn.prompt_tokens is not None:
        cached = turn.cached_tokens
        key = "talk.prompt-cached" if cached else "talk.prompt"
        yield voice.say(key, n=voice.count(turn.prompt_tokens), cached=voice.count(cached or 0))
    if turn.completion_tokens is not None:
        yield voice.say("talk.completion", n=voice.count(turn.completion_tokens))
    if turn.cost_usd is not None:
        yield f"{fmt.plain(turn.cost_usd, 3)} USD"


def _text_fold(kind: str, text: str, voice: Voice, room: _Allowance, limit: int) -> Fold:
    parts = (("", _block(text, voice, room, limit)),)
    return Fold(label=voice.say(f"talk.{kind}"), code="", hint=_length(text, voice), parts=parts, kind=kind)


def _folds(turn: Turn, voice: Voice, room: _Allowance, limit: int) -> Iterator[Fold]:
    answered: dict[int | None, list[ToolResult]] = {}
    for result in turn.results:
        answered.setdefault(result.call, []).append(result)
    for place, call in enumerate(turn.calls):
        yield _call(call, voice, room, limit)
        for result in answered.pop(place, ()):
            yield _result(result, voice, room, limit)
    for results in answered.values():
        for result in results:
            yield _result(result, voice, room, limit)


def _call(call: ToolCall, voice: Voice, room: _Allowance, limit: int) -> Fold:
    texts = [(str(name), _argument(value)) for name, value in call.arguments.items()]
    first = " ".join(_MARK.sub("…", next((text for _, text in texts if text.strip()), "")).split())
    return Fold(
        label=voice.say("talk.call"),
        code=call.name,
        hint=first if len(first) <= SUMMARY_CHARS else f"{first[:SUMMARY_CHARS].rstrip()}…",
        parts=tuple((name, _block(text, voice, room, limit)) for name, text in texts),
        kind="call",
    )


def _argument(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _result(result: ToolResult, voice: Voice, room: _Allowance, limit: int) -> Fold:
    parts = [("", _block(result.text, voice, room, limit))]
    parts += [(voice.say("talk.subagent"), (Piece(text=name),)) for name in result.subagents]
    return Fold(
        label=voice.say("talk.result"),
        code="",
        hint=_length(result.text, voice),
        parts=tuple(parts),
        kind="result",
    )


def _length(text: str, voice: Voice) -> str:
    lines = text.count("\n") + 1
    key = "talk.length" if lines == 1 else "talk.length-lines"
    return voice.say(key, n=voice.count(len(_MARK.sub("", text))), lines=voice.count(lines))


def _block(text: str, voice: Voice, room: _Allowance, limit: int) -> tuple[Piece, ...]:
    return _pieces(text, room.take(len(text), limit), voice)


def _pieces(text: str, shown: int, voice: Voice) -> tuple[Piece, ...]:
    """A text as stretches, its middle left out where it is longer than what may be shown."""
    if len(text) <= shown:
        return tuple(_marked(text, voice))
    head, tail = shown - shown // 3, shown // 3
    opened = text.rfind(LEFT_OUT, 0, head)
    if opened >= 0 and text.find(MARK_END, opened) >= head:  # a mark is not cut in two
        head = opened
    end = len(text) - tail
    closing = text.find(MARK_END, end) + 1
    if closing and text.rfind(LEFT_OUT, 0, end) > text.rfind(MARK_END, 0, end):
        end = closing
    gap = Piece(text=voice.say("talk.left-out", n=voice.count(end - head)), gap=True)
    return (*_marked(text[:head], voice), gap, *_marked(text[end:], voice))


def _marked(text: str, voice: Voice) -> Iterator[Piece]:
    at = 0
    for found in _MARK.finditer(text):
        if found.start() > at:
            yield Piece(text=text[at : found.start()])
        kind, name, count = found.groups()
        key = "talk.picture" if kind == "picture" else "talk.base64"
        size = voice.say("talk.chars", n=voice.count(int(count))) if count.strip("0") else ""
        words = [part for part in (name.strip(), size) if part]
        yield Piece(text=voice.say(key, what=voice.listing(words) or "?"), gap=True)
        at = found.end()
    if at < len(text):
        yield Piece(text=text[at:])
