"""The model of a run: what a reader gives, and what assemble makes of it.

Entities are frozen; the ones that hold a DataFrame compare by identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sitegen.model.problems import Problem
from sitegen.model.trajectory import TrajectoryFile
from sitegen.settings import OverlapRule as OverlapRule
from sitegen.settings import RunSettings as RunSettings
from sitegen.text import Text

if TYPE_CHECKING:
    import pandas as pd

EndCause = Literal[
    "finished",
    "stopped_early",
    "time_limit",
    "cancelled",
    "out_of_memory",
    "node_failure",
    "sandbox_failure",
    "hang",
    "crashed",
    "running",
    "unknown",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a run, as scan found it. Nothing of it has been parsed."""

    path: str
    """POSIX path relative to the archive root: the name used in pages, problems and tables."""
    location: Path = field(repr=False)
    """Where the file is on this machine; never shown, never written."""
    size: int
    """Bytes."""
    head: bytes = field(repr=False, default=b"")
    """The first bytes (at most `HEAD_BYTES`), empty for files that no reader names."""
    fingerprint: str = ""
    """Changes when the content changes; cache key only, never shown."""
    members: tuple[str, ...] = field(repr=False, default=())
    """Of a bundle (see `Reader.bundle`): its files' POSIX paths relative to `location`, sorted; empty for a file."""
    absent: tuple[str, ...] = field(repr=False, default=())
    """Of a bundle: the trial folders, relative to `location`, that hold no such file, sorted."""
    trajectories: tuple[str, ...] = field(repr=False, default=())
    """Of a bundle of results: the folders, relative to `location`, whose `agent/` holds an agent's trajectory, sorted:
    those of trials, and those of a trial's steps (`<trial>/steps/<step>`)."""

    @property
    def bundled(self) -> bool:
        """Whether it stands for many files, or for their absence."""
        return bool(self.members or self.absent)

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def stem(self) -> str:
        """The name without its last suffix (and without a compression suffix before that)."""
        name = self.name
        for suffix in (".gz", ".zst"):
            name = name.removesuffix(suffix)
        return name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name


HEAD_BYTES = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """A folder that is a run, with the files that belong to it."""

    path: str
    """POSIX path relative to the archive root; "." when the archive itself is the run."""
    name: str
    """The run's own name: the folder's name, or `<run>` of `<run>_<job>` logs that share a folder."""
    location: Path = field(repr=False)
    """Where the folder is on this machine."""
    files: tuple[SourceFile, ...]
    """All files of the run in path order, its inner runs' files left out."""
    problems: tuple[Problem, ...] = ()
    """What scan itself noticed (links not followed, folders too deep, unreadable folders)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnd:
    """How a job ended, with the line that says so."""

    cause: EndCause
    """The cause; `unknown` when no line tells."""
    path: str | None
    """Source of the evidence."""
    line: int | None
    """1-based line of the evidence."""
    text: str | None
    """The line itself, shortened."""
    guessed: bool = False
    """True when the line says no more than that something failed, and only its place at the end makes it the cause."""
    last_line: int | None = None
    """1-based line after it that says that the job's processes ended (an exit code, a crash); None without one."""


