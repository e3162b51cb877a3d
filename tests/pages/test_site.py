import base64
import hashlib
import html
import json
import posixpath
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from sitegen.pages import site_files
from sitegen.pages.assets import SCRIPTS, STYLE_SHEETS, hashed, site_assets
from sitegen.resources import folder
from tests.pages.rows import many, row
from tests.pages.site_fixture import site_context


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    made = list(site_files(many(), site_context()))
    assert len({file.path for file in made}) == len(made)
    return {file.path: file.content for file in made}


def test_every_page_is_in_both_languages(files: dict[str, bytes]) -> None:
    pages = {path for path in files if path.endswith(".html") and path != "404.html"}
    english = {path for path in pages if not path.startswith("zh/")}
    assert pages == english | {f"zh/{path}" for path in english}
    assert {"index.html", "about.html", "glossary/index.html"} <= english


def test_links_between_site_pages_lead_somewhere(files: dict[str, bytes]) -> None:
    runs = {
        f"{tongue}runs/{item.slug}/{kind}.html"
        for item in many()
        for tongue in ("", "zh/")
        for kind in ("index", "metrics", "sources")
    }
    known = set(files) | runs | set(site_context().assets.values())
    for path, content in files.items():
        if not path.endswith(".html"):
            continue
        for link in re.findall(r'(?:href|src)="(?!data:)([^"#]+)', content.decode()):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(link)))
            assert target in known or f'<a href="{link}" target="_blank"' in content.decode(), f"{path} links to {link}"


def test_anchors_on_a_page_exist(files: dict[str, bytes]) -> None:
    for path in ("index.html", "about.html", "glossary/index.html"):
        text = files[path].decode()
        for anchor in re.findall(r'href="#([^"]+)"', text):
            assert f'id="{anchor}"' in text


def test_no_page_asks_for_anything_elsewhere(files: dict[str, bytes]) -> None:
    for path, content in files.items():
        if path.endswith(".html"):
            text = content.decode()
            assert "http://" not in text.replace("http://www.w3.org/", ""), path
            asked = re.sub(r'<a href="https://arxiv\.org/[^"]+" target="_blank" rel="noopener noreferrer">', "", text)
            assert not re.search(r'(?:src|href)="(?:https?:)?//', asked), path
            assert " style=" not in text, path
            assert " onclick=" not in text, path


def test_the_archive_file_says_what_the_index_says(files: dict[str, bytes]) -> None:
    data = json.loads(files["archive.json"])
    assert data["schema"] == 1
    assert len(data["runs"]) == len(many())
    run = next(item for item in data["runs"] if item["slug"] == "calendar")
    assert run["page"] == "runs/calendar/index.html"
    assert run["checkpoint"] == {"step": 80, "ema": 0.912}
    assert run["problems"] == {"error": 0, "warning": 0, "info": 0}
    assert next(item for item in data["runs"] if item["slug"] == "short")["checkpoint"] is None


def test_the_archive_file_is_documented(files: dict[str, bytes]) -> None:
    documented = folder("static").parent.joinpath("docs", "archive-json.md").read_text(encoding="utf-8")
    for key in json.loads(files["archive.json"])["runs"][0]:
        assert f"`{key}`" in documented


def test_what_needs_an_absolute_address_needs_base_url(files: dict[str, bytes]) -> None:
    assert "sitemap.xml" not in files
    assert b"Sitemap" not in files["robots.txt"]
    assert b"canonical" not in files["index.html"]
    made = {
        file.path: file.content for file in site_files([row("a")], site_context(base_url="https://runs.example/x/"))
    }
    root = ElementTree.fromstring(made["sitemap.xml"])
    addresses = [node.text for node in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert "https://runs.example/x/zh/runs/a/index.html" in addresses
    assert b'<link rel="canonical" href="https://runs.example/x/index.html">' in made["index.html"]


def test_the_missing_page_holds_what_it_needs_and_has_no_link_before_the_root_is_known(
    files: dict[str, bytes],
) -> None:
    text = files["404.html"].decode()
    assert re.findall(r'(?:href|src)="([^"]*)', text) == ["data:,"]  # an empty icon, or browsers ask for one
    assert f'data-probe="{site_context().assets["icon.svg"]}"' in text
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)', text)[0])
    for tag in ("script", "style"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'self' 'sha256-{digest}'" in policy
    assert "Page not found" in text
    assert "页面不存在" in text
    (known,) = (f for f in site_files([], site_context(base_url="https://runs.example/x/")) if f.path == "404.html")
    assert b'href="https://runs.example/x/zh/search.html" data-to="zh/search.html"' in known.content


def test_headers_carry_the_policy_of_the_pages(files: dict[str, bytes]) -> None:
    policy = re.search(r"Content-Security-Policy: (.*)", files["_headers"].decode())
    assert policy is not None
    escaped = policy[1].replace("'", "&#39;")
    assert f'content="{escaped}"' in files["404.html"].decode()
    strict = re.sub(r" &#39;sha256-[^;]*?&#39;(?=;)", "", escaped)
    assert strict.count("&#39;self&#39;") == 4
    assert f'content="{strict}"' in files["index.html"].decode()


def test_the_same_rows_give_the_same_bytes_in_any_order(files: dict[str, bytes]) -> None:
    again = {file.path: file.content for file in site_files(many()[::-1], site_context())}
    assert again == files


def test_run_list_for_the_keyboard_follows_the_index(files: dict[str, bytes]) -> None:
    listed = json.loads(files["archive.js"].decode().removeprefix("sitegen.runs = ").rstrip(";\n"))
    assert listed == [item["slug"] for item in json.loads(files["archive.json"])["runs"]]


def test_asset_names_change_with_their_content() -> None:
    paths = hashed({"a.css": b"x", "b.min.js": b"y"})
    assert re.fullmatch(r"assets/a\.[0-9a-f]{10}\.css", paths["a.css"])
    assert re.fullmatch(r"assets/b\.min\.[0-9a-f]{10}\.js", paths["b.min.js"])
    assert hashed({"a.css": b"z"})["a.css"] != paths["a.css"]


def test_every_style_sheet_is_shipped_and_colours_live_in_tokens() -> None:
    static = folder("static")
    assert {path.stem for path in static.joinpath("css").glob("*.css")} == {*STYLE_SHEETS, "export", "missing"}
    for name in STYLE_SHEETS:
        text = static.joinpath("css", f"{name}.css").read_text(encoding="utf-8")
        bare = re.sub(r"url\(#[^)]*\)|/\*.*?\*/", "", text, flags=re.DOTALL)
        literals = re.findall(r"#[0-9a-fA-F]{3,8}\b(?![\w-]*\s*[{,>])|\brgba?\(|\bhsla?\(", bare)
        assert name == "tokens" or not literals, f"{name}.css: {literals}"


def test_scripts_are_whole_and_ask_for_nothing() -> None:
    app = site_assets()["app.js"].decode()
    assert "sitegen.texts = " in app
    for word in ("fetch(", "XMLHttpRequest", "import(", "eval(", "innerHTML"):
        assert word not in app
    assert SCRIPTS[0] == "lib/namespace"
