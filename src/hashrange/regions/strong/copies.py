"""The items of a member whose entries the others have removed: a copy of another region.

The items are read page by page while they are written, so that they are of different moments. They
have versions, which grow with each entry of the log: an entry that the item has already is left out
when it is applied. With the items come the writes that decide on the entries after the copy.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import msgspec

from hashrange.regions.peers.calls import MessageError, PeerError, packed, unpacked
from hashrange.regions.peers.sending import copy_page
from hashrange.regions.strong.log_rows import Written, writes_before
from hashrange.regions.strong.writes import CopiedItem, entry_key_of, write_copied
from hashrange.storage.engine import Fences
from hashrange.tables.items.images import Image, version_and_region_of
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

COPY: Final = "consensus-copy"
"""The verb of `Wanted`."""
_WRITES_MAX: Final = 100


class CopyError(Exception):
    """No member has what is to be copied, now."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for a page of items.

    Attributes:
        group: the id of the group.
        index: the state must have all entries up to it.
        after: the key of the last item of the page before; None for the first page.
    """

    group: str
    index: int
    after: bytes | None = None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The answer.

    Attributes:
        is_there: the member has the state, and the writes; otherwise the rest is empty.
        writes: those before the index, in the first page.
        items: in the order of their keys.
        is_last: no items follow.
    """

    is_there: bool
    writes: tuple[Written, ...] = ()
    items: tuple[CopiedItem, ...] = ()
    is_last: bool = True


Ask: TypeAlias = Callable[[Wanted], Awaitable[Page]]


async def page_of(
    store: Store, table: OpenTable, wanted: Wanted, *, applied: int, base: int
) -> Page:
    """The page that a member asks another one for.

    Args:
        store: the items.
        table: the strong one.
        wanted: which page.
        applied: the index of the last entry in the state.
        base: the index up to which entries are removed.
    """
    # With the entries after the index go the writes that decide on them.
    is_removed = wanted.after is None and base > wanted.index
    if is_removed or wanted.index > applied:
        return Page(is_there=False)
    writes: list[Written] = []
    start = items_range(table.number)[0]
    if wanted.after is None:
        writes = await writes_before(store.engine, table.number, wanted.index)
    else:
        start += wanted.after + b"\x00"
    page = await copy_page(store.engine, table, start, is_all=True, from_us=0)
    items = tuple(
        CopiedItem(
            each.key,
            each.version,
            each.region,
            None if each.json is None else Image(each.size, each.json),
        )
        for each in page.changes
    )
    return Page(is_there=True, writes=tuple(writes), items=items, is_last=page.is_last_of_items)


async def copy(
    store: Store, table: OpenTable, wanted: Wanted, ask: Ask, *, fences: Callable[[], Fences]
) -> tuple[Written, ...]:
    """Make the items of a table those of another member; the writes before the index.

    Raises CopyError: it does not have them; StaleFenceError, StorageError.
    """
    first, end = items_range(table.number)
    page = await ask(wanted)
    writes, start = page.writes, first
    while True:
        if not page.is_there:
            raise CopyError("the member that was asked has no such state")
        stop = end if page.is_last else first + page.items[-1].key + b"\x00"
        items = {first + each.key: each for each in page.items}
        changes = [*page.items]
        async for key, row in pairs(store.engine, (start, stop)):
            if key not in items:
                version = version_and_region_of(row)[0] + 1
                name, region = entry_key_of(table, key), table.table.region
                changes.append(CopiedItem(name, version, region, None))
        for place in range(0, len(changes), _WRITES_MAX):
            some = changes[place : place + _WRITES_MAX]
            await write_copied(store, table, some, fences=fences)
        if page.is_last:
            return writes
        start = stop
        page = await ask(msgspec.structs.replace(wanted, after=page.items[-1].key))


async def asked(call: Callable[[bytes], Awaitable[bytes]], wanted: Wanted) -> Page:
    """The answer of another server. Raises CopyError."""
    try:
        return unpacked(await call(packed(wanted)), Page)
    except (PeerError, MessageError) as error:
        raise CopyError(str(error)) from error
