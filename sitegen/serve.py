"""`sitegen serve`: the site on this machine only, built again when something changes.

Answers as a static host does: `index.html` for a folder, `404.html` for what is missing, no listings, nothing
outside the site. To its own responses, and only there, it adds a script that reloads the page after a build and the
`connect-src 'self'` that the script needs; the files stay as they are.

Every build is a process of its own: it sees changed templates, static files and code, and when it fails this process
and the site live on.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from sitegen.errors import SitegenError
from sitegen.exchange import work_folder
from sitegen.resources import PACKAGE, folder, static_bytes

if TYPE_CHECKING:
    from sitegen.console import Console

HOST = "127.0.0.1"
PORT = 8000
"""Tried first when no port is asked for."""
LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
"""Host names we answer to: a page elsewhere cannot read the site by pointing its own name at this machine."""
OURS = "/_sitegen/"
"""Where the reload script and its events are, outside every site path."""
PING_S = 15.0
"""Seconds between two signs of life to a waiting page."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/vnd.microsoft.icon",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}
"""Content type by file ending; bytes for the rest."""

_POLICY = b'http-equiv="Content-Security-Policy" content="'
_SCRIPT = f'<script defer src="{OURS}reload.js"></script>\n'.encode()


class Builds:
    """The builds a page waits for; counted, so that no page misses one."""

    def __init__(self) -> None:
        """None so far."""
        self._changed = threading.Condition()
        self._session = secrets.token_hex(4)
        self._count = 0

    @property
    def version(self) -> str:
        """Names the site as it is now; another server's names differ."""
        return f"{self._session}-{self._count}"

    def done(self) -> None:
        """Tells the waiting pages that there is another site."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait(self, seen: str) -> str:
        """The version once it differs from the one seen, or after a while."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != seen, PING_S)
            return self.version


class Server(ThreadingHTTPServer):
    """Serves one site folder on the loopback interface."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, site: Path, port: int, builds: Builds | None) -> None:
        """Binds the port (0 for any); `builds` is None for a site that is served as it is."""
        self.site = site.resolve()
        self.builds = builds
        super().__init__((HOST, port), Handler)

    @property
    def url(self) -> str:
        """Address of the site."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keeps quiet about pages that were closed while being sent; shows the rest."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "sitegen"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        """Sends a file."""
        self._answer()

    def do_HEAD(self) -> None:
        """Sends a file's headers."""
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing."""

    def _answer(self) -> None:
        host = urlsplit(f"//{self.headers.get('Host', HOST)}").hostname
        if host not in LOCAL_NAMES:
            return self._send(HTTPStatus.FORBIDDEN, b"This server answers to localhost only.\n", TYPES[".txt"])
        path = unquote(urlsplit(self.path).path, errors="replace")
        if self.server.builds is not None and path.startswith(OURS):
            return self._ours(path.removeprefix(OURS), self.server.builds)
        target = locate(self.server.site, path)
        if target is None:
            return self._missing()
        if target.is_dir():
            return self._redirect(path)
        return self._file(target, HTTPStatus.OK)

    def _file(self, target: Path, status: HTTPStatus) -> None:
        try:
            content = target.read_bytes()
        except OSError:
            return self._send(HTTPStatus.NOT_FOUND, b"Not found.\n", TYPES[".txt"])
        kind = TYPES.get(target.suffix.lower(), "application/octet-stream")
        if self.server.builds is not None and target.suffix == ".html":
            content = with_reload(content)
        return self._send(status, content, kind)

    def _missing(self) -> None:
        self._file(self.server.site / "404.html", HTTPStatus.NOT_FOUND)

    def _redirect(self, path: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", "/" + quote(path.strip("/")) + "/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _ours(self, name: str, builds: Builds) -> None:
        if name == "reload.js":
            return self._send(HTTPStatus.OK, static_bytes("js/serve/reload.js"), TYPES[".js"])
        if name == "events":
            return self._events(builds)
        return self._missing()

    def _events(self, builds: Builds) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        version = builds.version
        with contextlib.suppress(ConnectionError):
            while True:
                self.wfile.write(f"data: {version}\n\n".encode())
                version = builds.wait(version)

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def locate(site: Path, path: str) -> Path | None:
    """The file that a URL path names, or a folder that needs its slash; None for what must not be served.

    Args:
        site: the site folder, resolved.
        path: decoded URL path with its leading slash.
    """
    parts = path.removeprefix("/").split("/")
    if parts[-1] == "":
        parts[-1] = "index.html"
    if any(not part or part.startswith(".") or "\\" in part or "\0" in part for part in parts):
        return None
    target = site.joinpath(*parts)
    try:
        inside = target.resolve().is_relative_to(site)
        if inside and target.is_dir():
            return target if (target / "index.html").is_file() else None
        return target if inside and target.is_file() else None
    except (OSError, ValueError):
        return None


def with_reload(page: bytes) -> bytes:
    """The page with the reload script, and with the connection that it needs allowed."""
    page = page.replace(_POLICY, _POLICY + b"connect-src 'self'; ", 1)
    before, found, after = page.rpartition(b"</body>")
    return before + _SCRIPT + found + after if found else page + _SCRIPT


def serve_site(site: Path, port: int | None, console: Console) -> int:
    """Serves a built site as it is until interrupted."""
    server = bind(site, port, None)
    console.say("cli.serving", site=site, url=server.url)
    sys.stdout.flush()
    server.serve_forever()
    return 0


def serve_archive(archive: Path, output: Path | None, port: int | None, console: Console) -> int:
    """Builds the archive's site, serves it, and builds it again whenever something changes, until interrupted."""
    with _site_folder(output) as site:
        builds = Builds()
        server = bind(site, port, builds)  # before the build: a taken port is not worth waiting for
        code = subprocess.run(_command(archive, site), check=False).returncode
        if code != 0:
            server.server_close()
            return code
        threading.Thread(target=server.serve_forever, daemon=True).start()
        console.say("cli.serving", site=site, url=server.url)
        sys.stdout.flush()
        for _ in changes(archive, site):
            rebuild(archive, site, builds, console)
            sys.stdout.flush()
    return 0


