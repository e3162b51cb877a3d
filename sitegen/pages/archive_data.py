"""The scripts that hold figures of all runs, loaded by the index (and by whatever compares runs) when it needs them.

Three layers. A run's own `runs/<path>/data/series.<hash>.js` holds each of its metrics in a line; it is made with the
run and kept with it. `data/metric-<id>.<hash>.js` holds one metric of every run and is put together from those lines
without reading a number. `data/runs.<hash>.js` (what the table of runs shows), `data/configs.<hash>.js` (every setting
of every run) and `data/columns.<hash>.js` (what there is, and in which file) are made from the rows. All of it is
columns by run, in the order of the index. `docs/design.md` says what each holds.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sitegen import format as fmt
from sitegen.analyse.facts import GUESSES
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.series import Series, run_series
from sitegen.glossary.entry import GlossaryEntry
from sitegen.glossary.lookup import Glossary
from sitegen.model.roles import direction_of
from sitegen.model.run import Run
from sitegen.pages.base import SiteContext, SiteFile
from sitegen.pages.index import (
    FACETS,
    ArchiveScripts,
    facet_label,
    meaning_text,
    spark_codes,
    spark_points,
    spark_range,
)
from sitegen.pages.row import RunRow
from sitegen.render import js_text
from sitegen.text import LANGS, Text

SETTING_CHARACTERS = 200
"""Most characters of a setting's value; the run's page has the whole."""
TABLE_DIGITS = 12
"""Digits of the table's own numbers: the page itself rounds the exact ones, and both must show the same."""
BATCH_BYTES = 200_000_000
"""So much of the runs' series is held at once while they are sorted by metric."""

Reads = Mapping[str, Callable[[], bytes]]
"""A run's address to what reads its series script; runs without one are left out."""


def found_scripts(paths: Iterable[str]) -> ArchiveScripts:
    """The scripts among the paths of the files that `archive_files` made."""
    by_name = {path.removeprefix("data/").split(".", 1)[0]: path for path in paths if path.startswith("data/")}
    terms = {lang: by_name[f"terms-{lang}"] for lang in LANGS if f"terms-{lang}" in by_name}
    return ArchiveScripts(
        runs=by_name["runs"], columns=by_name["columns"], compare=by_name.get("compare", ""), terms=terms
    )


# ---------------------------------------------------------------- one run


def series_file(run: Run, analysis: RunAnalysis, glossary: Glossary) -> SiteFile | None:
    """The script that registers a run's series under its address; None for a run without any.

    A line per metric: `"key":[best, step of best, mean, at checkpoint, steps, values]`. `steps` is the first step when
    the others follow it one by one, else all of them.
    """

    def direction(name: str) -> str:
        written = glossary.explain(name, run.frameworks.get(name, run.framework)).direction
        return written if written.startswith(("up", "down", "near:")) else direction_of(name)

    return series_script(run.slug, run_series(run, analysis, direction))


def series_script(slug: str, series: Iterable[Series]) -> SiteFile | None:
    """The script of a run's series, which `series_file` describes."""
    lines: dict[str, str] = {}
    for item in series:
        key = item.name if item.kind == "train" and item.name not in lines else f"{item.name} ({item.kind})"
        lines[key] = js_text(_record(item))
    if not lines:
        return None
    body = ",\n".join(f"{js_text(key)}:{text}" for key, text in lines.items())
    return _script(f"runs/{slug}/data/series", "series", "{" + f"{js_text(slug)}:{{\n{body}\n}}" + "}")


def _record(item: Series) -> list[Any]:
    steps = item.step.tolist()
    whole = steps == list(range(steps[0], steps[0] + len(steps)))
    figures = [item.best, item.best_step, item.mean, item.at_checkpoint]
    return [
        *(short(figure) for figure in figures),
        steps[0] if whole else steps,
        [short(value) for value in item.value.tolist()],
    ]


