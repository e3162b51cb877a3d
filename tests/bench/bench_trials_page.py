"""How long the trials page of a very large run takes in a browser, from disk.

`python -m tests.bench.bench_trials_page` makes a run of 45 711 trials in a temporary folder, builds its site, opens the
page in Chromium and prints: size as sent, time until all trials can be filtered, time of filters and sorts until the
table has changed, and the heap. `--site PAGE` measures a page that is there already.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.sample_archive.tables import TRIAL_COLUMNS

TRIALS = 45_711
_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_COUNT = "document.querySelector('[data-trials] [data-trial-count]')"
_WATCH = f"""new MutationObserver((_, own) => {{
  const count = {_COUNT};
  if (count && count.textContent) {{ window.shownAt = performance.now(); own.disconnect(); }}
}}).observe(document, {{subtree: true, childList: true, characterData: true}})"""
_CHANGES = (
    {"t-find": "0012"},
    {"t-find": "", "t-outcome": "1"},
    {"t-outcome": "", "t-exception": "any"},
    {"t-exception": "", "t-from": "10"},
    {"t-from": "", "t-sort": "-turns"},
    {"t-sort": "trial"},
    {"t-sort": "-wall_s"},
    {"k-sort": "-rate"},
    {"k-find": "99"},
)


def write_run(archive: Path) -> None:
    """One run with nothing but a trial table."""
    rng = random.Random(45)
    logs = archive / "large" / "training_logs"
    logs.mkdir(parents=True)
    with (logs / "20260602_174231_trial_results.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(TRIAL_COLUMNS)
        for _ in range(TRIALS):
            task, turns = f"web-search-{rng.randint(1, 1400):05d}", max(1, int(rng.lognormvariate(1.2, 0.6)))
            raised = rng.choices(("", "AgentTimeoutError", "DaytonaError"), (92, 5, 3))[0]
            agent = round(turns * rng.uniform(10, 40), 3)
            name = f"{task}__{''.join(rng.choices(_LETTERS, k=7))}"
            tokens = (turns * rng.randint(2600, 5200), turns * rng.randint(300, 1100))
            reward = "" if raised == "DaytonaError" else rng.choice("01")
            writer.writerow([task, name, turns, *tokens, raised, reward, agent + 40, 20.1, 10.2, agent, 3.1])


def measure(page_file: Path) -> dict[str, object]:
    """Milliseconds, and megabytes of heap after collecting garbage."""
    script = next((page_file.parent / "data").glob("trials-table.*.js"))
    found: dict[str, object] = {
        "page_gzip": len(gzip.compress(page_file.read_bytes())),
        "data_gzip": len(gzip.compress(script.read_bytes())),
    }
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, "--enable-precise-memory-info"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.add_init_script(_WATCH)
        page.goto(page_file.as_uri())
        page.wait_for_function("window.shownAt")
        found["shown_ms"] = round(page.evaluate("window.shownAt"))
        page.evaluate("new Promise((done) => requestIdleCallback(() => setTimeout(done, 200)))")
        for change in _CHANGES:
            spent = page.evaluate(
                "(change) => { const t = performance.now(); sitegen.state.set(change); return performance.now() - t }",
                change,
            )
            found[json.dumps(change)] = round(spent, 1)
        context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
        found["heap_mb"] = round(page.evaluate("performance.memory.usedJSHeapSize") / 1e6, 1)
        browser.close()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, metavar="PAGE", help="a trials.html to measure instead")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        page = given.site
        if page is None:
            write_run(Path(folder) / "archive")
            site = Path(folder) / "site"
            command = [sys.executable, "-m", "sitegen", "build", str(Path(folder) / "archive"), "-o", str(site)]
            subprocess.run([*command, "--quiet", "--no-cache"], check=True)
            page = site / "runs" / "large" / "trials.html"
        for name, value in measure(page.resolve()).items():
            sys.stdout.write(f"{name}: {value}\n")


if __name__ == "__main__":
    main()
