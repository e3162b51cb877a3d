"""A run that moved: every page of it is found at each of its old addresses, in both languages."""

from __future__ import annotations

import json
import posixpath
import re
from functools import partial
from pathlib import Path

from sitegen.build import BuildOptions, build_site
from sitegen.pages.base import SiteFile
from sitegen.pages.moved import with_old_addresses
from sitegen.settings import RunSettings
from tests.factories import make_run, make_series
from tests.pages.run_fixture import files
from tests.pages.site_fixture import site_context
from tests.small_archive import add_run, contents

TARGET = re.compile(r'data-target="([^"]+)"')
OLD = ("old", "team/older")


def moved(made: dict[str, bytes], aliases: tuple[str, ...], slug: str = "new") -> dict[str, bytes]:
    run = make_run(slug=slug, settings=RunSettings(aliases=aliases))
    listed = (SiteFile(path=path, content=content) for path, content in made.items())
    return {file.path: file.content for file in with_old_addresses(listed, run, site_context())}


def leads_to(path: str, content: bytes) -> str:
    found = TARGET.search(content.decode())
    assert found is not None, path
    assert f'content="0; url={found[1]}"' in content.decode()
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1]))


def test_every_page_of_a_run_is_found_at_its_old_addresses() -> None:
    steps = make_series("reward/avg_raw_reward", [0.1, 0.4, 0.3, 0.5])
    made = files(make_run(slug="new", steps=steps))
    made |= {f"{tongue}runs/new/trials/task/first.html": b"a trial" for tongue in ("", "zh/")}
    pages = [path for path in made if path.endswith(".html")]
    assert {"runs/new/embed/reward.html", "zh/runs/new/embed/reward.html", "zh/runs/new/sources.html"} <= {*pages}
    found = moved(made, OLD)
    for page in pages:
        for alias in OLD:
            old = page.replace("runs/new/", f"runs/{alias}/")
            assert leads_to(old, found[old]) == page
    assert {path: found[path] for path in made} == made


def test_pictures_that_others_show_stay_and_data_does_not() -> None:
    made = {"runs/new/card/badge.svg": b"<svg/>", "runs/new/card/social.png": b"x", "runs/new/run.json": b"{}"}
    assert moved(made, ("old",)) == {**made, "runs/old/card/badge.svg": b"<svg/>"}


def test_an_old_address_that_is_the_run_s_own_or_said_twice_is_one() -> None:
    made = {"runs/new/index.html": b"here"}
    assert set(moved(made, ("new", "old", "old"))) == {"runs/new/index.html", "runs/old/index.html"}
    assert moved(made, ())["runs/new/index.html"] == b"here"


def test_a_run_that_now_lies_below_its_old_address_hides_nothing() -> None:
    found = moved({"runs/team/new/index.html": b"here"}, ("team",), slug="team/new")
    assert leads_to("runs/team/index.html", found["runs/team/index.html"]) == "runs/team/new/index.html"


def test_a_site_has_them_and_the_cache_keeps_them(tmp_path: Path) -> None:
    archive, site = tmp_path / "archive", tmp_path / "site"
    add_run(archive, "run-a", [0.1, 0.4, 0.3, 0.6], 'slug = "a"\naliases = ["run-a"]\n')
    build = partial(build_site, archive, site, BuildOptions(workers=1, cache=tmp_path / "cache"))
    build()
    first = contents(site)
    assert leads_to("runs/run-a/embed/reward.html", first["runs/run-a/embed/reward.html"]) == "runs/a/embed/reward.html"
    assert first["runs/run-a/card/badge.svg"] == first["runs/a/card/badge.svg"]
    assert json.loads(first["archive.json"])["runs"][0]["slug"] == "a"
    assert build().cached == 1
    assert contents(site) == first
