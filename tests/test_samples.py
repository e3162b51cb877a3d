"""The sample archive beside the repository: right answers, and no traceback whatever is done to its files.

Skipped where the samples are absent. The damage tests take a seeded tenth in the gate and all with `-m full`; cuts at
every byte are in `test_cut_samples.py`.
"""

import csv
import json
import os
import random
import re
import shutil
from functools import cache

import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.assemble import assemble
from sitegen.model.run import HEAD_BYTES, RunFolder, RunSettings, SourceFile, lineage
from sitegen.publish.run_json import dump, run_json
from sitegen.readers import READERS
from sitegen.run_work import find_runs, read_run
from sitegen.scan import claimant
from sitegen.settings import SiteSettings
from tests.readers.sources import CURVE_COLUMNS, SAMPLES

SETTINGS = SiteSettings()
SKYRL = SAMPLES / "skyrl_RECONSTRUCTED"
RUNBOARD = SAMPLES / "runboard"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not beside this repository")

DAMAGES = 10
"""Cuts, flips and shuffles of each file."""
NO_OUTPUT = {"README.md", "MANIFEST.csv"}
"""The samples' own papers."""


def runs_of(archive):
    found = find_runs(archive, SETTINGS)
    return {task.folder.path: read_run(task, SETTINGS) for task in found.tasks}


