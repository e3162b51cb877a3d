"""`sitegen card`: what the section says, what goes into a README and what stays, what the hub makes of both."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import nh3
import pytest
from huggingface_hub import ModelCard
from huggingface_hub.repocard import metadata_load
from huggingface_hub.repocard_data import eval_results_to_model_index
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from sitegen import cli
from sitegen.analyse.run_analysis import analyse
from sitegen.errors import SitegenError
from sitegen.publish.card import base_address, begin_mark, end_mark, make_card, section
from sitegen.publish.card_metadata import fragment, merge, metadata
from sitegen.publish.card_parts import code, error_shares, method_lines
from sitegen.publish.card_readme import Place, inject
from sitegen.settings import RunSettings, SiteSettings
from tests.factories import make_batches, make_config, make_run, make_series, make_trials, published_run
from tests.small_archive import add_run, contents

SLUG = "team/first"
REWARD = "reward/avg_raw_reward"
PLACE = Place(where="README.md", slug=SLUG)
SECTION = f"{begin_mark(SLUG)}\n\n## Training run\n\nNew.\n\n{end_mark(SLUG)}\n"

VLLM_LIKE = """\
---
# for the hub
license: apache-2.0   # weights too
language:
- en
- zh
tags:
- vllm          # serves
- text-generation
base_model: 'Qwen/Qwen3-8B'
datasets: [example/a, "example/b"]
widget:
  - text: >-
      Folded
      text
pipeline_tag: text-generation

model-index:
- name: first
  results:
  - task: {type: text-generation}     # a real benchmark
    dataset:
      type: openai/gsm8k
      name: GSM8K
    metrics:
    - type: accuracy
      value: 0.71
# the end
---

# First

Text with a hard break@@
and a table:

