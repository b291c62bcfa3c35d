"""Data files: lines of items, compressed in a thread while the next ones are read."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.backups import (
    EXPORT_CHUNK_BYTES,
    EXPORT_FILE_BYTES_MAX,
    EXPORT_GZIP_LEVEL,
)

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

    Attributes:
        items: the number of lines, as far as they were read.
        size_bytes: of all items that were read for them.
        position: where the next file begins; None if there is none.
    """

    def __init__(self, read: ReadLines, start: bytes | None) -> None:
        self._read = read
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
        while chunk_bytes < EXPORT_CHUNK_BYTES and not self._is_full:
            page = await self._read(self.position)
            found.append(page.lines)
            chunk_bytes += len(page.lines)
            self.items += page.items
            self.size_bytes += page.size_bytes
            self.position = page.start
            self._is_full = (
                page.start is None or self._line_bytes + chunk_bytes >= EXPORT_FILE_BYTES_MAX
            )
        self._line_bytes += chunk_bytes
        return b"".join(found)
