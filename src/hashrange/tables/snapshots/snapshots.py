"""A table as it was at one moment, read page by page while the table is written.

The snapshot is a reader of the log, which rolls its shards: the moment of a snapshot is at the
latest that of the change of the catalog entry, and all later changes are in new shards. Older
moments are within what other readers of the log keep.

Pages of items are read at different times. For each item that changed after the moment, the image
before its first such change is put into a space of its own, once; after each page the log is
followed to its end, so that every change that the page shows is known. Then images replace the
items of the page. Nothing has to be read again, and pages come in the order of the keys: a reader
that was interrupted goes on behind the last page that it has stored.

Backups, restores and exports are made of snapshots.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.log import LogReader, Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, Fences, Pair
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items import images
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.backup_keys import ABSENT, before_key, before_range
from hashrange.tables.keys.key_ranges import end_of, is_full
from hashrange.tables.log.change_log import history_from, time_ms_of
from hashrange.tables.log.shards import with_reader, without_reader
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""About a millisecond of work; the caller lets requests be served between two pages."""
CLOCKS_MS_MAX: Final = 60 * 60 * 1000
"""By how much the clocks of servers and of the engine may differ."""


class SnapshotLostError(Exception):
    """The table or its reader of the log is gone; the pages that were read are useless."""


class SnapshotAt(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot to read, after `with_snapshot`.

    Attributes:
        name: of the table, as the catalog has it.
        table: the number of the table.
        reader: the name of its reader of the log.
        time_ms: changes with a later stamp are later than the moment; None for the moment at which
            the snapshot became a reader.
        number: under which images are stored; a number that no other table has.
    """

    name: str
    table: int
    reader: str
    time_ms: int | None
    number: int


class Page(msgspec.Struct, frozen=True):
    """Stored items in the order of their keys; `start` is where the next page starts, or None."""

    rows: Sequence[Pair]
    start: bytes | None


def with_snapshot(table: Table, reader: str, *, time_ms: int | None, now_ms: int) -> Table:
    """The table with the reader of a new snapshot, for a change of its catalog entry.

    Args:
        table: the table.
        reader: a name that no other snapshot has; an earlier attempt is replaced.
        time_ms: the moment; None for now.
        now_ms: the time.
    """
    table = without_reader(table, reader, now_ms)
    cut = first_shard = table.log.next_shard
    if time_ms is not None:
        later = (each.number for each in table.log.shards if _may_have_later(each, time_ms))
        first_shard = min(later, default=cut)
    kept = LogReader(name=reader, kind="COPY", first_shard=first_shard, cut=cut)
    return with_reader(table, kept, 1, now_ms)


def _may_have_later(shard: Shard, time_ms: int) -> bool:
    """Whether a shard may have records with a stamp later than a time.

    It may have been closed by a server whose clock differs from that of the stamps.
    """
    return shard.closed_ms is None or shard.closed_ms + CLOCKS_MS_MAX > time_ms


async def newest_stamp(engine: Engine, table: Table, now_ms: int) -> int:
    """The newest stamp of the records of a table, if one may be later than now; else 0 or more."""
    newest_ms = 0
    for shard in table.log.shards:
        if _may_have_later(shard, now_ms):
            keys = key_ranges.prefix_range(keyspace.log_key(table.number, shard.number))
            page = await engine.scan(*keys, limit=1, bytes_max=1, reverse=True)
            newest_ms = max([newest_ms, *[time_ms_of(value) for _, value in page]])
    return newest_ms


class SnapshotReader:
    """Reads the pages of one snapshot.

    Args:
        engine: the items.
        catalog: with the table.
        snapshot: what to read.
        now_ms: the clock.
        fences: of writes of images, so that none is written once another server does the work.
        page_rows: items, images or records that are read at a time.
    """

    def __init__(
        self,
        engine: Engine,
        catalog: Catalog,
        snapshot: SnapshotAt,
        *,
        now_ms: Callable[[], int],
        fences: Callable[[], Fences],
        page_rows: int = PAGE_ROWS,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._snapshot = snapshot
        self._now_ms = now_ms
        self._fences = fences
        self._rows = page_rows
        self._positions: dict[int, bytes] = {}
        """By the number of a shard, the key of the first record that was not read yet."""
        self._ended: set[int] = set()
        """Closed shards whose records have all been read."""
        self._has_history = False
        self._end: bytes | None = None
        """Behind the last item, and the last image, at the first page: those of the snapshot are
        before it, so that items which are written behind it do not hold up the reader."""

    async def page(self, start: bytes | None) -> Page:
        """The page that starts at a key, or the first one.

        Raises:
            SnapshotLostError: the table or its reader of the log is gone.
        """
        first, _ = keyspace.items_range(self._snapshot.table)
        start = first if start is None else start
        if self._end is None:
            items_end = await end_of(self._engine, keyspace.items_range(self._snapshot.table))
        else:
            items_end = self._end
        found = await self._engine.scan(start, items_end, limit=self._rows, bytes_max=PAGE_BYTES)
        await self._follow()
        number = self._snapshot.number
        if self._end is None:
            images_end = await end_of(self._engine, before_range(number))
            self._end = max(items_end, _item_key(self._snapshot.table, images_end))
        bound = found[-1][0] + b"\x00" if found else self._end
        before = await self._engine.scan(
            before_key(number, start), before_key(number, bound), limit=self._rows,
            bytes_max=PAGE_BYTES,
        )  # fmt: skip
        if is_full(before, rows=self._rows, bytes_max=PAGE_BYTES):
            bound = _item_key(self._snapshot.table, before[-1][0]) + b"\x00"
        rows = {key: value for key, value in found if key < bound}
        for key, value in before:
            item = _item_key(self._snapshot.table, key)
            if value == ABSENT:
                rows.pop(item, None)
            else:
                rows[item] = value
        return Page(sorted(rows.items()), None if bound >= self._end else bound)

    async def end(self) -> None:
        """Remove the reader of the log, unless the table was deleted."""
        now_ms = self._now_ms()

        def change(table: Table) -> Table:
            if table.number != self._snapshot.table:
                raise SnapshotLostError
            return without_reader(table, self._snapshot.reader, now_ms)

        with contextlib.suppress(DynamoError, SnapshotLostError):
            await self._catalog.change(self._snapshot.name, change)

    async def _follow(self) -> None:
        """Read the log up to its end; the images before changes are stored."""
        table, cut = await self._kept()
        time_ms = self._snapshot.time_ms
        if time_ms is not None and not self._has_history:
            for shard in table.log.shards:
                if shard.number < cut and _may_have_later(shard, time_ms):
                    await self._read(table, shard, later_only=True)
        self._has_history = True
        for shard in table.log.shards:
            if shard.number >= cut and shard.number not in self._ended:
                await self._read(table, shard, later_only=False)
                if shard.closed_ms is not None:
                    self._ended.add(shard.number)

    async def _kept(self) -> tuple[Table, int]:
        """The table as it is now, and the first shard whose changes are all later.

        Raises SnapshotLostError.
        """
        snapshot = self._snapshot
        opened = await self._catalog.open(snapshot.name)
        table = None if opened is None else opened.table
        if table is None or table.number != snapshot.table:
            raise SnapshotLostError
        cuts = [each.cut for each in table.log.readers if each.name == snapshot.reader]
        if not cuts or cuts[0] is None:
            raise SnapshotLostError
        return table, cuts[0]

    async def _read(self, table: Table, shard: Shard, *, later_only: bool) -> None:
        """Store the images before the changes that are in a shard now."""
        keys = key_ranges.prefix_range(keyspace.log_key(table.number, shard.number))
        start, end = self._positions.get(shard.number, keys[0]), await end_of(self._engine, keys)
        opened = OpenTable(table, {})
        time_ms = self._snapshot.time_ms
        while page := await self._engine.scan(start, end, limit=self._rows, bytes_max=PAGE_BYTES):
            before: dict[bytes, bytes] = {}
            for _, row in page:
                record = history_from(row)
                if later_only and time_ms is not None and record.time_ms <= time_ms:
                    continue
                image = record.after if record.before is None else record.before
                assert image is not None, "a change has an old or a new image"
                item = key_of_item(opened, image.item())
                key = before_key(self._snapshot.number, item)
                # With the key of the item, whose value replaces in a page.
                value = ABSENT if record.before is None else images.stored(record.before, item)
                before.setdefault(key, value)
            if before:
                await self._store(before)
            start = self._positions[shard.number] = page[-1][0] + b"\x00"

    async def _store(self, before: dict[bytes, bytes]) -> None:
        """Store images of items that have none yet: those before their first changes."""
        stored = await self._engine.read(list(before))
        keys = [key for key, value in zip(before, stored, strict=True) if value is None]
        if not keys:
            return

        def decide(stored: list[bytes | None]) -> Changes[None]:
            absent = [key for key, value in zip(keys, stored, strict=True) if value is None]
            return Changes(answer=None, puts={key: before[key] for key in absent})

        await self._engine.write(keys, decide, fences=self._fences())


def _item_key(table: int, before: bytes) -> bytes:
    """The key of an item, from that of its image."""
    start, _ = keyspace.items_range(table)
    return start + before[len(start) :]
