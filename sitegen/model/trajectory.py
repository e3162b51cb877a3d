"""The dialogue of one trial: what its agent was told, thought, called and got back, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Role = Literal["system", "user", "agent"]

LEFT_OUT = "\ue000"
"""Opens the mark that stands for content that no text is: `<LEFT_OUT>kind|name|count<MARK_END>`."""
MARK_END = "\ue001"
"""Closes it. Both are private characters that are taken out of what a run gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryFile:
    """A trajectory that lies in a trial's folder. A trial in several steps has one of each step."""

    path: str
    """POSIX path relative to the archive root."""
    result: str
    """Path of the trial's own result: `source` of its row in the trial table."""
    location: Path = field(repr=False)
    """Where the file is on this machine; never shown, never written."""
    page: str = ""
    """Site path of the trial's page below the run's folder; empty for none. The trial's other steps share it."""
    step: str = ""
    """Name of the step; empty for a trial in one."""
    order: int = 0
    """Place of the step in its trial, from 0; told only where the trial has a page."""

    @property
    def trial(self) -> str:
        """Name of the trial's folder; empty where the archive itself is it."""
        return self.result.rpartition("/")[0].rpartition("/")[2]

    @property
    def name(self) -> str:
        """What it is called in a problem: the trial, and the step where there are several."""
        return "/".join(part for part in (self.trial, self.step) if part) or self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool."""

    name: str
    """The tool, as given; empty when it is not named."""
    arguments: Mapping[str, Any]
    """Its arguments; under the empty key what is no mapping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came back."""

    call: int | None
    """Place of the call among those of its turn, from 0; None when it answers none of them."""
    text: str
    """Content; pictures and long base64 stand as marks."""
    subagents: tuple[str, ...]
    """Trajectories of agents that it was delegated to, by file name or session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One step of a trajectory."""

    number: int
    """`step_id` as given, else its place from 1."""
    role: Role
    """Who speaks."""
    time: float | None
    """Unix seconds (UTC); None unknown."""
    model: str
    """Model that answered, where it is not the trajectory's; empty otherwise."""
    message: str
    """What is said; may be empty."""
    reasoning: str
    """What the agent thought; empty without any."""
    calls: tuple[ToolCall, ...]
    """Tools called."""
    results: tuple[ToolResult, ...]
    """What came back."""
    prompt_tokens: int | None
    """Tokens of the prompt, cached ones included."""
    cached_tokens: int | None
    """Of these, from the cache."""
    completion_tokens: int | None
    """Tokens of the answer."""
    cost_usd: float | None
    """Cost."""
    copied: bool
    """Whether it repeats the context of an earlier file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A whole trajectory."""

    version: str
    """`schema_version`, e.g. `ATIF-v1.6`."""
    agent: str
    """Agent's name and version."""
    model: str
    """Model; empty unknown."""
    notes: str
    """Notes of the writer; empty without any."""
    turns: tuple[Turn, ...]
    """In file order."""
    skipped: int
    """Steps that are no objects: left out."""
    prompt_tokens: int | None
    """Total, as given."""
    cached_tokens: int | None
    """Total, as given."""
    completion_tokens: int | None
    """Total, as given."""
    cost_usd: float | None
    """Total, as given."""
    continued: str
    """File that goes on where this one ends; empty for none."""
    subagents: tuple[str, ...]
    """Other agents' trajectories that it holds or refers to, distinct, in order."""
