"""Entries for names that no file explains, composed from the parts of the name.

The quantity decides unit, direction and group; aggregates (mean, max, p99, …) only modify them; the namespace before
the first `/` gives the scope. What is composed is marked as such (`confidence` inferred or unknown, and a `notice`).
A name is a stranger's string: it appears only as a code span without backticks, shortened.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sitegen.glossary.entry import Confidence, GlossaryEntry, Source
from sitegen.glossary.words import Prefix, Word, direction_text, join_zh, vocabulary
from sitegen.text import Text

NAME_LIMIT = 200
"""Characters of a name beyond which nothing is read out of it."""
SHOWN = 80
"""Characters of a name that a text shows."""
SLUG = 60
"""Characters of a name that its page address keeps."""

_WORD = re.compile(r"[^\W_]+(?:@\d+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PERCENTILE = re.compile(r"(?:p|tp)(\d{1,3})")
_AT = re.compile(r"(pass|best|worst|maj|mean|avg|acc|std)@(\d+)")
_FAILURES = frozenset(
    (
        *("error", "errors", "fail", "failed", "failure", "failures", "exception", "exceptions", "timeout", "timeouts"),
        *("drop", "dropped", "discard", "discarded", "expired", "preempt", "preempted", "preemptions"),
        *("truncated", "truncation", "truncat", "overlong"),
    )
)
_POLICY = frozenset(("policy", "pg", "actor", "final"))
_LENGTHS = frozenset(("length", "completion", "completions", "response", "responses", "len"))
_IMPORTANCE = frozenset(("importance", "is", "tis", "ppl", "prob", "probs", "imp"))
_UNIT_TAILS = {
    "s": "s",
    "sec": "s",
    "secs": "s",
    "seconds": "s",
    "ms": "ms",
    "gb": "gb",
    "mb": "mib",
    "bytes": "bytes",
    "usd": "usd",
}
_TIME_TAILS = frozenset(("sec", "secs", "seconds", "ms"))
_NUMBERED = re.compile(r"(gpu|cpu|node|worker|engine|env|rank)(\d{1,4})")
_HELPERS = frozenset(
    ("of", "the", "in", "at", "to", "by", "for", "and", "with", "after", "before", "from", "on", "per")
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A recognised phrase of a name, or a run of unknown words."""

    word: Word | None
    text: Text
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a name's parts say."""

    prefix: Prefix | None
    parts: tuple[_Part, ...]
    unit_tail: str
    tokens: frozenset[str]

    @property
    def head(self) -> Word | None:
        """The quantity: the rightmost one, but of `tokens_masked` the tokens."""
        found = _head_index(self.parts)
        return self.parts[found].word if found is not None else None

    @property
    def aggregates(self) -> tuple[Word, ...]:
        """All aggregates."""
        return tuple(part.word for part in self.parts if part.word is not None and part.word.role == "aggregate")

    @property
    def unknown(self) -> tuple[_Part, ...]:
        """Runs of words that are not in the vocabulary."""
        return tuple(part for part in self.parts if part.word is None)


