"""A log as a stream of blocks that end at line ends: plain, gzip, zstd, UTF-16; memory does not grow with its size.

Compression is recognised by the content, not by the name. What is damaged at the end is cut off and named.
Source: RFC 1952 (gzip magic), RFC 8878 (zstd magic).
"""

from __future__ import annotations

import codecs
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, TypeVar

import zstandard

from sitegen.model.run import SourceFile
from sitegen.readers.console.dialect import Noted

BLOCK_BYTES = 1 << 19
"""Bytes read at a time: large enough that the cost per block vanishes, small enough to stay in the cache."""
MAX_LINE_BYTES = 32 << 20
"""A line longer than this is taken in pieces, so that a file without line ends does not fill the memory."""
_PACKED_BYTES = 1 << 16
"""Compressed bytes expanded at a time: text shrinks up to a thousandfold."""
_AHEAD = 4
"""Blocks read and searched before they are asked for: enough for the time that a parser sometimes takes."""
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def blocks(source: SourceFile, noted: Noted) -> Iterator[bytes]:
    """The log's bytes as UTF-8 (or as they are), each block but the last ending at a line end.

    Raises:
        OSError: the file cannot be opened.
    """
    with source.location.open("rb", buffering=0) as stream:
        yield from _whole_lines(_decoded(_expanded(stream, noted)))


Result = TypeVar("Result")


def ahead(parts: Iterator[bytes], work: Callable[[bytes], Result]) -> Iterator[Result]:
    """The work done on each part, in order, by a thread that is a few parts ahead.

    For work that mostly leaves the interpreter to others: reading, expanding and searching take no time then while
    there is something to parse. `parts` is used by that thread alone.
    """

    def step() -> Result | None:
        part = next(parts, None)
        return None if part is None else work(part)

    thread = ThreadPoolExecutor(1)
    try:
        coming = deque(thread.submit(step) for _ in range(_AHEAD))
        while (found := coming.popleft().result()) is not None:
            coming.append(thread.submit(step))
            yield found
    finally:
        thread.shutdown(cancel_futures=True)


def head(source: SourceFile) -> bytes:
    """The head of the log, expanded and as UTF-8, for sniffing; never fails."""
    start = source.head
    if start.startswith(_GZIP):
        start = _expanded_head(zlib.decompressobj(wbits=31).decompress, start)
    elif start.startswith(_ZSTD):
        start = _expanded_head(zstandard.ZstdDecompressor().decompressobj().decompress, start)
    encoding = utf16(start)
    return start.decode(encoding, "replace").encode() if encoding else start


def _expanded_head(expand: Callable[[bytes], bytes], start: bytes) -> bytes:
    found = b""
    for at in range(0, len(start), 4096):
        try:
            found += expand(start[at : at + 4096])
        except (zlib.error, zstandard.ZstdError, EOFError):
            break
        if len(found) >= 1 << 16:
            break
    return found[: 1 << 16]


def utf16(start: bytes) -> str | None:
    """The UTF-16 that a text is in, by its mark or by a zero in every second byte; None for anything else."""
    if start.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if start.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    sample = start[:512]
    half = len(sample) // 2
    if half < 2:
        return None
    odd, even = sample[1::2].count(0), sample[0::2].count(0)
    if odd >= 0.9 * half and even <= 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even >= 0.9 * half and odd <= 0.1 * half else None


def _expanded(stream: BinaryIO, noted: Noted) -> Iterator[bytes]:
    """The file's content, expanded where it is compressed."""
    first = stream.read(BLOCK_BYTES)
    if first.startswith(_GZIP):
        yield from _gunzipped(stream, first, noted)
    elif first.startswith(_ZSTD):
        yield from _unzstd(stream, first, noted)
    else:
        while first:
            yield first
            first = stream.read(BLOCK_BYTES)


def _gunzipped(stream: BinaryIO, data: bytes, noted: Noted) -> Iterator[bytes]:
    """All members of a gzip file."""
    member = zlib.decompressobj(wbits=31)
    try:
        while data:
            yield member.decompress(data, BLOCK_BYTES)
            while member.unconsumed_tail:
                yield member.decompress(member.unconsumed_tail, BLOCK_BYTES)
            if member.eof:
                data = member.unused_data.lstrip(b"\0") or stream.read(BLOCK_BYTES)
                if data:
                    member = zlib.decompressobj(wbits=31)
            else:
                data = stream.read(BLOCK_BYTES)
    except zlib.error:
        noted.add("console.compressed-broken", None)
        return
    if not member.eof:
        noted.add("console.compressed-cut", None)


def _unzstd(stream: BinaryIO, data: bytes, noted: Noted) -> Iterator[bytes]:
    """All frames of a zstd file."""
    frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
    try:
        while data:
            for at in range(0, len(data), _PACKED_BYTES):
                yield frame.decompress(data[at : at + _PACKED_BYTES])
            if frame.eof:
                data = frame.unused_data or stream.read(_PACKED_BYTES)
                if data:
                    frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
            else:
                data = stream.read(_PACKED_BYTES)
    except zstandard.ZstdError:
        noted.add("console.compressed-broken", None)
        return
    if not frame.eof:
        noted.add("console.compressed-cut", None)


def _decoded(parts: Iterator[bytes]) -> Iterator[bytes]:
    """UTF-16 as UTF-8; anything else as it is, without a byte order mark."""
    first = next(parts, b"")
    encoding = utf16(first)
    if encoding is None:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from parts
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first).removeprefix("\ufeff").encode("utf-8", "replace")
    for part in parts:
        yield decoder.decode(part).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _whole_lines(parts: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for part in parts:
        end = part.rfind(b"\n") + 1
        if not end:
            rest += part
            if len(rest) > MAX_LINE_BYTES:
                yield rest
                rest = b""
            continue
        yield b"".join((rest, memoryview(part)[:end])) if rest or end < len(part) else part
        rest = part[end:]
    if rest:
        yield rest
