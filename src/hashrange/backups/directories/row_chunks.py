"""Cuts the rows of a database into chunks, stores them, and loads them.

A chunk ends behind a row whose key has a small hash, so where it ends depends on that row only:
rows that are added, changed or removed change the chunks that they are in, and no others.

A restore that was killed goes on: chunks that are loaded are not fetched again.
"""

import asyncio
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Final
from zlib import crc32

from hashrange.backups.directories.claims import Claim
from hashrange.backups.directories.manifests import BackupError, Manifest, RowsManifest, id_of
from hashrange.backups.directories.storing import PUTS, NewBackup, Progress
from hashrange.backups.directories.target import Target
from hashrange.backups.directories.totals import Tally
from hashrange.limits.backups import (
    ROW_CHUNK_BYTES_MAX,
    ROW_CHUNK_BYTES_MIN,
    ROW_CHUNK_BYTES_MORE,
)
from hashrange.storage.stored_rows import RowKind, RowSink, RowSource, StoredRow

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


async def store_rows(
    rows: RowSource,
    target: Target,
    claim: Claim,
    data_id: str,
    *,
    made_ms: int,
    progress: Progress,
) -> RowsManifest:
    """Make a backup of all rows, and verify it.

    Args:
        rows: of a database, which may be written meanwhile.
        target: the place.
        claim: of the target.
        data_id: distinguishes data of different origin.
        made_ms: now; what was acknowledged before is in the backup.
        progress: moves on meanwhile; how many chunks there are is known at the end.

    Raises:
        BackupError: the target has other data, or lost a chunk, or a later backup has begun.
        BucketError: it cannot be written or read.
        StorageError: the rows cannot be read.
    """
    new = await NewBackup.begin(target, claim, data_id, progress, is_encrypted=False)
    cutter, tally, waiting = RowCutter(), Tally(), list[bytes]()
    sizes = [0, 0]

    async def put() -> None:
        sizes[:] = sizes[0] + sum(map(len, waiting)), max(sizes[1], *map(len, waiting))
        await new.add(waiting)
        progress.chunks = len(new.names)
        waiting.clear()

    async def take(part: Sequence[StoredRow]) -> None:
        waiting.extend(cutter.feed(part))
        tally.feed(part)
        if len(waiting) >= PUTS:
            await put()

    await rows.read(take)
    waiting += cutter.end()
    if waiting:
        await put()
    data_bytes, chunk_bytes = sizes
    manifest = RowsManifest(
        id=id_of(made_ms),
        made_ms=made_ms,
        data_id=data_id,
        data_bytes=data_bytes,
        chunk_bytes=chunk_bytes,
        chunks=new.names,
        tables_format=rows.format,
        counts=cutter.counts,
        totals=tally.totals(),
    )
    await new.end(manifest)
    return manifest


_LOADS: Final = 4
"""Chunks that are fetched and loaded at a time."""


def of_rows(manifest: Manifest) -> RowsManifest:
    """A manifest that can be restored to a database. Raises BackupError: it is another one."""
    if not isinstance(manifest, RowsManifest):
        raise BackupError(
            f"backup {manifest.id} is of a data directory: restore it to a directory; "
            "`hashrange copy` copies its tables to a database"
        )
    return manifest


async def load(
    target: Target,
    manifest: RowsManifest,
    sink: RowSink,
    *,
    verify: Callable[[str], Sequence[str]],
    progress: Progress,
) -> None:
    """Make a database of a backup.

    Args:
        target: has the backup.
        manifest: of the backup.
        sink: the database.
        verify: returns what is wrong with the data in a database.
        progress: moves on meanwhile.

    Raises:
        BackupError: the backup is damaged.
        BucketError: the target cannot be read.
        StorageError: the database cannot be written, or has other data by now.
    """
    if manifest.tables_format not in sink.formats:
        raise BackupError(
            f"backup {manifest.id} has tables of format {manifest.tables_format}, this build "
            f"restores {', '.join(map(str, sorted(sink.formats)))}: use the build that made it"
        )
    there = await sink.begin(manifest.id)
    missing = [at for at in range(len(manifest.chunks)) if at not in there]
    progress.chunks = len(manifest.chunks)
    progress.done = progress.chunks - len(missing)

    async def place(at: int) -> None:
        content = await target.chunk(manifest.chunks[at], manifest.chunk_bytes)
        await sink.load(at, await asyncio.to_thread(rows_of, content))
        progress.done += 1
        progress.stored += 1
        progress.stored_bytes += len(content)

    for start in range(0, len(missing), _LOADS):
        await asyncio.gather(*map(place, missing[start : start + _LOADS]))
    counts = await sink.counts()
    if counts != manifest.counts:
        raise BackupError(
            f"{sink.shown} has rows {dict(counts)}, and the backup {manifest.counts}: drop that "
            "schema, and begin again"
        )
    findings = await asyncio.to_thread(verify, sink.place)
    if findings:
        raise BackupError(f"the restored data in {sink.shown} are not sound: {findings[0]}")
    await sink.publish()
