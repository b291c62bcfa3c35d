"""Chunks of a data file, as they are stored: compressed unless they are encrypted. Pure.

The name of a chunk is the hash of its content, and the generation of the backup that stored it: the
name of a chunk that a clean-up has removed is never used again.
"""

import hashlib
import zlib
from typing import Final

from hashrange.backups.directories.manifests import BackupError

_PLAIN: Final = b"\x00"
_COMPRESSED: Final = b"\x01"
_LEVEL: Final = 1
_PREFIX_CHARS: Final = 2
_SEPARATOR: Final = "-"
CHUNKS: Final = "chunks/"


def hash_of(content: bytes) -> str:
    """The hash of the content of a chunk."""
    return hashlib.sha256(content).hexdigest()


def name_in(generation: int, hashed: str) -> str:
    """The name of a chunk that a backup of a generation stores."""
    return f"{hashed}{_SEPARATOR}{generation:x}"


def hash_in(name: str) -> str:
    """The hash in the name of a chunk."""
    return name.partition(_SEPARATOR)[0]


def generation_of(name: str) -> int | None:
    """The generation in the name of a chunk; 0 of one that has none, None if it is no name."""
    text = name.partition(_SEPARATOR)[2]
    try:
        return int(text, 16) if text else 0
    except ValueError:
        return None


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
    if rest or hash_of(content) != hash_in(name):
        raise BackupError(f"chunk {name} is damaged")
    return content
