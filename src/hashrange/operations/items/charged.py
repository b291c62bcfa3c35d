"""Charges of single items, by their places, for servers that limit capacity.

Other servers only count units, by table: they do not need the place of each item.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from hashrange.capacity.charges import Charge
from hashrange.capacity.units import write_units
from hashrange.tables.capacity_keys import ITEM_POSITION
from hashrange.tables.opened import OpenTable
from hashrange.tables.writer import WriteResult


def is_limited(tables: Iterable[OpenTable]) -> bool:
    """Whether the capacity of the tables is limited: all of a server are, or none."""
    return any(table.limiter is not None for table in tables)


def charges_of_write(
    name: str, key: bytes, done: WriteResult[Any], *, times: int = 1
) -> list[Charge]:
    """The charges of a write: of its item, `times` as much as a write alone, and of its entries."""
    own = Charge(name, write_units=times * write_units(done.size), position=key[ITEM_POSITION])
    return [
        own,
        *(
            Charge(name, index=index, write_units=units, position=position)
            for index, position, units in done.entry_units or ()
        ),
    ]


def charges_of_writes(
    names: Sequence[str], keys: Sequence[bytes], done: Sequence[WriteResult[Any]], *, times: int = 1
) -> list[Charge]:
    """The charges of several writes; `names` are those of the tables as sent."""
    return [
        charge
        for name, key, one in zip(names, keys, done, strict=True)
        for charge in charges_of_write(name, key, one, times=times)
    ]


def charges_of_items(
    names: Sequence[str], keys: Sequence[bytes], units: Sequence[float], *, is_write: bool = False
) -> list[Charge]:
    """A charge for each item."""
    return [
        Charge(
            name,
            read_units=0.0 if is_write else each,
            write_units=each if is_write else 0.0,
            position=key[ITEM_POSITION],
        )
        for name, key, each in zip(names, keys, units, strict=True)
    ]
