"""Files that no reader takes: each is named with its reason, and many of a kind do not flood."""

import pytest

from sitegen.model.run import SourceFile
from sitegen.readers import READERS
from sitegen.readers.known_files import KNOWN_FILES, reason_for
from sitegen.run_work import find_runs, read_run
from sitegen.scan import with_heads
from sitegen.settings import SiteSettings
from tests.pages.run_fixture import files, read

TABLE = "log_file,trainer/global_step,reward/avg_raw_reward\njob_1,1,0.5\n"


def reason(path, head=b"", size=1):
    return reason_for(SourceFile(path=path, location=None, size=size, head=head), READERS).en


def run_with(folder, *files):
    run = folder / "run"
    run.mkdir()
    (run / "x_metrics_table.csv").write_text(TABLE)
    for name, content in files:
        path = run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (task,) = find_runs(folder, SiteSettings()).tasks
    return read_run(task, SiteSettings())


def told(run):
    return [item.what.en for item in run.problems if item.kind.startswith("scan.")]


@pytest.mark.parametrize(
    ("path", "start"),
    [
        ("r/exports/global_step_5/policy/model-00001-of-2.safetensors", "weights"),
        ("r/checkpoint-5/training_args.bin", "weights"),
        ("r/checkpoint-5/optimizer.pt", "weights"),
        ("r/exports/global_step_5/policy/tokenizer.json", "part of an exported model"),
        ("r/job/lock.json", "versions that a Harbor job"),
        ("r/job/job.log", "Harbor’s own log"),
        ("r/hello.trajectory.cont-1.json", "dialogue of an agent"),
        ("r/t/agent/episode-3/prompt.txt", "one turn of an agent"),
        ("r/t/verifier/test-stdout.txt", "output of a trial’s verifier"),
        ("r/t/agent/terminus_2.pane", "recording of a terminal"),
        ("r/exports/dumped_evals/global_step_5_evals/aime.jsonl", "answers of an evaluation"),
        ("r/wandb/run-1/files/requirements.txt", "record of a software environment"),
        ("r/wandb/run-1/logs/debug-internal.log", "W&B’s own log"),
        ("r/reward_plot.PNG", "a picture"),
        ("r/code.tar.gz", "an archive"),
        ("r/rollouts.parquet", "data set"),
        ("r/launch.sbatch", "code or launch script"),
        ("r/LICENSE", "licence"),
        ("r/whatever.xyz", "no reader knows"),
    ],
)
def test_kind_of_file_has_its_reason(path, start):
    assert reason(path).startswith(start)


def test_config_json_is_told_by_its_keys():
    assert reason("r/config.json", b'{"architectures": ["Qwen3ForCausalLM"]}').startswith("part of an exported")
    assert reason("r/config.json", b'{"trials_dir": "x"}').startswith("settings of a Harbor")


@pytest.mark.parametrize(
    ("path", "head", "start"),
    [
        ("r/cluster.infra.yaml", b"# 4 workers\nimage: x\nimagePullSecrets: [y]\n", "description of a cluster"),
        ("r/rayclusters.yml", b"apiVersion: ray.io/v1\nkind: RayCluster\n", "description of a cluster"),
        ("r/ds_config.json", b'{"zero_optimization": {"stage": 3}}', "settings of how processes share"),
        (
            "r/accelerate.yaml",
            b"compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n",
            "settings of how processes",
        ),
        ("r/words.yaml", b"a: 1\n", "no reader knows"),
    ],
)
def test_settings_of_machines_are_told_by_their_keys(path, head, start):
    assert reason(path, head).startswith(start)


def test_file_named_like_a_format_that_holds_something_else_says_so():
    said = "named like “Trainer state of Transformers / TRL (JSON)”, but its content is of no known format"
    assert reason("r/trainer_state.json", b"[1]") == said


def test_empty_file_is_called_empty():
    assert reason("r/notes.md2", size=0) == "empty"


def test_reasons_are_distinct_and_in_both_languages():
    for known in KNOWN_FILES:
        assert known.reason.zh != known.reason.en
        assert all(pattern == pattern.lower() for pattern in (*known.names, known.place))


def test_many_files_of_a_kind_are_one_line_with_the_first_names(tmp_path):
    shards = [(f"checkpoints/step_5/m-{i}.pt", b"weights") for i in range(40)]
    run = run_with(tmp_path, *shards, ("odd.xyz", b"?"))
    assert sorted(told(run)) == [
        "Files not read: 1 (odd.xyz). Reason: no reader knows this kind of file.",
        "Files not read: 40 (checkpoints/step_5/m-0.pt, checkpoints/step_5/m-1.pt, checkpoints/step_5/m-10.pt, …)."
        " Reason: weights, optimizer or trainer state in a binary format; never opened.",
    ]
    assert {item.severity for item in run.problems} == {"info"}
    use = next(item for item in run.sources if item.path == "run/odd.xyz")
    assert (use.note, use.reason.zh) == ("unclaimed", "没有读取器认识这种文件")
    assert next(item for item in run.sources if item.path.endswith(".csv")).reason is None


def test_weights_are_never_opened(tmp_path):
    names = ("model.safetensors", "exports/global_step_5/policy/pytorch_model.bin", "checkpoint-5/optimizer.pt")
    run_with(tmp_path, *((name, b"weights") for name in names))
    (task,) = find_runs(tmp_path, SiteSettings()).tasks
    folder = with_heads(task.folder, READERS)
    heads = {item.path.removeprefix("run/"): item.head for item in folder.files}
    assert heads["x_metrics_table.csv"] == TABLE.encode()
    assert [heads[name] for name in names] == [b"", b"", b""]


def test_settings_of_a_run_are_no_unread_file(tmp_path):
    run = run_with(tmp_path, ("run.toml", b'title = "T"\n'))
    assert told(run) == []


def test_trials_own_folders_are_counted_once(tmp_path):
    for name in ("a__aaaaaaa", "b__bbbbbbb"):
        folder = tmp_path / "run" / "trace_jobs" / name
        folder.mkdir(parents=True)
        (folder / "result.json").write_text(f'{{"trial_name": "{name}"}}')
        (folder / "config.json").write_text("{}")
    (tmp_path / "run" / "trace_jobs" / "b__bbbbbbb" / "result.json").unlink()
    (task,) = find_runs(tmp_path, SiteSettings()).tasks
    assert told(read_run(task, SiteSettings())) == [
        "Trial folders of which only the result is read, and the dialogue where the site asks for it: 2."
    ]


def test_sources_page_gives_the_reason_in_both_languages(tmp_path):
    made = files(run_with(tmp_path, ("odd.xyz", b"?"), ("launch.sbatch", b"#!/bin/sh")))
    english, chinese = (read(made[f"{lang}runs/run/sources.html"]).text for lang in ("", "zh/"))
    assert "not read – no reader knows this kind of file" in english
    assert "代码或启动脚本；设置从配置文件读取" in chinese
