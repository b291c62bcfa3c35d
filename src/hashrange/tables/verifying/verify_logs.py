"""Verifies change logs against the catalog, against the items, and each record against others.

The old image of a record equals the new image of the record before it of the same item, and while a
log has readers, the last record of an item has the stored item. Of new images that records do not
have the size is compared.
"""

import struct
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.model.log import Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.items.images import Image, image_from
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.log_keys import (
    is_record_key,
    log_number,
    logs_range,
    partition_hash,
    record_key,
    record_number,
)
from hashrange.tables.log.change_log import ChangeRecord, history_from
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable

ITEMS_MAX: Final = 1_000_000
"""The most items whose records are compared with each other; each takes some 200 bytes."""
UNREADABLE: Final = (
    msgspec.MsgspecError,
    ValueError,
    KeyError,
    AssertionError,
    DynamoError,
    struct.error,
)
_NONE: Final = b""
_DIGEST_BYTES: Final = 16
_SIZE_BYTES: Final = 4
_ITEMS_PAGE: Final = 100

_encode: Final = msgspec.json.Encoder(order="sorted").encode


async def log_findings(engine: Engine, table: Table) -> list[str]:
    """Inconsistencies in the change log of a table, dropped or not; empty if there are none."""
    found = _shard_findings(table)
    found += await _stray_findings(engine, table)
    chain = _Chain(OpenTable(table, {}))
    for shard in table.log.shards:
        chain.enter(shard)
        await chain.follow(engine, shard)
    found += chain.found
    if table.log.open_shards and table.deleted_ms is None:
        found += await _item_findings(engine, table, chain.last)
    return found[:VERIFY_FINDINGS_MAX]


def _shard_findings(table: Table) -> list[str]:
    """Numbers must be unique, and open shards must cover every hash once if the log has readers."""
    log, found = table.log, []
    numbers = [shard.number for shard in log.shards]
    if len(set(numbers)) < len(numbers) or max(numbers, default=0) >= log.next_shard:
        found.append(
            f"{table.name}: the shards have the numbers {numbers}, the next is {log.next_shard}"
        )
    bounds = [(shard.start, shard.end) for shard in log.open_shards]
    if table.deleted_ms is not None or (table.stream is None and not log.readers):
        expected: list[tuple[bytes, bytes]] = []
    else:
        starts = [start for start, _ in bounds[1:]]
        expected = list(zip([_NONE, *starts], [*starts, _NONE], strict=True))
    if bounds != expected:
        found.append(f"{table.name}: the open shards of the log do not cover all hashes once")
    return found


async def _stray_findings(engine: Engine, table: Table) -> list[str]:
    previous = {shard.number for shard in table.log.shards}
    found: list[str] = []
    start, end = logs_range(table.number)
    while start < end and len(found) < VERIFY_FINDINGS_MAX:  # `start` moves from log to log
        rows = await engine.scan(start, end, limit=1, bytes_max=1)
        if not rows:
            break
        key = rows[0][0]
        if not is_record_key(key):
            found.append(f"{table.name}: the row at {key.hex()} belongs to nothing")
            start = key + b"\x00"
            continue
        number = log_number(key)
        if number not in previous:
            found.append(f"{table.name}: there are records of shard {number}, which is none of it")
        start = key_ranges.prefix_range(keyspace.log_key(table.number, number))[1]
    return found


class _Chain:
    """Compares the records of a log, item by item."""

    def __init__(self, table: OpenTable) -> None:
        self.found: list[str] = []
        self.last: dict[bytes, bytes] = {}
        self._table = table

    def enter(self, shard: Shard) -> None:
        """Forget the records of items in a shard without parent: the log was closed before it."""
        if shard.parent is None:
            start, end = shard.start, shard.end
            self.last = {
                key: value
                for key, value in self.last.items()
                if partition_hash(key) < start or (end and partition_hash(key) >= end)
            }

    async def follow(self, engine: Engine, shard: Shard) -> None:
        """Compare the records of a shard; shards are passed in the order of their numbers."""
        log = keyspace.log_key(self._table.number, shard.number)
        rows = (record_key(log, shard.cleared_to), key_ranges.key_after(log))
        following = shard.cleared_to
        async for key, value in pairs(engine, rows):
            number = record_number(key)
            if not is_record_key(key) or number != following:
                self._report(shard, number, f"stands where record {following} belongs")
            following = number + 1
            try:
                fault = self._fault(shard, history_from(value))
            except UNREADABLE as error:
                fault = f"cannot be read: {error}"
            if fault is not None:
                self._report(shard, number, fault)

    def _report(self, shard: Shard, number: int, fault: str) -> None:
        if len(self.found) < VERIFY_FINDINGS_MAX:
            place = f"record {number} of shard {shard.number}"
            self.found.append(f"{self._table.table.name}: {place} {fault}")

    def _fault(self, shard: Shard, record: ChangeRecord) -> str | None:
        image = record.before if record.after is None else record.after
        if image is None:
            return "is of no item"
        key = key_of_item(self._table, image.item())
        hashed = partition_hash(key)
        if hashed < shard.start or (shard.end and hashed >= shard.end):
            return "is of an item that another shard has"
        before, after = _digest(record.before), _digest(record.after)
        if record.unkept is not None:
            after = _size(record.unkept)
        if before == after and self._table.table.replication is None:
            return "has no change"
        previous = self.last.get(key)
        if previous is not None or len(self.last) < ITEMS_MAX:
            self.last[key] = after
        if previous is None or _matches(previous, record.before, before):
            return None
        return "does not go on from the one before it"


async def _item_findings(engine: Engine, table: Table, last: dict[bytes, bytes]) -> list[str]:
    """Items that differ from the new image of their last record."""
    keys = list(last)
    found: list[str] = []
    for place in range(0, len(keys), _ITEMS_PAGE):
        page = keys[place : place + _ITEMS_PAGE]
        for key, value in zip(page, await engine.read(page), strict=True):
            try:
                image = None if value is None else image_from(value)
                is_as_logged = _matches(last[key], image, _digest(image))
            except UNREADABLE:
                continue  # reported with the items
            if not is_as_logged and len(found) < VERIFY_FINDINGS_MAX:
                found.append(
                    f"{table.name}: the item at {key.hex()} is not as its last record says"
                )
    return found


def _size(size: int) -> bytes:
    """The digest of an image of which only the size is known: shorter than a digest."""
    return size.to_bytes(_SIZE_BYTES)


def _matches(remembered: bytes, image: Image | None, digest: bytes) -> bool:
    """Whether an image, whose digest is known, may be the one that is remembered."""
    if len(remembered) == _SIZE_BYTES:
        return image is not None and _size(image.size) == remembered
    return remembered == digest


def _digest(image: Image | None) -> bytes:
    """A digest of an item that does not depend on the order of its attributes."""
    if image is None:
        return _NONE
    return blake2b(_encode(image.item()), digest_size=_DIGEST_BYTES).digest()
