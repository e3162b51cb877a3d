"""Which entry a logged name gets: precedence, patterns, wrappers, borrowing, hostile names."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.errors import SettingsError
from sitegen.glossary import checks, loader
from sitegen.glossary.lookup import Glossary, load_glossary


def book(framework: str, *names: str, kind: str = "metric", first: str = "") -> loader.Book:
    """A file with one entry per name; the entry's id tells framework and position."""
    entries = "".join(
        textwrap.dedent(f"""
        [[entry]]
        id = "{framework}-e{index}"
        kind = "{kind}"
        names = ["{name}"]
        group = "reward"
        direction = "up"
        title = {{en = "Title {index} of {framework}", zh = "{framework} 的标题 {index}"}}
        short = {{en = "Short.", zh = "简短说明。"}}
        what = {{en = "What {{n}} is.", zh = "{{n}} 的含义。"}}
        source = {{repository = "a/b", file = "c.py", function = "d"}}
        confidence = "code"
        checked = "2026-08-01"
        """)
        for index, name in enumerate(names)
    )
    return loader.parse_book(f'framework = "{framework}"\n{first}\n{entries}', f"{framework}.toml")


def test_the_runs_framework_decides_between_equal_names() -> None:
    glossary = Glossary([book("skyrl", "timing/step"), book("verl", "timing/step")])
    assert glossary.explain("timing/step", "skyrl").framework == "skyrl"
    assert glossary.explain("timing/step", "verl").framework == "verl"


def test_an_exact_name_goes_before_a_pattern() -> None:
    glossary = Glossary([book("skyrl", "timing/{n}", "timing/step")])
    assert glossary.explain("timing/step", "skyrl").id == "skyrl-e1"
    assert glossary.explain("timing/other", "skyrl").id == "skyrl-e0"


def test_the_pattern_with_more_literal_characters_is_meant() -> None:
    glossary = Glossary([book("skyrl", "eval/{n}", "eval/{n}_score", "{n}/x_score")])
    assert glossary.explain("eval/a_score", "skyrl").id == "skyrl-e1"


@pytest.mark.parametrize("names", [("batch/{n}", "{n}/Turns"), ("{n}/Turns", "batch/{n}")])
def test_between_equal_patterns_the_one_with_a_literal_first_part_is_meant(names: tuple[str, str]) -> None:
    own = book("skyrl", *names)
    glossary = Glossary([own])
    assert checks.name_faults([own]) == []
    assert glossary.explain("batch/Turns", "skyrl").names == ("batch/{n}",)
    assert glossary.explain("math/Turns", "skyrl").names == ("{n}/Turns",)


def test_a_literal_beginning_without_a_slash_does_not_decide_between_patterns() -> None:
    faults = checks.name_faults([book("skyrl", "x_{n}/a", "{n}_x/a")])
    assert [fault.what for fault in faults] == ["cannot be told from {n}_x/a (skyrl-e0, skyrl-e1)"]


def test_a_pattern_of_the_runs_framework_goes_before_a_common_exact_name() -> None:
    glossary = Glossary([book("common", "timing/step"), book("skyrl", "timing/{n}")])
    assert glossary.explain("timing/step", "skyrl").framework == "skyrl"


def test_a_placeholder_never_matches_a_slash_or_nothing() -> None:
    glossary = Glossary([book("skyrl", "eval/{n}")])
    assert glossary.find("eval/a/b", "skyrl") is None
    assert glossary.find("eval/", "skyrl") is None


def test_a_pattern_fills_its_placeholders_into_the_texts() -> None:
    entry = Glossary([book("skyrl", "pass_at_{n}")]).explain("pass_at_8", "skyrl")
    assert (entry.what.en, entry.what.zh) == ("What 8 is.", "8 的含义。")
    assert entry.id == "skyrl-e0"


def test_a_filled_placeholder_cannot_leave_its_code_span() -> None:
    entry = Glossary([book("skyrl", "x_{n}")]).explain("x_a`b\nc", "skyrl")
    assert "`" not in entry.what.en
    assert "\n" not in entry.what.en