def rows_of(name):
    with (RUNBOARD / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def curve(run):
    """The run's curve in the columns of the published one; an absent value is None."""
    kept = lineage(run)
    return [
        {"step": int(row["step"])} | {short: _number(row.get(name)) for short, name in CURVE_COLUMNS.items()}
        for row in kept.to_dict("records")
    ]


def _number(value):
    return None if value is None or value != value else float(value)


def published_curve(name):
    return [
        {"step": int(row["step"])} | {short: float(row[short]) if row[short] else None for short in CURVE_COLUMNS}
        for row in rows_of(name)
    ]


# Right answers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "name"), [("currease-lr3e6", "lr3e6"), ("currease-lr5e6-legacy", "lr5e6")])
def test_the_published_curve_comes_out_of_the_logs(folder, name):
    (run,) = runs_of(SKYRL / folder).values()
    assert curve(run) == published_curve(f"currease30b_{name}.csv")
    numbers = [int(row["job_id"]) for row in rows_of(f"attempts_{name}.csv")]
    assert [job.number for job in run.jobs] == numbers
    spans = [
        tuple(map(int, row["steps"].split("-"))) if row["steps"] != "-" else None
        for row in rows_of(f"attempts_{name}.csv")
    ]
    logged = [None if job.first_step is None else (job.first_step, job.last_step) for job in run.jobs]
    assert [one for one, told in zip(logged, spans, strict=True) if told] == [told for told in spans if told]


def test_the_chain_of_nineteen_jobs_selects_step_25():
    (run,) = runs_of(SKYRL / "currease-lr3e6").values()
    assert len(run.jobs) == 19
    assert run.latest_checkpoint == 25
    selection = analyse(run, SiteSettings(save_interval=5)).checkpoint
    assert (selection.step, round(selection.ema, 4)) == (25, 0.3605)
    first = SiteSettings(save_interval=5, overlap_rule="first")
    other = read_run(find_runs(SKYRL / "currease-lr3e6", first).tasks[0], first)
    found = analyse(other, first).checkpoint
    assert (found.step, round(found.ema, 4)) == (20, 0.3495)


def test_attempts_that_died_of_memory_say_so():
    (run,) = runs_of(SKYRL / "currease-lr3e6").values()
    told = {int(row["job_id"]): row["fate"] for row in rows_of("attempts_lr3e6.csv")}
    ends = {job.number: job.end.cause for job in run.jobs}
    assert {number for number, end in ends.items() if end == "out_of_memory"} == {
        number for number, fate in told.items() if fate == "oom"
    }


ESCAPE = re.compile(rb"\x1b\[[0-9;]*m")


def _plain(content):
    return ESCAPE.sub(b"", content)


def _crlf(content):
    return content.replace(b"\n", b"\r\n")


def _coloured(content):
    return b"".join(b"\x1b[32m" + line + b"\x1b[0m\n" for line in content.split(b"\n")[:-1])


@pytest.mark.parametrize("changed", [_plain, _crlf, _coloured], ids=["no-colour", "crlf", "more-colour"])
@pytest.mark.parametrize(("folder", "name"), [("currease-lr3e6", "lr3e6"), ("currease-lr5e6-legacy", "lr5e6")])
def test_line_ends_and_colours_change_nothing(tmp_path, folder, name, changed):
    for source in sorted((SKYRL / folder).rglob("*.out")):
        (tmp_path / source.name).write_bytes(changed(source.read_bytes()))
    (run,) = runs_of(tmp_path).values()
    assert curve(run) == published_curve(f"currease30b_{name}.csv")


@pytest.mark.parametrize("seed", range(3))
def test_order_and_age_of_files_change_nothing(tmp_path, seed):
    sources = sorted((SKYRL / "currease-lr3e6" / "logs").glob("*.out"))
    random.Random(seed).shuffle(sources)
    for age, source in enumerate(sources):
        copy = tmp_path / source.name
        shutil.copyfile(source, copy)
        os.utime(copy, (1.7e9 - 1000 * age, 1.7e9 - 1000 * age))
    (run,) = runs_of(tmp_path).values()
    assert curve(run) == published_curve("currease30b_lr3e6.csv")
    assert [job.number for job in run.jobs] == sorted(int(row["job_id"]) for row in rows_of("attempts_lr3e6.csv"))


def test_the_parsers_output_counts_nothing_twice():
    found = runs_of(SAMPLES / "parse_skyrl_GENERATED")
    steps = {path: lineage(run)["step"].tolist() for path, run in found.items()}
    assert steps == {"agentic": list(range(1, 11)), "newer_columns": [], "standard": list(range(1, 26))}
    assert curve(found["standard"]) == published_curve("currease30b_lr3e6.csv")
    agentic = found["agentic"]
    assert len(agentic.trials) == len(set(agentic.trials["trial"])) == 24
    assert len(found["newer_columns"].trials) == 9


def test_every_output_is_read_or_named_with_its_reason():
    found = find_runs(SAMPLES, SETTINGS)
    told = {}
    for task in found.tasks:
        run = read_run(task, SETTINGS)
        for use in run.sources:
            told[use.path] = use
            assert use.reader is not None or use.reason is not None, use.path
        unread = [use.path for use in run.sources if use.reader is None]
        counted = [item for item in run.problems if item.kind == "scan.unread"]
        assert sum(int(re.search(r"not read: ([\d,]+)", item.what.en)[1]) for item in counted) == len(unread)
    inside = set(told) | {
        f"{use.path.rpartition('*')[0]}{member}"
        for task in found.tasks
        for use in task.folder.files
        for member in use.members
    }
    trials = {path.rpartition("/")[0] for path in inside} | {
        f"{use.path.rpartition('*')[0]}{trial}"
        for task in found.tasks
        for use in task.folder.files
        for trial in use.absent
    }
    left = [
        path
        for path in (entry.relative_to(SAMPLES).as_posix() for entry in sorted(SAMPLES.rglob("*")) if entry.is_file())
        if path not in inside and not any(path.startswith(f"{trial}/") for trial in trials if "__" in trial)
    ]
    # the samples' own papers, the right answers and configurations of no run
    assert [path for path in left if not path.startswith(("configs/", "runboard/")) and path not in NO_OUTPUT] == []


# No traceback --------------------------------------------------------------------------------------------------------


@cache
def outputs():
    """Every sample file with the reader that takes it (None: no reader does)."""
    files = [entry for entry in sorted(SAMPLES.rglob("*")) if entry.is_file() and entry.name not in NO_OUTPUT]
    return [(entry, claimant(_source(entry, entry.read_bytes(), entry), READERS)) for entry in files]


def _source(entry, content, location):
    path = f"run/{entry.relative_to(SAMPLES).as_posix()}"
    return SourceFile(path=path, location=location, size=len(content), head=content[:HEAD_BYTES])


def through(folder, entry, reader, content):
    """A file's content through its reader, assembling, analysing and `run.json`."""
    location = folder / "content"
    location.write_bytes(content)
    source = _source(entry, content, location)
    found = claimant(source, READERS)
    results = [each.read(source) for each in dict.fromkeys((reader, found)) if each is not None]
    for result in results:
        whole = RunFolder(path="run", name="run", location=folder, files=(source,))
        run = assemble(whole, [result], SETTINGS, RunSettings(), "run")
        json.loads(dump(run_json(run, analyse(run, SETTINGS))), parse_constant=pytest.fail)
    return results


def damages(entry, content):
    """The file empty, in UTF-16, and some cuts, flips and shuffles; seeded by its path."""
    rng = random.Random(entry.relative_to(SAMPLES).as_posix())
    yield b""
    yield content.decode("utf-8", "replace").encode("utf-16")
    size = len(content)
    for end in rng.sample(range(size), min(DAMAGES, size)):
        yield content[:end]
    for _ in range(min(DAMAGES, size)):
        flipped = bytearray(content)
        for _ in range(rng.randint(1, 8)):
            flipped[rng.randrange(size)] = rng.randrange(256)
        yield bytes(flipped)
    lines = content.split(b"\n")
    for _ in range(min(DAMAGES, len(lines))):
        rng.shuffle(lines)
        yield b"\n".join(lines)


def test_no_sample_raises(tmp_path):
    for entry, reader in outputs():
        results = through(tmp_path, entry, reader, entry.read_bytes())
        assert len(results) == (reader is not None), entry


@pytest.mark.parametrize("part", range(4))
def test_damaged_samples_never_raise(tmp_path, part):
    """A seeded tenth."""
    chosen = random.Random(7)
    for number, (entry, reader) in enumerate(outputs()):
        for content in damages(entry, entry.read_bytes()):
            if chosen.random() < 0.1 and number % 4 == part:
                through(tmp_path, entry, reader, content)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(4))
def test_damaged_samples_never_raise_in_full(tmp_path, part):
    for entry, reader in outputs()[part::4]:
        for content in damages(entry, entry.read_bytes()):
            through(tmp_path, entry, reader, content)
