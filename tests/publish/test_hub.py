"""`publish hf`: a stand-in of the hub gets the site, twice, cut off in the middle, and with every refusal."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
import yaml

from sitegen import cli
from sitegen.publish import hub as hub_module
from sitegen.write import MANIFEST
from tests.publish.hub_stand_in import DROP, TOKEN, Repo
from tests.publish.sites import page, put_site, site_files
from tests.small_archive import contents

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


@pytest.fixture
def site(tmp_path):
    return put_site(tmp_path / "site", {**site_files(), "runs/one/card/og.png": PICTURE})


@pytest.fixture(autouse=True)
def _token_is_never_printed(capsys, monkeypatch):
    real, said = capsys.readouterr, []

    def read():
        found = real()
        said.append(found.out + found.err)
        return found

    monkeypatch.setattr(capsys, "readouterr", read)
    yield
    read()
    assert TOKEN not in "".join(said)


def publish(site, *options, repo="team/runs", lang="en"):
    return cli.run(["--lang", lang, "publish", "hf", repo, "--site", str(site), *options])


def run_page(*links):
    anchors = "".join(f'<a href="{link}" target="_blank" rel="noopener noreferrer">Model</a>' for link in links)
    return page("en", "run").replace(b"</body>", anchors.encode() + b"</body>")


def test_a_space_is_made_private_and_the_second_time_there_is_no_commit(site, hub, capsys):
    assert publish(site) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "does not exist yet and is made, private" in said.out
    assert f"Space: {hub.url}/spaces/team/runs" in said.out
    assert "Site: https://team-runs.static.hf.space/index.html" in said.out
    space = hub.repos["space", "team/runs"]
    assert space.visibility == "private"
    lying = {name: content for name, content in space.files.items() if name not in ("README.md", MANIFEST)}
    expected = {name: content for name, content in contents(site).items() if name != MANIFEST}
    assert lying == {**expected, ".gitattributes": space.files[".gitattributes"]}
    assert json.loads(space.files[MANIFEST])["files"].keys() == {*expected, "README.md"}
    before = list(space.messages)
    assert publish(site, lang="zh") == 0
    said = capsys.readouterr().out
    assert "无需操作" in said
    assert "站点：https://team-runs.static.hf.space/index.html" in said
    assert space.messages == before


def test_the_front_matter_is_what_a_space_needs_and_links_the_models(site, hub):
    links = (
        "https://huggingface.co/team/model-8b",
        "https://huggingface.co/datasets/team/tasks",
        "https://huggingface.co/a/b/c",
    )
    put_site(site, {**site_files(), "runs/one/index.html": run_page(*links)})
    assert publish(site, "--public", "--model", "other/base") == 0
    space = hub.repos["space", "team/runs"]
    assert space.visibility == "public"
    _, front, text = space.files["README.md"].decode().split("---\n", 2)
    found = yaml.safe_load(front)
    assert found["title"] == "Our runs"
    assert (found["sdk"], found["app_file"], found["pinned"]) == ("static", "index.html", False)
    assert found["models"] == ["other/base", "team/model-8b"]
    assert len(found["short_description"]) <= 60
    assert "运行" in text


def test_only_what_changed_is_sent_and_what_the_site_lost_goes(site, hub, capsys):
    publish(site)
    space = hub.repos["space", "team/runs"]
    space.commit("by hand", {"notes.txt": b"of somebody else"})
    files = {**site_files("first"), "index.html": page("en", "second"), "runs/one/more.csv": b"a,b\n"}
    put_site(site, files)
    capsys.readouterr()
    hub.asked.clear()
    assert publish(site) == 0
    assert "To add: 1 files" in capsys.readouterr().out
    assert space.messages[-1] == "Publish the site: 2 files sent, 1 removed"
    assert "runs/one/card/og.png" not in space.files
    assert space.files["notes.txt"] == b"of somebody else"
    assert space.files["index.html"] == files["index.html"]
    assert hub.count("^PUT ") == 0


def test_a_dry_run_lists_changes_and_touches_nothing(site, hub, capsys):
    assert publish(site, "--dry-run") == 0
    said = capsys.readouterr().out
    assert f"added    runs/one/card/og.png  {len(PICTURE) / 1000:.2f} kB" in said
    assert "added    README.md" in said
    assert hub.repos == {}
    publish(site)
    put_site(site, site_files("second"))
    before = dict(hub.repos["space", "team/runs"].files)
    hub.asked.clear()
    assert publish(site, "--dry-run") == 0
    said = capsys.readouterr().out
    assert "changed  index.html" in said
    assert "removed  runs/one/card/og.png" in said
    assert hub.repos["space", "team/runs"].files == before
    assert hub.count("^(POST|PUT)") == 0


@pytest.mark.parametrize(
    ("files", "commits"),
    [({"index.html": b"mine", "README.md": b""}, 2), ({"app.py": b"mine"}, 1)],
    ids=["a changed new Space", "an app"],
)
def test_a_space_that_is_not_ours_is_refused(site, hub, capsys, files, commits):
    space = hub.add(Repo("space", "team/runs"))
    for _ in range(commits):
        space.commit("by hand", files)
    assert publish(site) == 1
    said = capsys.readouterr().err
    assert "was not published by sitegen" in said
    assert "give the name of a new Space" in said
    assert space.files == files


def test_a_space_that_was_made_but_never_filled_is_taken(site, hub):
    hub.fault = lambda request: DROP if "/preupload/" in request else None
    assert publish(site) == 1
    space = hub.repos["space", "team/runs"]
    assert space.messages == ["initial commit"]
    hub.fault = lambda request: None
    assert publish(site) == 0
    assert "style.css" not in space.files
    assert space.files["index.html"] == site_files()["index.html"]


def test_many_files_come_in_several_commits_and_a_cut_is_continued(site, hub, monkeypatch, capsys):
    monkeypatch.setattr(hub_module, "FILES_PER_COMMIT", 4)
    publish(site)
    space = hub.repos["space", "team/runs"]
    assert len(space.messages) == 4
    put_site(site, {**site_files("second"), **{f"runs/one/{n}.csv": b"%d\n" % n for n in range(8)}})
    done = []

    def third_commit(request):
        if "/commit/" in request:
            done.append(request)
        return DROP if "/commit/" in request and len(done) == 3 else None

    hub.fault = third_commit
    capsys.readouterr()
    assert publish(site) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "the connection failed; run the same command again; 8 of 12 files were sent and are not sent again" in said
    half = dict(space.files)
    assert half["index.html"] == site_files("first")["index.html"]
    assert half["runs/one/7.csv"] == b"7\n"
    hub.fault = lambda request: None
    assert publish(site) == 0
    assert "To add: 0 files (0 B); to change: 4" in capsys.readouterr().out
    assert json.loads(space.files[MANIFEST])["files"].keys() == space.files.keys() - {MANIFEST, ".gitattributes"}
    assert "runs/one/card/og.png" not in space.files
    before = list(space.messages)
    assert publish(site) == 0
    assert space.messages == before


def test_a_readme_that_somebody_changed_is_kept(site, hub, capsys):
    publish(site)
    space = hub.repos["space", "team/runs"]
    space.commit("by hand", {"README.md": b"---\ntitle: Mine\nsdk: static\n---\n"})
    for text in ("second", "third"):
        put_site(site, site_files(text))
        capsys.readouterr()
        assert publish(site) == 0
        assert "was changed there and is kept as it is" in capsys.readouterr().out
    assert space.files["README.md"].startswith(b"---\ntitle: Mine")
    before = list(space.messages)
    assert publish(site) == 0
    assert space.messages == before


def test_a_folder_of_a_model_gets_the_site_and_nothing_else_is_touched(site, hub, capsys):
    model = hub.add(Repo("model", "team/model-8b", private=False))
    model.commit("weights", {"README.md": b"card", "model.safetensors": b"weights", "training_args.bin": b"x"})
    options = ("--repo-type", "model", "--path-in-repo", "/training/")
    assert publish(site, *options, repo="team/model-8b") == 0
    said = capsys.readouterr().out
    assert "is visible to everybody" in said
    assert f"Folder: {hub.url}/team/model-8b/tree/main/training" in said
    inside = {
        name.removeprefix("training/"): text for name, text in model.files.items() if name.startswith("training/")
    }
    assert inside == contents(site)
    assert model.files["README.md"] == b"card"
    before = list(model.messages)
    assert publish(site, *options, repo="team/model-8b") == 0
    assert model.messages == before
    put_site(site, site_files("second"))
    model.commit("by hand", {"training/notes.txt": b"mine"})
    assert publish(site, *options, repo="team/model-8b") == 0
    assert model.files["training/notes.txt"] == b"mine"
    assert "training/runs/one/card/og.png" not in model.files


def test_a_folder_that_is_not_ours_is_refused(site, hub, capsys):
    model = hub.add(Repo("model", "team/model-8b"))
    model.commit("weights", {"training/args.json": b"{}"})
    assert publish(site, "--repo-type", "model", "--path-in-repo", "training", repo="team/model-8b") == 1
    assert "give another folder with --path-in-repo" in capsys.readouterr().err
    assert model.files == {"training/args.json": b"{}"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--repo-type", "model"), "needs a folder"),
        (("--repo-type", "dataset", "--path-in-repo", "a/../b"), "no folder inside"),
        (("--path-in-repo", "training"), "leave --path-in-repo out"),
        (("--repo-type", "model", "--path-in-repo", "training"), "there is no such repository"),
    ],
)
def test_places_that_cannot_be_are_refused(site, hub, capsys, options, said):
    assert publish(site, *options) == 1
    assert said in capsys.readouterr().err
    assert hub.repos == {}


@pytest.mark.parametrize("name", ["runs with spaces", "a/b/c", "../x", ""])
def test_a_name_that_is_none_is_refused_in_one_line(site, hub, capsys, name):
    assert publish(site, repo=name) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "the hub does not accept your token"),
        (402, "a paid plan"),
        (403, "your token may not do this"),
        (404, "no such repository"),
        (409, "another change is being made there"),
        (412, "somebody else has changed it meanwhile"),
        (429, "too many requests"),
        (500, "the hub is in trouble"),
        (503, "the hub is in trouble"),
        (DROP, "the connection failed"),
    ],
)
@pytest.mark.parametrize("where", ["POST /api/repos/create", "/commit/"])
def test_a_refusal_says_what_happened_and_the_next_run_succeeds(site, hub, capsys, status, said, where):
    hub.fault = lambda request: status if where in request else None
    assert publish(site) == 1
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert said in error
    assert TOKEN not in error
    hub.fault = lambda request: None
    assert publish(site) == 0
    assert MANIFEST in hub.repos["space", "team/runs"].files


def test_a_picture_that_is_not_taken_is_told(site, hub, capsys):
    hub.fault = lambda request: 403 if request.startswith("PUT") else None
    assert publish(site) == 1
    assert "your token may not do this" in capsys.readouterr().err


@pytest.mark.parametrize("part", [5_000_000_000, 4_000], ids=["whole", "in parts"])
def test_large_files_come_by_lfs_and_are_verified(site, hub, part, capsys):
    hub.large_from, hub.part = 10_000, part
    table = b"step,reward\n" + b"1,0.25\n" * 2000
    put_site(site, {**site_files(), "runs/one/data/steps.csv": table, "runs/one/card/og.png": PICTURE})
    assert publish(site) == 0
    space = hub.repos["space", "team/runs"]
    assert space.files["runs/one/data/steps.csv"] == table
    sent = {hashlib.sha256(content).hexdigest() for content in (table, PICTURE)}
    assert hub.large.keys() == hub.verified == sent
    parts = -(-len(table) // part) if part < len(table) else 0
    assert hub.count("^PUT /lfs/.*/[0-9]+$") == parts
    before = list(space.messages)
    hub.asked.clear()
    assert publish(site) == 0
    assert space.messages == before
    put_site(site, {**site_files("second"), "runs/one/data/again.csv": table, "runs/one/card/og.png": PICTURE})
    assert publish(site) == 0
    assert space.files["runs/one/data/again.csv"] == table
    assert hub.count("^PUT ") == 0, "what the hub has under another name is not sent again"


def test_an_upload_that_was_cut_off_between_its_parts_is_made_again(site, hub, capsys):
    hub.large_from, hub.part = 10_000, 4_000
    table = bytes(range(256)) * 60
    put_site(site, {**site_files(), "runs/one/data/steps.bin": table})
    hub.fault = lambda request: DROP if re.fullmatch("PUT /lfs/.*/3", request) else None
    assert publish(site) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "the connection failed; run the same command again" in said
    assert hub.large == {}
    hub.fault = lambda request: None
    assert publish(site) == 0
    assert hub.repos["space", "team/runs"].files["runs/one/data/steps.bin"] == table


def test_what_the_hub_s_newer_storage_refuses_is_told_as_a_refusal(site, hub, monkeypatch, tmp_path, capsys):
    from huggingface_hub import constants

    monkeypatch.setenv("HF_XET_CACHE", str(tmp_path / "xet"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    hub.fault = lambda request: 403 if "xet-write-token" in request else None
    assert publish(site) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "your token may not do this" in said
    assert hub.count("xet-write-token") == 1


def test_a_token_that_the_hub_does_not_know_is_told_before_anything_is_made(site, hub, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_AnotherTokenThatIsNotKnown")
    assert publish(site, "--dry-run") == 1
    said = capsys.readouterr()
    assert "does not accept your token" in said.err
    assert "hf_Another" not in said.out + said.err
    monkeypatch.delenv("HF_TOKEN")
    assert publish(site) == 1
    assert "set HF_TOKEN, or log in with: hf auth login" in capsys.readouterr().err
    assert hub.repos == {}


def test_whoever_publishes_meanwhile_is_not_overwritten(site, hub, capsys):
    publish(site)
    space = hub.repos["space", "team/runs"]
    put_site(site, site_files("second"))
    hub.fault = lambda request: space.commit("meanwhile", {"other": b""}) if "/preupload/" in request else None
    assert publish(site) == 1
    assert "somebody else has changed it meanwhile" in capsys.readouterr().err
    assert space.messages[-1] == "meanwhile"


def test_files_that_a_gitignore_leaves_out_are_told(site, hub, capsys):
    model = hub.add(Repo("model", "team/model-8b", ignored=".js"))
    model.commit("weights", {"README.md": b"card"})
    assert publish(site, "--repo-type", "model", "--path-in-repo", "training", repo="team/model-8b") == 1
    said = capsys.readouterr().err
    assert "assets/site.0123456789.js: did not arrive; a .gitignore there" in said


def test_nothing_leaves_when_the_preflight_finds_an_error(site, hub, capsys):
    put_site(site, {**site_files(), "runs/one/run.json": b'{"token": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"}'})
    assert publish(site) == 1
    assert hub.count("^POST") == 0
