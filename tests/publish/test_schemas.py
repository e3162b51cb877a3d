"""`archive.json` and `run.json` are what their published JSON Schemas say, and the schemas are no wish list."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.publish.schemas import DOCS, RUN_SCHEMA, run_schema


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(name: str, data: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(data)]


def test_the_schema_of_a_run_is_made_from_its_description() -> None:
    made = json.dumps(run_schema(), indent=1, ensure_ascii=False) + "\n"
    assert RUN_SCHEMA.read_text(encoding="utf-8") == made, "write it anew: python -m tests.publish.schemas"


def test_the_sample_site_keeps_to_its_schemas(sample_site: Path) -> None:
    archive = json.loads((sample_site / "archive.json").read_bytes())
    assert faults("archive", archive) == []
    assert archive["runs"]
    for run in archive["runs"]:
        assert faults("run", json.loads((sample_site / run["data"]).read_bytes())) == [], run["slug"]


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("archive", ("schema",), 2),
        ("archive", ("runs", 0, "status"), "done"),
        ("archive", ("runs", 0, "success_rate"), 93.0),
        ("archive", ("runs", 0, "slug"), "Upper"),
        ("run", ("schema",), 2),
        ("run", ("slug",), None),
        ("run", ("rows",), "81"),
        ("run", ("jobs", 0, "end"), None),
    ],
)
def test_what_does_not_fit_is_found(sample_site: Path, name: str, path: tuple[str | int, ...], value: Any) -> None:
    archive = json.loads((sample_site / "archive.json").read_bytes())
    data = archive if name == "archive" else json.loads((sample_site / archive["runs"][0]["data"]).read_bytes())
    broken = copy.deepcopy(data)
    *outer, last = path
    place: Any = broken
    for key in outer:
        place = place[key]
    place[last] = value
    assert faults(name, data) == []
    assert len(faults(name, broken)) == 1