| metric | last |
|---|---|
| reward/avg_raw_reward | 0.9 |
""".replace("@@", "  ")
BARE = "# First\n\nNo front matter, no final newline."
CHINESE = "\ufeff---\r\nlicense: mit\r\ntags:\r\n  - 强化学习\r\n---\r\n\r\n# 模型\r\n\r\n正文。\r\n"
READMES = {"vllm": VLLM_LIKE, "bare": BARE, "chinese": CHINESE}

HUB_TAGS = {
    *("a", "b", "blockquote", "br", "code", "details", "div", "em", "h1", "h2", "h3", "h4", "hr", "img", "li", "ol"),
    *("p", "pre", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
HUB_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt", "width", "height", "class"}, "td": {"align"}, "th": {"align"}}


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    archive = tmp_path / "archive"
    (archive).mkdir()
    (archive / "sitegen.toml").write_text("")
    return add_run(archive, SLUG, [0.1, 0.2, 0.4], "save_interval = 1\n")


def made(run, base_url=None):
    return make_card(run, analyse(run, SiteSettings()), base_url)


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert cli.run(["card", *map(str, arguments)]) == 0
    found = capsys.readouterr()
    assert found.err == ""
    return found.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert cli.run(["card", *map(str, arguments)]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.count("\n") == 1
    return found.err


def on_the_hub(markdown: str) -> str:
    """Markdown as the hub shows it: rendered, then only allowed tags and attributes."""
    body = re.sub(r"\A\ufeff?---\r?\n.*?\r?\n---\r?\n", "", markdown, flags=re.DOTALL)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    return nh3.clean(html, tags=HUB_TAGS, attributes=HUB_ATTRIBUTES, link_rel=None)


# What it says ----------------------------------------------------------------------------------------------------


def test_the_result_names_the_selected_checkpoint():
    text = section(made(published_run(settings=RunSettings(save_interval=5))), "en")
    assert (
        "**Smoothed training reward 0.5281 at the selected checkpoint, step 25; it began at 0.5410 (step 1).**" in text
    )
    assert (
        "| Reward at the selected checkpoint, smoothed | 0.5281 at step 25 (EMA of `reward/avg_raw_reward`) |" in text
    )
    assert "every 5 steps, from step 10 on" in text
    assert "not a benchmark result" in text


def test_without_a_checkpoint_the_last_step_counts():
    # EMA 1/3 over 0.0, 0.3, 0.6: 0, 0.1, 0.8/3
    text = section(made(make_run(steps=make_series(REWARD, [0.0, 0.3, 0.6]))), "en")
    assert "reward 0.2667 at the last step, 3; it began at 0 (step 1). No checkpoint was selected." in text
    assert "selected checkpoint" not in text


def test_what_is_not_known_is_left_out():
    text = section(made(make_run()), "en")
    assert "**No training step was logged.**" in text
    for word in ("Trials", "Reward", "GPU", "Base model", "–", "None", "nan", "<img", "How it was measured"):
        assert word not in text


def test_no_reward_gives_no_result_for_the_hub():
    run = make_run(steps=make_series("policy/loss", [1.0, 2.0]), framework=None)
    assert "2 training steps; no finite reward was logged." in section(made(run), "en")
    assert metadata(run, analyse(run, SiteSettings()), None) == {"tags": ["reinforcement-learning"]}


def test_links_are_absolute_or_absent():
    run = published_run()
    without, linked = section(made(run), "en"), section(made(run, "https://example.org/x"), "zh")
    assert "http" not in without
    assert "](https://example.org/x/zh/runs/" in linked
    assert linked.count("https://example.org/x/zh/runs/") == 3


@pytest.mark.parametrize(
    "address", ["example.org", "ftp://a/b", "https://a/b?c", "https://u:p@a/b", "https://a/ b", ""]
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(SitegenError, match="must be the http"):
        base_address(address)


def test_shares_of_errors_come_from_trials():
    trials = make_trials([{"trial": str(n), "exception": "TimeoutError" if n < 3 else "none"} for n in range(8)])
    run = make_run(trials=trials)
    shares = error_shares(run, analyse(run, SiteSettings()))
    assert [(bar.name, bar.share) for bar in shares.bars] == [("TimeoutError", 0.375)]
    assert shares.text.en.replace("\u00a0", " ") == "37.5 % (3): `TimeoutError` 37.5 %"


def test_without_trials_shares_come_from_the_batches():
    rows = [
        {"job": "job_1", "step": step, "row": step, "batches": 1, "instances": 10, "exception/OtherError": step}
        for step in (1, 2)
    ]
    steps = make_series(REWARD, [0.1, 0.2])
    run = make_run(steps=steps, batches=make_batches(rows))
    shares = error_shares(run, analyse(run, SiteSettings()))
    assert [(bar.name, bar.share) for bar in shares.bars] == [("OtherError", pytest.approx(3 / 20))]
    assert "as the training batches count them" in shares.text.en


def test_a_name_cannot_leave_its_cell():
    assert code("reward/x") == "`reward/x`"
    for name in ("a|b", "a`b", "<script>", "a\nb", " a", "a\\"):
        cell = code(name)
        assert "\n" not in cell
        assert "<" not in cell.replace("&lt;", "")
        html = on_the_hub(f"| a | b |\n|---|---|\n| x | {cell} |\n")
        assert html.count("<td>") == 2
        assert "<script" not in html


def test_a_synthetic_run_says_so():
    run = make_run(settings=RunSettings(tags=("synthetic",)))
    assert "synthetic" in next(method_lines(run, analyse(run, SiteSettings()))).en
    assert "synthetic" in metadata(run, analyse(run, SiteSettings()), None)["tags"]


# What the hub reads ----------------------------------------------------------------------------------------------


def test_the_fragment_is_a_valid_card(tmp_path):
    run = published_run(
        settings=RunSettings(save_interval=5),
        config=make_config({"trainer.policy.model.path": "Qwen/Qwen3-8B", "data.train_data": "example/tasks"}),
    )
    text = fragment(run, analyse(run, SiteSettings()), "https://example.org/runs/x/index.html")
    card = ModelCard(f"---\n{text}---\n# x\n")
    (result,) = card.data.eval_results
    assert result.metric_type == "training_reward"
    assert result.metric_value == pytest.approx(0.5281, abs=1e-4)
    assert "not a benchmark" in result.metric_name
    assert "no benchmark" in result.dataset_name
    assert result.source_url == "https://example.org/runs/x/index.html"
    assert result.metric_args["step"] == 25
    assert card.data.base_model == "Qwen/Qwen3-8B"
    assert card.data.datasets == ["example/tasks"]


@pytest.mark.parametrize("name", ["/data/models/qwen", "qwen", "../x/y", "a/b/c", "~/m"])
def test_a_local_path_is_no_base_model(name):
    run = make_run(config=make_config({"trainer.policy.model.path": name}))
    assert "base_model" not in metadata(run, analyse(run, SiteSettings()), None)


def test_what_an_assumed_configuration_says_is_not_given_to_the_hub():
    run = make_run(config=make_config({"model_name_or_path": "Qwen/Qwen3-8B"}, header="Assumed: typical values"))
    assert set(metadata(run, analyse(run, SiteSettings()), None)) == {"tags"}


WANTED = {
    "base_model": "Qwen/Qwen3-8B",
    "datasets": ["example/b", "example/c"],
    "tags": ["reinforcement-learning", "vllm"],
    "model-index": [
        {
            "name": "first",
            "results": [
                {
                    "task": {"type": "reinforcement-learning"},
                    "dataset": {"type": "x", "name": "y"},
                    "metrics": [{"type": "training_reward", "value": 0.5, "args": {"run": SLUG}}],
                }
            ],
        }
    ],
}


def test_lines_that_need_not_change_do_not():
    front = VLLM_LIKE.split("---\n")[1]
    merged = merge(front, WANTED, "\n", "README.md").text
    gone = [line for line in front.split("\n") if line not in merged.split("\n")]
    assert gone == ['datasets: [example/a, "example/b"]']
    assert 'datasets: [example/a, "example/b", example/c]\n' in merged
    assert "- text-generation\n- reinforcement-learning\nbase_model: 'Qwen/Qwen3-8B'\n" in merged
    order = [line.split(":")[0] for line in merged.split("\n") if line[:1].isalpha()]
    assert order == [line.split(":")[0] for line in front.split("\n") if line[:1].isalpha()]
    data = YAML(typ="safe").load(merged)
    assert [result["metrics"][0]["type"] for result in data["model-index"][0]["results"]] == [
        "accuracy",
        "training_reward",
    ]
    assert merged.endswith("# the end\n")


def test_a_result_is_refreshed_where_it_was():
    front = VLLM_LIKE.split("---\n")[1]
    once = merge(front, WANTED, "\n", "r").text
    assert merge(once, WANTED, "\n", "r").text == once
    newer = json.loads(json.dumps(WANTED).replace("0.5", "0.75"))
    again = merge(once, newer, "\n", "r").text
    assert [line for line in again.split("\n") if line not in once.split("\n")] == ["      value: 0.75"]
    assert again.count("training_reward") == 1


def test_two_runs_of_one_card_keep_a_result_each():
    other = json.loads(json.dumps(WANTED).replace(SLUG, "team/second"))
    text = merge(merge("", WANTED, "\n", "r").text, other, "\n", "r").text
    results = YAML(typ="safe").load(text)["model-index"][0]["results"]
    assert [result["metrics"][0]["args"]["run"] for result in results] == [SLUG, "team/second"]


WITHOUT = {"tags": WANTED["tags"]}
"""What a run that has lost its reward says."""
OURS = """\
  - task:
      type: reinforcement-learning
    dataset: {type: x, name: y}
    metrics:
    - type: training_reward
      value: 0.5
      args: {run: team/first}
