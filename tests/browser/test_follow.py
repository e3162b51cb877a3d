"""What others see of a site in a browser: charts in sandboxed frames of another origin, old addresses, data blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page

from sitegen.build import BuildOptions, build_site
from tests.browser.conftest import Watched, headers_file, served
from tests.small_archive import add_run

pytestmark = pytest.mark.browser

Framed = Callable[..., tuple[Page, Frame, list[str]]]
DRAWN = "document.querySelector('[data-chart]')?.dataset.drawn === 'true'"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("followed")
    add_run(folder / "archive", "run-a", [0.1, 0.4, 0.3, 0.6], 'aliases = ["old/run"]\n')
    (folder / "archive" / "sitegen.toml").write_text('base_url = "https://runs.example/x/"\n')
    build_site(folder / "archive", folder / "site", BuildOptions(workers=1))
    return folder / "site"


@pytest.fixture(scope="module")
def port(site: Path) -> Iterator[int]:
    with served(site, headers_file(site)) as number:
        yield number


@pytest.fixture
def framed(port: int, tmp_path: Path, watch: Callable[..., Watched]) -> Iterator[Framed]:
    """A page on another origin that holds a chart in a frame; its faults are collected."""
    with served(tmp_path, {}) as other:

        def show(address: str, sandbox: str = "allow-scripts", height: int = 420) -> tuple[Page, Frame, list[str]]:
            watched = watch(f"http://127.0.0.1:{port}/", viewport={"width": 900, "height": 700})
            source = f"http://127.0.0.1:{port}/{address}"
            frame = f'<iframe sandbox="{sandbox}" src="{source}" width="800" height="{height}"></iframe>'
            (tmp_path / "host.html").write_text(
                f'<!doctype html><title>t</title><link rel="icon" href="data:,">{frame}', encoding="utf-8"
            )
            host = f"http://localhost:{other}/host.html"
            watched.page.goto(host)
            watched.page.frames[1].wait_for_load_state("load")
            watched.faults.remove(f"left the site: {host}")
            return watched.page, watched.page.frames[1], watched.faults

        yield show


def test_a_chart_draws_in_a_sandboxed_frame_of_another_origin(
    framed: Callable[..., tuple[Page, Frame, list[str]]],
) -> None:
    _, frame, faults = framed("runs/run-a/embed/reward.html#theme=dark")
    frame.wait_for_function(DRAWN)
    assert frame.evaluate("document.documentElement.dataset.theme") == "dark"
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight"), "the drawing fills the frame"
    assert frame.evaluate("document.querySelector('[data-chart]').clientHeight") > 200
    assert frame.locator("header.bar").count() == 0
    assert faults == []


def test_height_and_language_are_taken_from_the_address(framed: Framed) -> None:
    _, frame, faults = framed("runs/run-a/embed/reward.html#height=180&lang=zh&theme=light")
    frame.wait_for_url("**/zh/runs/run-a/embed/reward.html#*")
    frame.wait_for_function(DRAWN)
    assert frame.evaluate("document.documentElement.lang") == "zh-CN"
    assert frame.evaluate("document.querySelector('[data-chart]').clientHeight") == 180
    assert "theme=light" in frame.url
    assert faults == []


def test_without_scripts_the_frame_shows_the_drawing(framed: Framed) -> None:
    _, frame, _ = framed("runs/run-a/embed/reward.html", sandbox="")
    box = frame.locator("[data-chart] svg").first.bounding_box()
    assert box is not None
    assert box["height"] > 100


def test_an_old_address_leads_on_with_query_and_hash(port: int, watch: Callable[..., Watched]) -> None:
    for tongue in ("", "zh/"):
        watched = watch(f"http://127.0.0.1:{port}/")
        watched.page.goto(f"{watched.base}{tongue}runs/old/run/index.html?a=b#x=1,5")
        watched.page.wait_for_url(f"**/{tongue}runs/run-a/index.html?a=b#x=1,5*")
        watched.expect_clean()


def test_an_old_address_leads_on_from_a_disk_and_without_scripts(site: Path, watch: Callable[..., Watched]) -> None:
    for scripts in (True, False):
        watched = watch(site.as_uri() + "/", java_script_enabled=scripts)
        watched.page.goto(watched.base + "runs/old/run/index.html")
        watched.page.wait_for_url("**/runs/run-a/index.html")
        watched.expect_clean()


def test_structured_data_is_no_script_to_the_policy(port: int, watch: Callable[..., Watched]) -> None:
    watched = watch(f"http://127.0.0.1:{port}/")
    page = watched.open("runs/run-a/index.html")
    data = page.evaluate("JSON.parse(document.querySelector('script[type=\"application/ld+json\"]').textContent)")
    assert data["@type"] == "Dataset"
    watched.expect_clean()
