"""Writes that the log of a strong table has decided, equal in all regions."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hashrange.regions.consensus.writes import Write
from hashrange.regions.strong.log_rows import written_row
from hashrange.storage.engine import NO_FENCES, Changes, Fences
from hashrange.tables.items.images import Image, image_from, stored_unpacked
from hashrange.tables.keys.consensus_keys import applied_key, index_row
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.log.tombstones import GlobalVersion
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_decisions import WriteBatch, all_decided
from hashrange.tables.writing.write_plans import replicated_write
from hashrange.tables.writing.writer import write_batch


def entry_item(key: bytes, changes: Changes[Any]) -> bytes | None:
    """The item in an entry: the one that changes leave at a key; None if they delete it.

    It goes to other servers, whose builds may be older.
    """
    value = changes.puts.get(key)
    return None if value is None else stored_unpacked(image_from(value))


def entry_key_of(table: OpenTable, key: bytes) -> bytes:
    """The key in an entry, which is the same in all regions, from that in the engine."""
    return key[len(items_range(table.number)[0]) :]


class Decided(msgspec.Struct, frozen=True):
    """An entry that takes effect.

    Attributes:
        index: of the entry.
        version: of the item from then on; greater than those of all entries before.
        write: what the entry has.
    """

    index: int
    version: int
    write: Write


async def apply_entries(
    store: Store,
    table: OpenTable,
    entries: Sequence[Decided],
    applied: int,
    *,
    fences: Fences,
) -> None:
    """Write the items of entries that take effect, and the last index, as one.

    Args:
        store: the items.
        table: the strong one.
        entries: those that take effect; the keys are distinct.
        applied: the index up to which entries are applied then.
        fences: of the write, beside those of the table.

    Raises StaleFenceError, StorageError.
    """
    number, key = table.number, applied_key(table.number)
    start = items_range(number)[0]
    plans = [
        replicated_write(
            table,
            start + each.write.key,
            None if each.write.item is None else image_from(each.write.item),
            GlobalVersion(each.version, each.write.region),
        )
        for each in entries
    ]
    rows = dict(
        written_row(number, (each.index, each.write.region, each.write.key, each.version))
        for each in entries
    )

    def decide(batch: WriteBatch[None]) -> Changes[None]:
        batch.decide_all()
        return batch.changes.changes(None, {**rows, key: index_row(applied)})

    await write_batch(store, plans, decide, [key], fences=fences)


class CopiedItem(msgspec.Struct, frozen=True, array_like=True):
    """An item of another region: its key as in entries, and its last change."""

    key: bytes
    version: int
    region: str
    image: Image | None


async def write_copied(
    store: Store,
    table: OpenTable,
    items: Sequence[CopiedItem],
    *,
    fences: Callable[[], Fences] = lambda: NO_FENCES,
) -> None:
    """Write items of another region in place of the own ones, unless these are as new.

    Raises StaleFenceError, StorageError.
    """
    start = items_range(table.number)[0]
    plans = [
        replicated_write(
            table, start + each.key, each.image, GlobalVersion(each.version, each.region)
        )
        for each in items
    ]
    if plans:
        await write_batch(store, plans, all_decided, fences=fences())
