"""The entries that ship: wording, sources, names and units."""

from __future__ import annotations

import re
from pathlib import Path

import opencc
import pytest

from sitegen.glossary import checks, loader
from sitegen.glossary.entry import GlossaryEntry
from sitegen.glossary.formula import to_mathml
from sitegen.glossary.lookup import load_glossary
from sitegen.glossary.patterns import all_texts
from sitegen.glossary.words import vocabulary
from sitegen.text import Text

BOOKS = loader.builtin_books()
ENTRIES = [entry for book in BOOKS for entry in book.entries]
SEED = Path(__file__).parents[2].parent / "shared" / "seeds" / "metrics_report_markdown.txt"

REPORT_NAMES = (Path(__file__).parent / "report_names.txt").read_text(encoding="utf-8").split()


def ids(entry: GlossaryEntry) -> str:
    return entry.id


@pytest.mark.parametrize("entry", ENTRIES, ids=ids)
def test_every_entry_keeps_the_rules(entry: GlossaryEntry) -> None:
    assert checks.entry_faults(entry) == []


def test_ids_names_references_and_first_lists_are_sound() -> None:
    known = {entry.id for entry in ENTRIES}
    assert checks.book_faults(BOOKS, known) == []
    assert checks.name_faults(BOOKS) == []


def test_versions_read_in_either_language() -> None:
    words = re.compile(
        r"[\u4e00-\u9fff]|\b(?:an?|and|or|of|the|up to|since|until|before|after|from|only|newe?r?|olde?r?"
        r"|fork|branch|versions?|models?)\b"
    )
    assert {entry.id: entry.versions for entry in ENTRIES if words.search(entry.versions)} == {}


def test_no_entry_uses_traditional_characters() -> None:
    convert = opencc.OpenCC("t2s").convert
    texts = {f"{entry.id} {name}": text.zh for entry in ENTRIES for name, text in all_texts(entry)}
    texts |= {f"compose {key}": word.text.zh for key, word in vocabulary().words.items()}
    traditional = {where: text for where, text in texts.items() if convert(text) != text}
    assert traditional == {}


def test_traditional_characters_would_be_found() -> None:
    assert opencc.OpenCC("t2s").convert("優勢") == "优势"


def test_the_report_has_85_names_and_none_is_explained_by_guessing() -> None:
    glossary = load_glossary()
    assert len(REPORT_NAMES) == len(set(REPORT_NAMES)) == 85
    guessed = [name for name in REPORT_NAMES if glossary.explain(name, "skyrl").notice is not None]
    assert guessed == []


@pytest.mark.skipif(not SEED.exists(), reason="the published report is not beside this checkout")
def test_values_of_the_published_report_fit_the_units_of_their_entries() -> None:
    glossary = load_glossary()
    rows = re.findall(
        r"\| ([a-z_]+/\w+) +\| +(\S+) \| +(\S+) \| +(\S+) \| +(\S+) \| +(\d+) \|", SEED.read_text("utf-8")
    )
    assert {row[0] for row in rows} == set(REPORT_NAMES)
    for name, mean, _, low, high, _ in rows:
        unit = glossary.units[glossary.explain(name, "skyrl").unit]
        for value in (float(mean), float(low), float(high)):
            assert unit.low is None or value >= unit.low, name
            assert unit.high is None or value <= unit.high, name


def test_every_group_and_unit_has_both_languages() -> None:
    for group in loader.groups():
        assert list(checks.pair_faults(group.title)) == []
        assert list(checks.pair_faults(group.about)) == []
    for unit in loader.units().values():
        assert list(checks.pair_faults(unit.name, may_equal=True)) == [], unit.id


def test_every_exception_says_whose_fault_it_is_and_what_happens_to_the_trial() -> None:
    exceptions = [entry for entry in ENTRIES if entry.kind == "exception"]
    assert len(exceptions) > 40
    for entry in exceptions:
        assert entry.blame, entry.id
        assert entry.treatment is not None, entry.id


def test_there_are_about_forty_concepts_and_each_is_linked_from_somewhere() -> None:
    concepts = {entry.id for entry in ENTRIES if entry.kind == "concept"}
    linked = {other for entry in ENTRIES for other in entry.related}
    assert len(concepts) >= 40
    assert concepts - linked == set()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("奖励,均值。", "half-width"),
        ("奖励 (均值)。", "half-width"),
        ("奖励均值.", "half-width"),
        ("奖励的KL散度。", "a space is missing"),
        ("共`a`条。", "a space is missing"),
        ("奖励 ，均值。", "a space too many"),
        ("only English", "no Chinese"),
    ],
)
def test_faults_of_chinese_typography_are_found(text: str, fault: str) -> None:
    assert any(fault in found for found in checks.pair_faults(Text("English.", text)))


def test_a_code_span_may_hold_any_punctuation() -> None:
    assert list(checks.pair_faults(Text("See `f(a, b)`.", "参见 `f(a, b)`。"))) == []


def test_a_term_must_be_translated_as_in_the_term_table() -> None:
    assert list(checks.term_faults(Text("Mean staleness.", "平均过期程度。"))) == ["zh: 'staleness' should be 陈旧度"]
    assert list(checks.term_faults(Text("Mean staleness.", "平均陈旧度。"))) == []
    assert list(checks.term_faults(Text("In `staleness_mean`.", "见 `staleness_mean`。"))) == []


@pytest.mark.parametrize("latex", [r"\frac{a}{b", r"\nosuchcommand{a}", "a_", r"}{"])
def test_a_broken_formula_is_refused(latex: str) -> None:
    with pytest.raises(ValueError, match="formula"):
        to_mathml(latex)


def test_a_formula_becomes_mathml_with_its_text_escaped() -> None:
    math = to_mathml(r"\frac{a}{b} < 1")
    assert math.startswith("<math ")
    assert "<mfrac>" in math
    assert "&#x0003C;" in math


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [
        ("a/{x}", "a/{y}", True),
        ("a/{x}_z", "a/q_{y}", True),
        ("a/{x}", "b/{x}", False),
        ("a/{x}", "a/{x}/c", False),
        ("{x}b", "a{y}", True),
        ("{x}/b", "a/{y}", True),
        ("ab{x}", "ab", False),
    ],
)
def test_patterns_that_share_a_name_are_found(left: str, right: str, meet: bool) -> None:
    assert checks.overlap(left, right) is meet
    assert checks.overlap(right, left) is meet
