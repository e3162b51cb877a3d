"""The two script assets of pages with charts: the Vega runtime, and the forms with what draws them.

Order in a page: `app.js`, `vega.js`, `charts.js`, then the page's data scripts, all deferred.
"""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

from sitegen.charts.compiled import compiled_forms
from sitegen.charts.kept import read_kept, write_kept
from sitegen.resources import static_bytes

SCRIPTS = (
    "js/lib/chart_state.js",
    "js/lib/chart_axis.js",
    "js/lib/chart_data.js",
    "js/lib/compare_axis.js",
    "js/lib/chart_fit.js",
    "js/lib/chart_draw.js",
    "js/lib/chart_readout.js",
    "js/charts.js",
)
"""Parts of `charts.js` after the forms, in order. A page that embeds a chart needs all but the last two."""

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_INTERPRETERS = {"1.9.0": "2.0.0"}
"""Version of vl-convert to that of vega-interpreter in it. Another version's gets the runtime with Vega-Embed, which is
half as large again and draws the same: what is not in a bundle cannot be asked for without a crash."""
_VIEW = """\
import { View, parse } from "/npm/vega@%s/+esm";
import { expressionInterpreter } from "/npm/vega-interpreter@%s/+esm";
(window.sitegen = window.sitegen || {}).vegaView = function (host, spec) {
  const runtime = parse(spec, undefined, { ast: true });
  return new View(runtime, { expr: expressionInterpreter, renderer: "svg", container: host }).runAsync();
};
"""
"""Draws a compiled form without evaluating any text as code."""
_EMBEDDED = """\
(window.sitegen = window.sitegen || {}).vegaView = async function (host, spec) {
  const options = { mode: "vega", renderer: "svg", actions: false, ast: true, defaultStyle: false };
  const found = await vegaEmbed(host, spec, { ...options, tooltip: { disableDefaultStyle: true } });
  return found.view;
};
"""
_ISOLATED = """\
/* Vega (BSD-3-Clause), as vl-convert {version} bundles it. */
(function () {{
{bundle}
}})();
"""


def charts_script(cache_dir: Path | None = None) -> bytes:
    """`charts.js`: every form compiled to Vega, and the code that draws them. Deterministic.

    Args:
        cache_dir: Where the compiled forms are kept between builds.
    """
    forms = json.dumps(compiled_forms(cache_dir), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    for mark, escaped in _UNSAFE.items():
        forms = forms.replace(mark, escaped)
    head = f"(window.sitegen = window.sitegen || {{}}).chartForms = {forms};\n"
    return head.encode() + b"\n".join(static_bytes(path) for path in SCRIPTS)


def vega_script(cache_dir: Path | None = None) -> bytes:
    """`vega.js`: the Vega runtime behind `sitegen.vegaView(host, spec)`, no other global.

    Bundling takes over a second, so the result is kept in `cache_dir` under vl-convert's version. A cache that
    cannot be read or written costs that second and nothing else.
    """
    import vl_convert

    version = metadata.version("vl-convert-python")
    kept = cache_dir / f"vega-view-{version}.js" if cache_dir else None
    if kept is not None and (cached := read_kept(kept, ending=b"})();\n")) is not None:
        return cached
    interpreter = _INTERPRETERS.get(version.partition(".post")[0])
    wanted = _EMBEDDED if interpreter is None else _VIEW % (vl_convert.get_vega_version(), interpreter)
    script = _ISOLATED.format(version=version, bundle=vl_convert.javascript_bundle(wanted)).encode()
    if kept is not None:
        write_kept(kept, script)
    return script
