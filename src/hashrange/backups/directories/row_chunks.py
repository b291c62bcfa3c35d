"""Cuts the rows of a database into chunks, where the rows themselves say. Pure.

A chunk ends behind a row whose key has a small hash, so where it ends depends on that row only:
rows that are added, changed or removed change the chunks that they are in, and no others.
"""

import struct
from collections.abc import Iterable
from typing import Final
from zlib import crc32

from hashrange.backups.directories.manifests import BackupError
from hashrange.limits.backups import (
    ROW_CHUNK_BYTES_MAX,
    ROW_CHUNK_BYTES_MIN,
    ROW_CHUNK_BYTES_MORE,
)
from hashrange.storage.stored_rows import RowKind, StoredRow

_HEAD: Final = struct.Struct(">BII")
"""Before each row: its kind, and the bytes of its key and of its value."""
_HASHES: Final = 2**32
_KINDS: Final = frozenset(RowKind)
_VALUE_BYTES: Final = {RowKind.COUNTER: 8, RowKind.LOG: 16}


class RowCutter:
    """Cuts a stream of rows.

    Attributes:
        counts: the rows of each kind so far.
    """

    def __init__(self) -> None:
        self.counts: dict[int, int] = dict.fromkeys(map(int, RowKind), 0)
        self._parts: list[bytes] = []
        self._bytes = 0

    def feed(self, rows: Iterable[StoredRow]) -> list[bytes]:
        """The chunks that more rows complete."""
        chunks: list[bytes] = []
        for kind, key, value in rows:
            size = _HEAD.size + len(key) + len(value)
            if self._bytes + size > ROW_CHUNK_BYTES_MAX:
                chunks += self.end()
            self._parts += (_HEAD.pack(kind, len(key), len(value)), key, value)
            self._bytes += size
            self.counts[kind] += 1
            # The more bytes a row has, the more likely it is the last of its chunk.
            is_last = crc32(key) * ROW_CHUNK_BYTES_MORE < size * _HASHES
            if is_last and self._bytes >= ROW_CHUNK_BYTES_MIN:
                chunks += self.end()
        return chunks

    def end(self) -> list[bytes]:
        """The chunk of the rows that are left; none if there are none."""
        chunks = [b"".join(self._parts)] if self._parts else []
        self._parts, self._bytes = [], 0
        return chunks


def rows_of(content: bytes) -> list[StoredRow]:
    """The rows of a chunk. Raises BackupError: it is none."""
    rows: list[StoredRow] = []
    at = 0
    while at < len(content):
        if len(content) - at < _HEAD.size:
            raise BackupError("a chunk has a part of a row")
        kind, key_bytes, value_bytes = _HEAD.unpack_from(content, at)
        key_at = at + _HEAD.size
        at = key_at + key_bytes + value_bytes
        fits = _VALUE_BYTES.get(kind, value_bytes) == value_bytes and at <= len(content)
        if not fits or kind not in _KINDS:
            raise BackupError("a chunk has rows that this build does not know")
        value_at = key_at + key_bytes
        rows.append(StoredRow(kind, content[key_at:value_at], content[value_at:at]))
    return rows
