"""A stand-in of the model hub's HTTP API, for the client that talks to it: repositories in memory, faults on demand.

Large and binary files come by LFS: asked for in a batch, sent whole or in parts, verified, then named in a commit. The
hub's newer storage (Xet) is not here.

Source: what huggingface_hub 2.4 sends and expects (`hf_api.py`, `_commit_api.py`, `lfs.py`, `file_download.py`); the
LFS batch API.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_StandInTokenThatMustNotBePrinted"
DROP = 0
"""As a status: the connection ends without an answer."""
INITIAL = {
    ".gitattributes": b"*.bin filter=lfs\n",
    "README.md": b"---\ntitle: new\nsdk: static\n---\n",
    "index.html": b"<p>Welcome to your static Space!</p>\n",
    "style.css": b"body {}\n",
}


@dataclass
class Repo:
    """One repository."""

    type: str
    id: str
    private: bool = True
    gated: bool = False
    ignored: str = ""
    """Ending that its `.gitignore` leaves out."""
    files: dict[str, bytes] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    visibility: str = ""

    @property
    def sha(self) -> str:
        """Of the last commit."""
        state = json.dumps([self.messages, sorted((name, git_id(text)) for name, text in self.files.items())])
        return hashlib.sha1(state.encode()).hexdigest()

    def commit(self, message: str, files: Mapping[str, bytes | None]) -> None:
        """Adds files, removes those that are None."""
        for name, content in files.items():
            if content is None:
                del self.files[name]
            else:
                self.files[name] = content
        self.messages.append(message)


def git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def is_binary(path: str) -> bool:
    return path.endswith((".png", ".bin", ".safetensors"))


class Hub:
    """The server; `asked` has every request, `fault` decides which of them fail."""

    def __init__(self) -> None:
        self.repos: dict[tuple[str, str], Repo] = {}
        self.large: dict[str, bytes] = {}
        """Files that came by LFS, by their SHA-256."""
        self.parts: dict[str, dict[int, bytes]] = {}
        """What came of files that are sent in parts."""
        self.verified: set[str] = set()
        """Files that the client asked to look at once more."""
        self.large_from = 10_000_000
        """Bytes from which on a text file is large too."""
        self.part = 5_000_000_000
        """Most bytes of one part."""
        self.asked: list[str] = []
        self.fault: Callable[[str], int | None] = lambda request: None
        """Told `METHOD /path`; gives a status to answer with, `DROP`, or None."""
        self.answered: Callable[[str], None] = lambda request: None
        """Told `METHOD /path` when all is done and before anybody is told so."""
        self.cut: int | None = None
        """After so many bytes a download ends."""
        self.sent = 0
        """Bytes of files that were downloaded."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add(self, repo: Repo) -> Repo:
        self.repos[repo.type, repo.id] = repo
        return repo

    def count(self, pattern: str) -> int:
        return sum(re.search(pattern, request) is not None for request in self.asked)

    def _handler(hub) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                pass

            def _serve(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                url = urlsplit(self.path)
                request = f"{self.command} {unquote(url.path)}"
                hub.asked.append(request)
                status = hub.fault(request)
                if status == DROP:
                    self.close_connection = True
                    self.connection.close()
                    return
                if status is not None:
                    said = f"no, {self.headers.get('Authorization')}"
                    self._answer(status, {"error": said}, {"Retry-After": "0"} if status == 429 else {})
                    return
                Answer(hub, self, unquote(url.path), parse_qs(url.query), body).give()

            do_GET = do_POST = do_PUT = do_HEAD = _serve

            def _answer(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
                hub.answered(f"{self.command} {unquote(urlsplit(self.path).path)}")
                content = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in {"Content-Length": str(len(content)), **(headers or {})}.items():
                    self.send_header(name, text)
                self.end_headers()
                if self.command != "HEAD":
                    hub.sent += len(content) if "/resolve/" in self.path else 0
                    if hub.cut is not None and status in (200, 206) and "/resolve/" in self.path:
                        self.wfile.write(content[: hub.cut])
                        self.wfile.flush()
                        self.close_connection = True
                        return
                    self.wfile.write(content)

        return Handler


class Answer:
    """The answer to one request."""

    def __init__(self, hub: Hub, handler: Any, path: str, query: dict[str, list[str]], body: bytes) -> None:
        self.hub, self.handler, self.path, self.query, self.body = hub, handler, path, query, body
        self.known = handler.headers.get("Authorization") == f"Bearer {TOKEN}"

    def give(self) -> None:
        command = self.handler.command
        if self.path.startswith("/lfs/"):
            return self._large(command, *self.path.split("/")[2:])
        if self.path == "/api/whoami-v2":
            return self.handler._answer(200, {"name": "somebody"}) if self.known else self._refuse(401, "Invalid")
        if self.path == "/api/validate-yaml":
            return self.handler._answer(200, {"errors": [], "warnings": []})
        if self.path == "/api/repos/create":
            return self._create(json.loads(self.body))
        if self.path in ("/api/models", "/api/datasets"):
            return self._list(self.path.removeprefix("/api/").removesuffix("s"))
        return self._in_repo()

    def _refuse(self, status: int, text: str, code: str = "") -> None:
        self.handler._answer(status, {"error": text}, {"X-Error-Code": code, "X-Error-Message": text})

    def _create(self, wanted: dict[str, Any]) -> None:
        repo = Repo(wanted["type"], f"{wanted['organization']}/{wanted['name']}")
        if (repo.type, repo.id) in self.hub.repos:
            return self._refuse(409, "You already created this")
        repo.visibility = wanted["visibility"]
        repo.private = repo.visibility == "private"
        assert wanted["sdk"] == "static"
        repo.commit("initial commit", INITIAL)
        self.hub.add(repo)
        return self.handler._answer(200, {"url": f"{self.hub.url}/spaces/{repo.id}", "name": repo.id})

    def _list(self, kind: str) -> None:
        author = self.query["author"][0]
        found = [repo for repo in self.hub.repos.values() if repo.type == kind and repo.id.startswith(f"{author}/")]
        shown = [repo for repo in found if self.known or not repo.private]
        start = int(self.query.get("cursor", ["0"])[0])
        page = [{"id": repo.id, "private": repo.private, "sha": repo.sha} for repo in shown[start : start + 2]]
        more = {}
        if start + 2 < len(shown):
            more = {"Link": f'<{self.hub.url}/api/{kind}s?author={author}&cursor={start + 2}>; rel="next"'}
        return self.handler._answer(200, page, more)

    def _in_repo(self) -> None:
        api = re.fullmatch(r"/api/(model|dataset|space)s/([^/]+/[^/]+)(?:/(\w+)/([^/]+)(?:/(.+))?)?", self.path)
        plain = re.fullmatch(
            r"/(?:(dataset|space)s/)?([^/]+/[^/]+?)(?:\.git/info/lfs/objects/(batch)|/resolve/(.+))", self.path
        )
        match = api or plain
        if match is None:
            return self._refuse(404, "Not here")
        repo = self.hub.repos.get((match[1] or "model", match[2]))
        if repo is None or (repo.private and not self.known):
            return self._refuse(404 if self.known else 401, "Repository not found", "RepoNotFound")
        if plain is not None:
            return self._batch(repo) if plain[3] else self._resolve(repo, plain[4].partition("/")[2])
        if api is not None and api[3] in (None, "revision"):
            return self.handler._answer(200, self._facts(repo))
        if repo.gated:
            return self._refuse(403, "Access to this is restricted", "GatedRepo")
        assert api is not None
        action = {"tree": self._tree, "commits": self._commits, "preupload": self._preupload, "commit": self._commit}
        return action[api[3]](repo, api[5] or "")

    def _facts(self, repo: Repo) -> dict[str, Any]:
        facts = {"id": repo.id, "sha": repo.sha if repo.messages else None, "private": repo.private, "siblings": []}
        if repo.type == "space":
            name = repo.id.lower().replace("/", "-")
            facts |= {"sdk": "static", "host": f"https://{name}.static.hf.space", "subdomain": name}
        return {**facts, "gated": "manual" if repo.gated else False}

    def _tree(self, repo: Repo, folder: str) -> None:
        prefix = f"{folder}/" if folder else ""
        found = sorted(path for path in repo.files if path.startswith(prefix))
        if not found and folder:
            return self._refuse(404, "no such folder", "EntryNotFound")
        start = int(self.query.get("cursor", ["0"])[0])
        page = [self._entry(path, repo.files[path]) for path in found[start : start + 50]]
        folders = [{"type": "directory", "path": "some-folder", "oid": "0" * 40, "size": 0}] if start == 0 else []
        more = {}
        if start + 50 < len(found):
            url = f"{self.hub.url}{self.handler.path.partition('?')[0]}?recursive=True&cursor={start + 50}"
            more = {"Link": f'<{url}>; rel="next"'}
        return self.handler._answer(200, folders + page, more)

    def _entry(self, path: str, content: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(content), "oid": git_id(content)}
        if self._is_large(path, len(content)):
            sha256 = hashlib.sha256(content).hexdigest()
            entry |= {"oid": git_id(b"pointer"), "lfs": {"oid": sha256, "size": len(content), "pointerSize": 130}}
        return entry

    def _is_large(self, path: str, size: int) -> bool:
        return is_binary(path) or size >= self.hub.large_from

    def _commits(self, repo: Repo, _: str) -> None:
        date = "2026-01-01T00:00:00.000Z"
        made = [{"id": "0" * 40, "authors": [], "date": date, "title": text, "message": ""} for text in repo.messages]
        self.handler._answer(200, made[::-1])

    def _preupload(self, repo: Repo, _: str) -> None:
        files = json.loads(self.body)["files"]
        told = [
            {
                "path": file["path"],
                "uploadMode": "lfs" if self._is_large(file["path"], file["size"]) else "regular",
                "shouldIgnore": bool(repo.ignored) and file["path"].endswith(repo.ignored),
                "oid": git_id(repo.files[file["path"]]) if file["path"] in repo.files else None,
            }
            for file in files
        ]
        self.handler._answer(200, {"files": told})

    def _batch(self, repo: Repo) -> None:
        objects = []
        for item in json.loads(self.body)["objects"]:
            known = {} if item["oid"] in self.hub.large else {"actions": self._upload(item["oid"], item["size"])}
            objects.append({"oid": item["oid"], "size": item["size"], **known})
        self.handler._answer(200, {"transfer": "basic", "objects": objects})

    def _upload(self, oid: str, size: int) -> dict[str, Any]:
        """Where a large file is to be sent, and where it is to be verified."""
        place, header = f"{self.hub.url}/lfs/{oid}", {}
        if size > self.hub.part:
            count = -(-size // self.hub.part)
            header = {f"{number:05}": f"{place}/{number}" for number in range(1, count + 1)}
            header["chunk_size"] = str(self.hub.part)
        return {"upload": {"href": place, "header": header}, "verify": {"href": f"{place}/verify", "header": {}}}

    def _large(self, command: str, oid: str, part: str = "") -> None:
        """A large file, whole or a part of it; the end of its parts; whether it is there."""
        parts = self.hub.parts.setdefault(oid, {})
        if part == "verify":
            assert json.loads(self.body) == {"oid": oid, "size": len(self.hub.large[oid])}
            self.hub.verified.add(oid)
        elif part:
            parts[int(part)] = self.body
        else:
            told = json.loads(self.body)["parts"] if command == "POST" else []
            assert [item["etag"] for item in told] == [git_id(parts[number]) for number in sorted(parts)]
            content = b"".join(parts[number] for number in sorted(parts)) if told else self.body
            assert hashlib.sha256(content).hexdigest() == oid
            self.hub.large[oid] = content
        self.handler._answer(200, {}, {"ETag": git_id(self.body)})

    def _commit(self, repo: Repo, _: str) -> None:
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit", repo.sha) != repo.sha:
            return self._refuse(412, "A commit has happened since. Please refresh and try again.")
        files: dict[str, bytes | None] = {}
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
                assert not self._is_large(value["path"], len(files[value["path"]] or b""))
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.large[value["oid"]]
            else:
                assert line["key"] == "deletedFile"
                files[value["path"]] = None
        repo.commit(header["summary"], files)
        kind = "" if repo.type == "model" else f"{repo.type}s/"
        url = f"{self.hub.url}/{kind}{repo.id}/commit/{repo.sha}"
        return self.handler._answer(200, {"commitUrl": url, "commitOid": repo.sha})

    def _resolve(self, repo: Repo, path: str) -> None:
        if repo.gated:
            return self._refuse(403, "Access to this is restricted", "GatedRepo")
        if path not in repo.files:
            return self._refuse(404, "Entry not found", "EntryNotFound")
        content = repo.files[path]
        etag = hashlib.sha256(content).hexdigest() if self._is_large(path, len(content)) else git_id(content)
        headers = {"X-Repo-Commit": repo.sha, "ETag": f'"{etag}"', "Content-Type": "application/octet-stream"}
        asked = re.fullmatch(r"bytes=(\d+)-", self.handler.headers.get("Range") or "")
        if asked is not None:
            start = int(asked[1])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            return self.handler._answer(206, content[start:], headers)
        return self.handler._answer(200, content, headers)
