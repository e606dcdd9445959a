"""Small pictures of each type that can be the logo of an organisation."""

import struct
import zlib


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0\x6a\x1b\x9a"))
    + _chunk(b"IEND", b"")
)
WEBP = b"RIFF\x24\0\0\0WEBPVP8L"
"""The beginning of a picture: the stack looks no further."""
SVG = b"""<?xml version="1.0"?>
<!-- A mark with a script, which runs nowhere. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">
<script>document.documentElement.setAttribute("fill", "red")</script>
<rect width="40" height="40" rx="9" fill="#6a1b9a"/><path d="M8 31 20 8l12 23h-6l-6-12-6 12z" fill="#fff"/></svg>
"""