def series_lines(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The metrics of a series script: key, and the record as it stands."""
    decode = json.JSONDecoder().raw_decode
    for line in content.split(b"\n"):
        if line.startswith(b'"'):
            text = line.decode()
            key, end = decode(text)
            yield key, text[end + 1 :].removesuffix(",").encode()


# ---------------------------------------------------------------- all runs


def archive_files(rows: Sequence[RunRow], site: SiteContext, series: Reads) -> Iterator[SiteFile]:
    """Every script about all runs.

    Args:
        rows: one row per run, in the order of the index.
        site: the site.
        series: the runs' series.
    """
    yield runs_file(rows, site)
    metrics: dict[str, dict[str, Any]] = {}
    for key, numbers, file in _metric_files(rows, series):
        metrics[key] = {"file": file.path, **_described(key, [rows[i] for i in numbers], site.glossary)}
        yield file
    configs = _configs(rows)
    held = _script("data/configs", "configs", js_text(configs))
    yield held
    terms = _setting_terms(rows, site.glossary)
    columns = {
        "metrics": [{"key": key, **metrics[key]} for key in sorted(metrics)],
        "settings": [
            {"key": key, "runs": sum(code >= 0 for code in codes), "values": len(names)}
            | ({"term": terms[key]} if key in terms else {})
            for key, (names, codes) in configs.items()
        ],
        "configs": held.path,
    }
    yield _script("data/columns", "columns", js_text(columns))


def _metric_files(rows: Sequence[RunRow], series: Reads) -> Iterator[tuple[str, list[int], SiteFile]]:
    """Metric, numbers of the runs that log it, and its script; a batch of metrics at a time."""
    sizes: Counter[str] = Counter()
    for read in series.values():
        for key, record in series_lines(read()):
            sizes[key] += len(record)
    taken: set[str] = set()
    for batch in _batches(sizes):
        parts: dict[str, list[tuple[int, bytes]]] = {key: [] for key in batch}
        for number, row in enumerate(rows):
            if row.slug in series:
                for key, record in series_lines(series[row.slug]()):
                    if key in parts:
                        parts[key].append((number, record))
        for key, found in parts.items():
            name = _file_name(key, taken)
            numbers = [number for number, _ in found]
            body = b",\n".join(record for _, record in found).decode()
            text = f'{{{js_text(key)}:{{"at":{js_text(numbers)},"runs":[\n{body}\n]}}}}'
            yield key, numbers, _script(f"data/metric-{name}", "metric", text)


def _batches(sizes: Mapping[str, int]) -> Iterator[list[str]]:
    """The metrics in order, as many at a time as fit into `BATCH_BYTES`."""
    batch: list[str] = []
    held = 0
    for key in sorted(sizes):
        if batch and held + sizes[key] > BATCH_BYTES:
            yield batch
            batch, held = [], 0
        batch.append(key)
        held += sizes[key]
    if batch:
        yield batch


def _file_name(key: str, taken: set[str]) -> str:
    """A metric's part of a file name: lower-case ASCII, unique, the same in every build."""
    name = re.sub(r"[^a-z0-9_]+", "-", key.lower()).strip("-")[:60]
    if not name or name in taken or not re.fullmatch(r"[a-z0-9_/-]+", key) or len(key) > 60:
        name = f"{name}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}".lstrip("-")
    taken.add(name)
    return name


def _described(key: str, runs: Sequence[RunRow], glossary: Glossary) -> dict[str, Any]:
    """What the column picker says of a metric: title, runs, direction, whether to look at it first, its meanings."""
    logged = key.removesuffix(" (eval)").removesuffix(" (train)")
    meanings: dict[str, str] = {}
    first = None
    for row in runs:
        if (row.framework or "") not in meanings:
            entry = glossary.explain(logged, row.framework_of(logged))
            first = first or entry
            meanings[row.framework or ""] = term_key(entry, logged)
    assert first is not None
    firsts = {item.id for framework in meanings for item in glossary.look_first(framework or None)}
    direction = first.direction if first.direction.startswith(("up", "down", "near:")) else direction_of(logged)
    return {
        "en": _bare(first.title.en),
        "zh": _bare(first.title.zh),
        "runs": len(runs),
        "best": "" if direction in ("none", "") else direction,
        "first": any(key.split(" ")[0] in firsts for key in meanings.values()),
        "means": meanings,
    }


def term_key(entry: GlossaryEntry, name: str) -> str:
    """Under what the explanation of a name is found: names of one pattern share the entry, not the text."""
    return entry.id if name == entry.id or name in entry.names else f"{entry.id} {name}"


def _setting_terms(rows: Sequence[RunRow], glossary: Glossary) -> dict[str, str]:
    """Setting to its explanation, in the sense of the first run that has one."""
    terms: dict[str, str] = {}
    for framework, key in dict.fromkeys((row.framework, key) for row in rows for key in row.config):
        entry = None if key in terms else glossary.find(key, framework, "setting")
        if entry is not None:
            terms[key] = term_key(entry, key)
    return terms


def _bare(title: str) -> str:
    return title.replace("`", "")


def _configs(rows: Sequence[RunRow]) -> dict[str, tuple[list[str], list[int]]]:
    """Setting to its different values, and per run which of them it has (-1: not set)."""
    found: dict[str, tuple[dict[str, int], list[int]]] = {}
    for number, row in enumerate(rows):
        for key, value in row.config.items():
            names, codes = found.setdefault(key, ({}, []))
            codes += [-1] * (number - len(codes))
            text = fmt.setting(value)
            shown = text if len(text) <= SETTING_CHARACTERS else f"{text[: SETTING_CHARACTERS - 1]}…"
            codes.append(names.setdefault(shown, len(names)))
    return {
        key: (list(names), codes + [-1] * (len(rows) - len(codes))) for key, (names, codes) in sorted(found.items())
    }


# ---------------------------------------------------------------- the table


NUMBERS: tuple[tuple[str, Callable[[RunRow], float | None]], ...] = (
    ("steps", lambda row: row.facts.steps_done),
    ("planned", lambda row: row.facts.planned_steps),
    ("jobs", lambda row: row.jobs),
    ("reward", lambda row: max((v for v in row.spark.raw if v is not None), default=None) if row.spark else None),
    ("last", lambda row: row.spark.raw[-1] if row.spark else None),
    ("ema", lambda row: row.checkpoint_ema),
    ("checkpoint", lambda row: row.checkpoint_step),
    ("pass", lambda row: row.best_pass),
    ("pass_step", lambda row: row.best_pass_step),
    ("pass_k", lambda row: row.pass_k),
    ("entropy", lambda row: row.entropy),
    ("trials", lambda row: row.trials),
    ("graded", lambda row: row.graded),
    ("solved", lambda row: row.success_rate),
    ("exceptions", lambda row: row.exception_rate),
    ("step", lambda row: row.step_s),
    ("waiting", lambda row: row.waiting_share),
    ("gpu", lambda row: row.facts.gpu_hours),
    ("started", lambda row: row.facts.started),
    ("problems", lambda row: row.errors + row.warnings + row.infos),
    ("severity", lambda row: 3 if row.errors else 2 if row.warnings else 1 if row.infos else 0),
    ("guessed", lambda row: GUESSES.index(row.facts.status_basis) + 1 if row.facts.status_guessed else 0),
)
"""Columns of numbers in `data/runs.js`; null where not known."""

TOLD: tuple[tuple[str, str], ...] = (
    ("trials", "trials"),
    ("solved", "success_rate"),
    ("exceptions", "exception_rate"),
    ("waiting", "waiting_share"),
)
"""Column, and the field of a row that may be known only from a published report."""


def runs_file(rows: Sequence[RunRow], site: SiteContext) -> SiteFile:
    """`data/runs.js`: everything that the table, the wall and the filters of the index show at first."""
    titles = {item.id: item.title for item in site.glossary.frameworks}
    span, points = spark_range(rows), spark_points(len(rows))
    meaning = [row.reward_meaning if row.facts.reward_metric else None for row in rows]
    data: dict[str, Any] = {
        "slugs": [row.slug for row in rows],
        "titles": [row.title for row in rows],
        "numbers": {key: [short(pick(row), TABLE_DIGITS) for row in rows] for key, pick in NUMBERS},
        "told": {
            key: [i for i, row in enumerate(rows) if field in row.published]
            for key, field in TOLD
            if any(field in row.published for row in rows)
        },
        "range": span,
        "sparks": [spark_codes(row.spark, span, points, row.checkpoint_step) if row.spark else None for row in rows],
        "facets": {
            facet: _coded([pick(row) for row in rows], partial(_facet_label, facet, titles))
            for facet, _, pick in FACETS
        },
        "meaning": _coded_one(meaning, lambda item: meaning_text(item, titles)),
        "reward": [row.facts.reward_metric for row in rows],
        "guesses": list(GUESSES),
    }
    return _script("data/runs", "runs", js_text(data))


def _facet_label(facet: str, titles: Mapping[str, Text], value: str) -> Text:
    return facet_label(facet, value, titles)


def _coded(values: Sequence[Sequence[str]], label: Callable[[str], Text]) -> dict[str, Any]:
    """Lists of values as numbers into a list of names, the most frequent name first."""
    counts = Counter(value for found in values for value in dict.fromkeys(found))
    names = sorted(counts, key=lambda value: (-counts[value], value))
    codes = {name: code for code, name in enumerate(names)}
    labels = [label(name) for name in names]
    coded: dict[str, Any] = {"names": names, "at": [[codes[v] for v in dict.fromkeys(found)] for found in values]}
    if any(text.en != name or text.zh != name for text, name in zip(labels, names, strict=True)):
        coded |= {"en": [text.en for text in labels], "zh": [text.zh for text in labels]}
    return coded


def _coded_one(values: Sequence[tuple[str, str] | None], label: Callable[[tuple[str, str]], Text]) -> dict[str, Any]:
    """Single values as numbers into a list of labels, the most frequent first; those without one come after all."""
    counts = Counter(value for value in values if value is not None)
    names = sorted(counts, key=lambda value: (-counts[value], value))
    codes = {name: code for code, name in enumerate(names)}
    labels = [label(name) for name in names]
    return {
        "en": [text.en for text in labels],
        "zh": [text.zh for text in labels],
        "at": [codes[value] if value is not None else len(names) for value in values],
    }


# ---------------------------------------------------------------- files


def short(value: float | None, digits: int = 7) -> float | int | None:
    """A value with so many significant digits, whole numbers whole; None when there is none."""
    if value is None or isinstance(value, int):
        return value
    near = value if abs(value) >= 1e5 else float(f"{value:.{digits}g}")
    return int(near) if near.is_integer() and abs(near) < 1e15 else near


def _script(name: str, key: str, text: str) -> SiteFile:
    """A classic script that registers data; its name carries a hash of its content."""
    content = f"sitegen.register({js_text(key)},{text});\n".encode()
    return SiteFile(path=f"{name}.{hashlib.sha256(content).hexdigest()[:10]}.js", content=content)
