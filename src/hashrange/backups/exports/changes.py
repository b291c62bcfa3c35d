"""The net changes of items within a window of time, collected from the change log.

For each item that changed, the image before its first change in the window and that after its last
one are kept in the engine, in the space of images of the export. The records are read from their
beginning to their end before the changes are: after an interruption that is done again, and has
the same result.

A record may not have the image after its change. That image is the one before the next change of
the item, which is later than the window; if there is none, it is the item. So the log is followed
to its end, and again after items were read.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Final

import msgspec

from hashrange.model.backup import ExportJob
from hashrange.model.log import Shard
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.items.images import image_from
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.backup_keys import before_key, before_range, moved
from hashrange.tables.keys.key_ranges import is_full, prefix_range
from hashrange.tables.log.change_log import ChangeRecord, history_from, is_change
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.snapshots.snapshots import CLOCKS_MS_MAX, PAGE_BYTES, PAGE_ROWS


class NetChange(msgspec.Struct, frozen=True, array_like=True):
    """The net change of an item; both images are JSON of items, None where there is no item."""

    version: int
    """Microseconds since the epoch, of the last change."""
    size_bytes: int
    """Of both images, as DynamoDB counts them."""
    old: bytes | None
    new: bytes | None
    lacks_new: bool = False
    """There is a new image, which is not known yet."""


class ChangePage(msgspec.Struct, frozen=True):
    """Changes by the engine key of their items, in order; `start` is None on the last page."""

    changes: Sequence[tuple[bytes, NetChange]]
    start: bytes | None


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(NetChange).decode


class WindowChanges:
    """The changes of one export.

    Args:
        engine: holds the records and the changes.
        job: the export.
        opened: the table as it is now.
        first_shard: the first one whose records are kept for the export.
        fences: of writes.
        page_rows: records, or changes, that are read at a time.
    """

    CLOCKS_MS_MAX: ClassVar[int] = CLOCKS_MS_MAX
    """By how much the clocks of servers may differ."""

    def __init__(
        self,
        engine: Engine,
        job: ExportJob,
        opened: Callable[[], Awaitable[OpenTable]],
        *,
        first_shard: int,
        fences: Callable[[], Fences],
        page_rows: int = PAGE_ROWS,
    ) -> None:
        assert job.window is not None, "the export is incremental"
        self._engine = engine
        self._opened = opened
        self._window = job.window
        self._number = job.number
        self._first_shard = first_shard
        self._fences = fences
        self._rows = page_rows
        self._positions: dict[int, bytes] = {}
        """By the number of a shard, the key of the first record that was not read yet."""
        self._ended: set[int] = set()
        """Shards of which all records that matter were read."""
        self._lacks_new = False
        """A change may lack its new image."""

    async def collect(self, *, is_again: bool) -> bool:
        """Read a page of the log; whether there may be more.

        With `is_again` only images that are missing are looked for: the changes are collected.
        """
        self._lacks_new |= is_again
        table = await self._opened()
        for shard in sorted(table.table.log.shards, key=lambda each: each.number):
            if shard.number >= self._first_shard and self._may_have(shard):
                if await self._read(table, shard, is_again=is_again):
                    return True
                if shard.closed_ms is not None:
                    self._ended.add(shard.number)
        return False

    def _may_have(self, shard: Shard) -> bool:
        """Whether there may be more records to read in a shard.

        Shards are opened and closed by servers whose clocks may differ from that of the stamps.
        """
        closed_ms, window = shard.closed_ms, self._window
        if closed_ms is not None and closed_ms + self.CLOCKS_MS_MAX < window.from_ms:
            return False
        is_late = shard.opened_ms - self.CLOCKS_MS_MAX >= window.to_ms
        return shard.number not in self._ended and (self._lacks_new or not is_late)

    async def _read(self, table: OpenTable, shard: Shard, *, is_again: bool) -> bool:
        """Read the next page of a shard; whether there may be more."""
        first, end = prefix_range(keyspace.log_key(table.number, shard.number))
        start = self._positions.get(shard.number, first)
        page = await self._engine.scan(start, end, limit=self._rows, bytes_max=PAGE_BYTES)
        if not page:
            return False
        self._positions[shard.number] = page[-1][0] + b"\x00"
        records = [history_from(value) for _, value in page]
        if not is_again:
            await self._merge(table, [each for each in records if self._is_within(each)])
        later = [each for each in records if each.time_ms >= self._window.to_ms]
        if later and not self._lacks_new:
            # Stamps of a log never decrease, so nothing of the window follows.
            self._ended.add(shard.number)
        else:
            await self._complete(table, later)
        return is_full(page, rows=self._rows, bytes_max=PAGE_BYTES)

    def _is_within(self, record: ChangeRecord) -> bool:
        """Whether it is a change in the window; global tables also log writes without one."""
        is_within = self._window.from_ms <= record.time_ms < self._window.to_ms
        return is_within and (record.unkept is not None or is_change(record.before, record.after))

    async def _merge(self, table: OpenTable, records: Sequence[ChangeRecord]) -> None:
        """Add records to the changes of their items."""
        found: dict[bytes, NetChange] = {}
        for record in records:
            before, after = record.before, record.after
            key = self._key_of(table, record)
            self._lacks_new |= record.unkept is not None
            known = found.get(key)
            new_bytes = record.unkept or (0 if after is None else after.size)
            change = NetChange(
                record.version,
                (0 if before is None else before.size) + new_bytes,
                None if before is None else before.json,
                None if after is None else after.json,
                record.unkept is not None,
            )
            found[key] = change if known is None else _joined(known, change)

        def merged(key: bytes, value: bytes | None) -> NetChange:
            return found[key] if value is None else _joined(_decode(value), found[key])

        await self._write(list(found), merged)

    async def _complete(self, table: OpenTable, records: Sequence[ChangeRecord]) -> None:
        """Give changes their new images: those before the first records later than the window."""
        found: dict[bytes, bytes] = {}
        for record in records:
            if record.before is not None:
                found.setdefault(self._key_of(table, record), record.before.json)

        def completed(key: bytes, value: bytes | None) -> NetChange | None:
            change = None if value is None else _decode(value)
            if change is None or not change.lacks_new:
                return None
            return msgspec.structs.replace(change, new=found[key], lacks_new=False)

        await self._write(list(found), completed)

    def _key_of(self, table: OpenTable, record: ChangeRecord) -> bytes:
        image = record.before if record.after is None else record.after
        assert image is not None, "a change has an old or a new image"
        return before_key(self._number, key_of_item(table, image.item()))

    async def _write(
        self, keys: Sequence[bytes], changed: Callable[[bytes, bytes | None], NetChange | None]
    ) -> None:
        """Write changes; those for which there is None stay as they are."""

        def decide(stored: list[bytes | None]) -> Changes[None]:
            pairs = zip(keys, stored, strict=True)
            found = {key: changed(key, value) for key, value in pairs}
            puts = {key: _encode(change) for key, change in found.items() if change is not None}
            return Changes(answer=None, puts=puts)

        # Most pages change nothing, and a write costs a sync.
        if decide(await self._engine.read(keys)).puts:
            await self._engine.write(keys, decide, fences=self._fences())

    async def page(self, start: bytes | None) -> ChangePage:
        """A page of the changes that were collected. `start` is the key of an item."""
        number = (await self._opened()).number
        first, end = before_range(self._number)
        first = first if start is None else before_key(self._number, start)
        found = await self._engine.scan(first, end, limit=self._rows, bytes_max=PAGE_BYTES)
        rows = _bounded([(key, _decode(value)) for key, value in found])
        if any(change.lacks_new for _, change in rows):
            keys = [moved(number, key) for key, _ in rows]
            items = await self._engine.read(keys)
            while await self.collect(is_again=True):  # bound: the log, which is kept
                pass
            stored = await self._engine.read([key for key, _ in rows])
            rows = [
                (key, change if value is None else _with_item(_decode(value), item))
                for (key, change), value, item in zip(rows, stored, items, strict=True)
            ]
        changes = [(moved(number, key), change) for key, change in rows]
        return ChangePage(changes, changes[-1][0] + b"\x00" if rows else None)


def _bounded(rows: Sequence[tuple[bytes, NetChange]]) -> list[tuple[bytes, NetChange]]:
    """The first rows, at least one, of which the images have some PAGE_BYTES.

    Images that they lack are read besides.
    """
    total, found = 0, list[tuple[bytes, NetChange]]()
    for key, change in rows:
        total += change.size_bytes
        if found and total > PAGE_BYTES:
            break
        found.append((key, change))
    return found


def _with_item(change: NetChange, item: bytes | None) -> NetChange:
    """A change whose item has not changed since, with the image of the item if it lacks that."""
    if not change.lacks_new:
        return change
    assert item is not None, "an item that was deleted later has a record"
    return msgspec.structs.replace(change, new=image_from(item).json, lacks_new=False)


def _joined(earlier: NetChange, later: NetChange) -> NetChange:
    return msgspec.structs.replace(later, old=earlier.old)
