"""The examples of the documentation work as they stand there."""

import re
from pathlib import Path

import pytest

from sitegen.readers.console import reader as console
from sitegen.readers.console.search import Search
from tests.readers.sources import source_of

GUIDE = Path(__file__).parents[1] / "docs" / "adding-a-reader.md"
READER, DIALECT = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)


def _module(text):
    names = {"__name__": "example"}
    exec(compile(text, str(GUIDE), "exec"), names)
    return names


def test_the_reader_of_the_guide_reads(tmp_path):
    example = _module(READER)["READER"]
    path = tmp_path / "example_metrics.csv"
    path.write_text("iteration,loss\n1,0.5\n2,odd\n")
    source = source_of(path)
    assert example.claims(source)
    result = example.read(source)
    assert result.steps["step"].tolist() == [1, 2]
    assert result.steps["loss"].tolist()[0] == 0.5
    assert len(result.problems) == 1


@pytest.mark.parametrize(("end", "reward"), [("\n", 0.75), ("", None)])
def test_the_dialect_of_the_guide_reads_and_gives_no_half_number(tmp_path, monkeypatch, end, reward):
    example = _module(DIALECT)["DIALECT"]
    monkeypatch.setattr(console, "_search", lambda: Search((example,)))
    path = tmp_path / "train.log"
    path.write_text(
        "(worker pid=7) [example] iteration 1 | loss 0.25 | reward 0.5\n"
        "the model says: [example] iteration 9 | loss 9\n"
        f"(worker pid=7) [example] iteration 2 | loss none | reward 0.75{end}"
    )
    result = console.read(source_of(path))
    assert result.framework == "example"
    rows = result.steps.set_index("step")
    assert rows.index.tolist() == ([1, 2] if reward else [1])
    assert rows["loss"].tolist()[0] == 0.25
    if reward:
        assert rows["reward"].tolist() == [0.5, reward]
    assert {found.kind for found in result.problems} >= {"console.text-values"}
