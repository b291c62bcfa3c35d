"""A copy of a table as it is at one moment, made while the table is written.

1. The copy becomes a reader of the log, which rolls its shards: all later changes are in new
   shards, and are kept for the copy.
2. The items are scanned, page by page; pages are read at different times.
3. The log is cut: its shards are rolled again. A change of the catalog entry is one moment for all
   writes of the table, transactions too, and this is the moment of the copy.
4. The records of the shards between 1 and 3 are applied to the scanned items.

Exports, backups and new replicas are such copies.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.log import LogReader
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables import keyspace
from hashrange.tables.catalog import Catalog
from hashrange.tables.change_log import record_from
from hashrange.tables.images import Image, check, image_from
from hashrange.tables.keys import key_of_item
from hashrange.tables.opened import OpenTable
from hashrange.tables.shards import cut, with_reader, with_reader_until, without_reader
from hashrange.tables.store import Store

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""About a millisecond of work; the caller lets requests be served between two pages."""
ALIVE_MS: Final = 60 * 60 * 1000
"""After so long without progress a copy is abandoned, and the log is not kept for it any more."""


class CopyLostError(Exception):
    """The table was deleted, or the copy was abandoned; the parts received so far are useless."""


class Changed(msgspec.Struct, frozen=True):
    """Items that replace those of earlier parts, by key in the engine; None deletes an item."""

    images: Mapping[bytes, Image | None]


class CopiedAt(msgspec.Struct, frozen=True):
    """The last part: the copy is complete, and has the state of the table at `time_ms`.

    `table` is the definition of the table at that time.
    """

    table: Table
    time_ms: int


async def consistent_copy(
    store: Store, catalog: Catalog, name: str, *, reader: str, shards: int = 1
) -> AsyncIterator[Changed | CopiedAt]:
    """The parts of a copy of a table, to be applied in order.

    Args:
        store: the items.
        catalog: the catalog with the table.
        name: the name of the table.
        reader: a name that no other copy of the table has.
        shards: the number of shards to open if the log has no open shards.

    Raises:
        DynamoError: ResourceNotFoundException, there is no such table.
        CopyLostError: the table was deleted, or the copy was abandoned.
    """
    copy = _Copy(store, catalog, name, reader)
    await copy.begin(shards)
    try:
        async for changed in copy.scanned():
            yield changed
        end = await copy.cut()
        async for changed in copy.replayed(end.table):
            yield changed
    finally:
        await copy.end()
    yield end


class _Copy:
    def __init__(self, store: Store, catalog: Catalog, name: str, reader: str) -> None:
        self._engine: Engine = store.engine
        self._clock = store.clock
        self._catalog = catalog
        self._name = name
        self._reader = reader
        self._alive_until_ms = 0
        self._number = 0
        self._first_shard = 0

    async def begin(self, shards: int) -> None:
        """Become a reader of the log."""
        now_ms = self._clock.now_ms()
        self._alive_until_ms = now_ms + ALIVE_MS
        reader = LogReader(
            name=self._reader, kind="COPY", first_shard=0, until_ms=self._alive_until_ms
        )
        table = await self._catalog.change(
            self._name, partial(with_reader, reader=reader, shards=shards, now_ms=now_ms)
        )
        self._number = table.number
        self._first_shard = table.log.readers[-1].first_shard

    async def scanned(self) -> AsyncIterator[Changed]:
        """All items, in pages that are read at different times."""
        start, end = keyspace.items_range(self._number)
        while page := await self._engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES):
            for _, value in page:
                check(value)
            yield Changed({key: image_from(value) for key, value in page})
            start = page[-1][0] + b"\x00"
            await self._stay_alive()

    async def cut(self) -> CopiedAt:
        """Cut the log, which defines the moment of the copy."""
        now_ms = self._clock.now_ms()
        table = await self._change(partial(cut, now_ms=now_ms))
        return CopiedAt(table, now_ms)

    async def replayed(self, table: Table) -> AsyncIterator[Changed]:
        """The changes between `begin` and `cut`, in order for each item."""
        opened = OpenTable(table, {})
        for shard in table.log.shards:
            if shard.number < self._first_shard or shard.closed_ms is None:
                continue
            log = keyspace.log_key(self._number, shard.number)
            start, end = keyspace.prefix_range(log)
            while page := await self._engine.scan(
                start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES
            ):
                images: dict[bytes, Image | None] = {}
                for _, value in page:
                    record = record_from(value)
                    image = record.before if record.after is None else record.after
                    assert image is not None, "a change has an old or a new image"
                    images[key_of_item(opened, image.item())] = record.after
                yield Changed(images)
                start = page[-1][0] + b"\x00"
                await self._stay_alive()

    async def end(self) -> None:
        """Remove the reader of the log, unless the table was deleted."""
        change = partial(without_reader, name=self._reader, now_ms=self._clock.now_ms())
        try:
            await self._catalog.change(self._name, change)
        except DynamoError:
            return

    async def _stay_alive(self) -> None:
        now_ms = self._clock.now_ms()
        if now_ms < self._alive_until_ms - ALIVE_MS // 2:
            return
        self._alive_until_ms = now_ms + ALIVE_MS
        await self._change(
            partial(with_reader_until, name=self._reader, until_ms=self._alive_until_ms)
        )

    async def _change(self, change: Callable[[Table], Table]) -> Table:
        """Change the catalog entry. Raises CopyLostError if the table or the reader is gone."""

        def changed(table: Table) -> Table:
            names = [reader.name for reader in table.log.readers]
            if table.number != self._number or self._reader not in names:
                raise CopyLostError
            return change(table)

        try:
            return await self._catalog.change(self._name, changed)
        except DynamoError as error:
            raise CopyLostError from error
