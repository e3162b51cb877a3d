"""The forms compiled to Vega, once per process, and the drawing of one chart as SVG.

Building the forms costs about 1.3 s per process (Altair and its schema), so a pool hands the compiled ones to its
workers: `install(compiled_forms())` in the worker's initialiser. A worker that has them never imports Altair.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

CompiledForms = Mapping[str, dict[str, Any]]

_installed: dict[str, dict[str, Any]] = {}


def compiled_forms() -> CompiledForms:
    """Every form by its key, as a Vega specification without data."""
    if not _installed:
        import vl_convert

        from sitegen.charts.forms import chart_forms

        install({key: _tidy(vl_convert.vegalite_to_vega(spec)) for key, spec in chart_forms().items()})
    return dict(_installed)


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
