"""The colour of each run among several: as `run_colors.js` gives it (its answers are written down here)."""

from __future__ import annotations

import pytest

from sitegen.pages.run_tones import run_tones


@pytest.mark.parametrize(
    ("slugs", "tones"),
    [
        (["synthetic-agent-calendar-80-8B", "damaged-files", "x"], [2, 3, 8]),
        (["甲", "\N{GRINNING FACE}", "a", "b", "c", "d", "e", "f", "g", "h"], [6, 1, 5, 7, 3, 4, 2, 8, 7, 8]),
    ],
)
def test_colours_are_those_of_the_scripts(slugs: list[str], tones: list[int]) -> None:
    assert run_tones(slugs) == dict(zip(slugs, tones, strict=True))


def test_a_run_named_twice_keeps_its_colour() -> None:
    assert run_tones(["x", "damaged-files", "x"]) == {"x": 8, "damaged-files": 3}
    assert run_tones(["damaged-files"]) == {"damaged-files": 3}
