"""What the compare page loads of a run, and how it finds it.

Per run: `runs/<path>/data/compare.<hash>.js` says what there is (facts, settings, a line of figures per metric, and
which script holds which curve), `runs/<path>/data/lines-<n>.<hash>.js` hold the curves with both smoothings, those
that the page shows at first in the first one. For all runs: `data/compare.<hash>.js` leads to the former, and
`data/terms-<language>.<hash>.js` explains metrics and settings. So a comparison costs what its runs cost, however
many there are, and a metric costs the scripts that hold it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sitegen import format as fmt
from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.series import Series, run_series
from sitegen.charts.drawn import drawn_curve, smoothed
from sitegen.charts.payload import number
from sitegen.charts.roles import role_curve
from sitegen.charts.thin import LIMIT, thin
from sitegen.glossary.entry import GlossaryEntry
from sitegen.glossary.lookup import Glossary
from sitegen.glossary.patterns import natural
from sitegen.model.roles import direction_of
from sitegen.model.run import Run
from sitegen.pages.archive_data import short, term_key
from sitegen.pages.base import SiteContext, SiteFile
from sitegen.pages.row import RunRow
from sitegen.render import direction, js_text, plain, unit
from sitegen.text import LANGS, Lang, ui

CHUNK_BYTES = 64_000
"""About so much of a run's curves is in one script: the metrics of a page are loaded without the other hundred."""
SETTING_CHARACTERS = 600
"""Most characters of a setting's value; a longer one is cut and told apart by a hash of the whole."""

SHOWN_ROLES = ("reward", "pass_k", "entropy", "grad_norm", "length_mean", "step_s")
"""Roles that the page draws until another choice is made, in order."""
MORE_ROLES = ("loss", "kl", "clip_ratio", "advantage_abs", "mismatch_kl", "staleness_mean", "wait_s", "turns_mean")
"""Further roles to choose from."""
ROLES = (*SHOWN_ROLES, *MORE_ROLES)


# ---------------------------------------------------------------- one run


def compare_files(run: Run, analysis: RunAnalysis, glossary: Glossary) -> Iterator[SiteFile]:
    """The scripts of one run's curves, and the one that says what there is."""
    lines = {_key(item): item for item in run_series(run, analysis, lambda name: _direction(run, glossary, name))}
    roles = {role: curve.metric for role in ROLES if (curve := role_curve(run, analysis, role)) is not None}
    texts = {key: js_text(_line(item, analysis.curve(item.name))) for key, item in lines.items()}
    chunk_of: dict[str, int] = {}
    files: list[str] = []
    for keys in _chunks(texts, [roles[role] for role in SHOWN_ROLES if roles.get(role) in texts]):
        body = ",\n".join(f"{js_text(f'{run.slug}:{key}')}:{texts[key]}" for key in keys)
        made = _script(f"runs/{run.slug}/data/lines-{len(files)}", "lines", f"{{{body}}}")
        chunk_of |= dict.fromkeys(keys, len(files))
        files.append(made.path)
        yield made
    facts = analysis.facts
    config = run.config.values if run.config else {}
    assumed = facts.config_assumed
    about = {
        "framework": run.framework,
        "reward": facts.reward_metric,
        "samples": None if assumed else facts.samples_per_prompt,
        "data": None if assumed else facts.dataset,
        "batch": None if assumed else facts.batch_size,
        "gpus": run.settings.gpus if assumed else facts.gpus,
        "failed": facts.status == "failed",
        "last": facts.last_step,
        "checkpoint": analysis.checkpoint.step,
        "assumed": assumed,
        "roles": roles,
        "files": files,
        "metrics": {key: [chunk_of[key], *_figures(run, item, glossary)] for key, item in lines.items()},
        "config": {key: shown_setting(value) for key, value in config.items()},
        "settings": {
            key: term_key(entry, key)
            for key in config
            if (entry := glossary.find(key, run.framework, "setting")) is not None
        },
    }
    yield _script(f"runs/{run.slug}/data/compare", "compare", js_text({run.slug: about}))


def shown_setting(value: Any) -> str:
    """A setting's value as it is compared and shown; a long one is cut, and differs where the whole differs."""
    text = fmt.setting(value)
    if len(text) <= SETTING_CHARACTERS:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{text[:SETTING_CHARACTERS]}… #{digest}"


def _key(item: Series) -> str:
    """A metric's key on the page; evaluation records are told from train records."""
    return item.name if item.kind == "train" else f"{item.name} ({item.kind})"


def _direction(run: Run, glossary: Glossary, name: str) -> str:
    """Which way a metric is better: `up`, `down`, `near:<value>`, else empty."""
    written = glossary.explain(name, run.framework_of(name)).direction
    if written.startswith(("up", "down", "near:")):
        return written
    known = direction_of(name)
    return "" if known == "none" else known


