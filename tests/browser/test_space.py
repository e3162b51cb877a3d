"""The sample site as a static Space shows it: no directory index, in a frame of another origin, storage blocked.

A page of each kind is opened in the frame. That every link names a file, which is all that a Space answers to, is held
by `test_sample_links`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import StaticHost, Watched, served
from tests.browser.test_every_page import DRAW_ALL
from tests.test_html_validates import kind_of, one_of_each

pytestmark = pytest.mark.browser

SANDBOX = "allow-downloads allow-forms allow-modals allow-popups allow-scripts"
"""As the hub's frame, without `allow-same-origin`: what blocks storage whatever the browser's settings are."""


class SpaceHost(StaticHost):
    """A host without the site's headers that leads whoever asks for a folder to another place, which has none."""

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.endswith("/") or Path(self.translate_path(path)).is_dir():
            self.send_response(302)
            self.send_header("Location", "/huggingface.co/404")
            self.end_headers()
            return
        super().do_GET()


@pytest.fixture(scope="module")
def space(sample_site: Path) -> Iterator[int]:
    with served(sample_site, {}, SpaceHost) as port:
        yield port


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[int]:
    """The page around the frame, on an origin of its own."""
    with served(tmp_path, {}) as port:
        yield port


def one_of_each_kind(site: Path) -> list[str]:
    """The largest page of each kind, of one kind the English one, of the next the Chinese."""
    kinds: dict[str, list[str]] = {}
    for path in one_of_each(site):
        kinds.setdefault(kind_of(path), []).append(path)
    return [pages[number % len(pages)] for number, pages in enumerate(kinds.values())]


@pytest.mark.timeout(300)
def test_every_kind_of_page_works_inside_a_space(
    sample_site: Path, space: int, parent: int, tmp_path: Path, watch: Callable[..., Watched]
) -> None:
    base = f"http://127.0.0.1:{space}/"
    watched = watch(base, viewport={"width": 1300, "height": 900})
    host = f"http://localhost:{parent}/host.html"
    drawn = 0
    for path in one_of_each_kind(sample_site):
        (tmp_path / "host.html").write_text(
            f'<!doctype html><title>t</title><link rel="icon" href="data:,">'
            f'<iframe sandbox="{SANDBOX}" src="{base}{path}" width="1200" height="800"></iframe>',
            encoding="utf-8",
        )
        watched.page.goto(host)
        frame = watched.page.frames[1]
        frame.wait_for_load_state("load")
        assert (
            frame.evaluate("() => { try { return localStorage.length >= 0 } catch { return 'blocked' } }") == "blocked"
        )
        result = frame.evaluate(DRAW_ALL)
        assert result["failed"] == [], f"{path}: charts did not draw"
        drawn += result["charts"]
        faults = [fault for fault in watched.faults if fault != f"left the site: {host}"]
        assert faults == [], f"{path}: {faults}"
        watched.faults.clear()
    assert drawn > 20
