"""Budgets of what a host sends: what counts, what is measured, what the build says."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from sitegen import budgets, cli
from sitegen.budgets import kind_of, over_budget, sent_bytes
from sitegen.build import BuildOptions, build_site
from tests.small_archive import add_run


def noise(count: int) -> bytes:
    """Bytes that cannot be made smaller."""
    return random.Random(7).randbytes(count)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("index.html", "page"),
        ("zh/runs/a/b/metrics.html", "page"),
        ("runs/a/b/data/metrics.0123456789.js", "run-data"),
        ("runs/a/data/trials-table.0123456789.js", "trials"),
        ("runs/a/data/series.0123456789.js", None),
        ("runs/a/data/metrics.csv", None),
        ("runs/a/data/x/metrics.js", None),
        ("runs/data/a/run.json", None),
        ("data/runs.0123456789.js", None),
        ("search-index.js", "search"),
        ("assets/vega.0123456789.js", None),
    ],
)
def test_what_a_file_is_follows_from_its_place(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind


def test_only_what_could_be_over_is_compressed() -> None:
    light, heavy = b"a" * 150_000, b"a" * 150_001
    assert sent_bytes("a.html", light) == 150_000
    assert sent_bytes("a.html", heavy) == len(gzip.compress(heavy, 6, mtime=0)) < 1000
    assert sent_bytes("runs/a/data/metrics.csv", heavy) == 150_001


def test_a_budget_is_kept_to_its_last_byte() -> None:
    assert over_budget([("a.html", 150_000), ("runs/a/data/x.1.js", 250_000), ("search-index.js", 500_000)]) == ()
    found = over_budget([("b.html", 150_001), ("a.html", 160_000), ("runs/a/data/x.1.js", 250_001)])
    assert [(item.path, item.sent, item.limit) for item in found] == [
        ("a.html", 160_000, 150_000),
        ("b.html", 150_001, 150_000),
        ("runs/a/data/x.1.js", 250_001, 250_000),
    ]


def test_trials_of_a_run_count_together_and_apart_from_other_runs() -> None:
    parts = [(f"runs/{run}/data/trials-{part}.0.js", 500_000) for run in ("a", "b") for part in range(2)]
    assert over_budget(parts) == ()
    (found,) = over_budget([*parts, ("runs/b/data/trials.0.js", 200_001)])
    assert (found.path, found.kind, found.sent) == ("runs/b/data", "trials", 1_200_001)


def test_what_cannot_be_made_smaller_is_over() -> None:
    content = noise(160_000)
    (found,) = over_budget([("a.html", sent_bytes("a.html", content))])
    assert 160_000 <= found.sent < 160_500


def test_a_build_names_what_is_over_each_time_and_strict_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, site = tmp_path / "archive", tmp_path / "site"
    add_run(archive, "first", [0.1, 0.2, 0.3])
    arguments = ["build", str(archive), "-o", str(site), "--workers", "1"]
    assert build_site(archive, site, BuildOptions(workers=1, cache=tmp_path / "cache")).heavy == ()
    monkeypatch.setitem(budgets.LIMITS, "page", 1_000)
    for _ in range(2):  # the second build takes everything from the cache
        assert cli.run(arguments) == 0
        printed = capsys.readouterr().out
        assert "Heavier than planned" in printed
        assert " of 1 kB (HTML of a page)" in printed
        assert printed.count("kB (HTML of a page)") == 20
        assert "more" in printed
    assert cli.run([*arguments, "--strict"]) == 1
    assert cli.run(["--lang", "zh", *arguments]) == 0
    assert "超出预算" in capsys.readouterr().out