def test_a_repeated_placeholder_must_match_the_same_text() -> None:
    glossary = Glossary([book("skyrl", "{n}/a_{n}")])
    assert glossary.find("x/a_x", "skyrl") is not None
    assert glossary.find("x/a_y", "skyrl") is None


def test_the_only_other_framework_with_the_name_is_borrowed_and_marked() -> None:
    entry = Glossary([book("verl", "actor/odd_thing")]).explain("actor/odd_thing", "skyrl")
    assert entry.confidence == "inferred"
    assert entry.notice is not None
    assert "verl" in entry.notice.en
    assert entry.id.startswith("skyrl-")
    assert entry.related[0] == "verl-e0"


def test_a_name_of_two_other_frameworks_is_not_borrowed() -> None:
    glossary = Glossary([book("verl", "odd_thing"), book("slime", "odd_thing")])
    entry = glossary.explain("odd_thing", "skyrl")
    assert entry.title.en == "`odd_thing`"
    assert entry.confidence == "unknown"


def test_a_wrapped_name_keeps_the_inner_explanation_and_says_so() -> None:
    entry = Glossary([book("skyrl", "reward/mean")]).explain("worker_3/reward/mean", "skyrl")
    assert entry.title.en == "Title 0 of skyrl, of worker 3"
    assert entry.title.zh == "skyrl 的标题 0（工作进程 3）"
    assert entry.confidence == "inferred"
    assert entry.notice is not None


def test_a_setting_is_found_by_the_end_of_its_key_longest_first() -> None:
    glossary = Glossary([book("skyrl", "lr", "optimizer_config.lr", kind="setting")])
    assert glossary.explain("trainer.policy.optimizer_config.lr", "skyrl", "setting").id == "skyrl-e1"
    assert glossary.explain("trainer.critic.lr", "skyrl", "setting").id == "skyrl-e0"
    assert glossary.find("trainer.solr", "skyrl", "setting") is None


def test_kinds_are_kept_apart() -> None:
    glossary = Glossary([book("skyrl", "lr", kind="setting")])
    assert glossary.find("lr", "skyrl", "metric") is None
    assert glossary.find("lr", "skyrl") is None


def test_an_archives_entry_replaces_ours_of_the_same_id() -> None:
    glossary = Glossary([book("skyrl", "a", "b")], [book("skyrl", "z")])
    assert glossary.find("a", "skyrl") is None
    assert glossary.explain("z", "skyrl").id == "skyrl-e0"


def test_an_archives_entry_goes_before_ours_of_the_same_name() -> None:
    own = loader.parse_book(GOOD.replace("mine/number", "b"), "own.toml")
    glossary = Glossary([book("skyrl", "a", "b")], [own])
    assert glossary.explain("b", "skyrl").id == "skyrl-mine"
    assert glossary.explain("a", "skyrl").id == "skyrl-e0"


def test_look_first_keeps_the_order_of_the_file() -> None:
    glossary = Glossary([book("skyrl", "a", "b", first='first = ["skyrl-e1", "skyrl-e0"]')])
    assert [entry.id for entry in glossary.look_first("skyrl")] == ["skyrl-e1", "skyrl-e0"]
    assert glossary.look_first(None) == ()


@given(st.text(max_size=300), st.sampled_from(["skyrl", "verl", None]))
def test_any_name_gets_an_entry_with_a_safe_and_stable_page(name: str, framework: str | None) -> None:
    glossary = Glossary([])
    entry = glossary.explain(name, framework)
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,79}", entry.id)
    assert entry.id == Glossary([]).page_id(name, framework)
    assert entry.title.en
    assert entry.title.zh
    assert entry.notice is not None


def test_names_that_differ_only_in_case_or_punctuation_get_different_pages() -> None:
    glossary = Glossary([])
    pages = {glossary.page_id(name, "skyrl") for name in ("zork/A", "zork/a", "zork_a", "zork a", "zork:a")}
    assert len(pages) == 5