def _figures(run: Run, item: Series, glossary: Glossary) -> list[Any]:
    """Direction, explanation, best value, its step, mean, value at the checkpoint, last value, its step."""
    entry = glossary.explain(item.name, run.framework_of(item.name))
    figures = (item.best, item.best_step, item.mean, item.at_checkpoint, float(item.value[-1]), int(item.step[-1]))
    return [_direction(run, glossary, item.name), term_key(entry, item.name), *map(short, figures)]


def _line(item: Series, curve: Curve | None) -> list[Any]:
    """A curve: steps (the first one where the others follow it one by one), raw values, both smoothings, and the
    steps at which the value was logged as NaN or infinite.
    """
    if item.kind == "train" and curve is not None:
        drawn = drawn_curve(curve)
        step, raw, mean = drawn.step, drawn.raw, smoothed(drawn.raw)[1]
        smooth = drawn.ema
        bad = sorted({int(step) for step in curve.nonfinite_step})
    else:
        step, raw, bad = item.step, item.value, []
        smooth, mean = smoothed(raw)
    kept = thin([raw.tolist()])
    steps = [int(step[at]) for at in kept]
    whole = steps == list(range(steps[0], steps[0] + len(steps)))
    columns = ([number(float(values[at])) for at in kept] for values in (raw, smooth, mean))
    return [steps[0] if whole else steps, *columns, [bad[at] for at in thin([bad], LIMIT)]]


def _chunks(texts: Mapping[str, str], first: Sequence[str]) -> Iterator[list[str]]:
    """Metrics by script: those that are shown at first together, then the others as many as fit."""
    leading = list(dict.fromkeys(first))
    if leading:
        yield leading
    batch: list[str] = []
    held = 0
    for key in (key for key in texts if key not in leading):
        if batch and held + len(texts[key]) > CHUNK_BYTES:
            yield batch
            batch, held = [], 0
        batch.append(key)
        held += len(texts[key])
    if batch:
        yield batch


# ---------------------------------------------------------------- all runs


def compare_script(rows: Sequence[RunRow], site: SiteContext, paths: Mapping[str, str]) -> Iterator[SiteFile]:
    """The explanations in each language, and the script that leads to them and to every run's own script.

    Args:
        rows: one row per run, in the order of the index.
        site: the site.
        paths: run address to the site path of its compare script; runs without one are left out.
    """
    terms: dict[Lang, str] = {}
    for lang in LANGS:
        made = _script(f"data/terms-{lang}", "terms", js_text(explained(rows, site.glossary, lang)))
        terms[lang] = made.path
        yield made
    hashes = [paths[row.slug].rsplit(".", 2)[1] if row.slug in paths else None for row in rows]
    found = {"hashes": hashes, "terms": terms}
    yield _script("data/compare", "compareFiles", js_text(found))


def explained(rows: Iterable[RunRow], glossary: Glossary, lang: Lang) -> dict[str, Any]:
    """Popover texts of everything that the runs log and set, as pages embed them."""
    facts: dict[str, int] = {}
    terms: dict[str, dict[str, Any]] = {}
    seen: set[tuple[str, str | None, bool]] = set()
    for row in rows:
        named = [(item.name, row.framework_of(item.name), False) for item in row.metrics]
        for name, framework, is_setting in [*named, *((key, row.framework, True) for key in row.config)]:
            if (name, framework, is_setting) in seen:
                continue
            seen.add((name, framework, is_setting))
            entry = glossary.find(name, framework, "setting") if is_setting else glossary.explain(name, framework)
            if entry is not None:
                terms.setdefault(term_key(entry, name), _popover(entry, facts, lang))
    return {"facts": list(facts), "terms": dict(sorted(terms.items()))}


def _popover(entry: GlossaryEntry, facts: dict[str, int], lang: Lang) -> dict[str, Any]:
    read = natural(entry)
    told = [part for part in (unit(entry.unit, lang), direction(entry.direction, lang)) if part]
    if entry.confidence in ("inferred", "unknown"):
        told.append(ui(f"confidence.{entry.confidence}").of(lang))
    return {
        "t": plain(read.title.of(lang)),
        "s": plain(read.short.of(lang)),
        "m": [facts.setdefault(fact, len(facts)) for fact in told],
    }


def _script(name: str, key: str, text: str) -> SiteFile:
    """A classic script that registers data; its name carries a hash of its content."""
    content = f"sitegen.register({js_text(key)},{text});\n".encode()
    return SiteFile(path=f"{name}.{hashlib.sha256(content).hexdigest()[:10]}.js", content=content)
