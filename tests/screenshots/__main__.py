"""Takes a picture of every kind of page in four variants and puts them side by side on one page.

`python -m tests.screenshots [FOLDER]` writes `<view>.<variant>.png` and `index.html` into a folder (by default
`screenshots/`, which git ignores) and names every fault that a page showed on the way. `--only overview,compare` takes
some; `--vision` takes the pages that rest on colours as people with protanopia, deuteranopia and tritanopia see them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.screenshots.sites import write_sites
from tests.screenshots.views import VIEWS, SiteName, View, open_view

TALLEST = 6000
"""Pixels of a page that a picture shows: what is below repeats itself."""
HEIGHT = 900
COLOURFUL = ("overview", "overview-outage", "compare", "index-wall", "index-outcome", "engines")
"""The views whose meaning could rest on colour."""
SCROLL = """async () => {
  for (let y = 0; y < Math.min(document.body.scrollHeight, %d); y += innerHeight) {
    scrollTo(0, y);
    await new Promise(done => setTimeout(done, 60));
  }
  scrollTo(0, 0);
  await new Promise(done => setTimeout(done, 60));
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """How a page is looked at."""

    lang: Literal["en", "zh"]
    """Language."""
    theme: Literal["light", "dark"]
    """Theme."""
    width: int
    """Of the window, in pixels."""
    vision: str = "none"
    """Deficiency of colour vision, as Chromium names it."""

    @property
    def name(self) -> str:
        """What it is called in file names."""
        seen = "" if self.vision == "none" else f"-{self.vision}"
        return f"{self.lang}-{self.theme}-{self.width}{seen}"


VARIANTS = (
    Variant(lang="en", theme="light", width=1440),
    Variant(lang="en", theme="dark", width=390),
    Variant(lang="zh", theme="light", width=390),
    Variant(lang="zh", theme="dark", width=1440),
)
DEFICIENCIES = tuple(
    Variant(lang="en", theme="light", width=1440, vision=vision)
    for vision in ("protanopia", "deuteranopia", "tritanopia")
)


def take(browser: Browser, view: View, variant: Variant, roots: dict[SiteName, Path], folder: Path) -> list[str]:
    """Takes one picture; what went wrong on the page."""
    faults: list[str] = []
    root = roots[view.site]
    context = browser.new_context(
        viewport={"width": variant.width, "height": HEIGHT},
        color_scheme=variant.theme,
        reduced_motion="reduce",
        has_touch=variant.width < 600,
        locale="zh-CN" if variant.lang == "zh" else "en-US",
    )
    page = context.new_page()

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            faults.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: faults.append(str(error)))
    try:
        open_view(page, view, root, variant.lang)
    except Error as error:
        faults.append(f"did not come to its state: {error.message.splitlines()[0]}")
    if variant.vision != "none":
        context.new_cdp_session(page).send("Emulation.setEmulatedVisionDeficiency", {"type": variant.vision})
    shoot(page, folder / file_name(view, variant), window=view.top)
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        faults.append(f"{wide} px wider than the window")
    context.close()
    return faults


def shoot(page: Page, target: Path, *, window: bool) -> None:
    """A picture of the window, or of the page down to `TALLEST` with its charts drawn."""
    if window:
        page.wait_for_timeout(100)
        page.screenshot(path=target)
        return
    page.evaluate(SCROLL % TALLEST)
    height = min(page.evaluate("() => document.documentElement.scrollHeight"), TALLEST)
    width = page.evaluate("() => innerWidth")
    page.screenshot(path=target, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})


def file_name(view: View, variant: Variant) -> str:
    """Name of a picture."""
    return f"{view.name}.{variant.name}.png"


def sheet(views: Sequence[View], variants: Sequence[Variant], faults: Sequence[str]) -> str:
    """The page with all pictures, a row per view."""
    rows = "\n".join(
        f'<section id="{view.name}"><h2>{view.name} <small>{escape(view.path)}</small></h2><div>'
        + "".join(
            f'<a href="{file_name(view, each)}"><img loading="lazy" alt="{view.name}, {each.name}" '
            f'src="{file_name(view, each)}"><br>{each.name}</a>'
            for each in variants
        )
        + "</div></section>"
        for view in views
    )
    said = "".join(f"<li>{escape(fault)}</li>" for fault in faults) or "<li>No fault on any page.</li>"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Every kind of page</title>
<style>
body {{ font: 14px/1.5 sans-serif; margin: 24px; }}
div {{ display: grid; grid-template-columns: repeat({len(variants)}, 1fr); gap: 16px; align-items: start; }}
img {{ width: 100%; max-height: 640px; object-fit: cover; object-position: top; border: 1px solid #bbb; }}
small {{ font-weight: normal; color: #666; }}
</style>
<h1>{len(views)} views, {len(variants)} variants</h1><ul>{said}</ul>
{rows}
</html>
"""


def chosen(given: argparse.Namespace) -> tuple[list[View], tuple[Variant, ...]]:
    """What to take."""
    names = given.only.split(",") if given.only else COLOURFUL if given.vision else [view.name for view in VIEWS]
    unknown = sorted(set(names) - {view.name for view in VIEWS})
    if unknown:
        sys.exit(f"no such view: {', '.join(unknown)}; there are {', '.join(view.name for view in VIEWS)}")
    return [view for view in VIEWS if view.name in names], DEFICIENCIES if given.vision else VARIANTS


def all_faults(
    views: Sequence[View], variants: Sequence[Variant], roots: dict[SiteName, Path], folder: Path
) -> Iterator[str]:
    """Takes all pictures; says what went wrong where."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for view in views:
            for variant in variants:
                for fault in take(browser, view, variant, roots, folder):
                    yield f"{view.name}, {variant.name}: {fault}"
        browser.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds the sites, takes the pictures, writes the sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("screenshots"))
    parser.add_argument("--only", default="", help="names of views, with commas between")
    parser.add_argument("--vision", action="store_true", help="as people see it who do not see all colours")
    given = parser.parse_args(arguments)
    views, variants = chosen(given)
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        faults = list(all_faults(views, variants, write_sites(Path(work)), given.folder))
    (given.folder / "index.html").write_text(sheet(views, variants, faults), encoding="utf-8")
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    sys.stdout.write(f"{len(views) * len(variants)} pictures: {given.folder / 'index.html'}\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
