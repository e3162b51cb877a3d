"""Files that spare work and may vanish at any time: complete or absent, never an error."""

from __future__ import annotations

import tempfile
from pathlib import Path


def read_kept(path: Path, *, ending: bytes) -> bytes | None:
    """A kept file; None when there is none, it cannot be read, or it does not end as a whole one does."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return content if content.endswith(ending) else None


def write_kept(path: Path, content: bytes) -> None:
    """Keep content under a name; a folder that cannot be written is as good as none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(content)
        Path(part.name).replace(path)
    except OSError:
        return
