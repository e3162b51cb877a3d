"""Seventeen faults that users reported of other tools, each with the right answer, from the folder to the page.

Each test names the reports it is about; the inputs are the smallest that show the fault.
"""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from sitegen.analyse.run_analysis import analyse
from sitegen.charts import run_charts
from sitegen.model.run import lineage, train_rows
from sitegen.model.tables import STEPS
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.pages.run_fixture import files, read
from tests.pages.site_fixture import glossary

SETTINGS = SiteSettings()
REWARD = "reward/avg_raw_reward"
STAMP = "(skyrl_entrypoint pid=100) 2026-06-{day:02d} 09:{minute:02d}:00.000 | INFO     | skyrl_train.trainer:_log:1 - "


def line(text, *, day=5, minute=0):
    return STAMP.format(day=day, minute=minute) + text + "\n"


def mirror(step, metrics, **when):
    payload = metrics if isinstance(metrics, str) else json.dumps(metrics)
    return line(f"WANDB_MIRROR kind=train step={step} metrics={payload}", **when)


def runs_of(archive):
    return {task.folder.path: read_run(task, SETTINGS) for task in find_runs(archive, SETTINGS).tasks}


def put(archive, contents):
    for name, content in contents.items():
        path = archive / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def run_with(archive, contents):
    """The only run of an archive with these files in the folder `run`."""
    put(archive / "run", contents)
    (run,) = runs_of(archive).values()
    return run


def curve(run, metric):
    rows = lineage(run)
    values = rows[metric].tolist()
    return {step: None if value != value else value for step, value in zip(rows["step"].tolist(), values, strict=True)}


def summary(run, metric):
    (found,) = [item for item in analyse(run, SETTINGS).metrics if item.name == metric]
    return found


def chart_of(run, metric):
    (found,) = [c for c in run_charts(run, analyse(run, SETTINGS)) if c.section == "metrics" and c.metrics == (metric,)]
    return found


def what(run, kind):
    return [item for item in run.problems if item.kind == kind]


def two_attempts():
    """Steps 1-5, then, resumed from step 3, steps 4-8 with other values."""
    first = "".join(mirror(step, {REWARD: 0.1 * step}, day=5, minute=step) for step in range(1, 6))
    resumed = line("Resumed training from global_step 3", day=6)
    second = resumed + "".join(mirror(step, {REWARD: 0.5 + 0.01 * step}, day=6, minute=step) for step in range(4, 9))
    return first, second


