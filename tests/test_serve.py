"""The server on this machine: what it sends, what it does not, and how pages learn of a new site."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen import serve
from sitegen.console import Console
from sitegen.errors import SitegenError
from sitegen.serve import Builds, Server, locate, matters, with_reload

PAGE = (
    b"<html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'\">"
    b"</head><body>text</body></html>\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "my site"
    files = {
        "index.html": PAGE,
        "404.html": b"<p>not here</p></body>",
        "runs/a b/index.html": PAGE,
        "assets/app.js": b"js",
        "data/empty/x.csv": b"a,b\n",
        ".sitegen-manifest.json": b"{}",
        ".git/config": b"secret",
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


def start(site: Path, builds: Builds | None) -> Server:
    server = Server(site, 0, builds)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


@pytest.fixture
def plain(site: Path) -> Iterator[Server]:
    server = start(site, None)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def live(site: Path) -> Iterator[Server]:
    server = start(site, Builds())
    yield server
    server.shutdown()
    server.server_close()


def ask(server: Server, path: str, method: str = "GET", host: str | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        connection.request(method, path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_files_are_sent_as_they_are(plain: Server) -> None:
    status, headers, body = ask(plain, "/runs/a%20b/index.html?x=1")
    assert (status, body) == (200, PAGE)
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert ask(plain, "/assets/app.js")[1]["Content-Type"] == "text/javascript; charset=utf-8"


def test_a_folder_shows_its_index_and_is_never_listed(plain: Server) -> None:
    assert ask(plain, "/")[2] == PAGE
    assert ask(plain, "/runs/a%20b/")[2] == PAGE
    status, headers, _ = ask(plain, "/runs/a%20b")
    assert (status, headers["Location"]) == (301, "/runs/a%20b/")
    for path in ("/data", "/data/", "/data/empty/", "/data/empty"):
        status, _, body = ask(plain, path)
        assert (status, body) == (404, b"<p>not here</p></body>")


def test_head_sends_no_body(plain: Server) -> None:
    status, headers, body = ask(plain, "/index.html", "HEAD")
    assert (status, body) == (200, b"")
    assert headers["Content-Length"] == str(len(PAGE))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_sent_to_it(plain: Server, method: str) -> None:
    assert ask(plain, "/index.html", method)[0] == 501


@pytest.mark.parametrize(
    "path",
    [
        "/../outside.txt",
        "/%2e%2e/outside.txt",
        "/..%2foutside.txt",
        "/runs/../../outside.txt",
        "/runs\\..\\..\\outside.txt",
        "//etc/passwd",
        "/index.html%00.txt",
        "/link.txt",
        "/.sitegen-manifest.json",
        "/.git/config",
        "/" + "x" * 5000,
        "/%ff%fe",
    ],
)
def test_nothing_outside_the_site_and_nothing_hidden_is_sent(plain: Server, path: str) -> None:
    status, _, body = ask(plain, path)
    assert (status, body) == (404, b"<p>not here</p></body>")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_another_name_for_this_machine_is_refused(plain: Server, host: str) -> None:
    assert ask(plain, "/", host=host)[0] == 403


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:80"])
def test_names_of_the_loopback_interface_are_answered(plain: Server, host: str) -> None:
    assert ask(plain, "/", host=host)[0] == 200


def test_it_listens_on_the_loopback_interface_only(plain: Server) -> None:
    assert plain.server_address[0] == "127.0.0.1"


def test_reloading_is_added_to_live_responses_only(plain: Server, live: Server) -> None:
    assert b"_sitegen" not in ask(plain, "/")[2]
    assert ask(plain, "/_sitegen/reload.js")[0] == 404
    body = ask(live, "/")[2]
    assert b"content=\"connect-src 'self'; default-src 'none'; script-src 'self'\"" in body
    assert b'<script defer src="/_sitegen/reload.js"></script>\n</body>' in body
    assert b"EventSource" in ask(live, "/_sitegen/reload.js")[2]
    assert ask(live, "/_sitegen/other")[0] == 404
    assert ask(live, "/assets/app.js")[2] == b"js"


def test_a_page_without_a_body_end_still_gets_the_script() -> None:
    assert with_reload(b"<p>x").endswith(b'reload.js"></script>\n')


def test_a_waiting_page_learns_of_every_build(live: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", live.server_port, timeout=10)
    connection.request("GET", "/_sitegen/events")
    answer = connection.getresponse()
    assert answer.getheader("Content-Type") == "text/event-stream"
    first = answer.fp.readline()
    assert live.builds is not None
    live.builds.done()
    assert answer.fp.readline() == b"\n"
    second = answer.fp.readline()
    assert first.startswith(b"data: ")
    assert second.startswith(b"data: ")
    assert first != second
    connection.close()


def test_two_servers_name_their_sites_differently() -> None:
    assert Builds().version != Builds().version


def test_a_taken_port_is_one_line_and_no_port_means_any(plain: Server, site: Path) -> None:
    with pytest.raises(SitegenError, match=str(plain.server_port)):
        serve.bind(site, plain.server_port, None)
    other = serve.bind(site, None, None)
    assert other.server_port != plain.server_port
    other.server_close()


def test_a_taken_port_is_told_before_anything_is_built(plain: Server, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    with pytest.raises(SitegenError, match=str(plain.server_port)):
        serve.serve_archive(tmp_path / "archive", tmp_path / "new", plain.server_port, Console("en"))
    assert not (tmp_path / "new").exists()


def test_locate_needs_an_index_for_a_folder(site: Path) -> None:
    assert locate(site, "/runs/a b") == site / "runs/a b"
    assert locate(site, "/runs") is None
    assert locate(site, "/runs/a b/") == site / "runs/a b/index.html"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("archive/run/new.log", True),
        ("archive/sitegen.toml", True),
        ("templates/base.html", True),
        ("archive/.git/index", False),
        ("archive/.site.sitegen-work/next/index.html", False),
        ("archive/site", False),
        ("archive/site/index.html", False),
        ("templates/__pycache__", False),
        ("templates/x.pyc", False),
        ("elsewhere/x", False),
    ],
)
def test_what_makes_the_site_be_built_again(path: str, expected: bool) -> None:
    roots = [Path("/w/archive"), Path("/w/templates")]
    assert matters(Path("/w") / path, roots, Path("/w/archive/site")) is expected


def test_a_hidden_folder_above_the_archive_does_not_hide_it() -> None:
    assert matters(Path("/home/.u/archive/x"), [Path("/home/.u/archive")], Path("/tmp/site"))


def test_a_change_in_the_archive_is_seen_and_one_in_the_site_is_not(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    (archive / "site").mkdir(parents=True)
    stop = threading.Event()
    seen: list[None] = []
    first = threading.Event()

    def watch() -> None:
        for change in serve.changes(archive, archive / "site", stop):
            seen.append(change)
            first.set()

    thread = threading.Thread(target=watch)
    thread.start()
    for number in range(100):
        (archive / "site" / "index.html").write_text(str(number))
        assert not seen
        if number > 3:
            (archive / f"log-{number}").write_text("x")
        if first.wait(0.1):
            break
    stop.set()
    thread.join(10)
    assert seen


def test_a_failing_rebuild_keeps_the_site_and_says_why(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / "sitegen.toml").write_text("titel = 'x'\n")
    builds = Builds()
    before = builds.version
    serve.rebuild(archive, site.with_name("new"), builds, Console("en"))
    assert builds.version == before
    assert "did you mean 'title'" in capsys.readouterr().out
    assert (site / "index.html").read_bytes() == PAGE
