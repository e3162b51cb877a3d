"""`README.md` of a run folder as a model card: YAML front matter and a document.

Source: Hugging Face Hub, "Model cards" (`base_model`, `datasets`, `license`, `tags`; each a text or a list).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sitegen.model.problems import Problem
from sitegen.model.run import Document, ModelCard, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.places import is_of_run
from sitegen.readers.text_file import load
from sitegen.readers.yaml_config import flat_yaml
from sitegen.text import Text

_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(?P<yaml>.*?)(?:^---[ \t]*$\n?|^\.\.\.[ \t]*$\n?)", re.DOTALL | re.MULTILINE)


def sniff(source: SourceFile) -> bool:
    """Whether the file is the run's README, not that of an export or a trial."""
    return is_of_run(source.path)


def read(source: SourceFile) -> ReadResult:
    """Front matter and body (`ModelCard`), and the body as a document."""
    loaded = load(source)
    card, document, problems = None, None, list(loaded.problems)
    if loaded.text is not None:
        card, found = _card(source.path, loaded.text.removeprefix("\ufeff"))
        problems += found
        document = Document(path=source.path, kind="card", markdown=card.body) if card.body.strip() else None
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        card=card,
        document=document,
        rows=0 if card is None else 1,
        problems=tuple(problems),
    )


def _card(path: str, text: str) -> tuple[ModelCard, list[Problem]]:
    match = _FRONT_MATTER.match(text)
    values: Mapping[str, Any] = {}
    problems: list[Problem] = []
    if match and match["yaml"].strip():
        before = text.count("\n", 0, match.start("yaml"))
        flat = flat_yaml(path, "\n" * before + match["yaml"])  # so that lines are those of the file
        values, problems = flat.values, flat.problems
    licenses = _texts(values, "license")
    card = ModelCard(
        path=path,
        front_matter=values,
        body=text[match.end() :] if match else text,
        base_models=_texts(values, "base_model"),
        datasets=_texts(values, "datasets"),
        license=licenses[0] if licenses else None,
        tags=_texts(values, "tags"),
    )
    return card, problems


def _texts(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A field that may be a text, a list of texts or absent."""
    value = values.get(key)
    members = value if isinstance(value, list) else [value]
    return tuple(str(member) for member in members if member not in (None, "", "{}"))


READER = Reader(
    name="model_card",
    title=Text("Model card (README.md)", "模型卡（README.md）"),
    names=("readme.md",),
    sniff=sniff,
    read=read,
    evidence=False,
    precedence=0,
    version=2,
)
