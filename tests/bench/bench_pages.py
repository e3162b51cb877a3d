"""What pages weigh and how soon they answer, beside what they may: sizes, first paint, long tasks, filters, memory.

`python -m tests.bench.bench_pages` builds the sample archive, makes the index of 1 000 runs (`--runs`) and a run of
45 711 trials (`--trials`) in a temporary folder, opens their pages in Chromium from disk with an empty cache, and
prints each figure with its budget and the share of it that is used. Figures without a budget are for comparison.
Times are the least of `--times`, because whatever else the machine does only adds to them.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from sitegen.budgets import LIMITS, RUN_DATA_BYTES, kind_of
from sitegen.build import BuildOptions, build_site
from tests.bench.archive_of_runs import write_site
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.screenshots.views import CALENDAR, INDEX_READY, LOADED, OUTAGE
from tests.small_archive import add_run

RUNS = Path(__file__).parents[2] / "runs"
USABLE_MS = 1000.0
"""Most milliseconds from the beginning of the navigation until scripts have drawn what they draw."""
ANSWER_MS = 100.0
"""Most milliseconds from a key to the next picture."""
HEAP_BYTES = 80_000_000
"""Most bytes of script memory after a collection."""
OBSERVE = """
window.tasks = [];
new PerformanceObserver(list => list.getEntries().forEach(e => window.tasks.push(e.duration)))
  .observe({type: 'longtask', buffered: true});
"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
FILTER = """async ([selector, text]) => {
  const field = document.querySelector(selector);
  field.focus();
  const start = performance.now();
  const changed = new Promise(done => new MutationObserver((_, watcher) => { watcher.disconnect(); done(); })
    .observe(document.querySelector('main'), {subtree: true, childList: true, characterData: true, attributes: true}));
  field.value = text;
  field.dispatchEvent(new InputEvent('input', {bubbles: true}));
  await changed;
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - start;
}"""
TRIALS_READY = "() => /\\d/.test(document.querySelector('[data-trial-count]')?.textContent ?? '')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A page to measure."""

    name: str
    """What it is called in the table."""
    site: Path
    """Folder of its site."""
    path: str
    """Site path, with hash."""
    ready: str = LOADED
    """Script that says whether scripts have drawn what they draw."""
    field: str = ""
    """Selector of its filter; empty for none."""
    words: tuple[str, ...] = ()
    """What is typed into it, one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of one page."""

    page: str
    """Of which page."""
    name: str
    """What was measured."""
    value: float
    """How much, in the unit."""
    unit: str
    """`kB`, `ms` or `MB`."""
    budget: float | None = None
    """Most it may be."""


def subjects(folder: Path, runs: int, trials: int) -> tuple[Subject, ...]:
    """Makes the sites; the pages to measure."""
    sample, many, long = folder / "sample", folder / "many", folder / "long"
    build_site(RUNS, sample, BuildOptions(keep=False))
    write_site(many, runs)
    archive = folder / "archive"
    write_trials(add_run(archive, "long", [0.25, 0.5, 0.375]) / "training_logs", trials)
    build_site(archive, long, BuildOptions(workers=1, keep=False))
    run = f"runs/{CALENDAR}"
    index_field = ".toolbar input[type=search]"
    trial_field = "[data-trial-filters] input[type=search]"
    return (
        Subject(name="index, sample", site=sample, path="index.html", ready=INDEX_READY),
        Subject(
            name=f"index, {runs} runs",
            site=many,
            path="index.html",
            ready=INDEX_READY,
            field=index_field,
            words=("nemotron", "math 00", ""),
        ),
        Subject(name="overview", site=sample, path=f"{run}/index.html"),
        Subject(
            name="metrics",
            site=sample,
            path=f"{run}/metrics.html",
            field="input[type=search]",
            words=("entropy", "timing", ""),
        ),
        Subject(name="engines", site=sample, path=f"{run}/engines.html"),
        Subject(name="config", site=sample, path=f"{run}/config.html", field="input[type=search]", words=("lr", "")),
        Subject(
            name=f"trials, {trials}",
            site=long,
            path="runs/long/trials.html",
            ready=TRIALS_READY,
            field=trial_field,
            words=("task-012", "task-7", ""),
        ),
        Subject(
            name="compare, 2 runs",
            site=sample,
            path=f"compare/index.html#runs={CALENDAR},{OUTAGE}",
            ready="() => document.querySelector('[data-numbers] table') !== null",
        ),
        Subject(
            name="glossary", site=sample, path="glossary/index.html", field="input[type=search]", words=("entropy", "")
        ),
        Subject(
            name=f"search, {runs} runs",
            site=many,
            path="search.html#q=reward",
            ready="() => document.querySelector('.found-item') !== null",
        ),
    )


