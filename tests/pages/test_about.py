import re

import pytest

from sitegen.analyse import verdict
from sitegen.analyse.findings import RULES
from sitegen.pages.about import SECTIONS, SEE, about_page
from sitegen.pages.base import render_page
from sitegen.text import LANGS, Lang
from tests.pages.site_fixture import glossary, site_context


def text_of(section: str, lang: Lang) -> str:
    found = next(item for item in about_page(site_context()).sections if item.id == section)
    return "\n".join(paragraph.of(lang) for paragraph in found.paragraphs)


def test_each_section_is_written_in_both_languages() -> None:
    page = about_page(site_context())
    assert tuple(section.id for section in page.sections) == SECTIONS
    for section in page.sections:
        for paragraph in section.paragraphs:
            assert not re.search(r"[{}]", paragraph.en + paragraph.zh), f"{section.id}: a placeholder is not filled"
            assert re.search(r"[\u4e00-\u9fff]", paragraph.zh), section.id


def test_what_a_section_refers_to_is_a_concept_that_every_site_explains() -> None:
    assert set(SEE) <= set(SECTIONS)
    for ids in SEE.values():
        for entry_id in ids:
            entry = glossary().entry(entry_id)
            assert entry is not None, entry_id
            assert entry.kind == "concept"
    page = about_page(site_context())
    assert {section.id: len(section.see) for section in page.sections if section.see} == {
        section: len(ids) for section, ids in SEE.items()
    }


@pytest.mark.parametrize("lang", LANGS)
def test_the_numbers_in_force_are_those_of_the_code(lang: Lang) -> None:
    engines = text_of("engines", lang)
    assert (verdict.FULL_SLOTS, verdict.FULL_CACHE_PCT, verdict.MOSTLY, verdict.BURSTS) == (0.9, 95.0, 0.5, 0.05)
    for share in ("90", "95", "50", "5"):
        assert re.search(rf"(?<!\d){share}\s?%", engines), share
    assert "1/3" in text_of("reward", lang)
    settings = about_page(site_context(ema_alpha=0.2, success_threshold=0.5))
    assert any("0.2" in paragraph.of(lang) for s in settings.sections if s.id == "reward" for paragraph in s.paragraphs)
    assert any("0.5" in paragraph.of(lang) for s in settings.sections if s.id == "trials" for paragraph in s.paragraphs)


@pytest.mark.parametrize("lang", LANGS)
def test_every_rule_has_a_row_to_link_to(lang: Lang) -> None:
    site = site_context()
    html = render_page("pages/about.html", about_page(site), site, lang).content.decode()
    for rule in RULES:
        assert f'id="rule-{rule.id}"' in html
    assert 'href="glossary/common-lineage.html"' in html
