"""The colour of each run among several, as `static/js/lib/run_colors.js` gives it, so that it is the same everywhere.

A run's address prefers one of eight colours; who comes later takes the next free one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

_TONES = 8


def run_tones(slugs: Iterable[str]) -> dict[str, int]:
    """Number of the colour (1 to 8) of each run.

    Args:
        slugs: Addresses in order; one that comes again keeps its colour.
    """
    found: dict[str, int] = {}
    taken: set[int] = set()
    for slug in dict.fromkeys(slugs):
        if len(found) % _TONES == 0:
            taken.clear()
        tone = _hash(slug) % _TONES + 1
        while tone in taken:
            tone = tone % _TONES + 1
        taken.add(tone)
        found[slug] = tone
    return found


def _hash(text: str) -> int:
    """FNV-1a over UTF-16 units."""
    value = 0x811C9DC5
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = ((value ^ (low | high << 8)) * 0x01000193) & 0xFFFFFFFF
    return value
