"""Rules about the files of a site: how many, how large, how named. A host's number has its basis beside it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from sitegen.publish.host_finding import HostFinding, Target, finding
from sitegen.publish.site_tree import SiteTree

MB = 10**6
FOLDER_ENTRIES: Mapping[Target, int] = {"hf": 10_000, "netlify": 54_000}
"""Most entries of one folder. Hub: hub-docs, storage-limits (hard). Netlify: its documentation, files per directory."""
LARGEST_FILE: Mapping[Target, int] = {"hf": 500_000 * MB, "pages": 100 * MB}
"""Largest file that is taken. Hub: storage-limits (hard). GitHub: a pushed file above 100 MB is refused."""
ADVISED_FILE: Mapping[Target, int] = {"hf": 200_000 * MB, "netlify": 10 * MB, "pages": 50 * MB}
"""Size above which the host warns. Hub: storage-limits; Netlify: deploys get slow; GitHub: warns at a push."""
ADVISED_FILES: Mapping[Target, int] = {"hf": 100_000}
"""Most files advised. Hub: storage-limits."""
ADVISED_SITE: Mapping[Target, int] = {"pages": 1000 * MB}
"""Largest site advised. GitHub Pages: 1 GB."""
NEEDED: Mapping[Target, str] = {"pages": ".nojekyll", "netlify": "_headers"}
"""The file without which a host serves the site otherwise than meant."""
EATEN = frozenset({"_headers", "_redirects"})
"""Files for other hosts, which may vanish."""

_ODD = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]|[. ]$')
_DEVICES = re.compile(r"(?i)(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)")


def file_findings(tree: SiteTree, target: Target) -> Iterator[HostFinding]:
    """Everything about a site's files that a host would refuse, drop or serve badly."""
    if "index.html" not in tree.files:
        yield finding("no-index", "error", "index.html")
    yield from _crowded(tree, target)
    yield from _large(tree, target)
    yield from _named(tree, target)
    needed = NEEDED.get(target)
    if needed and needed not in tree.files:
        yield finding(f"missing-{needed.strip('._')}", "warning", needed)
    if target == "hf" and ".gitignore" in tree.files:
        yield finding("ignored-files", "error", ".gitignore")


def _crowded(tree: SiteTree, target: Target) -> Iterator[HostFinding]:
    most = FOLDER_ENTRIES.get(target)
    if most is not None:
        entries = Counter(path.rpartition("/")[0] for path in (*tree.files, *(tree.folders - {""})))
        for folder, count in sorted(entries.items()):
            if count > most:
                yield finding("crowded-folder", "error", folder or ".", count=f"{count:,}", most=f"{most:,}")
    files = ADVISED_FILES.get(target)
    if files is not None and len(tree.files) > files:
        yield finding("many-files", "warning", ".", count=f"{len(tree.files):,}", most=f"{files:,}")


def _large(tree: SiteTree, target: Target) -> Iterator[HostFinding]:
    largest, advised = LARGEST_FILE.get(target), ADVISED_FILE.get(target)
    for path, size in tree.files.items():
        if largest is not None and size > largest:
            yield finding("large-file", "error", path, size=in_mb(size), most=in_mb(largest))
        elif advised is not None and size > advised:
            yield finding("large-file-advice", "warning", path, size=in_mb(size), most=in_mb(advised))
    whole, total = ADVISED_SITE.get(target), sum(tree.files.values())
    if whole is not None and total > whole:
        yield finding("large-site", "warning", ".", size=in_mb(total), most=in_mb(whole))


def _named(tree: SiteTree, target: Target) -> Iterator[HostFinding]:
    if target == "pages" and ".nojekyll" not in tree.files:
        for path in tree.files:
            if any(part.startswith("_") for part in path.split("/")) and path not in EATEN:
                yield finding("underscore", "error", path)
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for path in (*tree.files, *(tree.folders - {""})):
        alike[path.casefold()].append(path)
    for paths in alike.values():
        if len(paths) > 1:
            first, *others = sorted(paths)
            yield finding("case-collision", "error", first, others=", ".join(others))
    for path in tree.files:
        if any(_ODD.search(part) or _DEVICES.match(part) for part in path.split("/")):
            yield finding("odd-name", "error" if target == "file" else "warning", path)


def in_mb(size: int) -> str:
    """Bytes as megabytes, to one place."""
    return f"{size / MB:,.1f} MB"