def rebuild(archive: Path, site: Path, builds: Builds, console: Console) -> None:
    """Builds once more and tells the pages; a failure keeps the site and says why."""
    started = time.monotonic()
    done = subprocess.run([*_command(archive, site), "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        builds.done()
        console.say("cli.rebuilt", seconds=f"{time.monotonic() - started:.1f}")
    else:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        console.say("cli.rebuild-failed", why=lines[-1].removeprefix("sitegen: "))


def changes(archive: Path, site: Path, stop: threading.Event | None = None) -> Iterator[None]:
    """Yields whenever something that the site is made from has changed, until stopped."""
    from watchfiles import watch

    roots = [archive.resolve(), folder("templates"), folder("static"), PACKAGE]
    site = site.resolve()
    for _ in watch(
        *dict.fromkeys(roots),
        watch_filter=lambda change, path: matters(Path(path), roots, site),
        stop_event=stop,
        ignore_permission_denied=True,
    ):
        yield


def matters(path: Path, roots: Sequence[Path], site: Path) -> bool:
    """Whether a changed path can change the site: not hidden, not compiled code, not the site itself."""
    if path == site or site in path.parents or path.suffix == ".pyc" or path.name == "__pycache__":
        return False
    root = next((root for root in roots if root in (path, *path.parents)), None)
    return root is not None and not any(part.startswith(".") for part in path.relative_to(root).parts)


def bind(site: Path, port: int | None, builds: Builds | None) -> Server:
    """A bound server.

    Raises:
        SitegenError: the port asked for is taken.
    """
    for wanted in (PORT, 0) if port is None else (port,):
        try:
            return Server(site, wanted, builds)
        except OSError as error:
            reason = error.strerror
    raise SitegenError(f"port {port}: cannot be used: {reason}; leave --port out for any free one")


def _command(archive: Path, site: Path) -> list[str]:
    return [sys.executable, "-m", "sitegen", "build", str(archive), "-o", str(site)]


@contextlib.contextmanager
def _site_folder(output: Path | None) -> Iterator[Path]:
    """The folder given, or a temporary one."""
    if output is not None:
        yield output
        return
    root = Path(tempfile.mkdtemp(prefix="sitegen-"))
    try:
        yield root / "site"
    finally:
        shutil.rmtree(root, ignore_errors=True)
        shutil.rmtree(work_folder(root / "site"), ignore_errors=True)
