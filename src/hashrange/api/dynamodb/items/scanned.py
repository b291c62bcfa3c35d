"""The units of a page of a scan on a server that limits capacity: of each partition by itself.

A scan reads at least one unit, or half a unit, from each partition that it passes. A new on-demand
table has four, so a scan of its only item costs four times the least units. Source: measured by
users; that other tables behave alike is our conclusion.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from hashrange.capacity.units import Charge, read_units
from hashrange.model.values import Item
from hashrange.tables.items.images import item_of, sizes_of
from hashrange.tables.keys.scaling_keys import ENTRY_POSITION, ITEM_POSITION
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.reader import KeyRange, Page, Sizes
from hashrange.tables.opened.vector_entries import charged_sizes


def position_in(access_path: AccessPath, key: bytes) -> bytes:
    """The key position in an engine key of a table or index; a bound of all keys has none."""
    return key[ITEM_POSITION if access_path.index is None else ENTRY_POSITION]


def sizes_in(access_path: AccessPath) -> Sizes | None:
    """The bytes that a read counts, for its page and its charge; None for those of the rows.

    An entry of an index has vectors as lists.
    """
    table = access_path.table
    if table.vector_names and access_path.index is None:
        return partial(charged_sizes, table.table)
    return None


def charges_of_scan(
    name: str, access_path: AccessPath, keys: KeyRange, page: Page, *, consistent: bool
) -> Sequence[Charge]:
    """The charges of a page, one for each partition that was passed; none without a limiter."""
    limiter = access_path.table.limiter
    if limiter is None:
        return ()
    index = None if access_path.index is None else access_path.index.name
    resource = limiter.capacity_of(name).resource(index)
    if resource is None:
        return ()
    end = _end_of(access_path, keys, page)
    passed = resource.between(position_in(access_path, keys.start), end)
    firsts = [_first(access_path, page.stored, each.start) for each in passed[1:]]
    cuts = [0, *firsts, len(page.stored)]
    charges, sizes = [], sizes_in(access_path)
    for partition, (first, last) in zip(passed, pairwise(cuts), strict=True):
        read = page.stored[first:last]
        size = sizes_of(read) if sizes is None else sum(sizes(read))
        units = read_units(size, consistent=consistent)
        place = max(partition.start, position_in(access_path, keys.start))
        charges.append(Charge(name, index=index, read_units=units, position=place or b"\0"))
    return charges


def _end_of(access_path: AccessPath, keys: KeyRange, page: Page) -> bytes:
    """The end of what a page has read: after its last item, or that of the range."""
    if page.more:
        return _position(access_path, page.stored[-1]) + b"\0"
    return access_path.hashes(keys.start, keys.end)[1]


def _first(access_path: AccessPath, stored: Sequence[bytes], start: bytes) -> int:
    """The number of the first item at or after a position."""
    return bisect_left(stored, start, key=lambda each: _position(access_path, each))


def _position(access_path: AccessPath, stored: bytes) -> bytes:
    item: Item = item_of(stored)
    key = access_path.position({name: item[name] for name in access_path.key_names})
    assert key is not None, "it is in the index"
    return position_in(access_path, key)
