import json
import re
from pathlib import Path

import pytest

from sitegen.charts import assets, theme
from sitegen.charts.assets import charts_script, vega_script
from sitegen.charts.compiled import compiled_forms
from sitegen.resources import static_bytes


def test_the_forms_are_in_the_script_escaped_for_any_place() -> None:
    script = charts_script().decode()
    line = script.split("\n", 1)[0]

    assert not re.search("[<>&\u2028\u2029]", line)
    assert json.loads(line.split(".chartForms = ", 1)[1].removesuffix(";")) == compiled_forms()


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("vega") / "new"
    return folder, vega_script(folder)


def test_the_runtime_is_vega_alone(runtime: tuple[Path, bytes]) -> None:
    script = runtime[1]

    assert b".vegaView=function(" in script
    assert b"vega-lite" not in script
    assert len(script) < 620_000


def test_a_runtime_whose_interpreter_is_not_known_brings_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "_INTERPRETERS", {})
    script = vega_script()

    assert b".vegaView=async function(" in script
    assert len(script) > 800_000


def test_a_kept_runtime_is_used_and_a_cut_one_is_made_again(runtime: tuple[Path, bytes]) -> None:
    folder, script = runtime
    (kept,) = folder.iterdir()
    kept.write_bytes(b"/* other */})();\n")
    assert vega_script(folder) == b"/* other */})();\n"

    kept.write_bytes(script[:1000])
    assert vega_script(folder) == script


def test_a_cache_that_cannot_be_written_is_no_error(runtime: tuple[Path, bytes], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert vega_script(tmp_path / "file" / "below") == runtime[1]


def test_style_sheet_and_script_use_the_same_geometry() -> None:
    css, script = static_bytes("css/vega.css").decode(), static_bytes("js/lib/chart_draw.js").decode()

    assert f"padding: {theme.TOP}px {theme.RIGHT}px {theme.BOTTOM}px {theme.LEFT}px" in css
    pads = f"left: {theme.LEFT}, right: {theme.RIGHT}, top: {theme.TOP}, bottom: {theme.BOTTOM}"
    assert pads in script
    for height in theme.HEIGHTS:
        assert f'.chart[data-height="{height}"] {{ height: {height}px; }}' in css


def test_every_colour_of_a_drawing_is_a_class_of_the_style_sheet() -> None:
    css = static_bytes("css/vega.css").decode()
    drawn = json.dumps(compiled_forms())

    for name in set(re.findall(r"var\(--([a-z0-9-]+)\)", drawn)):
        assert f".f-{name} " in css
        assert f".s-{name} " in css
    for part, _ in (*theme.TIME_PARTS, *theme.ERROR_PARTS, *theme.OUTCOME_PARTS):
        assert f".sw-{part}" in css
