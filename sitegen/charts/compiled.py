"""The forms compiled to Vega, once per process, and the drawing of one chart as SVG.

Building the forms costs about 1.3 s per process (Altair and its schema), so a pool hands the compiled ones to its
workers: `install(compiled_forms())` in the worker's initialiser. A worker that has them never imports Altair.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from sitegen.charts.kept import read_kept, write_kept

CompiledForms = Mapping[str, dict[str, Any]]

_installed: dict[str, dict[str, Any]] = {}


def compiled_forms(cache_dir: Path | None = None) -> CompiledForms:
    """Every form by its key, as a Vega specification without data.

    Args:
        cache_dir: Where a build keeps them, under a name that changes with the forms' source and the libraries'
            versions; a folder that cannot be read or written costs the time to build them and nothing else.
    """
    if not _installed:
        kept = cache_dir / f"chart-forms-{_fingerprint()}.json" if cache_dir else None
        found = read_kept(kept, ending=b"}\n") if kept else None
        install(json.loads(found) if found is not None else _compile())
        if kept is not None and found is None:
            write_kept(kept, json.dumps(_installed, sort_keys=True).encode() + b"\n")
    return dict(_installed)


def _compile() -> dict[str, dict[str, Any]]:
    import vl_convert

    from sitegen.charts.forms import chart_forms

    return {key: _tidy(vl_convert.vegalite_to_vega(spec)) for key, spec in chart_forms().items()}


def _fingerprint() -> str:
    """Changes with whatever the compiled forms are made from."""
    package = resources.files("sitegen.charts")
    parts = [package.joinpath(name).read_bytes() for name in ("forms.py", "theme.py")]
    parts += [metadata.version(name).encode() for name in ("altair", "vl-convert-python")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def install(forms: CompiledForms) -> None:
    """Take forms that another process compiled."""
    _installed.update(forms)


def filled(form: str, datasets: Mapping[str, Mapping[str, Sequence[Any]]], params: Mapping[str, Any]) -> dict[str, Any]:
    """A form with data and parameter values: what the browser draws too.

    A data set or parameter that the form does not name is left out.
    """
    spec = copy.deepcopy(compiled_forms()[form])
    for entry in spec["data"]:
        if entry["name"] in datasets:
            entry["values"] = records(datasets[entry["name"]])
    for signal in spec["signals"]:
        if signal["name"] in params:
            signal["value"] = params[signal["name"]]
    return spec


def records(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Columns as rows."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def draw(form: str, datasets: Mapping[str, Mapping[str, Sequence[Any]]], params: Mapping[str, Any], **size: int) -> str:
    """The chart as SVG text, as Vega writes it (about 15 ms).

    Args:
        form: Key of the form.
        datasets: Named columns.
        params: Parameter values.
        **size: `width` and `height` of the plot in pixels.
    """
    import vl_convert

    spec = filled(form, datasets, params) | size
    svg: str = vl_convert.vega_to_svg(spec)
    return svg


def _tidy(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification in one canonical order, so that every build writes the same bytes."""
    tidy: dict[str, Any] = json.loads(json.dumps(spec, sort_keys=True))
    tidy.pop("description", None)
    return tidy
