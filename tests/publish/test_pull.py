"""`pull`: runs come from a stand-in of the hub, twice, cut off in the middle, and with repositories that refuse."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen import cli, exchange
from sitegen.publish.pull_choice import RemoteFile, choose, is_evidence
from sitegen.scan import scan_archive
from sitegen.settings import SiteSettings
from tests.publish.hub_stand_in import DROP, TOKEN, Repo, git_id
from tests.small_archive import contents, table

LOG = b"line of a log\n" * 2000
RUN = {
    ".gitattributes": b"*.bin filter=lfs\n",
    "README.md": b"---\ntags: [rl]\n---\n# Model\n",
    "config.json": b'{"architectures": []}\n',
    "model.safetensors": b"weights",
    "tokenizer.json": b"{}",
    "rl_config.yaml": b"trainer:\n  epochs: 1\n",
    "training_logs/20260101_000000_metrics_table.csv": table("job_1", [0.1, 0.2, 0.3]).encode(),
    "logs/train_1.out": LOG,
    "picture.png": b"picture",
    "notes.docx": b"?",
}
WANTED = (
    *("README.md", "config.json", "logs/train_1.out", "rl_config.yaml"),
    "training_logs/20260101_000000_metrics_table.csv",
)


@pytest.fixture
def run(hub):
    repo = hub.add(Repo("model", "team/a3-rl-one"))
    repo.commit("weights", dict(RUN))
    return repo


def pull(to: Path, *arguments: str, lang: str = "en") -> int:
    return cli.run(["--lang", lang, "pull", *arguments, "--to", str(to)])


def fetched(to: Path, folder: str = "a3-rl-one") -> dict[str, bytes]:
    return {name: text for name, text in contents(to / folder).items() if name != "run.toml"}


def test_what_a_site_needs_is_fetched_and_the_second_time_nothing(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "team/a3-rl-one" in said.out
    assert "picture.png" in said.out
    assert "notes.docx" in said.out
    assert fetched(to) == {name: RUN[name] for name in WANTED}
    assert hub.count(r"safetensors|tokenizer|picture") == 0
    assert not (to / ".sitegen-pull" / "partial").exists()
    hub.asked.clear()
    assert pull(to, "team/a3-rl-one", lang="zh") == 0
    assert f"{to} 无需下载新文件" in capsys.readouterr().out
    assert hub.count("/resolve/") == 0


def test_a_pulled_repository_is_a_run_that_links_its_model(tmp_path, hub, run):
    to = tmp_path / "runs"
    pull(to, "team/a3-rl-one", "--yes")
    (folder,) = scan_archive(to, SiteSettings()).runs
    assert folder.path == "a3-rl-one"
    settings = tomllib.loads((to / "a3-rl-one" / "run.toml").read_text())
    assert settings == {"links": {"Model": f"{hub.url}/team/a3-rl-one"}}


def test_a_card_alone_makes_no_run_and_a_settings_file_is_not_replaced(tmp_path, hub):
    hub.add(Repo("model", "team/card")).commit("card", {"README.md": b"card"})
    hub.add(Repo("model", "team/own")).commit("own", {**RUN, "run.toml": b'title = "Ours"\n'})
    to = tmp_path / "runs"
    assert pull(to, "team/card", "team/own", "--yes") == 0
    assert contents(to / "card") == {"README.md": b"card"}
    assert (to / "own" / "run.toml").read_text() == 'title = "Ours"\n'


def test_only_what_changed_is_fetched_again_and_what_was_changed_here_is_kept(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    pull(to, "team/a3-rl-one", "--yes")
    run.commit("more", {"logs/train_1.out": LOG + b"more\n", "README.md": b"new card\n", "logs/train_2.out": b"two\n"})
    (to / "a3-rl-one" / "README.md").write_text("my notes\n")
    hub.asked.clear()
    capsys.readouterr()
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    said = capsys.readouterr().out
    assert "was changed here and is kept" in said
    assert "README.md" in said
    assert fetched(to)["README.md"] == b"my notes\n"
    assert fetched(to)["logs/train_1.out"] == LOG + b"more\n"
    assert fetched(to)["logs/train_2.out"] == b"two\n"
    assert hub.count(r"^GET .*/resolve/") == 2


def test_of_an_owner_what_matches_comes_over_several_pages(tmp_path, hub, capsys):
    for number in range(5):
        hub.add(Repo("model", f"team/a3-rl-{number}")).commit("run", {"log.jsonl": b"{}\n"})
    hub.add(Repo("model", "team/other")).commit("run", {"log.jsonl": b"{}\n"})
    hub.add(Repo("model", "else/a3-rl-9")).commit("run", {"log.jsonl": b"{}\n"})
    to = tmp_path / "runs"
    assert pull(to, "team", "--match", "a3-rl-*", "--yes") == 0
    assert sorted(path.name for path in to.iterdir()) == [".sitegen-pull", *(f"a3-rl-{n}" for n in range(5))]
    assert pull(to, "team", "--match", "b*", "--yes") == 1
    assert "nothing matches 'b*'; there are team/a3-rl-0" in capsys.readouterr().err
    assert pull(to, "nobody", "--yes") == 1
    assert "has no model repositories that you may see" in capsys.readouterr().err


def test_a_dry_run_lists_every_file_and_fetches_none(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    assert pull(to, "team/a3-rl-one", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "fetch  team/a3-rl-one/logs/train_1.out  28 kB" in said
    assert "model.safetensors" in said
    assert "Nothing was fetched" in said
    assert not to.exists()
    assert hub.count("/resolve/") == 0


def test_nobody_to_ask_is_told_and_nothing_is_fetched(tmp_path, hub, run, capsys, monkeypatch):
    to = tmp_path / "runs"
    assert pull(to, "team/a3-rl-one") == 1
    assert "say --yes" in capsys.readouterr().err
    assert not to.exists()


def test_large_files_are_left_out_and_told(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    assert pull(to, "team/a3-rl-one", "--yes", "--max-file-size", "20 kB") == 0
    assert (
        "larger than 20 kB; raise --max-file-size to fetch it: 1 (28 kB): logs/train_1.out" in capsys.readouterr().out
    )
    assert "logs/train_1.out" not in fetched(to)
    assert pull(to, "x", "--max-file-size", "much") == 2


def test_a_file_that_was_cut_off_is_fetched_whole_and_the_others_not_again(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    hub.cut = 20_000
    assert pull(to, "team/a3-rl-one", "--yes") == 1
    assert "logs/train_1.out: the connection failed; run the same command again" in capsys.readouterr().err
    assert "logs/train_1.out" not in fetched(to)
    hub.cut, hub.sent = None, 0
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    assert fetched(to) == {name: RUN[name] for name in WANTED}
    missing = ("logs/train_1.out", "rl_config.yaml", "training_logs/20260101_000000_metrics_table.csv")
    assert hub.sent == sum(len(RUN[name]) for name in missing)


def test_a_pull_that_lost_the_hub_goes_on_with_what_is_missing(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    hub.fault = lambda request: DROP if "/resolve/" in request and "rl_config" in request else None
    assert pull(to, "team/a3-rl-one", "--yes") == 1
    printed = capsys.readouterr()
    said = printed.err
    assert "what could be fetched; what could not is said below" in printed.out
    assert len(said.splitlines()) == 1
    assert "team/a3-rl-one/rl_config.yaml: the connection failed; run the same command again" in said
    assert set(fetched(to)) == {"README.md", "config.json", "logs/train_1.out"}
    hub.fault = lambda request: None
    hub.asked.clear()
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    assert fetched(to) == {name: RUN[name] for name in WANTED}
    assert hub.count("^GET .*/resolve/.*(README|train_1)") == 0


def test_repositories_that_are_gone_or_gated_are_told_and_the_others_come(tmp_path, hub, run, capsys):
    hub.add(Repo("model", "team/gated", private=False, gated=True)).commit("run", {"log.jsonl": b"{}\n"})
    to = tmp_path / "runs"
    assert pull(to, "team/gone", "team/gated", "team/a3-rl-one", "--yes") == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert said[0].startswith("sitegen: team/gone: there is no such repository")
    assert said[1].startswith("sitegen: team/gated: is gated; ask for access on its page")
    assert fetched(to) == {name: RUN[name] for name in WANTED}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "team/a3-rl-one"),
        (403, "may not do this"),
        (404, "no such repository"),
        (429, "too many"),
        (500, "trouble"),
    ],
)
def test_a_refusal_is_one_line_without_the_token(tmp_path, hub, run, capsys, status, said):
    hub.fault = lambda request: status if "/tree/" in request else None
    assert pull(tmp_path / "runs", "team/a3-rl-one", "--yes") == 1
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 1
    assert said in printed.err
    assert TOKEN not in printed.out + printed.err


def test_a_file_that_is_not_what_was_listed_is_not_taken(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"

    def swapped(request):
        if request.startswith("GET") and "/resolve/" in request and "train_1" in request:
            run.files["logs/train_1.out"] = b"X" * len(LOG)

    hub.fault = swapped
    assert pull(to, "team/a3-rl-one", "--yes") == 1
    assert "is not what the hub listed" in capsys.readouterr().err
    assert "logs/train_1.out" not in fetched(to)


def test_two_at_once_do_not_mix(tmp_path, hub, run, capsys):
    to = tmp_path / "runs"
    (to / ".sitegen-pull").mkdir(parents=True)
    holder = exchange.held(to / ".sitegen-pull" / "lock")
    assert holder is not None
    with holder:
        assert pull(to, "team/a3-rl-one", "--yes") == 1
        assert "somebody else is fetching into it" in capsys.readouterr().err
        assert not (to / "a3-rl-one").exists()
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    assert [path.name for path in (to / ".sitegen-pull").iterdir()] == ["state.json"]


@pytest.mark.parametrize("taken", [".sitegen-pull/state.json", "a3-rl-one/config.json/x", ".sitegen-pull/lock/x"])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path, hub, run, capsys, taken):
    to = tmp_path / "runs"
    (to / taken).mkdir(parents=True)
    code = pull(to, "team/a3-rl-one", "--yes")
    said = capsys.readouterr()
    if "config" in taken:
        assert code == 0
        assert "a link or something else is in its place" in said.out
    else:
        assert code == 1
        assert len(said.err.splitlines()) == 1
        assert "cannot be written: Is a directory" in said.err


def test_a_token_that_cannot_be_one_is_told_and_not_shown(tmp_path, hub, run, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_ünbelievable")
    assert pull(tmp_path / "runs", "team/a3-rl-one", "--yes") == 1
    said = capsys.readouterr().err
    assert "your token has a character that no token has" in said
    assert "nbelievable" not in said


def test_nothing_is_written_through_a_link(tmp_path, hub, run, capsys):
    to, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (to / "a3-rl-one").mkdir(parents=True)
    (to / "a3-rl-one" / "logs").symlink_to(elsewhere)
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    assert "a link or something else is in its place" in capsys.readouterr().out
    assert list(elsewhere.iterdir()) == []


def test_repositories_of_one_name_do_not_mix(tmp_path, hub, run, capsys):
    hub.add(Repo("model", "other/A3-RL-One")).commit("run", {"log.jsonl": b"{}\n"})
    to = tmp_path / "runs"
    assert pull(to, "team/a3-rl-one", "--yes") == 0
    assert pull(to, "other/A3-RL-One", "--yes") == 1
    assert "its folder A3-RL-One is already that of team/a3-rl-one" in capsys.readouterr().err
    assert fetched(to) == {name: RUN[name] for name in WANTED}


def test_a_dataset_comes_too_and_a_site_in_it_stays(tmp_path, hub, capsys):
    data = hub.add(Repo("dataset", "team/logs"))
    data.commit(
        "run", {"a/log.jsonl": b"{}\n", "site/.sitegen-manifest.json": b"{}", "site/runs/a/x_metrics.csv": b"1\n"}
    )
    assert pull(tmp_path / "runs", "team/logs", "--repo-type", "dataset", "--yes") == 0
    assert fetched(tmp_path / "runs", "logs") == {"a/log.jsonl": b"{}\n"}
    assert "part of a published site" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "a/b/c", "..", "team/..", "team/.hidden", "../team"])
def test_names_that_are_none_are_refused(tmp_path, hub, capsys, name):
    assert pull(tmp_path / "runs", name, "--yes") == 1
    assert "give ORG or ORG/NAME" in capsys.readouterr().err


def test_what_is_no_archive_is_refused(tmp_path, hub, capsys):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / ".sitegen-manifest.json").write_text("{}")
    assert pull(tmp_path / "site", "team", "--yes") == 1
    assert "is a site" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert pull(tmp_path / "file", "team", "--yes") == 2


def test_public_runs_come_without_a_token(tmp_path, hub, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    hub.add(Repo("model", "team/open", private=False)).commit("run", {"log.jsonl": b"{}\n"})
    assert pull(tmp_path / "runs", "team", "--yes") == 0
    assert fetched(tmp_path / "runs", "open") == {"log.jsonl": b"{}\n"}


def test_no_token_is_remembered(tmp_path, hub, run):
    pull(tmp_path / "runs", "team/a3-rl-one", "--yes")
    assert TOKEN.encode() not in b"".join(contents(tmp_path).values())
    state = json.loads((tmp_path / "runs" / ".sitegen-pull" / "state.json").read_bytes())
    assert state["repos"]["team/a3-rl-one"]["README.md"] == git_id(RUN["README.md"])


def remote(*paths: str) -> list[RemoteFile]:
    return [RemoteFile(path=path, size=1, id="0") for path in paths]


@pytest.mark.parametrize(
    "path",
    [
        *("../up.log", "/etc/run.log", "a/../../b.log", "a//b.log", "C:\\x.log", "c:/x.log", "a\\b.log", "a\x00.log"),
        *("a\x1b[2J.log", ".git/hooks/x.log", ".sitegen-pull/state.log", "a/.hidden.log", "x" * 300 + ".log"),
        "a\u202egol.log",
    ],
)
def test_paths_that_leave_the_folder_or_hide_are_refused(path):
    wanted, skipped = choose(remote(path), 10)
    assert wanted == ()
    assert [item.path for item in skipped] == [path]


@pytest.mark.parametrize(
    ("first", "other"), [("logs/A.log", "logs/a.log"), ("É.log", "e\u0301.log"), ("x.log", "x.log/y.log")]
)
def test_names_that_meet_when_case_is_ignored_are_refused(first, other):
    wanted, skipped = choose(remote(first, other), 10)
    assert len(wanted) == 1
    assert len(skipped) == 1
    assert wanted[0].path in skipped[0].reason.en


@given(st.lists(st.text(min_size=1, max_size=12), max_size=8, unique=True), st.sampled_from([".log", "/x.csv", ".bin"]))
def test_every_file_is_fetched_or_told_and_none_leaves_its_folder(names, ending):
    files = remote(*(name + ending for name in names))
    wanted, skipped = choose(files, 10)
    assert sorted([item.path for item in (*wanted, *skipped)]) == sorted(file.path for file in files)
    for item in wanted:
        place = Path("/root/folder") / item.path
        assert place.is_relative_to("/root/folder")
        assert ".." not in place.parts
        assert not item.path.endswith(".bin")


def test_what_makes_a_run_is_what_readers_say():
    assert is_evidence("logs/train_1.out")
    assert not is_evidence("README.md")
