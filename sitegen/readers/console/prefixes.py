"""The layers that stand before what a program printed, stripped outermost first.

Source: Ray 2.x worker prefix and `[repeated Nx across cluster]` (`python/ray/_private/worker.py`,
`ray_logging`); vLLM 0.6-0.20 `(EngineCore_DP0 pid=…)` and `LEVEL MM-DD HH:MM:SS [file:line]`
(`vllm/logging_utils/formatter.py`); loguru 0.7 default format; docker compose `name  | `; Python `logging`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

_ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")
_OUTER = re.compile(
    r"(?:(?:task=\S+ )?attempt=\d+ \| ?)?"  # Iris
    r"(?:(?P<container>[A-Za-z0-9][\w.-]{0,80}?) +\| )?"  # docker compose
    r"(?:\[XTuner\](?:\[RANK \d+\])?)?"
    r"(?:\((?P<actor>[^()\s]+) pid=(?P<pid>\d+)(?:, ip=(?P<ip>[^)]+))?\) ?)?"  # Ray
    r"(?:\((?P<inner>(?:EngineCore(?:_DP\d+)?|APIServer(?:_\d+)?|Worker(?:_[A-Z]+\d+)*) pid=(?P<inner_pid>\d+))\) ?)?"
)
_LEVELS = "TRACE|DEBUG|INFO|SUCCESS|WARNING|WARN|ERROR|CRITICAL|FATAL"
_STAMP = re.compile(
    r"(?P<loguru>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \| (?P<l0>[A-Z]+) *\| (?P<place>[^ ]+:[^ ]+:\d+) - "
    rf"|(?P<l1>{_LEVELS}) (?P<clock>\d\d-\d\d \d\d:\d\d:\d\d) (?:\[(?P<file>[^\]]+)\] )?"
    rf"|(?:\[[\w.-]{{1,40}}\] )?(?:(?P<l6>{_LEVELS}) )?"
    rf"\[?(?P<iso>\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{{1,6}})?)\]?:?"
    rf"(?:[ \t]*(?:- |\| )?(?:\[[^\]\n]{{1,80}}\])*[ \t]?(?:[\w.:-]{{1,80}} ?[-|] )?\[?(?P<l2>{_LEVELS})\]?"
    r"(?: +[\w./-]+:\d+)?[\t ]*(?:-{1,2} |\| |: )?)?"
    rf"|(?P<l3>{_LEVELS}):(?P<logger>[\w.]+):"
    rf"|\[(?P<l4>{_LEVELS})\][ :]*"
    r"|wandb: (?P<l5>WARNING|ERROR) "
)
_LOGURU = re.compile(
    r"(?P<loguru>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \| (?P<l0>[A-Z]+) *\| (?P<place>[^ ]+:[^ ]+:\d+) - "
)
_REPEATED = re.compile(r" ?\[repeated (\d{1,9})x across cluster\](?: \(Ray deduplicates logs[^\n]*)?\s*$")


class Said(NamedTuple):
    """What a line says, and what its prefixes tell; a named tuple, since making one costs a fifth."""

    text: str
    """The line without prefixes, colours, Ray's repeat note and trailing blanks."""
    actor: str | None
    """Ray's actor or task name."""
    pid: int | None
    """Its process."""
    ip: str | None
    """Its node, where Ray gives one (not on the head node)."""
    inner: str | None
    """The second prefix, such as `EngineCore_DP0 pid=12`."""
    container: str | None
    """The container name of docker compose."""
    time: float | None
    """Unix s of a stamp with a year, read as UTC: console logs name no zone."""
    clock: str | None
    """A stamp without a year, `MM-DD HH:MM:SS`."""
    level: str | None
    """The logger's level, upper case."""
    place: str | None
    """`module:function:line` of a loguru prefix."""
    loguru: bool
    """Whether the line has a loguru prefix."""
    repeats: int
    """Further lines that Ray collapsed into this one."""

    @property
    def process(self) -> tuple[str | None, int | None, str | None]:
        """The process that printed it, as far as the prefixes tell."""
        return self.actor, self.pid, self.ip

    @property
    def stamped(self) -> bool:
        """Whether a logger put a time or a level before it."""
        return self.level is not None or self.time is not None


def plain(raw: bytes) -> str:
    """A line as text, without colours."""
    if b"\x1b" in raw:
        raw = _ANSI.sub(b"", raw)
    return raw.decode("utf-8", "replace")


def strip(raw: bytes) -> Said:
    """A line taken apart."""
    text = plain(raw).rstrip()
    outer = _OUTER.match(text)
    groups = outer.groupdict() if outer is not None else {}
    body = text[outer.end() :] if outer is not None else text
    stamp = _STAMP.match(body)
    if stamp is None and " | " in body:
        stamp = _LOGURU.search(body)  # behind a progress bar
    repeats = 0
    if body.endswith(("cluster]", ")")) and (repeated := _REPEATED.search(body)) is not None:
        repeats = int(repeated[1])
        body = body[: repeated.start()]
    stamped = stamp.groupdict() if stamp is not None else {}
    level = next((stamped[name] for name in ("l0", "l1", "l2", "l3", "l4", "l5", "l6") if stamped.get(name)), None)
    return Said(
        text=_after(body, stamp) if stamp is not None else body,
        actor=groups.get("actor"),
        pid=_number(groups.get("pid")),
        ip=groups.get("ip"),
        inner=groups.get("inner"),
        container=groups.get("container"),
        time=_time(stamped.get("loguru") or stamped.get("iso")),
        clock=stamped.get("clock"),
        level=level,
        place=stamped.get("place"),
        loguru=stamped.get("loguru") is not None,
        repeats=repeats,
    )


def _after(body: str, stamp: re.Match[str]) -> str:
    text = body[stamp.end() :]
    return text if stamp.groupdict().get("loguru") else text.lstrip()


def _number(digits: str | None) -> int | None:
    return int(digits[:18]) if digits else None


def _time(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.replace(",", ".")).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
