"""Which folders are runs, which files are whose, and what address a run gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.errors import SettingsError
from sitegen.model.run import ReadResult, RunFolder, SourceFile
from sitegen.readers.base import Reader
from sitegen.scan import ScanResult, addresses, claimant, scan_archive, settings_file, slug_of, with_heads
from sitegen.settings import RunSettings, SiteSettings, is_address
from sitegen.text import same


def reader(
    name: str, *names: str, evidence: bool = True, mark: bytes = b"", bundle: bool = False, trace: bool = False
) -> Reader:
    return Reader(
        name=name,
        title=same(name),
        names=names,
        sniff=lambda source: source.bundled or mark in source.head,
        read=lambda source: ReadResult(reader=name, source=source.path, precedence=0),
        evidence=evidence,
        precedence=0,
        version=1,
        bundle=bundle,
        trace=trace,
    )


READERS = (
    reader("table", "*metrics.csv"),
    reader("log", "*.out", "*.log", mark=b"step"),
    reader("card", "readme.md", evidence=False),
    reader("config", "*_config.json", evidence=False, trace=True),
    reader("trials", "result.json", mark=b"trial_name", bundle=True),
    reader("everything", "*.safetensors", evidence=False),
)


def make(root: Path, *paths: str, text: str = "step 1\n") -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def scan(root: Path, output: Path | None = None, **site: tuple[str, ...]) -> ScanResult:
    return scan_archive(root, SiteSettings(**site), output=output, readers=READERS)  # type: ignore[arg-type]


def listing(result: ScanResult) -> dict[str, list[str]]:
    return {run.path: [file.path for file in run.files] for run in result.runs}


def kinds(result: ScanResult) -> list[str]:
    return [problem.kind for problem in result.problems] + [p.kind for run in result.runs for p in run.problems]


def test_runs_are_found_by_their_own_files_and_by_logs_and_traces(tmp_path: Path) -> None:
    make(
        tmp_path,
        "team/a/metrics.csv",
        "team/b/training_logs/x.log",
        "c/logs/x_1.out",
        "f/wandb/run-20250101_000000-abc/files/wandb-metadata.json",
        "run-20250101_000000-abc/files/wandb-metadata.json",
        "readme-only/README.md",
        "config-only/my_config.json",
    )
    make(tmp_path, "d/trace_jobs/job/task__abcdefg/result.json", text='{"trial_name": 1}')
    make(tmp_path, "e/e/trace_jobs/job/task__abcdefg/result.json", text='{"trial_name": 1}')
    found = scan(tmp_path)
    assert [run.path for run in found.runs] == ["c", "d", "e", "f", "run-20250101_000000-abc", "team/a", "team/b"]
    assert [run.name for run in found.runs][-2:] == ["a", "b"]
    assert [(item.kind, item.path) for item in found.problems] == [("scan.no-evidence", "config-only")]


def test_a_folder_with_traces_of_a_run_and_no_evidence_is_named(tmp_path: Path) -> None:
    make(
        tmp_path,
        "top_config.json",
        "a/x_config.json",
        "b/exports/global_step_5/policy/my_config.json",
        "b/exports/global_step_6/policy/my_config.json",
        "shared/y_config.json",
        "shared/run1/x.out",
        "declared/z_config.json",
        "card/README.md",
    )
    make(tmp_path, "declared/run.toml", text="")
    found = scan(tmp_path)
    assert [run.path for run in found.runs] == ["declared", "shared/run1"]
    told = {item.path: item.what.en for item in found.problems}
    assert set(told) == {"a", "b"}
    assert "(x_config.json)" in told["a"]
    assert {item.kind for item in found.problems} == {"scan.no-evidence"}


def test_an_archive_that_is_a_folder_without_evidence_is_named(tmp_path: Path) -> None:
    make(tmp_path, *(f"{letter}_config.json" for letter in "abcd"), "run.sh", "README.md")
    make(tmp_path, "cluster.yaml", text="kind: RayCluster\napiVersion: ray.io/v1\n")
    bare, *unread = scan(tmp_path).problems
    assert (bare.kind, bare.path) == ("scan.no-evidence", ".")
    assert "(a_config.json, b_config.json, c_config.json, …)" in bare.what.en
    said = "Files not read: 1 (run.sh). Reason: code or launch script; settings are read from configuration files."
    assert (unread[-1].kind, unread[-1].path, unread[-1].what.en) == ("scan.unread", ".", said)


def test_the_archive_may_itself_be_a_run(tmp_path: Path) -> None:
    make(tmp_path / "my run", "logs/x.out", "README.md", "deep/er/notes.txt")
    (run,) = scan(tmp_path / "my run").runs
    assert (run.path, run.name) == (".", "my run")
    assert [file.path for file in run.files] == ["README.md", "deep/er/notes.txt", "logs/x.out"]


def test_the_outermost_match_owns_its_subtree_unless_an_inner_folder_declares_itself(tmp_path: Path) -> None:
    make(tmp_path, "a/metrics.csv", "a/inner/metrics.csv", "a/own/metrics.csv", "a/own/deep/own2/x.txt")
    make(tmp_path, "a/own/run.toml", "a/own/deep/own2/run.toml", text="")
    found = scan(tmp_path)
    assert listing(found) == {
        "a": ["a/inner/metrics.csv", "a/metrics.csv"],
        "a/own": ["a/own/metrics.csv", "a/own/run.toml"],
        "a/own/deep/own2": ["a/own/deep/own2/run.toml", "a/own/deep/own2/x.txt"],
    }
    assert settings_file(found.runs[0]) is None
    assert settings_file(found.runs[1]) == tmp_path / "a/own/run.toml"


def test_depth_six_is_searched_and_seven_is_named(tmp_path: Path) -> None:
    make(tmp_path, "1/2/3/4/5/6/metrics.csv", "a/b/c/d/e/f/g/metrics.csv")
    found = scan(tmp_path)
    assert [run.path for run in found.runs] == ["1/2/3/4/5/6"]
    assert [(p.kind, "a/b/c/d/e/f" in p.what.en) for p in found.problems] == [("scan.too-deep", True)]


def test_logs_of_several_runs_in_one_folder(tmp_path: Path) -> None:
    make(
        tmp_path,
        "exp/logs/alpha_101.out",
        "exp/logs/alpha_102.out",
        "exp/logs/alpha_2_103.out",
        "exp/logs/beta_104.out",
        "exp/alpha/latest_ckpt_global_step.txt",
        "exp/alpha_2/trace_jobs/x.txt",
        "exp/beta_rl_config.json",
        "exp/README.md",
    )
    found = scan(tmp_path)
    assert listing(found) == {
        "exp/alpha": [
            "exp/README.md",
            "exp/alpha/latest_ckpt_global_step.txt",
            "exp/logs/alpha_101.out",
            "exp/logs/alpha_102.out",
        ],
        "exp/alpha_2": ["exp/README.md", "exp/alpha_2/trace_jobs/x.txt", "exp/logs/alpha_2_103.out"],
        "exp/beta": ["exp/README.md", "exp/beta_rl_config.json", "exp/logs/beta_104.out"],
    }
    assert found.runs[0].location == tmp_path / "exp/alpha"


def test_evidence_that_names_no_run_of_a_shared_folder_is_not_lost(tmp_path: Path) -> None:
    make(tmp_path, "exp/logs/alpha_1.out", "exp/logs/beta_2.out", "exp/metrics.csv")
    found = scan(tmp_path)
    assert listing(found) == {
        "exp": ["exp/metrics.csv"],
        "exp/alpha": ["exp/logs/alpha_1.out"],
        "exp/beta": ["exp/logs/beta_2.out"],
    }
    assert kinds(found) == ["scan.shared-evidence"]


def test_a_declared_folder_next_to_the_logs_of_its_name_is_the_same_run(tmp_path: Path) -> None:
    make(tmp_path, "exp/logs/alpha_1.out", "exp/alpha/checkpoints/x.txt")
    make(tmp_path, "exp/alpha/run.toml", text="")
    found = scan(tmp_path)
    assert listing(found) == {
        "exp/alpha": ["exp/alpha/checkpoints/x.txt", "exp/alpha/run.toml", "exp/logs/alpha_1.out"]
    }
    assert settings_file(found.runs[0]) == tmp_path / "exp/alpha/run.toml"


def test_run_toml_keeps_differently_named_logs_together(tmp_path: Path) -> None:
    make(tmp_path, "exp/logs/alpha_1.out", "exp/logs/beta_2.out")
    make(tmp_path, "exp/run.toml", text="")
    assert [run.path for run in scan(tmp_path).runs] == ["exp"]


def test_logs_that_no_reader_claims_do_not_split_a_run(tmp_path: Path) -> None:
    make(tmp_path, "exp/metrics.csv", "exp/alpha_1.out")
    make(tmp_path, "exp/beta_2.out", text="nothing of ours")
    assert [run.path for run in scan(tmp_path).runs] == ["exp"]


def test_hidden_folders_and_our_own_output_are_skipped(tmp_path: Path) -> None:
    make(tmp_path, "a/metrics.csv", ".git/metrics.csv", "a/.cache/metrics.csv", "site/x/metrics.csv", "out/metrics.csv")
    make(tmp_path, "site/.sitegen-manifest.json", text="{}")
    assert listing(scan(tmp_path, output=tmp_path / "out")) == {"a": ["a/metrics.csv"]}
    found = scan(tmp_path / "site")
    assert (found.runs, kinds(found)) == ((), ["scan.own-output"])


def test_include_and_exclude(tmp_path: Path) -> None:
    make(tmp_path, "a/metrics.csv", "a/big/metrics.csv", "b/metrics.csv", "old/c/metrics.csv")
    assert listing(scan(tmp_path, exclude=("old", "*/big/"))) == {"a": ["a/metrics.csv"], "b": ["b/metrics.csv"]}
    assert [run.path for run in scan(tmp_path, include=("b", "old/*")).runs] == ["b", "old/c"]


def test_links_out_of_the_archive_and_loops_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "archive"
    make(root, "a/metrics.csv", "a/logs/real_1.out")
    make(tmp_path, "elsewhere/metrics.csv", "archive-two/metrics.csv")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "sibling").symlink_to(tmp_path / "archive-two")
    (root / "a/metrics_out.csv").symlink_to(tmp_path / "elsewhere/metrics.csv")
    (root / "a/loop").symlink_to(root / "a")
    (root / "a/up").symlink_to("..")
    (root / "a/self").symlink_to("self")
    (root / "a/gone.csv").symlink_to("nothing")
    (root / "a/latest.out").symlink_to("logs/real_1.out")
    found = scan(root)
    assert listing(found) == {"a": ["a/logs/real_1.out", "a/metrics.csv"]}
    assert sorted(kinds(found)) == ["scan.link-broken"] * 2 + ["scan.link-outside"] * 3
    assert [problem.path for problem in found.runs[0].problems] == ["a/gone.csv", "a/metrics_out.csv", "a/self"]


def test_links_to_what_is_not_read_under_its_own_name_are_followed_once(tmp_path: Path) -> None:
    make(tmp_path, ".store/logs/x_1.out", "blobs/8f3a", "hub/README.md")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/logs").symlink_to("../.store/logs")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/logs").symlink_to("../.store/logs")
    (tmp_path / ".store/logs/again").symlink_to(".")
    (tmp_path / "hub/metrics.csv").symlink_to("../blobs/8f3a")
    assert listing(scan(tmp_path)) == {
        "a": ["a/logs/x_1.out"],
        "hub": ["hub/README.md", "hub/metrics.csv"],
    }


def test_only_named_files_are_opened_and_weights_never(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a/metrics.csv", "a/model.safetensors", "a/notes.bin", "a/huge.dat")
    opened: list[str] = []
    real = open

    def watched(file: str, *args: object, **more: object) -> object:
        opened.append(Path(file).name)
        return real(file, *args, **more)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", watched)
    (run,) = scan(tmp_path).runs
    assert opened == ["metrics.csv"]
    assert {file.head for file in run.files} == {b""}  # let go, so that an archive's heads never add up
    assert {file.name: file.head for file in with_heads(run, READERS).files} == {
        "metrics.csv": b"step 1\n",
        "model.safetensors": b"",
        "notes.bin": b"",
        "huge.dat": b"",
    }


def test_special_files_are_not_opened(tmp_path: Path) -> None:
    make(tmp_path, "a/metrics.csv")
    os.mkfifo(tmp_path / "a/pipe_metrics.csv")
    os.mkfifo(tmp_path / "a/other.pipe")
    os.mkfifo(tmp_path / "run.toml")
    (tmp_path / "a/run.toml").mkdir()
    found = scan(tmp_path)
    assert listing(found) == {"a": ["a/metrics.csv"]}
    named = [(item.kind, item.path) for item in (*found.problems, *found.runs[0].problems)]
    assert named == [
        ("scan.not-a-file", "run.toml"),
        ("scan.not-a-file", "a/pipe_metrics.csv"),
        ("scan.not-a-file", "a/run.toml"),
    ]


def test_what_cannot_be_read_is_named_and_the_scan_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a/metrics.csv", "a/locked/metrics.csv", "a/locked.log", "shut/metrics.csv")
    scandir, real = os.scandir, open

    def guarded(path: str) -> object:
        if path.endswith(("a/locked", "shut")):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def locked(file: str, *args: object, **more: object) -> object:
        if str(file).endswith("locked.log"):
            raise PermissionError(13, "Permission denied")
        return real(file, *args, **more)  # type: ignore[call-overload]

    monkeypatch.setattr("os.scandir", guarded)
    monkeypatch.setattr("builtins.open", locked)
    found = scan(tmp_path)
    assert listing(found) == {"a": ["a/locked.log", "a/metrics.csv"]}
    assert [(p.kind, p.path) for p in found.runs[0].problems] == [
        ("scan.unreadable-folder", "a/locked"),
        ("scan.unreadable-file", "a/locked.log"),
    ]
    assert [(p.kind, p.path) for p in found.problems] == [("scan.unreadable-folder", "shut")]


def test_names_that_are_hostile_or_no_text(tmp_path: Path) -> None:
    hostile = "<\u2215script><img src=x onerror=alert(1)>"
    make(tmp_path, f"{hostile}/metrics.csv", "运行 一/metrics.csv", "tab\there/metrics.csv")
    make(tmp_path, "</script><img src=x onerror=alert(1)>/metrics.csv")
    raw = os.fsencode(tmp_path) + b"/bad\xffname"
    os.mkdir(raw)  # noqa: PTH102
    with open(raw + b"/\xfe_metrics.csv", "wb") as file:  # noqa: PTH123
        file.write(b"step")
    found = scan(tmp_path)
    assert sorted(run.name for run in found.runs) == sorted(
        [hostile, "script><img src=x onerror=alert(1)>", "运行 一", "tab\\x09here", "bad\\xffname"]
    )
    bad = next(run for run in found.runs if run.name.startswith("bad"))
    assert bad.files[0].path == "bad\\xffname/\\xfe_metrics.csv"
    assert bad.files[0].location.read_bytes() == b"step"
    slugs = addresses(found.runs, {}).slugs.values()
    assert all(is_address(slug) for slug in slugs)
    assert len(set(slugs)) == 5


def test_trials_of_a_job_come_as_one_source_and_the_rest_of_their_record_is_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = "r/trace_jobs/2025-01-01__12-00-00"
    for trial in ("t1__aaaaaaa", "t2__bbbbbbb"):
        make(tmp_path, f"{job}/{trial}/result.json", text='{"trial_name": 1}')
        make(tmp_path, f"{job}/{trial}/agent/trajectory.json", f"{job}/{trial}/run.log", f"{job}/{trial}/config.json")
    make(tmp_path, f"{job}/result.json", text='{"n_total_trials": 2}')
    opened, real = [], open

    def watched(file: str, *args: object, **more: object) -> object:
        opened.append(Path(file).relative_to(tmp_path).as_posix())
        return real(file, *args, **more)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", watched)
    (run,) = scan(tmp_path).runs
    assert set(opened) == {f"{job}/result.json"}  # those of the trials are for their reader to open, once
    assert [file.path for file in run.files] == [
        f"{job}/*/result.json",
        f"{job}/result.json",
    ]
    bundle, single = run.files
    assert bundle.members == ("t1__aaaaaaa/result.json", "t2__bbbbbbb/result.json")
    assert (bundle.location, bundle.name, bundle.size) == (tmp_path / job, "result.json", 34)
    assert [claimant(file, READERS) and claimant(file, READERS).name for file in (bundle, single)] == ["trials", None]  # type: ignore[union-attr]


def test_the_fingerprint_follows_the_content(tmp_path: Path) -> None:
    make(tmp_path, "a/metrics.csv")
    before = scan(tmp_path).runs[0].files[0]
    same_again = scan(tmp_path).runs[0].files[0]
    make(tmp_path, "a/metrics.csv", text="step 2\n")
    after = scan(tmp_path).runs[0].files[0]
    assert before.fingerprint == same_again.fingerprint != after.fingerprint
    assert before.size == after.size


def folder(path: str) -> RunFolder:
    return RunFolder(path=path, name=path.rsplit("/", 1)[-1], location=Path(), files=())


def test_addresses_are_lower_case_and_mark_what_is_lost() -> None:
    given = ("team/run-1", "mcqa-25-8B", "运行 一", "a/data", "x.html", "my run", ".")
    slugs = [slug_of(folder(path)) for path in given]
    assert slugs[:2] == ["team/run-1", "mcqa-25-8b"]
    for slug, start in zip(slugs[2:], ["run-", "a/data-", "x.html-", "my-run-", "run-"], strict=True):
        assert slug.startswith(start)
    assert len(slugs[5]) == len("my-run-") + 6


def test_names_that_case_alone_tells_apart_get_different_addresses() -> None:
    slugs = addresses([folder(path) for path in ("Run1", "run1", "Team/x", "team/x", "RUN2", "Run2")], {}).slugs
    assert (slugs["run1"], slugs["team/x"]) == ("run1", "team/x")
    assert len({slug.lower() for slug in slugs.values()}) == 6
    for path in ("Run1", "RUN2", "Run2"):
        assert slugs[path].startswith(path.lower() + "-")
    assert slugs["Team/x"].startswith("team-")


def test_the_hash_of_a_part_is_that_of_its_own_path() -> None:
    parent = slug_of(folder("运行"))
    assert slug_of(folder("运行/a")) == f"{parent}/a"
    assert slug_of(folder("x/运行")) != slug_of(folder("y/运行")).replace("y/", "x/")


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=12)
paths = st.lists(names.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=3).map("/".join)


@settings(deadline=None)
@given(st.sets(paths, min_size=1, max_size=8), paths)
def test_addresses_are_valid_distinct_and_move_only_when_case_alone_tells_them_apart(
    existing: set[str], added: str
) -> None:
    before = addresses([folder(path) for path in sorted(existing)], {}).slugs
    after = addresses([folder(path) for path in sorted(existing | {added})], {}).slugs
    assert all(is_address(slug) for slug in after.values())
    assert len(set(after.values())) == len(existing | {added})
    lowered = {"/".join(added.lower().split("/")[:end]) for end in range(1, added.count("/") + 2)}
    untouched = [
        path
        for path in existing
        if not lowered & {"/".join(path.lower().split("/")[:end]) for end in range(1, path.count("/") + 2)}
    ]
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}


def test_run_toml_fixes_the_address_and_clashes_are_named() -> None:
    runs = [folder("a"), folder("b"), folder("c")]
    found = addresses(runs, {"b": RunSettings(slug="a", aliases=("b",))})
    assert found.slugs["b"] == "a"
    assert found.slugs["a"].startswith("a-")
    assert found.slugs["c"] == "c"
    assert [p.kind for p in found.problems["a"]] == ["scan.address-taken"]
    with pytest.raises(SettingsError, match=r"b/run\.toml: the address 'x' is already that of a"):
        addresses(runs, {"a": RunSettings(slug="x"), "b": RunSettings(slug="x")})
    with pytest.raises(SettingsError, match=r"a/run\.toml: the address 'c' is already that of c"):
        addresses(runs, {"a": RunSettings(aliases=("c",))})


def test_a_bundle_reader_does_not_take_single_files() -> None:
    single = SourceFile(path="a/result.json", location=Path(), size=1, head=b"trial_name")
    assert claimant(single, READERS) is None