GOOD = """
framework = "skyrl"

[[entry]]
id = "skyrl-mine"
kind = "metric"
names = ["mine/number"]
group = "reward"
direction = "up"
title = {en = "My number", zh = "自定义数值"}
short = {en = "What we count.", zh = "我们统计的数值。"}
what = {en = "What we count, exactly.", zh = "我们统计的数值，准确说明。"}
source = {repository = "a/b", file = "c.py", function = "d"}
confidence = "code"
checked = "2026-08-01"
"""


def archive(tmp_path: Path, text: str | bytes) -> Path:
    folder = tmp_path / "glossary"
    folder.mkdir()
    (folder / "own.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


def test_an_archives_own_entries_are_loaded(tmp_path: Path) -> None:
    glossary = load_glossary(archive(tmp_path, GOOD))
    assert glossary.explain("mine/number", "skyrl").id == "skyrl-mine"


def test_an_archive_without_entries_has_ours() -> None:
    assert load_glossary(Path("/nonexistent")).entries == load_glossary().entries


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('names = ["mine/number"]\n', ""), "own.toml: entry skyrl-mine: names is missing"),
        (('direction = "up"', 'direction = "higher"'), "direction 'higher'"),
        (('group = "reward"', 'group = "rewards"'), "group 'rewards'"),
        (('direction = "up"', 'unit = "seconds"\ndirection = "up"'), "unit 'seconds'"),
        (('kind = "metric"', 'kind = "metrics"'), "did you mean metric?"),
        (('checked = "2026-08-01"', 'checked = "yesterday"'), "must be a date"),
        (('checked = "2026-08-01"', 'checked = "2026-08-01"\nrelate = []'), "did you mean related?"),
        (('checked = "2026-08-01"', 'checked = "2026-08-01"\nrelated = ["skyrl-nothing"]'), "skyrl-nothing"),
        (('zh = "自定义数值"', 'zh = ""'), "both languages"),
        (("我们统计的数值。", "What we count."), "en and zh are the same"),
        (("我们统计的数值，准确说明。", "我们统计的数值,准确说明。"), "half-width"),
        (("我们统计的数值。", "我们统计的reward数值。"), "a space is missing"),
        (('id = "skyrl-mine"', 'id = "mine"'), "id must begin with skyrl-"),
        (('id = "skyrl-mine"', 'id = "skyrl-../x"'), "id must begin with skyrl-"),
        (("What we count, exactly.", "What {k} counts."), "placeholder"),
        (('direction = "up"', "formula = '\\frac{a'\ndirection = \"up\""), "formula"),
        (("[[entry]]", "[[entry]"), "own.toml"),
        (('framework = "skyrl"', 'frame = "skyrl"'), "did you mean framework?"),
    ],
)
def test_a_mistake_in_an_archives_file_names_file_and_entry(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    assert change[0] in GOOD
    with pytest.raises(SettingsError, match=re.escape(words)) as caught:
        load_glossary(archive(tmp_path, GOOD.replace(*change)))
    assert "own.toml" in str(caught.value)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"glossary/own\.toml: not UTF-8"):
        load_glossary(archive(tmp_path, b'framework = "\xff\xfe"'))


def test_a_name_claimed_twice_is_refused(tmp_path: Path) -> None:
    twice = GOOD + GOOD.replace('framework = "skyrl"', "").replace("skyrl-mine", "skyrl-other")
    with pytest.raises(SettingsError, match="claimed by skyrl-mine and skyrl-other"):
        load_glossary(archive(tmp_path, twice))


def test_patterns_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    one = GOOD.replace("mine/number", "mine/{a}_x")
    two = one + one.replace('framework = "skyrl"', "").replace("skyrl-mine", "skyrl-other").replace("{a}_x", "x_{b}")
    with pytest.raises(SettingsError, match="cannot be told from"):
        load_glossary(archive(tmp_path, two))