"""
BENCHMARK = "  - task: {type: text-generation}  # measured\n    metrics: [{type: accuracy, value: 0.71}]\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("front", "left"),
    [
        (
            f"model-index:\n- name: first\n  results:\n{BENCHMARK}{OURS}  # the next\n{BENCHMARK}# end\n",
            f"model-index:\n- name: first\n  results:\n{BENCHMARK}  # the next\n{BENCHMARK}# end\n",
        ),
        (
            f"model-index:\n- name: a\n  results:\n{OURS}{OURS}- name: b\n  results:\n{BENCHMARK}x: 1\n",
            f"model-index:\n- name: b\n  results:\n{BENCHMARK}x: 1\n",
        ),
        (f"a: 1\nmodel-index:\n- name: first\n  results:\n{OURS}# end\nx: 1\n", "a: 1\n# end\nx: 1\n"),
        (f"model-index:\n-\n  name: first\n  results:\n{OURS}", ""),
        (
            'model-index: [{"name": "a", "results": [{"metrics": [{"type": "training_reward", "value": 1, "args":'
            ' {"run": "team/first"}}]}]}]\nx: 1\n',
            "x: 1\n",
        ),
        (f"model-index:\n- name: a\n  results:\n{BENCHMARK}", f"model-index:\n- name: a\n  results:\n{BENCHMARK}"),
        ("model-index: []\n", "model-index: []\n"),
        ("model-index:\n", "model-index:\n"),
        (f"model-index:\n- name: b\n  results:\n{OURS.replace('first', 'other')}", None),
    ],
    ids=["between", "twice", "alone", "dash", "braces", "none", "empty", "null", "of another run"],
)
def test_a_result_goes_when_the_run_has_no_reward_any_more(front, left, newline):
    front, left = front.replace("\n", newline), (left if left is not None else front).replace("\n", newline)
    merged = merge(front, WITHOUT, newline, "r", (SLUG,)).text
    assert merged == left + newline.join(["tags:", "  - reinforcement-learning", "  - vllm", ""])
    assert merge(merged, WITHOUT, newline, "r", (SLUG,)).text == merged


def test_a_result_is_refreshed_and_the_comments_around_it_stay():
    front = f"model-index:\n- name: first\n  results:\n  # ours\n{OURS}  # a real one\n{BENCHMARK}{OURS}# end\n"
    merged = merge(front, {"model-index": WANTED["model-index"]}, "\n", "r", (SLUG,)).text
    assert merged == front.removesuffix(f"{OURS}# end\n") + "# end\n", "the second of ours goes"
    newer = json.loads(json.dumps(WANTED["model-index"]).replace("0.5", "0.75"))
    again = merge(merged, {"model-index": newer}, "\n", "r", (SLUG,)).text
    assert "  # ours\n  - task:\n      type: reinforcement-learning\n" in again
    assert f"value: 0.75\n      args:\n        run: team/first\n  # a real one\n{BENCHMARK}# end\n" in again


def test_a_run_that_moved_takes_its_result_and_its_section_along():
    front = f"model-index:\n- name: first\n  results:\n{OURS.replace('team/first', 'old')}{BENCHMARK}"
    text = f"---\n{front}---\n# A\n\n{SECTION.replace(SLUG, 'old')}\n## After\n"
    new = inject(text, SECTION, Place(where="r", slug=SLUG, aliases=("older", "old")), WANTED).text
    results = YAML(typ="safe").load(new.split("---\n")[1])["model-index"][0]["results"]
    assert [result["metrics"][0]["type"] for result in results] == ["training_reward", "accuracy"]
    assert results[0]["metrics"][0]["args"]["run"] == SLUG
    assert new.endswith(f"# A\n\n{SECTION}\n## After\n")
    assert "old" not in new


@pytest.mark.parametrize(
    ("front", "lists"),
    [
        ("tags: one  # only\n", ["one", "reinforcement-learning", "vllm"]),
        ("tags:\n", ["reinforcement-learning", "vllm"]),
        ("tags: []\n", ["reinforcement-learning", "vllm"]),
        ("tags:\n    - a\n    # - b\n\nother: 1\n", ["a", "reinforcement-learning", "vllm"]),
        ("tags:\n- vllm\n- reinforcement-learning", ["vllm", "reinforcement-learning"]),
    ],
)
def test_tags_are_united_however_they_are_written(front, lists):
    merged = merge(front, {"tags": WANTED["tags"]}, "\n", "r").text
    assert YAML(typ="safe").load(merged)["tags"] == lists
    assert merged.count("#") == front.count("#")


def test_another_base_model_stays_and_is_said():
    merged = merge("base_model: me/other\n", {"base_model": "Qwen/Qwen3-8B"}, "\n", "r")
    assert merged.text == "base_model: me/other\n"
    assert "me/other" in merged.notes[0].en
    assert "Qwen/Qwen3-8B" in merged.notes[0].en
    assert merge("base_model:\n", {"base_model": "a/b"}, "\n", "r").text == "base_model: a/b\n"


@pytest.mark.parametrize(
    "front",
    [
        "tags: [a\n",
        "- a\n- b\n",
        "just text\n",
        "a: 1\na: 2\n",
        "{tags: [a], b: 1}\n",
        "x: &t [a]\ntags: *t\n",
        "a: \x07\n",
        "a: 1\rtags: [b]\n",
    ],
)
def test_a_broken_front_matter_is_refused(front):
    with pytest.raises(SitegenError, match=r"^README\.md:"):
        merge(front, WANTED, "\n", "README.md")


KEYS = st.sampled_from(["license", "tags", "datasets", "base_model", "library_name", "x"])
VALUES = st.one_of(
    st.sampled_from(["plain", "'quoted'", '"double"', "1.0", "yes", "[a, b]", "[]", "", "{a: 1}", "a # b"]),
    st.lists(st.sampled_from(["a", "b", "vllm"]), min_size=1, max_size=3).map(
        lambda v: "".join(f"\n  - {i}" for i in v)
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=5), st.booleans())
def test_merging_keeps_every_other_line_and_is_done_once(values, final):
    front = "".join(f"{key}: {value}\n" for key, value in values.items()).replace(": \n", ":\n")
    front = front if final else front.removesuffix("\n")
    once = merge(front, WANTED, "\n", "r").text
    assert merge(once, WANTED, "\n", "r").text == once
    for line in front.split("\n"):
        if not line.startswith(("tags", "datasets", "base_model", " ")):
            assert line in once.split("\n")


# Into a README ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", READMES)
def test_everything_else_stays_byte_for_byte(name):
    old = READMES[name]
    new = inject(old, SECTION, PLACE, {}).text
    ours = SECTION.rstrip("\n").replace("\n", "\r\n" if "\r\n" in old else "\n")
    assert new.replace(ours, "").startswith(old)
    assert new.replace(ours, "").strip("\r\n") == old.strip("\r\n")
    assert new.endswith("\n") == old.endswith("\n")
    assert ("\n" in new.replace("\r\n", "")) == ("\n" in old.replace("\r\n", ""))


@pytest.mark.parametrize("name", READMES)
def test_a_second_time_changes_nothing_and_a_newer_one_only_its_section(name):
    once = inject(READMES[name], SECTION, PLACE, WANTED).text
    assert inject(once, SECTION, PLACE, WANTED).text == once
    newer = inject(once, SECTION.replace("New.", "Newer."), PLACE, WANTED).text
    assert newer == once.replace("New.", "Newer.")


def test_a_section_in_the_middle_stays_there():
    old = f"# A\n\n{SECTION}\n## After\n"
    assert inject(old, SECTION.replace("New.", "X."), PLACE, {}).text == old.replace("New.", "X.")


def test_marks_in_code_are_no_marks():
    old = f"# A\n\n```\n{SECTION}```\n"
    new = inject(old, SECTION, PLACE, {}).text
    assert new == f"{old}\n{SECTION}"
    assert inject(new, SECTION, PLACE, {}).text == new


OTHER = SECTION.replace(SLUG, "team/other")
BEGIN, END = begin_mark(SLUG), end_mark(SLUG)
BROKEN = {
    "opened only": (f"# A\n{BEGIN}\n", 2, "no line closes it"),
    "closed only": (f"{END}\n", 1, "no line opens it"),
    "wrong order": (f"{END}\n{BEGIN}\n", 1, "no line opens it"),
    "twice": (f"{SECTION}{SECTION}", 8, "has a section at line 1 already"),
    "in itself": (f"{BEGIN}\n{SECTION}{END}\n", 2, "in the section that line 1 opens"),
    "in another's": (f"{begin_mark('team/other')}\n{SECTION}{end_mark('team/other')}", 2, "that line 1 opens"),
    "another in it": (f"{BEGIN}\n{OTHER}\n{END}\n", 2, "in the section that line 1 opens"),
    "crossing": (f"{BEGIN}\n{begin_mark('b')}\n{END}\n{end_mark('b')}\n", 2, "that line 1 opens"),
    "another broken": (f"{SECTION}{begin_mark('team/other')}\n", 8, "no line closes it"),
    "behind front matter": (f"---\nlicense: mit\n---\n{END}\n", 4, "no line opens it"),
    "old and new": (f"{SECTION}{SECTION.replace(SLUG, 'old')}", 8, "has a section at line 1 already"),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_marks_are_refused_with_their_line(name, bom, newline):
    text, line, why = BROKEN[name]
    with pytest.raises(SitegenError, match=rf"^README\.md: line {line}: .*{why}.*; nothing was changed$"):
        inject(bom + text.replace("\n", newline), SECTION, replace(PLACE, aliases=("old",)), WANTED)


def test_a_front_matter_without_an_end_is_refused():
    with pytest.raises(SitegenError, match="no further --- closes; nothing was changed"):
        inject("---\nlicense: mit\n\n# no end\n", SECTION, PLACE, WANTED)


def test_sections_of_several_runs_stand_side_by_side():
    both = inject(inject("# A\n", SECTION, PLACE, {}).text, OTHER, replace(PLACE, slug="team/other"), {}).text
    assert both == f"# A\n\n{SECTION}\n{OTHER}"
    assert inject(both, SECTION.replace("New.", "X."), PLACE, {}).text == both.replace("New.", "X.", 1)


def test_a_file_without_front_matter_gets_one():
    new = inject(BARE, SECTION, PLACE, {"tags": ["a"]}).text
    assert new.startswith("---\ntags:\n  - a\n---\n\n# First\n")
    assert inject("", SECTION, PLACE, {}).text == SECTION


# The command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", READMES)
def test_the_hub_shows_it_as_intended(run_folder, tmp_path, capsys, name, lang):
    readme = tmp_path / "model" / "README.md"
    readme.parent.mkdir()
    readme.write_bytes(READMES[name].encode())
    call(capsys, run_folder, "--inject", readme, "--base-url", "https://example.org/s", "--lang", lang)
    text = readme.read_bytes().decode()
    html = on_the_hub(text)
    images = re.findall(r"<img [^>]*>", html)
    assert len(images) == 3  # badge, reward in both themes
    assert 'class="dark:hidden"' in images[1]
    assert 'class="hidden dark:block"' in images[2]
    for source in re.findall(r'src="([^"]+)"', html):
        assert source.startswith("training/team-first/")
        assert (readme.parent / source).is_file()
    page = "zh/runs/team/first/index.html" if lang == "zh" else "runs/team/first/index.html"
    assert html.count(f'<a href="https://example.org/s/{page}">') == 3
    assert "&lt;" not in html
    assert "sitegen card" not in html
    assert html.count("<h2>") == 1
    assert "0.2222" in html  # EMA 1/3: 0.1, 0.4/3, then (2/3)(0.4/3) + 0.4/3
    data = metadata_load(readme)
    assert "reinforcement-learning" in data["tags"]
    card = ModelCard.load(readme).data
    ours = card.eval_results[-1]
    assert (ours.metric_type, ours.metric_args["run"]) == ("training_reward", SLUG)
    assert len(card.eval_results) == (2 if name == "vllm" else 1)
    assert eval_results_to_model_index(card.model_name, card.eval_results) == data["model-index"]


def test_a_dry_run_shows_the_change_and_writes_nothing(run_folder, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(VLLM_LIKE)
    before = contents(tmp_path)
    out = call(capsys, run_folder, "--inject", readme, "--dry-run")
    assert contents(tmp_path) == before
    assert "+- reinforcement-learning" in out
    assert f"+{begin_mark(SLUG)}" in out
    assert f"would write {tmp_path / 'training' / 'team-first' / 'badge.svg'}" in out
    assert not [line for line in out.split("\n") if line.startswith("-") and not line.startswith("---")]
    call(capsys, run_folder, "--inject", readme)
    assert "Nothing would change." not in out
    again = call(capsys, run_folder, "--inject", readme, "--dry-run")
    assert "Nothing would change." not in again  # the number that differs is still said
    assert "would write" not in again
    assert "+" not in again.replace("+0", "")


def test_a_second_run_touches_no_file(run_folder, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(VLLM_LIKE)
    call(capsys, run_folder, "--inject", readme, "-o", tmp_path / "card")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    out = call(capsys, run_folder, "--inject", readme, "-o", tmp_path / "card")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before
    assert "up to date" in out
    assert "0 files written" in out


def test_numbers_of_the_card_that_differ_are_said(run_folder, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(VLLM_LIKE)
    out = call(capsys, run_folder, "--inject", readme)
    assert "printed 0.9, the files give 0.4000" in out
    assert "printed 0.9, the files give 0.4000" in readme.read_text()
    readme.write_text(VLLM_LIKE.replace("| 0.9 |", "| 0.4 |"))
    assert "printed" not in call(capsys, run_folder, "--inject", readme)


def test_the_folder_has_every_file(run_folder, tmp_path, capsys):
    call(capsys, run_folder, "-o", tmp_path / "card")
    names = {
        "training.md",
        "metadata.yaml",
        "badge.svg",
        *(f"reward-{t}.{e}" for t in ("light", "dark") for e in ("svg", "png")),
    }
    assert set(contents(tmp_path / "card")) == names
    assert (tmp_path / "card" / "training.md").read_text().startswith(begin_mark(SLUG))


def test_a_folder_is_named_after_the_run(run_folder, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "card-first: 7 files written, 0 unchanged" in call(capsys, run_folder)
    (tmp_path / "card-first" / "errors-light.svg").write_text("of an earlier card")
    (tmp_path / "card-first" / "mine.txt").write_text("mine")
    call(capsys, run_folder)
    assert not (tmp_path / "card-first" / "errors-light.svg").exists()
    assert (tmp_path / "card-first" / "mine.txt").exists()


def test_the_address_in_the_settings_is_used(run_folder, tmp_path, capsys):
    (run_folder.parents[1] / "sitegen.toml").write_text('base_url = "https://example.org/s"\n')
    assert "No permalink" not in call(capsys, run_folder, "-o", tmp_path / "card")
    assert "https://example.org/s/runs/team/first/index.html" in (tmp_path / "card" / "training.md").read_text()
    (run_folder.parents[1] / "sitegen.toml").write_text("")
    assert "No permalink" in call(capsys, run_folder, "-o", tmp_path / "card")


def test_what_cannot_be_used_is_one_line(run_folder, tmp_path, capsys):
    missing = tmp_path / "README.md"
    assert "no such file" in refused(capsys, run_folder, "--inject", missing)
    missing.write_bytes(b"# a\n\xff\n")
    assert "line 2 is not UTF-8" in refused(capsys, run_folder, "--inject", missing)
    missing.write_text("---\ntags: [\n---\n")
    assert "front matter is not valid YAML" in refused(capsys, run_folder, "--inject", missing)
    missing.write_text("# a\n")
    assert "inside the README's own" in refused(capsys, run_folder, "--inject", missing, "--pictures", "../x")
    (tmp_path / "taken").write_text("")
    assert "cannot write" in refused(capsys, run_folder, "--inject", missing, "--pictures", "taken")
    assert missing.read_text() == "# a\n"


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), KeyboardInterrupt()])
def test_interrupted_or_refused_writing_leaves_the_old_file(run_folder, tmp_path, capsys, monkeypatch, error):
    readme = tmp_path / "README.md"
    readme.write_text(VLLM_LIKE)
    exchange = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if Path(target).name == "README.md":
            raise error
        return exchange(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    code_of = cli.run(["card", str(run_folder), "--inject", str(readme)])
    assert code_of == (1 if isinstance(error, OSError) else cli.INTERRUPTED)
    assert readme.read_text() == VLLM_LIKE
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["README.md"]
    monkeypatch.undo()
    if isinstance(error, OSError):
        assert "Permission denied; what was there before is unchanged" in capsys.readouterr().err
    capsys.readouterr()
    call(capsys, run_folder, "--inject", readme)
    assert begin_mark(SLUG) in readme.read_text()


def test_a_link_and_permissions_stay(run_folder, tmp_path, capsys):
    real = tmp_path / "real.md"
    real.write_text("# a\n")
    real.chmod(0o640)
    (tmp_path / "README.md").symlink_to(real)
    call(capsys, run_folder, "--inject", tmp_path / "README.md")
    assert (tmp_path / "README.md").is_symlink()
    assert begin_mark(SLUG) in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
