"""A source file as text: placeholders recognised, encodings resolved, unreadable files named.

Shared by every reader of a text format. Facts: Git LFS pointer format (git-lfs `docs/spec.md`), byte order
marks (Unicode 15, 23.8).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from sitegen.model.problems import Problem, problem
from sitegen.model.run import SourceFile
from sitegen.text import Text, same

LFS_MARK = b"version https://git-lfs.github.com/spec/"
ANNEX_MARK = b"/annex/objects/"
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_LISTED = 8
"""Line numbers named in one problem before the rest is only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A file's text, or why there is none."""

    text: str | None
    """Decoded text with LF line ends only; None when there is nothing to parse."""
    problems: tuple[Problem, ...]
    """What was noticed on the way."""


def is_placeholder(source: SourceFile) -> bool:
    """Whether the file only stands where data should be: an LFS or annex pointer, or nothing at all."""
    return is_pointer(source.head) or not source.head.strip(b" \t\r\n\0")


def load(source: SourceFile) -> Loaded:
    """The file's text; a pointer, an empty or an unreadable file is one `Problem` and no text."""
    try:
        content = source.location.read_bytes()
    except OSError as error:
        return Loaded(text=None, problems=(problem("file.unreadable", source.path, reason=error.strerror or "?"),))
    if is_pointer(content[:1024]):
        return Loaded(text=None, problems=(_pointer_problem(source, content),))
    if not content.strip(b" \t\r\n"):
        return Loaded(text=None, problems=(problem("file.empty", source.path),))
    text, problems = decoded(source.path, content)
    if not text.strip("\0\ufeff \t\r\n"):
        return Loaded(text=None, problems=(*problems, problem("file.empty", source.path)))
    return Loaded(text=text.replace("\r\n", "\n").replace("\r", "\n"), problems=problems)


def head_text(source: SourceFile) -> str:
    """The head as text with LF line ends, for sniffing: never fails, may end inside a character."""
    text, _ = decoded(source.path, source.head)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_list(lines: list[int]) -> Text:
    """Line numbers for a sentence: the first few, then how many more."""
    shown = ", ".join(str(line) for line in lines[:_LISTED])
    more = len(lines) - _LISTED
    return Text(f"{shown} and {more} more", f"{shown} 等（另有 {more} 行）") if more > 0 else same(shown)


def is_pointer(content: bytes) -> bool:
    """Whether a file that begins so is a Git LFS or git-annex pointer."""
    return content.startswith(LFS_MARK) or (len(content) < 1024 and content.startswith((ANNEX_MARK, b"../.git/annex")))


def _pointer_problem(source: SourceFile, content: bytes) -> Problem:
    include = shlex.quote(f"--include={source.name}")
    if not content.startswith(LFS_MARK):
        return problem("file.annex-pointer", source.path, name=shlex.quote(source.name))
    size = re.search(rb"^size (\d{1,18})\s*$", content, re.MULTILINE)
    if size is None:
        return problem("file.lfs-pointer", source.path, include=include)
    return problem("file.lfs-pointer-of-size", source.path, include=include, size=f"{int(size[1]):,}")


def decoded(path: str, content: bytes) -> tuple[str, tuple[Problem, ...]]:
    """A file's bytes as text by mark or by look, UTF-8 else; bytes that are no text as U+FFFD and one problem."""
    encoding = next((name for mark, name in _BOMS if content.startswith(mark)), None) or _unmarked_utf16(content)
    try:
        return content.decode(encoding or "utf-8"), ()
    except UnicodeDecodeError as error:
        text = content.decode(encoding or "utf-8", errors="replace")
        line = content.count(b"\n", 0, error.start) + 1 if not (encoding or "").startswith("utf-16") else None
        return text, (problem("file.encoding", path, line),)


def _unmarked_utf16(content: bytes) -> str | None:
    """UTF-16 without a mark: ASCII text has a zero in every second byte."""
    sample = content[:512]
    half = len(sample) // 2
    if half < 2:
        return None
    if sample[1::2].count(0) >= 0.9 * half and sample[0::2].count(0) <= 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) >= 0.9 * half and sample[1::2].count(0) <= 0.1 * half:
        return "utf-16-be"
    return None
