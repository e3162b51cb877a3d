"""The pages made for frames: one per leading chart and language, whole without scripts, with a way back."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from sitegen.build import BuildOptions, build_site
from tests.small_archive import add_run, contents


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("embed")
    add_run(folder / "archive", "Run A", [0.1, 0.4, 0.3, 0.6], 'title = "<b>A</b>"\n')
    (folder / "archive" / "sitegen.toml").write_text('base_url = "https://runs.example/x/"\n')
    build_site(folder / "archive", folder / "site", BuildOptions(workers=1))
    return contents(folder / "site")


def embeds(files: dict[str, bytes]) -> dict[str, str]:
    return {path: content.decode() for path, content in files.items() if "/embed/" in path}


def test_each_leading_chart_has_a_page_in_both_languages(files: dict[str, bytes]) -> None:
    (slug,) = {re.split("/", path)[1] for path in files if path.startswith("runs/")}
    overview = files[f"runs/{slug}/index.html"].decode()
    drawn = re.findall(r'data-chart="([^"]+)"[^>]*><svg', overview)
    assert "reward" in drawn
    assert set(embeds(files)) == {
        f"{tongue}runs/{slug}/embed/{chart}.html" for chart in drawn for tongue in ("", "zh/")
    }


def test_a_page_is_whole_without_scripts_and_leads_back(files: dict[str, bytes]) -> None:
    for path, text in embeds(files).items():
        chart = path.rpartition("/")[2].removesuffix(".html")
        assert re.search(rf'data-chart="{chart}"[^>]*><svg', text), path
        assert f'href="../index.html#chart-{chart}" target="_blank"' in text
        assert "&lt;b&gt;A&lt;/b&gt;" in text
        assert "<b>A</b>" not in text
        assert '<header class="bar"' not in text


def test_the_run_offers_the_frame_to_copy(files: dict[str, bytes]) -> None:
    for path, content in files.items():
        found = re.fullmatch(r"(zh/)?runs/([^/]+)/index\.html", path)
        if found:
            page = f"https://runs.example/x/{found[1] or ''}runs/{found[2]}/embed/reward.html"
            frame = re.search(r'<pre id="share-frame"[^>]*>(.*?)</pre>', content.decode())
            assert frame is not None
            assert unescape(frame[1]).startswith(f'<iframe src="{page}" title="&lt;b&gt;A&lt;/b&gt;" width="100%"')


def test_it_is_no_page_to_be_found_by(files: dict[str, bytes]) -> None:
    for path, text in embeds(files).items():
        assert '<meta name="robots" content="noindex">' in text, path
        assert re.search(r'<link rel="canonical" href="https://runs\.example/x/(zh/)?runs/[^"]+/index\.html">', text)
    assert b"/embed/" not in files["sitemap.xml"]


def test_its_language_can_be_changed(files: dict[str, bytes]) -> None:
    for path, text in embeds(files).items():
        other = re.search(r'data-other="([^"]+)"', text)
        assert other is not None
        target = (Path("/site") / path).parent.joinpath(other[1]).resolve().relative_to("/site").as_posix()
        assert target in files
        assert target.startswith("zh/") != path.startswith("zh/")


def test_the_first_page_is_a_data_set_and_has_a_picture(files: dict[str, bytes]) -> None:
    overview = next(
        content for path, content in files.items() if re.fullmatch(r"runs/[^/]+/index\.html", path)
    ).decode()
    assert overview.count("application/ld+json") == 1
    picture = re.search(r'<meta property="og:image" content="https://runs\.example/x/([^"]+)">', overview)
    assert picture is not None
    assert files[picture[1]].startswith(b"\x89PNG")
