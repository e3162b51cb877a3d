"""How the index holds up with many runs: sizes, time until it can be used, time to answer.

`python -m tests.bench.bench_index [RUNS ...]` makes a site of so many invented runs (default 1000) and prints, from
disk in Chromium with one processor's worth of patience: gzipped sizes, first contentful paint, time until the rows are
drawn by the scripts, long tasks, heap, and how long a filter, a sort, a metric's column and the wall take to be on
screen.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.archive_of_runs import write_site
from tests.browser.conftest import ARGUMENTS, CHROMIUM

OBSERVE = """
window.tasks = [];
new PerformanceObserver(list => list.getEntries().forEach(e => window.tasks.push(e.duration)))
  .observe({type: 'longtask', buffered: true});
"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
ANSWER = """
async ([change, push]) => {
  const start = performance.now();
  sitegen.state.set(change, push);
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - start;
}
"""
CHANGES: tuple[tuple[str, dict[str, str]], ...] = (
    ("text filter", {"q": "nemotron"}),
    ("text filter, two words", {"q": "math 00"}),
    ("no filter", {"q": ""}),
    ("facet", {"framework": "verl"}),
    ("range", {"framework": "", "ema": "0.4..0.6"}),
    ("sort by trials", {"ema": "", "sort": "-trials"}),
    ("next page", {"page": "2"}),
    ("tick three runs", {"sel": "run-00001,run-00002,run-00003"}),
    ("wall", {"view": "wall"}),
    ("table", {"view": ""}),
)


def line(name: str, value: float, unit: str) -> None:
    sys.stdout.write(f"{name:<44} {value:10.1f} {unit}\n")


def sizes(site: Path) -> None:
    for pattern in ("index.html", "zh/index.html", "data/runs.*.js", "data/columns.*.js", "data/configs.*.js"):
        (path,) = site.glob(pattern)
        line(f"{pattern}, gzip", len(gzip.compress(path.read_bytes())) / 1000, "kB")
    metrics = [len(gzip.compress(path.read_bytes())) for path in site.glob("data/metric-*.js")]
    line(f"largest of {len(metrics)} metrics, gzip", max(metrics) / 1000, "kB")


def until(page: Page, condition: str) -> float:
    """Milliseconds until a condition of the page holds."""
    started = time.perf_counter()
    page.wait_for_function(condition, polling=5)
    return 1000 * (time.perf_counter() - started)


def measure(site: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, "--js-flags=--expose-gc"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(OBSERVE)
        page.goto((site / "index.html").as_uri(), wait_until="commit")
        until(page, "() => window.sitegen && sitegen.index && sitegen.index.view")
        line("first contentful paint", page.evaluate(PAINTED) or 0.0, "ms")
        line("usable, since navigation began", page.evaluate("() => performance.now()"), "ms")
        page.wait_for_timeout(500)
        tasks = page.evaluate("() => window.tasks")
        line(f"longest of {len(tasks)} long tasks", max(tasks, default=0.0), "ms")
        for name, change in CHANGES:
            line(f"answer: {name}", page.evaluate(ANSWER, [change, False]), "ms")
        page.evaluate("() => sitegen.state.set({cols: 'last.timing/step', sel: ''})")
        line("a metric's column", until(page, "() => document.querySelector('[data-key=\"last.timing/step\"]')"), "ms")
        page.locator("#outcome").scroll_into_view_if_needed()
        line("setting against outcome", until(page, "() => document.querySelector('svg.par a')"), "ms")
        heap = page.evaluate("() => { gc(); return performance.memory.usedJSHeapSize }")
        line("heap", heap / 1e6, "MB")
        browser.close()


def main() -> None:
    for runs in [int(given) for given in sys.argv[1:]] or [1000]:
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            site = write_site(Path(folder), runs)
            line(f"{runs} runs: site's own pages and data", time.perf_counter() - started, "s")
            sizes(site)
            measure(site)


if __name__ == "__main__":
    main()
