"""Data files: lines of items, compressed in a thread while the next ones are read."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.backups import EXPORT_GZIP_LEVEL
from hashrange.model.backup import ExportJob
from hashrange.model.table import Table
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.jobs.transfers import EXPORTS
from hashrange.tables.log.shards import without_reader
from hashrange.tables.snapshots.snapshots import SnapshotAt, with_snapshot

_GZIP: Final = 16 + zlib.MAX_WBITS
"""The form of gzip, without a time, so that the same lines make the same file."""


class LinePage(msgspec.Struct, frozen=True):
    """Lines of some items.

    Attributes:
        lines: as they stand in a data file.
        items: the number of lines.
        size_bytes: of all items that were read for them, as DynamoDB counts them.
        start: where the next page starts; None for the last one.
    """

    lines: bytes
    items: int
    size_bytes: int
    start: bytes | None


ReadLines: TypeAlias = Callable[[bytes | None], Awaitable[LinePage]]
"""Reads the page that starts at a key of an item, or the first one."""


class DataFileWriter:
    """One data file.

    Args:
        read: reads its lines.
        start: where its first page starts.
        file_bytes: of its lines; then it is full.
        chunk_bytes: of the lines that are compressed at a time.

    Attributes:
        items: the number of lines, as far as they were read.
        size_bytes: of all items that were read for them.
        position: where the next file begins; None if there is none.
    """

    def __init__(
        self, read: ReadLines, start: bytes | None, *, file_bytes: int, chunk_bytes: int
    ) -> None:
        self._read = read
        self._file_bytes_max, self._chunk_bytes_max = file_bytes, chunk_bytes
        self.items = 0
        self.size_bytes = 0
        self.position = start
        self._is_full = False
        self._line_bytes = 0

    async def chunks(self) -> AsyncIterator[bytes]:
        """The content of the file."""
        packer = zlib.compressobj(EXPORT_GZIP_LEVEL, zlib.DEFLATED, _GZIP)
        pending: asyncio.Future[bytes] | None = None
        while not self._is_full:
            lines = await self._lines()
            if pending is not None:
                yield await pending
            pending = asyncio.ensure_future(asyncio.to_thread(packer.compress, lines))
        if pending is not None:
            yield await pending
        yield packer.flush()

    async def _lines(self) -> bytes:
        """The next lines, some pages of them."""
        found: list[bytes] = []
        chunk_bytes = 0
        while chunk_bytes < self._chunk_bytes_max and not self._is_full:
            page = await self._read(self.position)
            found.append(page.lines)
            chunk_bytes += len(page.lines)
            self.items += page.items
            self.size_bytes += page.size_bytes
            self.position = page.start
            self._is_full = (
                page.start is None or self._line_bytes + chunk_bytes >= self._file_bytes_max
            )
        self._line_bytes += chunk_bytes
        return b"".join(found)


_READER: Final = "export:"
"""Before the ARN of an export, in the name of the reader of its table's log."""


def exports_of(table: Table) -> list[str]:
    """The ARNs of the exports of a table that are in progress."""
    readers = (reader.name for reader in table.log.readers)
    return [name.removeprefix(_READER) for name in readers if name.startswith(_READER)]


def export_arn(table: Table, now_ms: int, unique: str) -> str:
    """The ARN of an export; `unique` distinguishes those of one millisecond."""
    return f"{table.arn}/export/{now_ms:014}-{unique}"


def with_export(job: ExportJob, table: Table) -> Table:
    """The table when an export begins: its log is kept for what the export reads."""
    time_ms = job.time_ms if job.window is None else job.window.from_ms - 1
    return with_snapshot(table, _READER + job.arn, time_ms=time_ms, now_ms=job.started_ms)


def without_export(arn: str, now_ms: int, table: Table) -> Table:
    """The table when an export has ended."""
    return without_reader(table, _READER + arn, now_ms)


def snapshot_of(job: ExportJob) -> SnapshotAt:
    """The snapshot that an export reads."""
    return SnapshotAt(
        name=job.table,
        table=job.table_number,
        reader=_READER + job.arn,
        time_ms=job.time_ms,
        number=job.number,
    )


def ended(job: ExportJob, now_ms: int, failure: tuple[str, str] | None) -> ExportJob:
    """The export at its end."""
    status = "COMPLETED" if failure is None else "FAILED"
    return msgspec.structs.replace(job, status=status, ended_ms=now_ms, failure=failure)


def ended_rows(arn: str, now_ms: int, failure: tuple[str, str] | None) -> ExtraRows:
    """The end of an export, to be written with the table that `without_export` returns."""

    def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
        (value,) = values
        job = None if value is None else EXPORTS.decode(value)
        if job is None or job.ended_ms is not None:
            return {}
        return EXPORTS.row(ended(job, now_ms, failure))

    return ExtraRows((EXPORTS.key(arn),), puts)
