"""A run as a data set for search engines: schema.org `Dataset` in JSON-LD, on the run's first page.

Only what the run's files tell: no licence, no author and no date are made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from sitegen.pages.base import localised, run_page
from sitegen.pages.row import MetricRange, RunRow
from sitegen.publish.feed import rfc3339, site_base, summary
from sitegen.settings import SiteSettings
from sitegen.text import Lang, ui

VARIABLES = 100
"""Most metrics that are named; the data holds all of them."""
FORMATS = {"csv": "text/csv", "json": "application/json"}
_CODES: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}


def run_dataset(row: RunRow, files: Sequence[str], settings: SiteSettings, lang: Lang) -> dict[str, Any]:
    """The data set in one language; needs `base_url`.

    Args:
        row: the run.
        files: site paths of its downloads.
        settings: `sitegen.toml`.
        lang: the language of its texts.
    """
    base = site_base(settings)
    page = base + quote(localised(run_page(row.slug), lang))
    facts = row.facts
    values: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "@id": f"{base}{quote(run_page(row.slug))}#data",
        "name": row.title,
        "description": ui("follow.dataset", title=row.title, summary=summary(row)).of(lang),
        "url": page,
        "identifier": row.slug,
        "inLanguage": _CODES[lang],
        "isAccessibleForFree": True,
        "keywords": list(_keywords(row)),
        "includedInDataCatalog": {
            "@type": "DataCatalog",
            "name": settings.title.of(lang),
            "url": base + quote(localised("index.html", lang)),
        },
        "variableMeasured": [_variable(item) for item in row.metrics[:VARIABLES]],
        "distribution": [_download(path, base) for path in files],
    }
    if facts.started is not None and facts.finished is not None:
        values["temporalCoverage"] = f"{rfc3339(facts.started)}/{rfc3339(facts.finished)}"
    return {key: value for key, value in values.items() if value != []}


def _keywords(row: RunRow) -> Iterator[str]:
    found = ("reinforcement learning", row.framework, row.facts.algorithm, row.facts.base_model, row.facts.dataset)
    yield from dict.fromkeys(word for word in (*found, *row.tags) if word)


def _variable(item: MetricRange) -> Mapping[str, Any]:
    known = {"minValue": item.min, "maxValue": item.max}
    return {
        "@type": "PropertyValue",
        "name": item.name,
        **{key: value for key, value in known.items() if value is not None},
    }


def _download(path: str, base: str) -> Mapping[str, Any]:
    name = path.rpartition("/")[2]
    return {
        "@type": "DataDownload",
        "name": name,
        "contentUrl": base + quote(path),
        "encodingFormat": FORMATS[name.rpartition(".")[2]],
    }