def inferred_id(name: str, framework: str) -> str:
    """Page address of a name without an entry: framework, a readable part, and six digits of the name's hash."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()[:NAME_LIMIT]).strip("_")[:SLUG].strip("_")
    return "-".join(filter(None, (framework, slug, digest)))


def code(name: str) -> str:
    """A name as a code span: one line, no backticks, shortened."""
    flat = "".join(char if char.isprintable() else "\ufffd" for char in name).replace("`", "'").strip()
    if len(flat) > SHOWN:
        flat = flat[: SHOWN - 1] + "…"
    return f"`{flat or '?'}`"


def compose(name: str, framework: str) -> GlossaryEntry:
    """An entry for any name; never fails."""
    reading = _read(name) if len(name) <= NAME_LIMIT else _Reading(None, (), "", frozenset())
    if not _says_something(reading):
        return _unknown(name, framework)
    title = _title(reading)
    unit, direction = _unit(reading), _direction(reading)
    return _entry(name, framework, title=title, unit=unit, direction=direction, reading=reading)


def _says_something(reading: _Reading) -> bool:
    """True when at least the area or the quantity can be told."""
    if reading.prefix is not None or reading.head is not None:
        return True
    return _counts(reading) or any(word.kind == "tail" for word in reading.aggregates)


def _entry(name: str, framework: str, *, title: Text, unit: str, direction: str, reading: _Reading) -> GlossaryEntry:
    phrases, notices = vocabulary().phrases, vocabulary().notices
    sentence = direction_text(direction)
    scope = reading.prefix.scope if reading.prefix is not None and _needs_scope(reading) else None
    short = _put(phrases["alone"], title=title)
    what = _put(phrases["among"], title=title, scope=scope) if scope is not None else short
    if reading.unknown and (reading.head is not None or reading.prefix is None):
        several = "partly_several" if len(reading.unknown) > 1 else "partly"
        what = _sentences(what, _put(phrases[several], word=_listed(reading.unknown)))
    confidence: Confidence = "inferred"
    return GlossaryEntry(
        id=inferred_id(name, framework),
        kind="metric",
        framework=framework,
        versions="",
        names=(name,),
        group=_group(reading),
        unit=unit,
        direction=direction,
        title=title,
        short=_sentences(short, sentence),
        what=_sentences(what, sentence),
        formula="",
        symbols=None,
        healthy=None,
        worrying=None,
        together=None,
        traps=(),
        related=(),
        source=Source(repository="", file="", function=""),
        confidence=confidence,
        checked="",
        notice=notices["inferred"],
    )


def _needs_scope(reading: _Reading) -> bool:
    """False when the title already speaks of the namespace."""
    core = [part for part in reading.parts if not _is_aggregate(part)]
    if not core or (_is_stage(reading) and reading.head is None):
        return False
    return reading.head is not None or not reading.unknown or _counts(reading)


def _unknown(name: str, framework: str) -> GlossaryEntry:
    phrases = vocabulary().phrases
    shown = code(name)
    return GlossaryEntry(
        id=inferred_id(name, framework),
        kind="metric",
        framework=framework,
        versions="",
        names=(name,),
        group="other",
        unit="",
        direction="context",
        title=Text(shown, shown),
        short=phrases["unknown_short"],
        what=phrases["unknown_what"],
        formula="",
        symbols=None,
        healthy=None,
        worrying=None,
        together=None,
        traps=(),
        related=(),
        source=Source(repository="", file="", function=""),
        confidence="unknown",
        checked="",
        notice=vocabulary().notices["unknown"],
    )


def unknown_exception(name: str, framework: str) -> GlossaryEntry:
    """An entry for an exception class that no entry explains."""
    texts = vocabulary().exception
    return replace(
        _unknown(name, framework),
        kind="exception",
        group="errors",
        direction="down",
        short=texts["short"],
        what=texts["what"],
        treatment=texts["treatment"],
        blame="unclear",
    )


# Reading a name


def _read(name: str) -> _Reading:
    segments = [segment for segment in name.split("/") if segment]
    prefix = None
    if len(segments) > 1:
        prefix = vocabulary().prefixes.get(tuple(token.lower() for token in _tokens(segments[0])))
        segments = segments[1:] if prefix is not None else segments
    parts: list[_Part] = []
    unit_tail = ""
    for segment in segments:
        tokens = _tokens(segment)
        tokens, unit_tail = _without_unit(tokens, unit_tail)
        parts.extend(_parts(tokens))
    words = frozenset(token.lower() for part in parts for token in part.tokens)
    return _Reading(prefix, tuple(_settle(parts)), unit_tail, words)


def _without_unit(tokens: list[str], unit: str) -> tuple[list[str], str]:
    """The unit at the end of a segment, also before an aggregate: `latency_ms`, `latency_ms_p95`.

    A word such as `ms` with nothing measured before it stands for the time itself and stays.
    """
    last = len(tokens) - 1
    while last > 0 and (
        _PERCENTILE.fullmatch(tokens[last].lower()) or (tokens[last].lower(),) in vocabulary().aggregates
    ):
        last -= 1
    tail = tokens[last].lower() if tokens else ""
    if last < 1 or tail not in _UNIT_TAILS or tokens[last - 1].lower() == "per":
        return tokens, unit
    kept = [*tokens[:last], *tokens[last + 1 :]]
    if _UNIT_TAILS[tail] in ("s", "ms") and _names_a_stage(kept, tail):
        kept.insert(last, "time")
    return kept, _UNIT_TAILS[tail]


def _names_a_stage(tokens: list[str], unit: str) -> bool:
    """True when the unit alone says that a time is measured: `boot_seconds`, `step_s`, but not `foos` spelt `foo_s`."""
    quantities = [part.word for part in _parts(tokens) if part.word is not None and part.word.role == "quantity"]
    if not quantities:
        return unit in _TIME_TAILS
    return all(word.direction == "info" for word in quantities)


def _tokens(segment: str) -> list[str]:
    """The words of one segment as written; `Pass@8`, `p99` and `gsm8k` stay whole, `pass_at_8` becomes `pass@8`."""
    joined = re.sub(r"(?i)(?<![a-z])(pass|best|worst|maj)_at_(\d+)", r"\1@\2", re.sub(r"[-.\s]", "_", segment))
    return [token for word in _WORD.findall(joined) for token in _CAMEL.split(word)]


def _parts(tokens: list[str]) -> list[_Part]:
    """Longest phrases first, left to right; neighbouring unknown words become one part."""
    parts: list[_Part] = []
    position = 0
    while position < len(tokens):
        part = _phrase_at(tokens, position)
        position += len(part.tokens)
        if part.word is None and parts and parts[-1].word is None:
            part = _unknown_part((*parts.pop().tokens, *part.tokens))
        parts.append(part)
    return parts


def _phrase_at(tokens: list[str], position: int) -> _Part:
    low = [token.lower() for token in tokens]
    special = _special(low, position)
    if special is not None:
        return special
    words = vocabulary().words
    for size in range(min(vocabulary().longest, len(tokens) - position), 0, -1):
        phrase = tuple(low[position : position + size])
        if phrase in words:
            return _Part(words[phrase], words[phrase].text, phrase)
    return _unknown_part((tokens[position],))


def _unknown_part(tokens: tuple[str, ...]) -> _Part:
    shown = code("_".join(tokens))
    return _Part(None, Text(shown, shown), tokens)


def _special(tokens: list[str], position: int) -> _Part | None:
    """Percentiles, `pass@8` and its relatives, thresholds such as `gt_10pct`."""
    token = tokens[position]
    if tuple(tokens[position : position + 3]) in vocabulary().aggregates:
        return None
    if found := _PERCENTILE.fullmatch(token):
        return _aggregate(f"{_ordinal(int(found[1]))} percentile of {{x}}", f"{{x}}的 {found[1]} 分位数", (token,))
    if found := _AT.fullmatch(token):
        return _at_k(found[1], found[2], token)
    if found := _NUMBERED.fullmatch(token):
        return _numbered(found[1], found[2], (token,))
    if position + 1 < len(tokens) and _NUMBERED.fullmatch(token + tokens[position + 1]):
        return _numbered(token, tokens[position + 1], (token, tokens[position + 1]))
    if token in ("gt", "lt") and position + 1 < len(tokens) and tokens[position + 1][0].isdigit():
        limit = tokens[position + 1].replace("pct", "%")
        sign = ("above", "高于") if token == "gt" else ("below", "低于")
        return _aggregate(f"{{x}} {sign[0]} {limit}", f"{sign[1]} {limit} 的{{x}}", (token, tokens[position + 1]))
    return None


def _numbered(thing: str, number: str, tokens: tuple[str, ...]) -> _Part:
    """One of several: `gpu3`, `worker_3`."""
    word = vocabulary().words[(thing,)]
    text = Text(f"{word.text.en} {number}", join_zh(word.text.zh, number))
    return _Part(replace(word, text=text), text, tokens)


def _aggregate(en: str, zh: str, tokens: tuple[str, ...]) -> _Part:
    return _Part(Word(role="aggregate", text=Text(en, zh)), Text(en, zh), tokens)


def _at_k(kind: str, k: str, token: str) -> _Part:
    """The estimators with a number of tries in the name."""
    texts = {
        "pass": (f"share of prompts solved at least once in {k} tries", f"{k} 次尝试中至少成功一次的题目占比"),
        "best": (f"best of {k} tries", f"{k} 次尝试中的最优结果"),
        "worst": (f"worst of {k} tries", f"{k} 次尝试中的最差结果"),
        "maj": (f"majority vote of {k} tries", f"{k} 次尝试的多数投票结果"),
        "std": (f"spread over {k} tries", f"{k} 次尝试之间的标准差"),
    }
    en, zh = texts.get(kind, (f"average over {k} tries", f"{k} 次尝试的平均值"))
    unit = "ratio" if kind in ("pass", "acc") else "varies"
    direction = "context" if kind == "std" else "up"
    word = Word(role="quantity", text=Text(en, zh), unit=unit, direction=direction, group="evaluation", kind="tries")
    return _Part(word, word.text, (token,))


def _settle(parts: list[_Part]) -> list[_Part]:
    """`ratio` or `rate` beside another quantity is an aggregate, alone it is the quantity; fillers go."""
    known = [part for part in parts if part.word is not None and part.word.role == "quantity"]
    settled = []
    for part in parts:
        if part.word is None and all(token in _HELPERS or token.isdigit() for token in part.tokens):
            continue
        other = vocabulary().aggregates.get(part.tokens)
        if other is not None and part in known and len(known) > 1:
            part = _Part(other, other.text, part.tokens)
        settled.append(part)
    return settled


# Wording


def _title(reading: _Reading) -> Text:
    """`{aggregate} of {quantity}`, first letter of the English in upper case.

    Aggregates before the quantity apply from the nearest outwards, then those after it.
    """
    core = [index for index, part in enumerate(reading.parts) if not _is_aggregate(part)]
    first, last = (core[0], core[-1]) if core else (len(reading.parts), len(reading.parts) - 1)
    inner = [part for part in reading.parts[first : last + 1] if _is_aggregate(part)]
    outer = reading.parts[max(first, last + 1) :] if core else ()
    things = [reading.parts[index] for index in core]
    phrase = _as_number(_core(things, reading), things, reading)
    for part in (*inner, *reversed(reading.parts[:first]), *outer):
        phrase = _apply(part, phrase, reading)
    plain = phrase.en[1:2].islower() or phrase.en[1:2] == " "
    on_gpu = any(token.startswith("gpu") for token in reading.tokens)
    zh = phrase.zh.replace("内存", "显存") if on_gpu else phrase.zh
    return Text(phrase.en[:1].upper() + phrase.en[1:] if plain else phrase.en, zh)


def _as_number(phrase: Text, core: list[_Part], reading: _Reading) -> Text:
    """Aggregates of failed trials are aggregates of their number."""
    head = reading.head
    counted = head is not None and head.adjective is not None and head.unit == "count" and _has_things(core)
    if not counted or not reading.aggregates or _counts(reading):
        return phrase
    return Text(f"number of {phrase.en}", join_zh(phrase.zh, "数"))


def _core(core: list[_Part], reading: _Reading) -> Text:
    """The noun phrase that aggregates are applied to."""
    known = all(part.word is not None for part in core)
    if not core:
        return reading.prefix.scope if reading.prefix is not None else Text("", "")
    if reading.head is not None or _counts_things(core, reading):
        return _noun_phrase(core, reading)
    if known and not _is_stage(reading):
        inner = _noun_phrase(core, reading)
        head = reading.prefix.head if reading.prefix is not None and not _counts(reading) else None
        return inner if head is None else Text(f"{inner.en} {head.en}", join_zh(inner.zh, head.zh))
    if known:
        inner = _noun_phrase(core, reading)
    else:
        shown = code("_".join(token for part in core for token in part.tokens))
        inner = Text(shown, shown)
    if reading.prefix is None or (_counts(reading) and not _is_stage(reading)):
        return inner
    rest = reading.prefix.rest
    before, _, after = rest.zh.partition("{rest}")
    return Text(rest.en.replace("{rest}", inner.en), join_zh(before.strip(), inner.zh, after.strip()))


def _counts_things(core: list[_Part], reading: _Reading) -> bool:
    """True for a number of known things, whatever stands before them: `data` prompts."""
    last = core[-1].word
    return _counts(reading) and last is not None and last.role == "noun"


def _noun_phrase(core: list[_Part], reading: _Reading) -> Text:
    """Adjectives, then nouns, then what is measured; `per …` goes last in English and first in Chinese."""
    per = [part.text for part in core if part.text.en.startswith("per ")]
    rest = _head_last([part for part in core if not part.text.en.startswith("per ")])
    if rest and rest[-1].word is not None and rest[-1].word.kind == "tries" and len(rest) > 1:
        before = Text(" ".join(part.text.en for part in rest[:-1]), join_zh(*(part.text.zh for part in rest[:-1])))
        return Text(f"{rest[-1].text.en}: {before.en}", f"{before.zh}：{rest[-1].text.zh}")
    texts = _plural(_adjectives_first(rest), reading, things=_has_things(rest))
    return Text(
        " ".join(text.en for text in (*texts, *per)), join_zh(*(text.zh for text in per), *(text.zh for text in texts))
    )


def _head_last(core: list[_Part]) -> list[_Part]:
    """Both languages put what is measured last: `mfu/actor` reads as policy utilisation."""
    head = _head_index(core)
    if head is None:
        return core
    return [*core[:head], *core[head + 1 :], core[head]]


def _said_of(part: _Part) -> Text:
    """Before a number of tokens or turns, `masked` is an adjective."""
    adjective = part.word.adjective if part.word is not None else None
    return adjective or part.text


def _has_things(core: list[_Part]) -> bool:
    return any(part.word is not None and part.word.role == "noun" for part in core)


def _adjectives_first(core: list[_Part]) -> list[Text]:
    """`sample` + `aborted` becomes aborted sample, `groups` + `mixed` mixed group."""
    if not core:
        return []
    texts = [part.text for part in core]
    word = core[-1].word
    if word is not None and word.adjective is not None and _has_things(core):
        texts = [word.adjective, *texts[:-1]]
    elif word is not None and word.unit in ("tokens", "turns", "count"):
        texts = [_said_of(part) for part in core[:-1]] + texts[-1:]
    return sorted(texts, key=lambda text: not text.zh.endswith("的"))


def _plural(texts: list[Text], reading: _Reading, *, things: bool) -> list[Text]:
    """The last English noun in the plural when things are counted: failed trials, number of prompts."""
    head = reading.head
    if not texts or texts[-1].en.endswith(("s", "`")) or (head is not None and head.adjective is None):
        return texts
    if head is not None and texts[-1] == head.text:
        return texts
    if not _counts(reading) and not (head is not None and things and head.unit in ("count", "ratio")):
        return texts
    last = texts[-1]
    ending = f"{last.en[:-1]}ies" if last.en.endswith("y") else f"{last.en}{'es' if last.en.endswith('ch') else 's'}"
    return [*texts[:-1], Text(ending, last.zh)]


def _apply(part: _Part, inner: Text, reading: _Reading) -> Text:
    """An aggregate put around a phrase; a percentage of a utilisation is just the utilisation."""
    template, kind = part.text, part.word.kind if part.word is not None else "base"
    if kind in ("percent", "share") and reading.head is not None and reading.head.unit == "varies":
        return inner
    if kind == "share" and _is_quotient(reading):
        template = Text("ratio of {x}", "{x}的比值")
    before, _, after = template.zh.partition("{x}")
    core = inner.zh.removesuffix("的") if after.startswith("的") else inner.zh
    if kind == "count" and core.endswith("数"):
        after = ""
    elif kind in ("share", "percent"):
        core = core.removesuffix("数")
    return Text(template.en.replace("{x}", inner.en), join_zh(before.strip(), core, after.strip()))


def _head_index(parts: Sequence[_Part]) -> int | None:
    """Place of the part that says what is measured."""
    heads = [index for index, part in enumerate(parts) if _is_quantity(part)]
    numbers = [index for index in heads if (word := parts[index].word) is not None and word.unit in ("tokens", "turns")]
    last = parts[heads[-1]].word if heads else None
    if numbers and last is not None and last.adjective is not None:
        return numbers[-1]
    return heads[-1] if heads else None


def _is_quantity(part: _Part) -> bool:
    return part.word is not None and part.word.role == "quantity"


def _is_aggregate(part: _Part) -> bool:
    return part.word is not None and part.word.role == "aggregate"


def _is_stage(reading: _Reading) -> bool:
    """True for a name under a namespace of durations that says no quantity: what is left names a stage."""
    return reading.prefix is not None and reading.prefix.unit in ("s", "ms")


def _is_quotient(reading: _Reading) -> bool:
    """True when `ratio` means a quotient of probabilities, not a share."""
    return bool(reading.tokens & _IMPORTANCE) and not {"fraction", "frac", "share"} & reading.tokens


def _counts(reading: _Reading) -> bool:
    return any(word.kind in ("count", "share", "percent", "rate") for word in reading.aggregates)


def _listed(parts: tuple[_Part, ...]) -> Text:
    """`a`, `b` and `c`, each once."""
    shown = list(dict.fromkeys(part.text.en for part in parts))
    if len(shown) == 1:
        return Text(shown[0], shown[0])
    return Text(f"{', '.join(shown[:-1])} and {shown[-1]}", f"{'、'.join(shown[:-1])} 与 {shown[-1]}")


# Unit, direction, group


def _unit(reading: _Reading) -> str:
    kinds = [word.kind for word in reading.aggregates]
    for kind, unit in (
        ("rate", "per_s"),
        ("count", "count"),
        ("percent", "percent"),
        ("share", "ratio"),
        ("variance", "varies"),
    ):
        if kind in kinds and not (kind == "share" and _is_quotient(reading)):
            return unit
    if "cv" in kinds or "tail" in kinds:
        return "one"
    if reading.unit_tail:
        return reading.unit_tail
    if reading.head is not None:
        return reading.head.unit
    return reading.prefix.unit if reading.prefix is not None else ""


def _direction(reading: _Reading) -> str:
    """The precedence rules: names that mean the opposite of what one word suggests come first."""
    tokens, head = reading.tokens, reading.head
    base = head.direction if head is not None else ""
    if {"gt", "lt"} & tokens:
        return "context"
    if "loss" in tokens and (tokens & _POLICY or (reading.prefix is not None and reading.prefix.group == "policy")):
        return "context"
    if {"clip", "clipped"} & tokens and tokens & _LENGTHS:
        return "down"
    if "rate" in tokens and "hit" in tokens:
        return "up"
    if tokens & _FAILURES:
        return "down"
    if tokens & _IMPORTANCE and {"fraction", "frac", "share"} & tokens:
        return "context"
    if tokens & _IMPORTANCE and {"ratio", "ppl"} & tokens:
        return "near:1"
    if {"abs", "absolute"} & tokens and {"adv", "advantage", "advantages"} & tokens:
        return "context"
    if base == "" and reading.prefix is not None and not (_counts(reading) and reading.prefix.direction == "up"):
        base = reading.prefix.direction
    return _modified(base or "context", reading)


def _modified(base: str, reading: _Reading) -> str:
    """A direction after the aggregates of the name."""
    kinds = {word.kind for word in reading.aggregates}
    if "tail" in kinds:
        return "near:1"
    if "cv" in kinds:
        return "down"
    if "diff" in kinds:
        return "near:0"
    if "rate" in kinds and base in ("context", "info"):
        return "up"
    if kinds & {"spread", "variance"}:
        return "down" if base in ("down", "near:1") else "context"
    if kinds & {"sum"} and base == "down":
        return "down"
    if {"max", "maximum", "peak"} & reading.tokens:
        return "down" if base == "down" else "context"
    if {"min", "minimum"} & reading.tokens or "sum" in kinds:
        return "context"
    if reading.prefix is not None and reading.prefix.group == "mismatch" and "kl" in reading.tokens:
        return "near:0"
    return base


def _group(reading: _Reading) -> str:
    quantity = reading.head.group if reading.head is not None else ""
    if reading.prefix is not None and (reading.prefix.group != "progress" or not quantity):
        return reading.prefix.group
    return quantity or "other"


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"


def _put(template: Text, **values: Text | None) -> Text:
    en, zh = template.en, template.zh
    for key, value in values.items():
        if value is not None:
            en, zh = en.replace(f"{{{key}}}", value.en), zh.replace(f"{{{key}}}", value.zh)
    return Text(en, zh)


def _sentences(*texts: Text) -> Text:
    return Text(" ".join(text.en for text in texts), "".join(text.zh for text in texts))
