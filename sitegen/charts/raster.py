"""An SVG picture as PNG, by the renderer that draws the charts."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(picture: str) -> bytes:
    """The picture at its own size, packed well: the renderer hurries and leaves files ten times as large."""
    import vl_convert

    content: bytes = vl_convert.svg_to_png(picture, scale=1)
    chunks = list(_chunks(content))
    pixels = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    header = [(kind, data) for kind, data in chunks if kind in (b"IHDR", b"pHYs")]
    packed = [*header, (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in packed
    )


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place < len(content):
        size = int.from_bytes(content[place : place + 4], "big")
        yield content[place + 4 : place + 8], content[place + 8 : place + 8 + size]
        place += size + 12
