"""Chunks of a data file, as they are stored: compressed unless they are encrypted. Pure."""

import hashlib
import zlib
from typing import Final

from hashrange.directory_backups.manifests import BackupError

_PLAIN: Final = b"\x00"
_COMPRESSED: Final = b"\x01"
_LEVEL: Final = 1
_PREFIX_CHARS: Final = 2
CHUNKS: Final = "chunks/"


def name_of(content: bytes) -> str:
    """The name of a chunk: the hash of its content."""
    return hashlib.sha256(content).hexdigest()


def key_of(name: str) -> str:
    """The key of its object."""
    return f"{CHUNKS}{name[:_PREFIX_CHARS]}/{name}"


def packed(content: bytes, *, is_encrypted: bool) -> bytes:
    """The bytes of its object; encrypted pages are not compressed, for they cannot be."""
    return _PLAIN + content if is_encrypted else _COMPRESSED + zlib.compress(content, _LEVEL)


def unpacked(name: str, stored: bytes, bytes_max: int) -> bytes:
    """The content of a chunk. Raises BackupError: it is damaged."""
    content, rest = stored[1:], b""
    if stored[:1] == _COMPRESSED:
        inflater = zlib.decompressobj()
        try:
            content = inflater.decompress(content, bytes_max)
        except zlib.error:
            content = b""
        rest = inflater.unconsumed_tail
    if rest or name_of(content) != name:
        raise BackupError(f"chunk {name} is damaged")
    return content
