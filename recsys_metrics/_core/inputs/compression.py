"""Which compressed format a file has, whatever its name says."""

from __future__ import annotations

import re

START = 7
"""How many bytes at the start of a file tell its format."""
_COMPRESSED = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<zstd>\x28\xb5\x2f\xfd)|(?P<zlib>x[\x01\x5e\x9c\xda])"
    rb"|(?P<zip>PK\x03\x04)|(?P<bzip2>BZh[1-9]1AY)|(?P<xz>\xfd7zXZ\x00)"
)


def find_compression(start: bytes) -> str:
    """Return the compressed format of which this is the start; empty if there is none.

    A text that begins with ``x^`` begins as zlib does.
    """
    packed = _COMPRESSED.match(start)
    return (packed.lastgroup or "") if packed else ""
