"""The `README.md` of a static Space: the front matter that the hub needs, and a few lines for people.

Source: Hugging Face hub-docs `spaces-config-reference.md` (keys, lengths).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sitegen.publish.parcel import LocalFile

README = "README.md"
DESCRIPTION = "Browsable archive of RL training runs"
"""At most 60 characters, as the hub takes."""
_MODEL = re.compile(r'href="https://huggingface\.co/([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)/?"')
_NO_OWNERS = frozenset(
    {"datasets", "spaces", "papers", "docs", "blog", "collections", "api", "organizations", "settings", "buckets"}
)
"""First parts of the hub's addresses that are not owners of models."""


def space_readme(files: Mapping[str, LocalFile], models: Iterable[str]) -> bytes:
    """The README of a Space with this site.

    Args:
        files: The site's files.
        models: Repositories to link besides those that the runs' pages link to.
    """
    title = _title(files)
    linked = sorted({*models, *_models(files)}, key=lambda name: (name.lower(), name))
    front = {
        "title": title["en"],
        "emoji": "📈",
        "colorFrom": "indigo",
        "colorTo": "gray",
        "sdk": "static",
        "app_file": "index.html",
        "header": "mini",
        "short_description": DESCRIPTION,
        **({"models": linked} if linked else {}),
        "tags": ["reinforcement-learning", "training-report"],
        "pinned": False,
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()]
    text = "Made by sitegen. What is changed here by hand is kept."
    return "\n".join(["---", *lines, "---", "", f"# {title['en']}", "", title["zh"], "", text, ""]).encode()


def _title(files: Mapping[str, LocalFile]) -> dict[str, str]:
    """The site's title in both languages, on one line each."""
    found: Any = json.loads(files["archive.json"].read()) if "archive.json" in files else {}
    title = found.get("title") or {}
    return {lang: " ".join(str(title.get(lang) or "RL training runs").split()) for lang in ("en", "zh")}


def _models(files: Mapping[str, LocalFile]) -> set[str]:
    """Model repositories that the runs' pages link to."""
    found: set[str] = set()
    for path, file in files.items():
        if path.startswith("runs/") and path.endswith("/index.html"):
            found.update(_MODEL.findall(file.read().decode("utf-8", errors="replace")))
    return {name for name in found if name.partition("/")[0].lower() not in _NO_OWNERS}
