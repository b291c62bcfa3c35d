"""Deletes items whose time to live has passed, in the order of the index of expiry."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.limits.tables import TIME_TO_LIVE_AGE_SECONDS_MAX
from hashrange.model.log import Actor
from hashrange.model.table import Table
from hashrange.tables.items.images import Image, image_from
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.ordering import ordered
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items

PAGE_ITEMS: Final = 4
"""Less than half a millisecond of work; requests are served between two pages."""
_PAGE_BYTES: Final = 256 * 1024


class _Expired(msgspec.Struct, frozen=True):
    """Decides whether an item is deleted: its time may have changed since the index was read."""

    attribute: str
    after: bytes
    until: bytes

    def decide(self, before: Image | None) -> Decision[bool]:
        """Delete the item if its time is still in the range; the answer is whether. Pure."""
        if before is None:
            return Decision(None, answer=False)
        value = before.item().get(self.attribute)
        if value is None or "N" not in value or not self.after < ordered(value) < self.until:
            return Decision(before, answer=False)
        return Decision(None, answer=True)


def expires_here(table: Table) -> bool:
    """Whether expired items are deleted in the table itself.

    Of a global table they are deleted in one replica, which replicates the deletions. A replica
    that denies replication deletes its own.
    """
    group = table.replication
    if group is None or table.region in group.denied:
        return True
    return all(
        table.region < each.region
        for each in group.replicas
        if each.state == "ACTIVE" and each.region not in group.denied
    )


async def expire_page(store: Store, table: OpenTable, until_s: int) -> tuple[int, bool]:
    """Delete the next items whose time is before `until_s`, in seconds since the epoch.

    Times are compared by their whole seconds. Items of transactions in flight are skipped.

    Returns:
        The number of deleted items, and whether there may be more expired items.

    Raises:
        StaleFenceError: the table changed.
    """
    expiry = table.table.expiry
    if expiry is None or expiry.state != "ACTIVE":
        return 0, False
    after = ordered({"N": str(until_s - TIME_TO_LIVE_AGE_SECONDS_MAX)})
    until = ordered({"N": str(until_s)})
    prefix = keyspace.index_partition_prefix(table.number, expiry.number, (), ())
    entries = await store.engine.scan(
        key_ranges.key_after(prefix + after),
        prefix + until,
        limit=PAGE_ITEMS,
        bytes_max=_PAGE_BYTES,
        fences=table.fences,
    )
    expired = _Expired(expiry.sort[0].name, after, until)
    keys = _keys(table, [image_from(value) for _, value in entries])
    writes = [
        ItemWrite(table, key, expired.decide, Actor.TIME_TO_LIVE)
        for key in keys
        if key not in store.in_flight
    ]
    if not writes:
        return 0, False
    done = await write_items(store, writes)
    deleted = sum(one.answer for one in done)
    return deleted, deleted > 0


def _keys(table: OpenTable, entries: Sequence[Image]) -> list[bytes]:
    return [key_of_item(table, entry.item()) for entry in entries]
