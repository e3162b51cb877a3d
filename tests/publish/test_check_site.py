"""The preflight: a clean site has no finding, and each rule finds the one thing that was planted for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.cli import run
from sitegen.errors import SitegenError
from sitegen.privacy import mask_text
from sitegen.privacy.exposed import exposed
from sitegen.publish.check_site import TARGETS, HostFinding, check_site, to_json
from sitegen.publish.check_site_files import file_findings
from sitegen.publish.host_finding import Target
from sitegen.publish.site_tree import read_page, read_site
from sitegen.text import ui_strings

POLICY = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"

# Put together here so that no whole token stands in the repository.
HF = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
PLANTED = {
    "hub": HF,
    "glued": "TOKEN_" + HF,
    "openai": "sk-" + "proj-" + "a1B2c3D4-e5F6g7H8_i9J0k1L2m3N4",
    "anthropic": "sk-" + "ant-" + "api03-a1B2c3D4e5F6g7H8i9J0k1",
    "github": "ghp_" + "0123456789abcdefABCDEF0123456789abcd",
    "github-fine": "github_pat_" + "11ABCDEFG0123456789_abcdefghij",
    "gitlab": "glpat-" + "abcdefghij0123456789",
    "slack": "xoxb-" + "123456789012-abcdefghij",
    "aws": "AKIA" + "ABCDEFGHIJKLMNOP",
    "google": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "daytona": "dtn_" + "0123456789abcdef0123456789abcdef",
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "pem": "-----BEGIN RSA PRIVATE" + " KEY-----",
    "bearer": "Authorization: Bearer " + "abcdefghijklmnop1234",
    "assigned": "WANDB_API_KEY=" + "0123456789abcdef0123456789abcdef01234567",
    "assigned-json": '"api_key": "' + "0123456789abcdef0123456789abcdef" + '"',
    "login": "https://user:" + "pa55word@host.example/x",
    "signed": "https://host.example/x?a=1&X-Amz-Signature=" + "0123456789abcdef",
}

HARMLESS = (
    "commit 4f2b1a9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "assets/app.1a2b3c4d5e.js",
    "max_tokens: 4096, tokenizer: Qwen/Qwen3-8B, pad_token=<pad>",
    "task-1234567890abcdefghijklmnop",
    "git@github.com and vllm@0.11.2",
)


def page(body: str = "", *, lang: str = "en", head: str = POLICY) -> str:
    return f"<!doctype html><html lang={lang}><head><title>t</title>{head}</head><body>{body}</body></html>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for path, lang in (("index.html", "en"), ("runs/a/index.html", "en")):
        up = "../" * path.count("/")
        links = f'<h1 id="top-of-it">A</h1><a href="{up}index.html#top-of-it">x</a><a href="#runs=a,b">y</a>'
        outside = '<a href="https://example.org/" target="_blank">z</a><a href="mailto:?subject=x">m</a>'
        for prefix, tongue in (("", lang), ("zh/", "zh-CN")):
            target = folder / prefix / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(page(links + outside, lang=tongue))
    for name in (".nojekyll", "_headers"):
        (folder / name).write_text("")
    (folder / "404.html").write_text(page('<a href="../../runs/a/index.html">it is shown at any depth</a>'))
    return folder


def put(site: Path, path: str, text: str) -> None:
    (site / path).parent.mkdir(parents=True, exist_ok=True)
    (site / path).write_text(text)


def both(site: Path, path: str, body: str = "", **kwargs: str) -> None:
    put(site, path, page(body, **kwargs))
    put(site, f"zh/{path}", page(lang="zh-CN"))


def rules(found: tuple[HostFinding, ...]) -> set[tuple[str, str, str]]:
    return {(item.rule, item.severity, item.path) for item in found}


@pytest.mark.parametrize("target", TARGETS)
def test_a_clean_site_has_no_finding(site: Path, target: str) -> None:
    assert check_site(site, target) == ()


PAGE_RULES = {
    "directory": ('<a href="runs/a/">x</a>', {"hf": "error", "file": "error", "pages": "warning"}, "directory-link"),
    "directory-bare": ('<a href="runs/a">x</a>', {"netlify": "warning", "file": "error"}, "directory-link"),
    "dot": ('<a href="./">x</a>', {"hf": "error"}, "directory-link"),
    "root": ('<a href="/index.html">x</a>', {"hf": "error"}, "absolute-link"),
    "no-scheme": ('<a href="//example.org/x">x</a>', {"hf": "error"}, "absolute-link"),
    "localhost": ('<a href="http://localhost:8000/x" target="_blank">x</a>', {"hf": "error"}, "local-address"),
    "loopback": ('<img alt="" src="http://127.0.0.1/x.png">', {"file": "error"}, "local-address"),
    "disk": ('<a href="file:///x.html">x</a>', {"file": "error"}, "local-address"),
    "script": ('<script src="https://cdn.example/x.js"></script>', {"pages": "error"}, "third-party"),
    "picture": ('<img alt="" src="https://cdn.example/x.png">', {"pages": "error"}, "third-party"),
    "no-scheme-picture": ('<img alt="" src="//cdn.example/x.png">', {"pages": "error"}, "third-party"),
    "srcset": ('<img alt="" srcset="index.html 1x, https://cdn.example/x.png 2x">', {"hf": "error"}, "third-party"),
    "frame": ('<iframe title="x" src="https://cdn.example/"></iframe>', {"hf": "error"}, "third-party"),
    "style": ('<link rel="stylesheet" href="https://cdn.example/x.css">', {"hf": "error"}, "third-party"),
    "framed": ('<a href="https://example.org/">x</a>', {"hf": "warning"}, "framed-link"),
    "missing": ('<a href="gone.html">x</a>', {"file": "error"}, "broken-link"),
    "above": ('<a href="../../index.html">x</a>', {"file": "error"}, "broken-link"),
    "refresh": ('<meta http-equiv="refresh" content="0; url=gone.html">', {"file": "error"}, "broken-link"),
    "quoted": ('<a href="%E7%AB%99.html">x</a>', {"file": "error"}, "broken-link"),
    "anchor": ('<a href="index.html#gone">x</a>', {"file": "error"}, "broken-anchor"),
    "anchor-here": ('<a href="#gone">x</a>', {"file": "error"}, "broken-anchor"),
    "inline-script": ("<script>x()</script>", {"file": "error"}, "inline-script"),
    "inline-style": ('<p style="color:red">x</p>', {"file": "error"}, "inline-style"),
    "style-element": ("<style>p{}</style>", {"file": "error"}, "inline-style"),
    "handler": ('<p onclick="x()">x</p>', {"file": "error"}, "inline-handler"),
    "javascript": ('<a href="javascript:x()">x</a>', {"file": "error"}, "inline-handler"),
    "secret": (f"<p>{HF}</p>", {"file": "error"}, "secret"),
    "email": ("<p>someone@example.org</p>", {"file": "error"}, "email"),
    "home": ("<p>/home/someone/runs</p>", {"file": "error"}, "home"),
}


@pytest.mark.parametrize("name", PAGE_RULES)
def test_a_page_that_breaks_one_rule(site: Path, name: str) -> None:
    body, expected, rule = PAGE_RULES[name]
    both(site, "bad.html", body)
    for target, severity in expected.items():
        assert rules(check_site(site, target)) == {(rule, severity, "bad.html")}


def test_links_out_of_a_space_matter_only_there(site: Path) -> None:
    both(site, "bad.html", '<a href="https://example.org/">x</a>')
    assert check_site(site, "pages") == ()


def test_data_and_mail_are_no_requests(site: Path) -> None:
    both(
        site,
        "fine.html",
        '<img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><link rel="icon" href="data:,">',
    )
    assert check_site(site, "hf") == ()


def test_data_blocks_are_no_code(site: Path) -> None:
    both(site, "fine.html", '<script type="application/json">{"a": 1}</script>')
    assert check_site(site, "file") == ()


def test_an_anchor_may_be_percent_encoded(site: Path) -> None:
    both(site, "fine.html", '<p id="图">x</p><a href="#%E5%9B%BE">x</a><a href="#top">x</a><a href="#">x</a>')
    assert check_site(site, "file") == ()


def test_a_page_without_policy(site: Path) -> None:
    both(site, "bad.html", head="")
    assert rules(check_site(site, "pages")) == {("no-policy", "warning", "bad.html")}


@pytest.mark.parametrize("path", ["bad.html", "zh/bad.html"])
def test_a_page_without_its_pair(site: Path, path: str) -> None:
    put(site, path, page(lang="zh-CN" if path.startswith("zh") else "en"))
    assert rules(check_site(site, "file")) == {("missing-language", "error", path)}


def test_a_page_in_the_wrong_language(site: Path) -> None:
    both(site, "bad.html", lang="zh-CN")
    assert rules(check_site(site, "file")) == {("wrong-language", "error", "bad.html")}


def test_a_heavy_page_and_what_it_loads(site: Path) -> None:
    noise = "".join(chr(0x4E00 + (i * 7919 + i * i * 31) % 20000) for i in range(90_000))
    both(site, "bad.html", f"<p>{noise}</p>")
    assert rules(check_site(site, "file")) == {("heavy-page", "warning", "bad.html")}
    both(site, "bad.html", '<script src="data.js"></script>')
    put(site, "data.js", "".join(chr(0x4E00 + (i * i * 7919 + i * 31 + i // 7) % 20000) for i in range(1_000_000)))
    found = check_site(site, "file")
    assert rules(found) == {("heavy-load", "warning", "bad.html")}


def test_a_style_sheet_that_loads(site: Path) -> None:
    put(site, "a.css", "a{background:url(https://cdn.example/x.png)} b{background:url(gone.svg)} c{background:url(#p)}")
    assert rules(check_site(site, "hf")) == {("third-party", "error", "a.css"), ("broken-link", "error", "a.css")}


def test_absolute_addresses_of_the_site_itself_lead_to_files(site: Path) -> None:
    base = "https://example.org/runs/"
    canonical = f'{POLICY}<link rel="canonical" href="{base}bad.html">'
    both(site, "bad.html", head=f'{canonical}<meta property="og:image" content="{base}gone.png">')
    put(
        site, "sitemap.xml", f"<urlset><url><loc>{base}bad.html</loc></url><url><loc>{base}no.html</loc></url></urlset>"
    )
    found = check_site(site, "hf")
    assert rules(found) == {("broken-link", "error", "bad.html"), ("broken-link", "error", "sitemap.xml")}


def test_no_first_page(site: Path) -> None:
    for path in ("index.html", "zh/index.html"):
        (site / path).unlink()
        (site / path).parent.joinpath("runs/a/index.html").write_text(page(lang="zh-CN" if "zh" in path else "en"))
    assert rules(check_site(site, "file")) == {("no-index", "error", "index.html")}


def test_what_pages_drops_without_nojekyll(site: Path) -> None:
    put(site, "data/_x/y.csv", "a")
    assert check_site(site, "pages") == ()
    (site / ".nojekyll").unlink()
    assert rules(check_site(site, "pages")) == {
        ("underscore", "error", "data/_x/y.csv"),
        ("missing-nojekyll", "warning", ".nojekyll"),
    }


def test_what_netlify_needs(site: Path) -> None:
    (site / "_headers").unlink()
    assert rules(check_site(site, "netlify")) == {("missing-headers", "warning", "_headers")}


def test_an_upload_that_leaves_files_out(site: Path) -> None:
    put(site, ".gitignore", "*.csv\n")
    assert rules(check_site(site, "hf")) == {("ignored-files", "error", ".gitignore")}
    assert check_site(site, "file") == ()


def test_names_that_meet_when_case_is_ignored(site: Path) -> None:
    put(site, "data/A.csv", "")
    put(site, "data/a.csv", "")
    assert rules(check_site(site, "file")) == {("case-collision", "error", "data/A.csv")}


@pytest.mark.parametrize("name", ["a:b.csv", "con.csv", "dot.", 'q"uote'])
def test_names_that_a_system_refuses(site: Path, name: str) -> None:
    put(site, f"data/{name}", "")
    assert rules(check_site(site, "file")) == {("odd-name", "error", f"data/{name}")}
    assert rules(check_site(site, "pages")) == {("odd-name", "warning", f"data/{name}")}


FILE_RULES: dict[str, tuple[Target, dict[str, int], str]] = {
    "hf-entries": ("hf", {f"data/{n}": 1 for n in range(10_001)}, "crowded-folder"),
    "netlify-entries": ("netlify", {f"data/{n}": 1 for n in range(54_001)}, "crowded-folder"),
    "hf-files": ("hf", {f"data/{n // 9000}/{n}": 1 for n in range(99_994)}, "many-files"),
    "hf-file": ("hf", {"x.csv": 500_000_000_001}, "large-file"),
    "hf-file-advice": ("hf", {"x.csv": 200_000_000_001}, "large-file-advice"),
    "pages-file": ("pages", {"x.csv": 100_000_001}, "large-file"),
    "pages-file-advice": ("pages", {"x.csv": 50_000_001}, "large-file-advice"),
    "netlify-file-advice": ("netlify", {"x.csv": 10_000_001}, "large-file-advice"),
    "pages-site": ("pages", {f"data/{n}": 39_000_000 for n in range(26)}, "large-site"),
}


@pytest.mark.parametrize("name", FILE_RULES)
def test_sizes_and_counts(site: Path, name: str) -> None:
    target, files, rule = FILE_RULES[name]
    tree = read_site(site)
    assert [item.rule for item in file_findings(replace(tree, files={**tree.files, **files}), target)] == [rule]
    path, size = next(iter(files.items()))
    fewer = (
        {**tree.files, **files, path: size - 1} if len(files) == 1 else {**tree.files, **dict(list(files.items())[1:])}
    )
    left = [item.rule for item in file_findings(replace(tree, files=fewer), target)]
    assert left == (["large-file-advice"] if rule == "large-file" else [])


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("path", ["p.html", "data/x.js", "data/x.csv", "card/x.svg", "run.json", "notes"])
def test_every_planted_secret_is_found(site: Path, name: str, path: str) -> None:
    text = f"<!-- a\nb {PLANTED[name]} c -->"
    if path.endswith(".html"):
        both(site, path, f"a\nb {PLANTED[name].replace('&', '&amp;').replace(chr(34), '&#34;')} c")
    else:
        put(site, path, text)
    found = [item for item in check_site(site, "file") if item.rule == "secret"]
    assert [(item.path, item.line) for item in found] == [(path, 2)]
    assert PLANTED[name] not in to_json(found, "file", "en")


@pytest.mark.parametrize(("name", "rule"), [(HF, "secret-in-name"), ("someone@example.org", "email-in-name")])
def test_what_a_name_gives_away(site: Path, name: str, rule: str) -> None:
    put(site, f"data/{name}.csv", "")
    assert rules(check_site(site, "file")) == {(rule, "error", f"data/{name}.csv")}


def test_what_only_looks_like_a_secret(site: Path) -> None:
    put(site, "data/x.js", "\n".join(HARMLESS))
    assert check_site(site, "file") == ()


@given(st.lists(st.sampled_from([*PLANTED.values(), *HARMLESS, "a@b.example", "/home/x/y", "é", "İ", "\n", " ", ":"])))
def test_whatever_the_border_would_hide_is_found_and_nothing_else(parts: list[str]) -> None:
    text = " ".join(parts)
    assert bool(exposed(text)) is (mask_text(text) != text)


def test_every_rule_has_a_failing_site() -> None:
    said = {key.removeprefix("check-site.") for key in ui_strings() if key.startswith("check-site.")}
    words = {"rule", "what", "more", "count", "severity.error", "severity.warning", "severity.info"}
    here = Path(__file__).read_text(encoding="utf-8")
    assert {rule for rule in said - words if f'"{rule}"' not in here} == set()


def test_the_order_and_the_data(site: Path) -> None:
    both(site, "bad.html", '<a href="gone.html">x</a><a href="https://example.org/">x</a>')
    found = json.loads(to_json(check_site(site, "hf"), "hf", "zh"))
    assert found["counts"] == {"error": 1, "warning": 1, "info": 0}
    assert [item["rule"] for item in found["findings"]] == ["broken-link", "framed-link"]
    assert "gone.html" in found["findings"][0]["text"]


def test_unknown_target_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(SitegenError, match="no such target; there are hf, netlify, pages, file"):
        check_site(tmp_path, "ftp")
    with pytest.raises(SitegenError, match="is not a folder"):
        check_site(tmp_path / "none", "hf")


@pytest.mark.parametrize(("lang", "words"), [("en", "1 to mend"), ("zh", "1 项必须修复")])
def test_the_command_prints_one_table_and_fails_on_errors(
    site: Path, capsys: pytest.CaptureFixture[str], lang: str, words: str
) -> None:
    both(site, "bad.html", '<a href="gone.html">x</a>')
    assert run(["--lang", lang, "check-site", str(site), "--target", "hf"]) == 1
    printed = capsys.readouterr().out
    assert words in printed
    assert printed.count("gone.html") == 1
    assert "broken-link" in printed


def test_the_command_is_0_with_nothing_or_only_advice(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-site", str(site), "--target", "netlify"]) == 0
    assert "netlify: 0 to mend, 0 to consider" in capsys.readouterr().out
    (site / "_headers").unlink()
    assert run(["check-site", str(site), "--target", "netlify"]) == 0
    assert "0 to mend, 1 to consider" in capsys.readouterr().out


def test_the_command_as_json(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(site, "zh/bad.html", page(lang="zh"))
    assert run(["check-site", str(site), "--target", "file", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["rule"] == "missing-language"


def test_many_findings_of_a_rule_are_cut_short(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both(site, "bad.html", "".join(f'<a href="gone{n:02}.html">x</a>' for n in range(30)))
    assert run(["check-site", str(site), "--target", "hf"]) == 1
    printed = capsys.readouterr().out
    assert "gone19.html" in printed
    assert "gone20.html" not in printed
    assert "10 more" in printed


@pytest.mark.parametrize("target", TARGETS)
def test_the_sample_site_is_fit_for_every_host(sample_site: Path, target: str) -> None:
    assert check_site(sample_site, target) == ()


def test_a_large_site_is_looked_through_by_two_processes_alike(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "notes.txt").write_text(f"first line\n{HF}\n")
    alone = check_site(site, "hf")
    monkeypatch.setattr("sitegen.publish.check_site.MANY_BYTES", 0)
    assert check_site(site, "hf") == alone
    assert [(item.rule, item.path, item.line) for item in alone] == [("secret", "notes.txt", 2)]


@pytest.mark.parametrize(
    ("body", "references", "inline"),
    [
        ('<a id=1 href=" x " name=2>a</a>', ["x"], ()),
        ("<p id=1>a<p class=2>b", [], ()),
        ("<svg><use xlink:href='#i'/></svg>", ["#i"], ()),
        ("<p>only one=1 word</p><p onclick=go()>b", [], ("handler",)),
        ("<p id='a'onclick=go()>b", [], ("handler",)),
        ("<p/ONLOAD = go()>b", [], ("handler",)),
        ("<p style='color:red'>b<style>p{}</style>", [], ("style",)),
        ("<script>1</script><script src=a.js></script>", ["a.js"], ("script",)),
        ("<img srcset='a.png 1x, b.png 2x'><video poster=c.png></video>", ["a.png", "b.png", "c.png"], ()),
    ],
)
def test_every_address_and_all_code_of_a_page_is_seen_once(
    body: str, references: list[str], inline: tuple[str, ...]
) -> None:
    seen = read_page("a.html", page(body).encode())
    assert [reference.url for reference in seen.references] == references
    assert seen.inline == inline
    assert seen.policy


def test_code_that_a_page_s_policy_names_by_its_hash_is_no_fault() -> None:
    named = "sha256-bYOqbsii8BMz1hC57p5sZG4K4cMuk6QQDiwupM2aRMM="  # openssl dgst -sha256 -binary | base64, of `go();`
    head = f"<meta http-equiv='Content-Security-Policy' content=\"script-src '{named}'\">"
    assert read_page("a.html", page("<script>go();</script>", head=head).encode()).inline == ()
    assert read_page("a.html", page("<script>go() ;</script>", head=head).encode()).inline == ("script",)
    assert read_page("a.html", page("<p onclick='go();'>x", head=head).encode()).inline == ("handler",)
