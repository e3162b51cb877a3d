"""The scripts about all runs, as a whole build makes them."""

import json
import re
from pathlib import Path
from typing import Any

from sitegen.build import BuildOptions, build_site
from tests.small_archive import add_run, contents

REWARD = "reward/avg_raw_reward"


def built(archive: Path, site: Path, *, keep: bool = True) -> dict[str, bytes]:
    build_site(archive, site, BuildOptions(workers=1, keep=keep))
    return contents(site)


def registered(files: dict[str, bytes], start: str) -> dict[str, Any]:
    (path,) = [path for path in files if path.startswith(start)]
    found = re.fullmatch(r'sitegen\.register\("\w+",(.*)\);\n', files[path].decode(), flags=re.DOTALL)
    assert found
    value: dict[str, Any] = json.loads(found[1])
    return value


def test_a_metric_of_all_runs_follows_the_logs_and_costs_nothing_when_nothing_changed(tmp_path: Path) -> None:
    archive, site = tmp_path / "archive", tmp_path / "site"
    add_run(archive, "a", [0.25, 0.5, 0.375])
    add_run(archive, "b", [0.125])
    first = built(archive, site)
    metric = registered(first, "data/metric-reward-avg_raw_reward")
    order = registered(first, "data/runs.")["slugs"]
    assert order == ["a", "b"]
    assert metric == {
        REWARD: {
            "at": [0, 1],
            "runs": [[0.5, 2, 0.375, None, 1, [0.25, 0.5, 0.375]], [0.125, 1, 0.125, None, 1, [0.125]]],
        }
    }
    before = {path: path.stat().st_ino for path in (site / "data").iterdir()}
    assert built(archive, site) == first
    assert {path: path.stat().st_ino for path in (site / "data").iterdir()} == before, "nothing was written again"


def test_a_changed_run_changes_the_archive_s_data_and_both_ways_of_building_agree(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    add_run(archive, "a", [0.25, 0.5])
    add_run(archive, "b", [0.125])
    first = built(archive, tmp_path / "site")
    table = archive / "b" / "training_logs" / "20260101_000000_metrics_table.csv"
    table.write_text(table.read_text().replace("0.125", "0.75"))
    second = built(archive, tmp_path / "site")
    assert registered(second, "data/metric-reward-avg_raw_reward")[REWARD]["runs"][1][0] == 0.75
    gone = {path for path in first if path.startswith("data/metric-reward")}
    assert gone.isdisjoint(second)
    same = {path for path in first if path.startswith(("data/metric-timing", "runs/a/data/series"))}
    assert same <= set(second)
    assert second == built(archive, tmp_path / "other", keep=False)


def test_the_index_names_the_scripts_that_are_there(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    add_run(archive, "a", [0.25, 0.5])
    files = built(archive, tmp_path / "site")
    for page in ("index.html", "zh/index.html"):
        text = files[page].decode()
        for name in ("runs", "columns"):
            (path,) = set(re.findall(rf"data/{name}\.[0-9a-f]+\.js", text))
            assert path in files
    columns = registered(files, "data/columns.")
    assert columns["configs"] in files
    assert {metric["file"] for metric in columns["metrics"]} <= set(files)
