import json
from typing import Any

import altair as alt
import pytest
import vl_convert

from sitegen.charts.compiled import CompiledForms, compiled_forms
from sitegen.charts.forms import chart_forms

FORMS = tuple(chart_forms())
DATASETS = {"points", "marks", "band", "jobs", "areas", "dots", "means", "bars", "tops", "names", "steps"}


def names(node: Any) -> set[str]:
    if isinstance(node, dict):
        here = {node["data"]["name"]} if isinstance(node.get("data"), dict) and "name" in node["data"] else set()
        return here.union(*map(names, node.values()))
    return set().union(*map(names, node)) if isinstance(node, list) else set()


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_a_valid_vega_lite_specification(form: str) -> None:
    alt.LayerChart.from_dict(chart_forms()[form], validate=True)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_names_its_data_and_holds_none(form: str) -> None:
    spec = chart_forms()[form]

    assert names(spec) <= DATASETS
    assert "datasets" not in spec
    assert '"values": [{' not in json.dumps(spec)


@pytest.mark.parametrize("form", FORMS)
def test_a_compiled_form_takes_data_and_parameters_by_name(form: str) -> None:
    spec = compiled_forms()[form]

    assert names(chart_forms()[form]) <= {entry["name"] for entry in spec["data"]}
    signals = {entry["name"] for entry in spec["signals"]}
    assert {"y0", "y1", "yTicks", "yDiv", "yFormat", "ySuffix"} <= signals
    assert form == "outcome" or {"x0", "x1", "smooth"} <= signals


def test_compiling_again_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiled_forms()
    monkeypatch.setattr("sitegen.charts.compiled._installed", {})

    assert json.dumps(compiled_forms()) == json.dumps(first)


def test_kept_forms_are_used_and_a_damaged_file_is_made_again(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def again() -> CompiledForms:
        monkeypatch.setattr("sitegen.charts.compiled._installed", {})
        return compiled_forms(tmp_path)

    first = again()
    (kept,) = tmp_path.iterdir()
    kept.write_text('{"lines": {"marked": 1}}\n')
    assert again() == {"lines": {"marked": 1}}

    kept.write_text('{"lines": {"cut')
    assert again() == first


def test_the_schema_is_the_one_that_vl_convert_draws() -> None:
    version = alt.SCHEMA_VERSION.removeprefix("v").rsplit(".", 1)[0]

    assert version in vl_convert.get_vegalite_versions()
