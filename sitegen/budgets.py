"""What the files of a site may weigh, as a host sends them, and which weigh more.

The limits are the project's own: a page is to open at once on a slow connection, and what a chart or a table loads is
to be there before anybody waits for it. They hold for gzip, which every static host speaks; brotli sends less.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["page", "run-data", "trials", "search"]

PAGE_BYTES = 150_000
"""Most bytes of a page's HTML."""
RUN_DATA_BYTES = 250_000
"""Most bytes of one script with a run's data; each page of a run loads one of its own."""
TRIALS_BYTES = 1_200_000
"""Most bytes of all scripts that hold a run's trials: 45 000 of them fit. Only the Trials page loads them."""
SEARCH_BYTES = 500_000
"""Most bytes of the index of the search, loaded when somebody searches."""
LIMITS: dict[Kind, int] = {
    "page": PAGE_BYTES,
    "run-data": RUN_DATA_BYTES,
    "trials": TRIALS_BYTES,
    "search": SEARCH_BYTES,
}
"""Most bytes as sent of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverBudget:
    """A file, or a run's trial scripts together, that weigh more than they may."""

    path: str
    """Site path; of trial scripts that of the run's folder of data."""
    kind: Kind
    """What it is."""
    sent: int
    """Bytes as sent."""

    @property
    def limit(self) -> int:
        """Most bytes that it may have."""
        return LIMITS[self.kind]


def kind_of(path: str) -> Kind | None:
    """What a file of a site is for its budget; None where there is none."""
    if path.endswith(".html"):
        return "page"
    if path == "search-index.js":
        return "search"
    folder, _, name = path.rpartition("/")
    if not (path.startswith("runs/") and folder.endswith("/data") and name.endswith(".js")):
        return None
    if name.startswith("series."):
        return None  # what the scripts about all runs are made of; no page loads it
    return "trials" if name.startswith("trials") else "run-data"


def sent_bytes(path: str, content: bytes) -> int:
    """Bytes of a file as sent; as they are where that is within the budget anyway, or there is none.

    Args:
        path: site path.
        content: the file's bytes.
    """
    kind = kind_of(path)
    if kind is None or (kind != "trials" and len(content) <= LIMITS[kind]):
        return len(content)
    return len(gzip.compress(content, 6, mtime=0))


def over_budget(files: Iterable[tuple[str, int]]) -> tuple[OverBudget, ...]:
    """What weighs more than it may, in path order.

    Args:
        files: site paths with the bytes that `sent_bytes` gives.
    """
    weights: defaultdict[tuple[str, Kind], int] = defaultdict(int)
    for path, sent in files:
        kind = kind_of(path)
        if kind is not None:
            weights[path.rpartition("/")[0] if kind == "trials" else path, kind] += sent
    found = (OverBudget(path=path, kind=kind, sent=sent) for (path, kind), sent in sorted(weights.items()))
    return tuple(item for item in found if item.sent > item.limit)
