"""A static host, a browser, and pages that record whatever goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,LensOverlay,MediaRouter,OptimizationHints",
]
"""The address bar's suggestions are pages of their own, loaded for every window: half the time of a short test. What
follows them is what Playwright itself switches off, because the last list of features is the one that counts."""


def headers_file(site: Path) -> dict[str, str]:
    """The headers that `_headers` sets for every page."""
    headers: dict[str, str] = {}
    inside = False
    for line in (site / "_headers").read_text(encoding="utf-8").splitlines():
        if not line.startswith((" ", "\t")):
            inside = line.strip() == "/*"
        elif inside and ":" in line:
            name, _, value = line.strip().partition(":")
            headers[name] = value.strip()
    return headers


class StaticHost(SimpleHTTPRequestHandler):
    """A static host that sends the site's own headers and has no directory index."""

    def __init__(self, *args: object, headers_of_site: dict[str, str], **kwargs: object) -> None:
        self.headers_of_site = headers_of_site
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def end_headers(self) -> None:
        for name, value in self.headers_of_site.items():
            self.send_header(name, value)
        super().end_headers()

    def do_GET(self) -> None:
        if self.path.split("?")[0].endswith("/"):
            self.send_error(404, "no directory index")
            return
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(folder: Path, headers: dict[str, str], host: type[StaticHost] = StaticHost) -> Iterator[int]:
    """A folder on a host of its own, which sends these headers with every file; its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(host, directory=str(folder), headers_of_site=headers))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Watched:
    """A page and everything that went wrong on it."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go to a site path and wait until its scripts have run."""
        self.page.goto(self.base + path)
        self.page.wait_for_load_state("load")
        return self.page

    def expect_clean(self) -> None:
        """No console error, no uncaught exception, no request that left the site or failed."""
        assert self.faults == []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def http_base(sample_site: Path) -> Iterator[str]:
    """The sample site served from a subfolder, as many hosts do."""
    with served(sample_site.parent, headers_file(sample_site)) as port:
        yield f"http://127.0.0.1:{port}/{sample_site.as_uri().rsplit('/', 1)[-1]}/"


@pytest.fixture(scope="session")
def bases(sample_site: Path, http_base: str) -> dict[str, str]:
    """Where the sample site can be opened."""
    return {"http": http_base, "file": sample_site.as_uri() + "/"}


@pytest.fixture
def watch(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Open a page in a fresh context; keyword arguments go to the context."""
    contexts: list[BrowserContext] = []

    def make(base: str, **options: object) -> Watched:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        watched = Watched(page, base)

        def on_request(request: Request) -> None:
            if not request.url.startswith((base, "data:", "about:")):
                watched.faults.append(f"left the site: {request.url}")

        page.on("request", on_request)

        def on_failure(request: Request) -> None:
            if request.failure != "net::ERR_ABORTED":  # the icon of a page that was left before it came
                watched.faults.append(f"failed: {request.url} {request.failure}")

        page.on("requestfailed", on_failure)
        page.on("pageerror", lambda error: watched.faults.append(f"exception: {error}"))
        page.on(
            "console",
            lambda m: watched.faults.append(f"console {m.type}: {m.text}") if m.type in {"error", "warning"} else None,
        )
        return watched

    yield make
    for context in contexts:
        context.close()
