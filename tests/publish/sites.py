"""Small finished sites, for tests of what sends them somewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from sitegen.write import MANIFEST, manifest

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'"


def page(lang: str, text: str) -> bytes:
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>Runs</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"></head><body><p>{text}</p></body></html>\n'
    ).encode()


def site_files(text: str = "first") -> dict[str, bytes]:
    return {
        ".nojekyll": b"",
        "404.html": page("en", "Not here"),
        "archive.json": b'{"schema": 1, "title": {"en": "Our runs", "zh": "\xe8\xbf\x90\xe8\xa1\x8c"}, "runs": []}\n',
        "assets/site.0123456789.js": b'"use strict";\n',
        "index.html": page("en", text),
        "runs/one/index.html": page("en", text),
        "zh/index.html": page("zh", text),
        "zh/runs/one/index.html": page("zh", text),
    }


def put_site(site: Path, files: Mapping[str, bytes]) -> Path:
    """Makes the folder the site of these files: what it had of the site before and is not among them goes."""
    for path in site.rglob("*"):
        if path.is_file():
            path.unlink()
    for name, content in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(content)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    (site / MANIFEST).write_bytes(manifest(hashes))
    return site
