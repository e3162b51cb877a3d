"""What a sentence of a finding prints is its value, which the rule's case has recomputed by hand."""

from __future__ import annotations

import re

import pytest

from sitegen.analyse.findings import RULES, Finding
from sitegen.text import Lang, placeholders, ui_strings
from tests.analyse.findings.cases import CASES
from tests.analyse.findings.runs import findings

SECONDS = {"d": 86400, "h": 3600, "min": 60, "s": 1, "天": 86400, "小时": 3600, "分钟": 60, "秒": 1}
PART = re.compile(r"([\d,.]+(?:e[+-]?\d+)?)\u00a0?(d|h|min|s|天|小时|分钟|秒)(?=$|[\s\u00a0])")


def _template(name: str, item: Finding, part: str, lang: Lang) -> tuple[str, str]:
    """The wording that was used, and what it became."""
    said = {"lead": item.lead, "text": item.text, "next": item.advice}[part].of(lang)
    forms = next(rule.forms for rule in RULES if rule.id == name)
    keys = [f"finding.{name}" + (f".{form}" if form else "") + f".{part}" for form in forms]
    wordings = [ui_strings()[key].of(lang) for key in keys]
    for wording in sorted(wordings, key=lambda each: -len(placeholders(each))):  # the one that says most
        if re.fullmatch(_pattern(wording), said, re.DOTALL):
            return wording, said
    raise AssertionError(f"{name}.{part}: {said!r} is of no wording")


def _pattern(wording: str) -> str:
    seen: set[str] = set()
    pieces = []
    for piece in re.split(r"(\{\w+\})", wording):
        name = piece[1:-1] if re.fullmatch(r"\{\w+\}", piece) else None
        pieces.append(re.escape(piece) if name is None else f"(?P={name})" if name in seen else f"(?P<{name}>.+?)")
        seen.add(name or "")
    return "".join(pieces)


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("\u2212", "-"))


def _unit(text: str) -> float:
    """One unit of the last digit printed."""
    mantissa, _, exponent = text.replace(",", "").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (-decimals + int(exponent or 0))


def _printed(text: str) -> tuple[float, float]:
    """The number that a text says, and how far from it the value may lie."""
    text = text.replace("\u00a0%", "%")
    lengths = PART.findall(text)
    if lengths:
        size = sum(_number(count) * SECONDS[unit] for count, unit in lengths)
        return size, 0.5 * _unit(lengths[-1][0]) * SECONDS[lengths[-1][1]]
    if text.endswith("%"):
        return _number(text[:-1]) / 100, 0.5 * _unit(text[:-1]) / 100
    return _number(text), 0.5 * _unit(text)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("rule", CASES)
def test_the_numbers_of_a_sentence_are_the_values_of_its_finding(rule: str, lang: Lang) -> None:
    item = findings(CASES[rule].fires())[rule]
    told: set[str] = set()
    for part in ("lead", "text", "next"):
        wording, said = _template(rule, item, part, lang)
        match = re.fullmatch(_pattern(wording), said, re.DOTALL)
        assert match is not None
        for name, text in match.groupdict().items():
            value = item.values[name]
            told.add(name)
            if isinstance(value, int | float):
                shown, half = _printed(text)
                assert abs(shown - value) <= half * (1 + 1e-9), (part, name, text, value)
    assert told, "a finding without a single value says nothing"
    numbers = {name for name, value in item.values.items() if isinstance(value, int | float)}
    assert {name for name in numbers - told if item.values[name] != 1} == set()  # one needs no number


PLURAL = re.compile(r"(?<![\d.,–-])1\u00a0?[ ](?!of\b|is\b|was\b|ended\b|more\b)[a-z]+s\b")


@pytest.mark.parametrize("rule", CASES)
def test_one_is_not_followed_by_a_plural(rule: str) -> None:
    item = findings(CASES[rule].fires())[rule]
    for part in (item.lead, item.text, item.advice):
        assert not PLURAL.search(part.en), part.en


def test_a_plural_after_one_is_noticed() -> None:
    assert PLURAL.search("It took 9 s; 1 such") is None
    assert PLURAL.search("and 1 steps fell short")