UNKNOWN_END = JobEnd(cause="unknown", path=None, line=None, text=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """What one source says of one job; assemble merges records of the same name."""

    name: str
    """The job's name as the steps table uses it."""
    started: float | None = None
    """Unix seconds, None unknown."""
    finished: float | None = None
    """Unix seconds, None unknown."""
    number: int | None = None
    """Scheduler job number, from the name or the log."""
    resumed_from: int | None = None
    """Step of `Resumed training from global_step N`; None when not said."""
    end: JobEnd = UNKNOWN_END
    """How it ended."""
    source: str = ""
    """`SourceFile.path` of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One launch of a run."""

    name: str
    """Name as in the steps table."""
    first_step: int | None
    """First train step it logged; None when it logged none."""
    last_step: int | None
    """Last train step it logged."""
    rows: int
    """Train records it logged, superseded ones included."""
    redone: int
    """Steps of it that an earlier job had already logged."""
    started: float | None
    """Unix seconds, None unknown."""
    finished: float | None
    """Unix seconds, None unknown."""
    number: int | None
    """Scheduler job number."""
    resumed_from: int | None
    """Step it resumed from, as logged."""
    end: JobEnd
    """How it ended."""
    sources: tuple[str, ...]
    """Paths of the files that speak of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """A run's configuration, as given and as flat keys."""

    path: str
    """Source file."""
    values: Mapping[str, Any]
    """Flat dotted keys to scalars, lists or None, in file order. `8e-6` is a float. Interpolations are text
    as written."""
    lines: Mapping[str, int]
    """Flat key to 1-based line, where known."""
    raw: str
    """The text as given (masked by the privacy border before it is shown)."""
    header: str
    """Leading comment lines without their marks: where the file says what it is."""

    @property
    def assumed(self) -> bool:
        """True when the file's own header says that its settings are assumed, not this run's record."""
        return self.header.lower().startswith("assumed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """README.md of a run folder."""

    path: str
    """Source file."""
    front_matter: Mapping[str, Any]
    """Parsed YAML front matter; empty without one."""
    body: str
    """Markdown after the front matter."""
    base_models: tuple[str, ...]
    """`base_model`."""
    datasets: tuple[str, ...]
    """`datasets`."""
    license: str | None
    """`license`."""
    tags: tuple[str, ...]
    """`tags`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A written document shown as it is (sanitised): report or card."""

    path: str
    """Source file."""
    kind: Literal["report", "card"]
    """What it is."""
    markdown: str
    """Its text, repaired into lines where a copy had lost them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedMetric:
    """One row of a report's summary tables; every field as printed, None when not given or `nan`."""

    mean: float | None
    """Mean."""
    std: float | None
    """Standard deviation."""
    min: float | None
    """Smallest."""
    max: float | None
    """Largest."""
    count: int | None
    """Rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedValue:
    """Any further printed number, kept with its place so that it can be cross-checked."""

    where: str
    """Section and row, e.g. `Overview/job_561773`."""
    name: str
    """Column or label, e.g. `Final Reward (mean)`."""
    text: str
    """As printed, e.g. `0.4832`, `88.2%`, `470.8 tok/s`."""
    value: float | None
    """As a number in the printed unit; None for words."""
    line: int
    """1-based line (of the repaired text)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTrials:
    """The report's trial section."""

    total: int | None
    """Trials parsed."""
    graded: int | None
    """Trials with reward data."""
    mean_reward: float | None
    """Mean reward."""
    success_rate: float | None
    """0-1."""
    turns: Mapping[str, float]
    """mean, median, std, min, max, count."""
    exceptions: Mapping[str, int]
    """Exception type, or `none`, to count."""
    by_exception: Mapping[str, Mapping[str, float]]
    """Exception type, or `none`, to mean, median, count of turns."""
    by_outcome: Mapping[str, Mapping[str, float]]
    """`success` and `failure` to mean, median, count of turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published report as data: values somebody else computed, marked as such wherever shown."""

    path: str
    """Source file."""
    metrics: Mapping[str, PublishedMetric]
    """Category summaries by logged metric name."""
    timing: Mapping[str, float]
    """Span to share of step time (0-1) as printed."""
    engines: Mapping[str, Mapping[str, float]]
    """Job to running, waiting, generation_tps, kv_cache_pct, prefix_hit_pct (and *_max where printed)."""
    trials: PublishedTrials | None
    """Trial section, None when absent."""
    checkpoint_step: int | None
    """Step of its `Best Checkpoint` section; None when absent."""
    values: tuple[PublishedValue, ...]
    """Every printed number of every table, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """A group of log lines of one shape (issue: log digest)."""

    job: str
    """Job whose log it is."""
    level: Literal["error", "warning", "traceback"]
    """Kind of the group."""
    shape: str
    """The line with its numbers and ids taken out."""
    example: str
    """The first line or, for a traceback, its whole text, shortened."""
    count: int
    """Lines of the shape, Ray's collapsed repeats included."""
    first_line: int
    """1-based line of the first."""
    last_line: int
    """1-based line of the last."""
    path: str
    """Source file."""
    first_step: int | None = None
    """Train step that was under way at the first line; None unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialJob:
    """What a batch of trials (Harbor's job) says of itself: a snapshot, taken while trials may still be running.

    Counts are None where it does not say. Its means are left aside: they are 0 also where nothing was graded.
    """

    total: int | None
    """Trials planned."""
    finished: int | None
    """Trials that have ended, with or without an exception."""
    unfinished: int | None
    """Trials running or pending."""
    cancelled: int | None
    """Trials cancelled."""
    retries: int | None
    """Attempts that were repeated."""
    ended: bool
    """Whether it gives a time of its end."""
    rewards: Mapping[str, Mapping[str, float]]
    """Trial to reward by key, for the trials it names."""
    exceptions: Mapping[str, str]
    """Trial to exception type, for the trials it names."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadResult:
    """What one reader made of one source file."""

    reader: str
    """`Reader.name`."""
    source: str
    """`SourceFile.path`."""
    precedence: int
    """Of several results with steps (or trials, or engines) for the same job, the highest wins; never added up."""
    framework: str | None = None
    """skyrl, verl, xtuner, trl, …; None when the format does not tell."""
    steps: pd.DataFrame | None = None
    """`tables.STEPS`."""
    nonfinite: pd.DataFrame | None = None
    """`tables.NONFINITE`."""
    engines: pd.DataFrame | None = None
    """`tables.ENGINES`."""
    trials: pd.DataFrame | None = None
    """`tables.TRIALS`."""
    batches: pd.DataFrame | None = None
    """`tables.BATCHES`."""
    trial_job: TrialJob | None = None
    """What a batch of trials says of itself; `source` lies in the folder that holds the trials' folders."""
    jobs: tuple[JobRecord, ...] = ()
    """What the source says of jobs."""
    config: RunConfig | None = None
    """A configuration."""
    card: ModelCard | None = None
    """A model card."""
    document: Document | None = None
    """A document to show."""
    published: Published | None = None
    """A report as data."""
    events: tuple[LogEvent, ...] = ()
    """Log digest."""
    latest_checkpoint: int | None = None
    """`latest_ckpt_global_step.txt`."""
    export_step: int | None = None
    """N of an `exports/global_step_N`."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further small facts by name, e.g. `wandb_url`, `planned_steps`, `absent_or_nonfinite` (bool)."""
    rows: int = 0
    """Records used."""
    problems: tuple[Problem, ...] = ()
    """What could not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUse:
    """One file of a run and what was made of it."""

    path: str
    """`SourceFile.path`."""
    size: int
    """Bytes."""
    reader: str | None
    """Reader that took it; None when no reader claims it."""
    rows: int
    """Records used."""
    used_for: tuple[str, ...]
    """Of steps, engines, trials, batches, config, card, document, published, jobs, events, checkpoints."""
    note: str | None
    """Why it was set aside: `duplicate`, `older`, `lower-precedence`, `unclaimed`; None when used."""
    reason: Text | None = None
    """Why no reader takes it, in words; None when one does."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One training run, assembled from everything its folder holds."""

    slug: str
    """Address under runs/, with hierarchy: `team/run-1`."""
    path: str
    """Folder path relative to the archive root."""
    name: str
    """Folder name (or `<run>` of shared logs), as given."""
    title: str
    """`run.toml` title, else name."""
    framework: str | None
    """Recognised framework, None unknown."""
    framework_guessed: bool
    """True when only metric names or configuration tell."""
    jobs: tuple[Job, ...]
    """Jobs in lineage order."""
    steps: pd.DataFrame
    """`tables.STEPS`; empty when nothing was logged. Superseded rows kept and marked."""
    nonfinite: pd.DataFrame
    """`tables.NONFINITE`."""
    engines: pd.DataFrame | None
    """`tables.ENGINES`, None without."""
    trials: pd.DataFrame | None
    """`tables.TRIALS`, None without."""
    batches: pd.DataFrame | None
    """`tables.BATCHES`, None without."""
    config: RunConfig | None
    """Configuration, None without."""
    card: ModelCard | None
    """Model card, None without."""
    documents: tuple[Document, ...]
    """Documents to show."""
    published: Published | None
    """Published report, None without."""
    steps_from_report: bool
    """True when the steps are a report's progression rows: rounded, and only the columns it prints."""
    absent_or_nonfinite: bool
    """True when the writer of the steps lost the difference between an absent and a non-finite value."""
    settings: RunSettings
    """`run.toml`."""
    overlap_rule: OverlapRule
    """Rule in force for this site."""
    exports: tuple[int, ...] | None
    """Steps with an export on disk; None when no export folder is known."""
    latest_checkpoint: int | None
    """`latest_ckpt_global_step.txt`; None without."""
    events: tuple[LogEvent, ...]
    """Log digest."""
    facts: Mapping[str, Any]
    """Merged `ReadResult.facts`."""
    sources: tuple[SourceUse, ...]
    """Every file and what was made of it."""
    problems: tuple[Problem, ...]
    """Everything that could not be used as it stands."""
    frameworks: Mapping[str, str] = field(default_factory=dict)
    """Logged name to the framework of the files that hold it, where that is not the run's: the folder holds logs of
    several."""
    trajectories: tuple[TrajectoryFile, ...] = ()
    """Agents' dialogues beside the trials' results, in path order; read only where the site asks for it."""

    def framework_of(self, name: str) -> str | None:
        """The framework that decides what a logged name means."""
        return self.frameworks.get(name, self.framework)


def lineage(run: Run, rule: OverlapRule | None = None) -> pd.DataFrame:
    """The train rows that are not superseded under a rule (default: the site's), sorted by step, steps distinct."""
    column = f"superseded_{rule or run.overlap_rule}"
    rows = run.steps
    kept = rows[(rows["kind"] == "train") & (rows[column] == 0)]
    return kept.sort_values("step", kind="stable").reset_index(drop=True)


def train_rows(run: Run) -> pd.DataFrame:
    """All train rows, superseded ones included, in table order."""
    return run.steps[run.steps["kind"] == "train"].reset_index(drop=True)