def test_01_a_resumed_run_is_one_curve_and_the_later_attempt_wins(tmp_path):
    """wandb#4482, wandb#2234, wandb#6728, tango#152, fairchem#1525: after a resume the step goes back."""
    first, second = two_attempts()
    run = run_with(tmp_path, {"logs/a_1001.out": first, "logs/a_1002.out": second})
    assert list(curve(run, REWARD)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert curve(run, REWARD)[4] == 0.54
    assert curve(run, REWARD)[5] == 0.55
    made = files(run)
    assert "2 steps were logged more than once" in read(made["runs/run/index.html"]).text
    rows = list(csv.DictReader(io.StringIO(made["runs/run/data/steps.csv"].decode())))
    assert [(row["job"], row["step"]) for row in rows if row["superseded"] == "1"] == [("a_1001", "4"), ("a_1001", "5")]


def test_02_no_curve_goes_left_after_a_restart(tmp_path):
    """tensorboard#3732, #1272, #5448, tensorboardX#185: zig-zag after a restart."""
    rows = "".join(json.dumps({"step": step, "loss": 0.1 * at}) + "\n" for at, step in enumerate((1, 2, 3, 2, 3, 4)))
    run = run_with(tmp_path, {"metrics.jsonl": rows})
    assert lineage(run)["step"].tolist() == [1, 2, 3, 4]
    assert curve(run, "loss")[2] == pytest.approx(0.3)
    steps = chart_of(run, "loss").datasets["points"]["step"]
    assert steps == sorted(steps) == [1, 2, 3, 4]


@pytest.mark.parametrize("names", [("a_1001", "a_1002"), ("z_1001", "a_1002")])
def test_03_the_attempt_that_counts_does_not_depend_on_the_order_of_files(tmp_path, names):
    """marin#2356, marin#7798: a pre-empted job logs the same step again with slightly other numbers."""
    first, second = two_attempts()
    run = run_with(tmp_path, {f"logs/{names[1]}.out": second, f"logs/{names[0]}.out": first, "run.toml": ""})
    assert curve(run, REWARD)[4] == 0.54
    both = train_rows(run)
    assert sorted(both[both["step"] == 4][REWARD].tolist()) == [0.4, 0.54]
    marks = chart_of(run, REWARD).datasets["marks"]
    kinds = dict.fromkeys(marks["kind"])
    assert "superseded" in kinds
    assert [step for step, kind in zip(marks["step"], marks["kind"], strict=True) if kind == "superseded"] == [4, 5]


def _losses(*values):
    return "".join(f'{{"step":{step},"loss":{value}}}\n' for step, value in enumerate(values, start=1))


def test_04_nan_in_json_breaks_no_page(tmp_path):
    """vscode-dvc#2733, ray#9103, determined#3101, graphite-web#813: NaN in JSON breaks the browser."""
    run = run_with(
        tmp_path, {"metrics.jsonl": '{"step":1,"loss":NaN}\n{"step":2,"loss":0.5}\n{"step":3,"loss":Infinity}\n'}
    )
    chart = chart_of(run, "loss")
    assert chart.datasets["points"]["raw"] == [None, 0.5, None]
    marks = chart.datasets["marks"]
    assert [step for step, kind in zip(marks["step"], marks["kind"], strict=True) if kind == "nonfinite"] == [1, 3]
    assert summary(run, "loss").non_finite == 2
    made = files(run)
    json.loads(made["runs/run/run.json"], parse_constant=pytest.fail)
    scripts = [content.decode() for path, content in made.items() if path.endswith(".js")]
    assert scripts
    for script in scripts:
        inner = re.fullmatch(r'sitegen\.register\("[a-z]+",(.*)\);\n', script, flags=re.DOTALL)
        json.loads(inner[1], parse_constant=pytest.fail)


def test_05_best_and_last_pass_over_nan(tmp_path):
    """verl#747: a metric becomes nan and the summary shows nan as best."""
    steps = "".join(f"step:{step} - critic/score/mean:{value}\n" for step, value in ((1, 0.1), (2, "nan"), (3, 0.3)))
    run = run_with(tmp_path, {"train.log": steps})
    found = summary(run, "critic/score/mean")
    assert (found.max, found.last, found.count, found.non_finite) == (0.3, 0.3, 2, 1)
    chart = chart_of(run, "critic/score/mean")
    assert chart.caption.en.endswith("1 of 3 not finite")


def test_06_two_records_fused_on_one_line_cost_nothing_else(tmp_path):
    """ray#48633, ray#48642, ray#33184: worker lines lost, doubled, or two on one line."""
    fused = mirror(1, {"a": 1}).rstrip("\n") + "(worker pid=2) INFO 06-05 09:00:01 [x.py:1] ready\n"
    torn = line('WANDB_MIRROR kind=train step=3 metrics={"a": 3, "b"')
    run = run_with(tmp_path, {"a_1001.out": fused + mirror(2, {"a": 2}) + torn + mirror(4, {"a": 4})})
    assert curve(run, "a") == {1: 1.0, 2: 2.0, 4: 4.0}
    assert [item.line for item in run.problems if item.line == 3]


def test_07_a_half_written_last_line_costs_that_line_only(tmp_path):
    """LlamaFactory#10715, NeMo-Gym#2019: the reader fails on the half-written last line."""
    whole = [json.dumps({"current_steps": s, "total_steps": 9, "loss": 0.5, "epoch": 1.0}) for s in range(1, 7)]
    run = run_with(tmp_path, {"trainer_log.jsonl": "\n".join([*whole, '{"current_steps": 7, "lo'])})
    assert list(curve(run, "loss")) == [1, 2, 3, 4, 5, 6]
    (found,) = run.problems
    assert found.severity == "info"
    assert found.what.en == "1 incomplete line at the end (line 7)."
    broken = run_with(tmp_path / "other", {"trainer_log.jsonl": "\n".join([*whole[:2], '{"curr', *whole[2:]]) + "\n"})
    (middle,) = broken.problems
    assert (middle.severity, middle.line) == ("warning", 3)
    assert len(lineage(broken)) == 6


def test_08_metrics_glued_to_a_progress_bar_are_found(tmp_path):
    """transformers#28683: the progress bar is glued to the metric dict by a carriage return."""
    bar = "\r  2%|▏         | {n}/250 [00:01<04:05,  1.00it/s]"
    text = "".join(bar.format(n=n) for n in range(1, 6)) + "{'loss': 0.1, 'learning_rate': 1e-06, 'epoch': 0.02}\n"
    text += "".join(bar.format(n=n) for n in range(6, 11)) + "{'loss': 0.2, 'learning_rate': 1e-06, 'epoch': 0.04}\n"
    run = run_with(tmp_path, {"train.log": text})
    assert list(curve(run, "loss").values()) == [0.1, 0.2]
    page = files(run)["runs/run/logs.html"].decode()
    assert max(map(len, page.split("\n"))) < 20_000
    assert "it/s]" not in page


def test_09_a_header_in_the_middle_is_no_row_and_shifts_nothing(tmp_path):
    """torchgeo-bench#281, DeepLabCut#3179, nativerl#92: columns change, or the header is repeated on resume."""
    text = "step,loss,lr\n1,0.5,0.1\n2,0.4,0.1\nstep,loss,lr\n3,0.3,0.1\n4,0.2,0.1,99\n5,0.1,0.1\n"
    run = run_with(tmp_path, {"metrics.csv": text})
    assert curve(run, "loss") == {1: 0.5, 2: 0.4, 3: 0.3, 5: 0.1}
    assert set(lineage(run)["lr"]) == {0.1}
    assert {item.line for item in run.problems} >= {6}


def test_10_byte_order_mark_and_crlf_change_no_page(tmp_path):
    """pandas#4793, pandas#13497, orange3#7000: the first column is called BOM + step."""
    text = "step,loss\n1,0.5\n2,0.25\n"
    plain = run_with(tmp_path / "a", {"metrics.csv": text})
    marked = run_with(tmp_path / "b", {"metrics.csv": b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()})
    assert STEPS.measures(marked.steps) == ["loss"]
    same_size = (
        tuple(replace(use, size=0) for use in plain.sources),
        tuple(replace(use, size=0) for use in marked.sources),
    )
    assert files(replace(plain, sources=same_size[0])) == files(replace(marked, sources=same_size[1]))


def test_11_a_column_of_mixed_types_is_numeric_with_gaps(tmp_path):
    """pandas#13746: one text value turns a column into text."""
    rows = enumerate(("1", "2.0", "", "n/a", "inf", "6"), start=1)
    run = run_with(
        tmp_path, {"metrics.csv": "step,loss,lr\n" + "".join(f"{step},{value},0.1\n" for step, value in rows)}
    )
    found = summary(run, "loss")
    assert (found.count, found.non_finite, found.max) == (3, 1, 6.0)
    assert curve(run, "loss") | {5: None} == {1: 1.0, 2: 2.0, 3: None, 4: None, 5: None, 6: 6.0}
    (found,) = run.problems
    assert (found.line, found.what.en) == (5, "Values of the column loss that are not numbers: 1 (line 5).")


def test_12_more_than_five_thousand_rows_are_drawn_with_their_extremes(tmp_path):
    """altair#611, altair#2382, gradio#2797: MaxRowsError above 5000 rows."""
    values = dict.fromkeys(range(1, 5002), 0.5) | {1234: 9.0, 4321: -9.0}
    run = run_with(tmp_path, {"metrics.csv": "step,loss\n" + "".join(f"{s},{v}\n" for s, v in values.items())})
    points = chart_of(run, "loss").datasets["points"]
    drawn = dict(zip(points["step"], points["raw"], strict=True))
    assert len(drawn) < 5001
    assert (drawn[1234], drawn[4321], drawn[1], drawn[5001]) == (9.0, -9.0, 0.5, 0.5)
    table = files(run)["runs/run/data/steps.csv"].decode().splitlines()
    assert len(table) == 5002


def test_13_equal_names_are_two_runs_at_two_addresses(tmp_path):
    """dstack#3196, translations#408, LlamaFactory#7835, kso#531: equal names merge or overwrite."""
    text = "step,loss\n1,0.5\n"
    put(tmp_path, {f"{folder}/metrics.csv": text for folder in ("a/run1", "b/run1", "c/Run1", "c/run1")})
    slugs = [task.slug for task in find_runs(tmp_path, SETTINGS).tasks]
    assert len({slug.lower() for slug in slugs}) == 4
    assert {"a/run1", "b/run1", "c/run1"} <= set(slugs)


def test_14_a_folder_with_only_metadata_is_a_run_without_metrics(tmp_path):
    """wandb#1297, #5561, #7846, #9908: an offline folder that is incomplete."""
    put(
        tmp_path / "run" / "wandb" / "run-20260425_172706-65zju5fx" / "files",
        {"wandb-metadata.json": '{"os": "Linux"}'},
    )
    (run,) = runs_of(tmp_path).values()
    assert (run.path, len(run.steps)) == ("run", 0)
    page = read(files(run)["runs/run/index.html"]).text
    assert "No training step was logged." in page


def test_15_a_learning_rate_without_a_point_is_a_number(tmp_path):
    """LlamaFactory#4014, yacs#46, confuse#91, pyyaml#173: `1e-5` is read as text."""
    values = []
    for name, written in (("a", "8e-6"), ("b", "8.0e-6")):
        config = f"trainer:\n  policy:\n    optimizer_config:\n      lr: {written}\n  train_batch_size: 64\n"
        run = run_with(tmp_path / name, {"rl_config.yaml": config, "metrics.csv": "step,loss\n1,0.5\n"})
        values.append(run.config.values["trainer.policy.optimizer_config.lr"])
        assert "Learning rate 8e-6 " in read(files(run)["runs/run/index.html"]).text
    assert values == [8e-06, 8e-06]
    assert {type(value) for value in values} == {float}


def test_16_a_renamed_metric_is_not_merged_in_silence(tmp_path):
    """SkyRL PR#544, SkyRL#289: a metric is renamed between versions."""
    old, new = "loss/avg_raw_rewards", "loss/avg_final_rewards"
    logs = {"logs/a_1001.out": mirror(1, {old: 0.1}), "logs/a_1002.out": mirror(2, {new: 0.2}, day=6)}
    run = run_with(tmp_path, logs)
    assert curve(run, old) == {1: 0.1, 2: None}
    assert curve(run, new) == {1: None, 2: 0.2}
    text = read(files(run)["runs/run/metrics.html"]).text
    assert old in text
    assert new in text
    entries = {glossary().page_id(name, "skyrl") for name in (old, new)}
    assert len(entries) == 1  # one entry names both, on its own page


def test_17_a_loss_of_zero_is_no_alarm(tmp_path):
    """trl#3452, open-r1#255: `loss: 0.0` of GRPO is taken for a failure."""
    rows = [{"step": step, "loss": 0.0, "reward": 0.05 * step, "grad_norm": 0.3} for step in range(1, 13)]
    state = {"global_step": 12, "max_steps": 12, "log_history": rows}
    run = run_with(tmp_path, {"trainer_state.json": json.dumps(state)})
    analysis = analyse(run, SETTINGS)
    assert summary(run, "loss").max == 0.0
    assert not [item for item in analysis.findings if "loss" in item.rule or item.severity == "error"]
    assert not [item for item in run.problems if item.severity != "info"]
