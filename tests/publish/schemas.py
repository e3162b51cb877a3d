"""The JSON Schema of `run.json`, made from the tables of docs/run-json.md, so that there is one description of it.

`python -m tests.publish.schemas` writes docs/run.schema.json anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
RUN_SCHEMA = DOCS / "run.schema.json"
TYPES: dict[str, dict[str, Any]] = {
    "any": {},
    "boolean": {"type": "boolean"},
    "integer": {"type": "integer"},
    "list": {"type": "array"},
    "list of text": {"type": "array", "items": {"type": "string"}},
    "map": {"type": "object"},
    "null": {"type": "null"},
    "number": {"type": "number"},
    "object": {"type": "object"},
    "text": {"type": "string"},
}
"""What the tables call a type."""

_ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+?) \| (.+?) \|$", re.MULTILINE)


def run_schema() -> dict[str, Any]:
    """The schema: every documented field is there and of its type; further ones may be."""
    text = (DOCS / "run-json.md").read_text(encoding="utf-8")
    root: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "run.json of a sitegen site, schema 1",
        "type": "object",
    }
    for path, kind, meaning in _ROW.findall(text):
        parts = [part for name in path.split(".") for part in re.findall(r"\[\]|[^\[\]]+", name)]
        node = root
        for part in parts[:-1]:
            node = _child(node, part)
        _child(node, parts[-1]).update({"description": meaning.replace("\\|", "|")} | _typed(kind))
    root["properties"]["schema"] |= {"const": 1}
    return root


def _child(node: dict[str, Any], part: str) -> dict[str, Any]:
    if part == "[]":
        found: dict[str, Any] = node.setdefault("items", {})
    elif part.startswith("<"):
        found = node.setdefault("additionalProperties", {})
    else:
        if part not in node.setdefault("properties", {}):
            node.setdefault("required", []).append(part)
        found = node["properties"].setdefault(part, {})
    return found


def _typed(kind: str) -> dict[str, Any]:
    bare = kind.removesuffix(" or null")
    schema = dict(TYPES[bare])
    if bare != kind:
        schema["type"] = [schema["type"], "null"]
    return schema


if __name__ == "__main__":
    RUN_SCHEMA.write_text(json.dumps(run_schema(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
