"""Explanations on the pages of a run: all names of a long log fit, and what is drawn by scripts is explained too."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from sitegen.render import POPOVER_BYTES
from tests.factories import make_config, make_run, make_steps, make_trials
from tests.pages.run_fixture import files

NAMES = Path(__file__).parents[1] / "glossary"
XTUNER = (NAMES / "xtuner_names.txt").read_text(encoding="utf-8").split()
REPORTED = (NAMES / "report_names.txt").read_text(encoding="utf-8").split()


def asked_and_told(html: str) -> tuple[set[str], dict[str, dict[str, str]], int]:
    """Keys that the page's triggers ask for, the popovers it has, and their bytes."""
    asked = {unescape(key) for key in re.findall(r'data-(?:term|key)="([^"]+)"', html)}
    body = html.split('id="popovers">')[1].split("</script>")[0]
    return asked, json.loads(body)["terms"], len(body.encode())


@pytest.mark.parametrize("lang", ["", "zh/"])
@pytest.mark.parametrize(("framework", "names"), [("xtuner", XTUNER), ("skyrl", REPORTED)])
def test_every_name_of_a_long_log_has_its_text_on_every_page(framework: str, names: list[str], lang: str) -> None:
    steps = make_steps([{"step": step} | dict.fromkeys(names, step + 0.5) for step in range(1, 9)])
    made = files(make_run(steps=steps, framework=framework))
    for kind in ("index", "metrics", "sources"):
        asked, told, size = asked_and_told(made[f"{lang}runs/run/{kind}.html"].decode())
        assert asked <= set(told)
        assert size <= POPOVER_BYTES + 100  # and what holds them together
        if kind == "metrics":
            assert len(told) >= len(names)


def test_exceptions_that_the_script_writes_carry_their_explanation() -> None:
    trials = make_trials([{"task": "t", "exception": "FrobnicationError"}, {"task": "t", "reward": 1.0}])
    html = files(make_run(trials=trials))["runs/run/trials.html"].decode()
    option = re.search(r'<option value="=FrobnicationError" data-key="([^"]+)" data-href="([^"]+)">', html)
    assert option is not None
    told = asked_and_told(html)[1]
    assert told[option[1]]["t"] == "FrobnicationError"
    assert option[2] == f"../../glossary/{option[1]}.html"
    assert 'value="any">' in html


def test_exceptions_of_a_configuration_are_explained_where_trials_raised_them() -> None:
    trials = make_trials([{"task": "t", "exception": "AgentTimeoutError"}, {"task": "t", "reward": 1.0}])
    config = make_config({"generator.mask": ["AgentTimeoutError", "NeverRaisedError"]})
    html = files(make_run(trials=trials, config=config))["runs/run/config.html"].decode()
    cell = html.split("<tbody>")[1].split("</tbody>")[0].replace("<wbr>", "")
    assert cell.count("data-term=") == 1
    assert "harbor-agenttimeouterror" in cell
    assert "NeverRaisedError" in cell


def test_a_finding_explains_the_names_of_its_evidence_and_no_ordinary_word() -> None:
    rows = [{"job": "a", "step": step, "reward/avg_raw_reward": 0.5, "timing/step": 60.0} for step in range(1, 9)]
    rows += [{"job": "b", "step": step, "reward/avg_raw_reward": 0.5, "timing/step": 60.0} for step in range(6, 13)]
    for row in rows[5:8]:
        row["superseded_last"] = 1
    html = files(make_run(steps=make_steps(rows)))["runs/run/index.html"].decode()
    findings = html.split('<ol class="findings">')[1].split("</ol>")[0]
    assert "step" in findings
    assert 'data-term="skyrl-timing-step"' not in findings
