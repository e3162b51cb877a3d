"""The preflight: what a host would refuse, drop, break or give away, before anything leaves the machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from sitegen.errors import SitegenError
from sitegen.executor import Workers
from sitegen.privacy.exposed import exposed
from sitegen.publish.check_site_files import file_findings
from sitegen.publish.check_site_pages import page_findings
from sitegen.publish.host_finding import SEVERITIES, TARGETS, HostFinding, Target, finding
from sitegen.publish.site_tree import listed, read_site
from sitegen.text import Lang

__all__ = ["TARGETS", "HostFinding", "Target", "check_site", "counted", "to_json"]

_TEXT_FILES = (".html", ".js", ".json", ".csv", ".css", ".xml", ".txt", ".svg", ".md", ".toml", ".yaml", ".yml", "")
"""Endings of files that hold text; of others nothing is read."""
MANY_BYTES = 20_000_000
"""Bytes of a site from which a second process is worth its start."""
_WRITTEN = (("&amp;", "&"), ("&#34;", '"'), ("&quot;", '"'), ("&#39;", "'"), ("\\u0026", "&"))
"""How HTML and our data scripts write what a secret's surroundings are made of."""


def check_site(site: Path, target: str) -> tuple[HostFinding, ...]:
    """Every rule of a host that a finished site breaks: errors first, then by rule and path.

    Args:
        site: the site's folder.
        target: `hf`, `netlify`, `pages` or `file`.

    Raises:
        SitegenError: no such target, the folder is no site, or a file of it cannot be read.
    """
    chosen = next((known for known in TARGETS if known == target), None)
    if chosen is None:
        raise SitegenError(f"{target}: no such target; there are {', '.join(TARGETS)}")
    files = listed(site)
    try:
        with Workers(None, 2 if sum(files.values()) > MANY_BYTES else 1, preload=__name__) as workers:
            private = workers.aside(_private, (site, tuple(files)))
            tree = read_site(site)
            found = {*file_findings(tree, chosen), *page_findings(tree, chosen), *private()}
    except OSError as error:
        raise SitegenError(f"{error.filename}: cannot be read: {error.strerror}") from None
    return tuple(sorted(found, key=_order))


def _order(item: HostFinding) -> tuple[int, str, str, int, str]:
    return SEVERITIES.index(item.severity), item.rule, item.path, item.line or 0, item.text.en


def _private(given: tuple[Path, tuple[str, ...]]) -> tuple[HostFinding, ...]:
    """What the files of a site give away; half of all the work, so that a worker does it while the pages are read."""
    return tuple(_given_away(*given))


def _given_away(site: Path, files: Sequence[str]) -> Iterator[HostFinding]:
    """Secrets are errors; so are addresses of people and their home folders, which nobody agreed to publish."""
    for path in files:
        name = path.rpartition("/")[2]
        if name.endswith(_TEXT_FILES[:-1]) or "." not in name.lstrip("."):
            text = (site / path).read_bytes().decode("utf-8", errors="replace")
            for written, meant in _WRITTEN:
                text = text.replace(written, meant)
            for item in exposed(text):
                yield finding(item.kind, "error", path, item.line)
        for item in exposed(path):
            if item.kind != "home":  # no name of a file in a site begins at the root of a disk
                yield finding(f"{item.kind}-in-name", "error", path)


def counted(found: Sequence[HostFinding]) -> tuple[int, int, int]:
    """How many errors, warnings and remarks there are."""
    severities = [item.severity for item in found]
    return severities.count("error"), severities.count("warning"), severities.count("info")


def to_json(found: Sequence[HostFinding], target: str, lang: Lang) -> str:
    """The findings for scripts."""
    errors, warnings, infos = counted(found)
    items = [
        {
            "rule": item.rule,
            "severity": item.severity,
            "path": item.path,
            "line": item.line,
            "text": item.text.of(lang),
        }
        for item in found
    ]
    counts = {"error": errors, "warning": warnings, "info": infos}
    return json.dumps({"target": target, "counts": counts, "findings": items}, indent=2, ensure_ascii=False)
