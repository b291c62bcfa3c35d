"""The net changes of items within a window of time, collected from the change log.

For each item that changed, the image before its first change in the window and that after its last
one are kept in the engine, in the space of images of the export. The records are read from their
beginning to their end before the changes are: after an interruption that is done again, and has
the same result.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.model.export_job import ExportJob, Window
from hashrange.model.log import Shard
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables import keyspace
from hashrange.tables.change_log import ChangeRecord, is_change, record_from
from hashrange.tables.key_ranges import prefix_range
from hashrange.tables.keys import key_of_item
from hashrange.tables.opened import OpenTable
from hashrange.tables.snapshot_keys import before_key, before_range, moved
from hashrange.tables.snapshots import CLOCKS_MS_MAX, PAGE_BYTES, PAGE_ROWS


class NetChange(msgspec.Struct, frozen=True, array_like=True):
    """The net change of an item; both images are JSON of items, None where there is no item."""

    version: int
    """Microseconds since the epoch, of the last change."""
    size_bytes: int
    """Of both images, as DynamoDB counts them."""
    old: bytes | None
    new: bytes | None


class ChangePage(msgspec.Struct, frozen=True):
    """Changes by the engine key of their items, in order; `start` is None on the last page."""

    changes: Sequence[tuple[bytes, NetChange]]
    start: bytes | None


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(NetChange).decode


def shards_of(table: OpenTable, window: Window, first_shard: int) -> Sequence[Shard]:
    """The shards that may have records of a window, parents before their children."""
    found = (shard for shard in table.table.log.shards if shard.number >= first_shard)
    return sorted(
        (shard for shard in found if _may_have(shard, window)), key=lambda shard: shard.number
    )


def _may_have(shard: Shard, window: Window) -> bool:
    # Shards are opened and closed by servers whose clocks may differ from that of the stamps.
    is_early = shard.closed_ms is not None and shard.closed_ms + CLOCKS_MS_MAX < window.from_ms
    return not is_early and shard.opened_ms - CLOCKS_MS_MAX < window.to_ms


class WindowChanges:
    """The changes of one export.

    Args:
        engine: holds the records and the changes.
        table: whose items they are.
        job: the export.
    """

    def __init__(self, engine: Engine, table: OpenTable, job: ExportJob) -> None:
        assert job.window is not None, "the export is incremental"
        self._engine = engine
        self._table = table
        self._window = job.window
        self._number = job.number

    async def collect(self, shard: Shard, start: bytes | None, fences: Fences) -> bytes | None:
        """Collect a page of the records of a shard; where the next one starts, None at the end."""
        first, end = prefix_range(keyspace.log_key(self._table.number, shard.number))
        page = await self._engine.scan(
            first if start is None else start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES
        )
        records = [record_from(value) for _, value in page]
        within = [each for each in records if self._is_within(each)]
        if within:
            await self._merge(within, fences)
        # Stamps of a log never decrease.
        if not page or records[-1].time_ms >= self._window.to_ms:
            return None
        return page[-1][0] + b"\x00"

    def _is_within(self, record: ChangeRecord) -> bool:
        """Whether it is a change in the window; global tables also log writes without one."""
        is_within = self._window.from_ms <= record.time_ms < self._window.to_ms
        return is_within and is_change(record.before, record.after)

    async def _merge(self, records: Sequence[ChangeRecord], fences: Fences) -> None:
        """Add records to the changes of their items."""
        found: dict[bytes, NetChange] = {}
        for record in records:
            before, after = record.before, record.after
            image = after or before
            assert image is not None, "a change has an old or a new image"
            key = before_key(self._number, key_of_item(self._table, image.item()))
            known = found.get(key)
            change = NetChange(
                record.version,
                (0 if before is None else before.size) + (0 if after is None else after.size),
                None if before is None else before.json,
                None if after is None else after.json,
            )
            found[key] = change if known is None else _joined(known, change)
        keys = list(found)

        def decide(stored: list[bytes | None]) -> Changes[None]:
            puts = {
                key: _encode(found[key] if value is None else _joined(_decode(value), found[key]))
                for key, value in zip(keys, stored, strict=True)
            }
            return Changes(answer=None, puts=puts)

        await self._engine.write(keys, decide, fences=fences)

    async def page(self, start: bytes | None) -> ChangePage:
        """A page of the changes that were collected. `start` is the key of an item."""
        first, end = before_range(self._number)
        rows = await self._engine.scan(
            first if start is None else before_key(self._number, start),
            end,
            limit=PAGE_ROWS,
            bytes_max=PAGE_BYTES,
        )
        changes = [(moved(self._table.number, key), _decode(value)) for key, value in rows]
        return ChangePage(changes, changes[-1][0] + b"\x00" if rows else None)


def _joined(earlier: NetChange, later: NetChange) -> NetChange:
    return NetChange(later.version, later.size_bytes, earlier.old, later.new)
