"""One thing that a host would refuse, drop, break or give away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from sitegen.text import Text, ui

Target = Literal["hf", "netlify", "pages", "file"]
"""Where a site is to be read: a static Space or repository of the model hub, Netlify, GitHub Pages, a disk."""
TARGETS: tuple[Target, ...] = get_args(Target)
Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFinding:
    """A rule that a file of the site breaks."""

    rule: str
    """Id of the rule; `check-site.<rule>` is its sentence."""
    severity: Severity
    """error: must not be published; warning: works, but badly or not everywhere; info: worth knowing."""
    path: str
    """POSIX path relative to the site, `.` for the whole."""
    text: Text
    """What is wrong and what to do."""
    line: int | None = None
    """Line, where one is known."""


def finding(rule: str, severity: Severity, path: str, line: int | None = None, **values: Any) -> HostFinding:
    """A finding with its sentence filled in."""
    return HostFinding(rule=rule, severity=severity, path=path, text=ui(f"check-site.{rule}", **values), line=line)