def write_trials(folder: Path, count: int) -> None:
    """A table of trials as a log parser writes it: 900 tasks, every third trial solved, every tenth failed."""
    head = "task_name,trial_name,n_episodes,n_input_tokens,n_output_tokens,exception_type,reward,agent_duration_sec"
    rows = (
        f"task-{i % 900:03},task-{i % 900:03}__{i:07d},{i % 19},{9000 + i * 37 % 40000},{i * 13 % 9000},"
        f"{'AgentTimeoutError' if i % 10 == 0 else ''},{float(i % 3 == 0)},{i * 7 % 6000 / 10}"
        for i in range(count)
    )
    (folder / "20260101_000000_trial_results.csv").write_text("\n".join((head, *rows)) + "\n")


def measured(browser: Browser, subject: Subject, times: int) -> Iterator[Figure]:
    """Every figure of a page."""
    files = loaded(browser, subject)
    html = {path for path in files if path.endswith(".html")}
    data = {path for path in files if "/data/" in f"/{path}"}
    yield Figure(page=subject.name, name="HTML", value=sent(subject, html), unit="kB", budget=LIMITS["page"] / 1000)
    kinds = {kind_of(path) for path in data}
    limit = LIMITS["trials"] if "trials" in kinds else RUN_DATA_BYTES if "run-data" in kinds else None
    if data:
        yield Figure(
            page=subject.name, name="data", value=sent(subject, data), unit="kB", budget=limit and limit / 1000
        )
    yield Figure(page=subject.name, name="all that is loaded", value=sent(subject, files), unit="kB")
    opened = [open_page(browser, subject) for _ in range(times)]
    for name, unit, budget in (
        ("first paint", "ms", None),
        ("usable", "ms", USABLE_MS),
        ("longest task", "ms", None),
        ("filter", "ms", ANSWER_MS),
        ("heap", "MB", HEAP_BYTES / 1e6),
    ):
        values = [found[name] for found in opened if name in found]
        if values:
            yield Figure(page=subject.name, name=name, value=min(values), unit=unit, budget=budget)


def loaded(browser: Browser, subject: Subject) -> set[str]:
    """Site paths of everything that a page loads until it is ready."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    base = subject.site.as_uri() + "/"
    found: set[str] = set()
    page.on("request", lambda request: found.add(unquote(urlsplit(request.url).path)))
    page.goto(base + subject.path)
    page.wait_for_function(subject.ready)
    page.wait_for_timeout(500)
    page.close()
    root = f"{unquote(urlsplit(base).path)}"
    return {path.removeprefix(root) for path in found if path.startswith(root)}


def sent(subject: Subject, paths: set[str]) -> float:
    """Thousands of bytes of files as a host sends them."""
    return sum(len(gzip.compress((subject.site / path).read_bytes(), 6)) for path in paths) / 1000


def open_page(browser: Browser, subject: Subject) -> dict[str, float]:
    """Times and memory of one visit."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(OBSERVE)
    page.goto(f"{subject.site.as_uri()}/{subject.path}", wait_until="commit")
    page.wait_for_function(subject.ready, polling=5)
    found = {"usable": page.evaluate("() => performance.now()")}
    page.wait_for_timeout(500)
    found |= {"first paint": page.evaluate(PAINT), "longest task": longest(page)}
    if subject.field:
        found["filter"] = max(page.evaluate(FILTER, [subject.field, word]) for word in subject.words)
    found["heap"] = page.evaluate("() => { gc(); return performance.memory.usedJSHeapSize }") / 1e6
    page.close()
    return found


def longest(page: Page) -> float:
    """Milliseconds of the longest task that blocked the page for over 50; 0 for none."""
    found: list[float] = page.evaluate("() => window.tasks")
    return max(found, default=0.0)


def line(figure: Figure) -> str:
    """A figure as a line of the table."""
    text = f"{figure.page:<20} {figure.name:<20} {figure.value:9.1f} {figure.unit}"
    if figure.budget is None:
        return text
    share = figure.value / figure.budget
    return f"{text}   of {figure.budget:7.0f}   {share:5.0%}{'   over' if share > 1 else ''}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 when something is over its budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=45_711)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args(arguments)
    over = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        pages = subjects(Path(folder), given.runs, given.trials)
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, "--js-flags=--expose-gc", "--enable-precise-memory-info"]
        )
        for subject in pages:
            for figure in measured(browser, subject, given.times):
                sys.stdout.write(line(figure) + "\n")
                over += figure.budget is not None and figure.value > figure.budget
        browser.close()
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
