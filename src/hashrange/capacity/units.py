"""Capacity units: of one item or page, and of a request by table, index and partition.

Source: Developer Guide, "Read and write capacity unit consumption".
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.tables import READ_UNIT_BYTES, WRITE_UNIT_BYTES
from hashrange.model.values import AttributeValue


class HashRange(msgspec.Struct, frozen=True):
    """Partition hashes from `start` up to but not including `end`; empty means no bound."""

    start: bytes
    end: bytes


Partition: TypeAlias = tuple[AttributeValue, ...] | HashRange
"""One partition, by the canonical values of its key (hashed by `keyspace.hash16`), or a range."""

KeyValues: TypeAlias = tuple[Sequence[AttributeValue], Sequence[AttributeValue] | None]
"""The values of a partition key, and of the sort key; None if there is none, or many."""


class Charge(msgspec.Struct, frozen=True, gc=False):
    """Capacity units consumed in one place.

    Attributes:
        table: the name or ARN in the request.
        partition: None for all partitions of the request's plan together.
        index: None for the table itself. A local index shares the partitions of its table.
        key: of an index entry, if contributor insights count it.
        position: the beginning of the key position, see `capacity.heat`; empty if it is not known,
            then it is computed from `partition`.
    """

    table: str
    partition: Partition | None = None
    index: str | None = None
    read_units: float = 0.0
    write_units: float = 0.0
    position: bytes = b""
    key: KeyValues | None = None

    @property
    def is_write(self) -> bool:
        """Whether it has write units."""
        return self.write_units > 0

    def has_place_of(self, other: "Charge") -> bool:
        """Whether both are of the same place."""
        one, two = [
            (each.table, each.index, each.position, each.partition) for each in (self, other)
        ]
        return one == two

    @property
    def is_placed(self) -> bool:
        """Whether its partition is known."""
        return self.partition is not None or self.position != b""


def read_units(item_bytes: int, *, consistent: bool) -> float:
    """Units of one read of `item_bytes`; an eventually consistent read costs half.

    A missing item, or an empty page, costs as much as the smallest item.
    """
    units = -(-item_bytes // READ_UNIT_BYTES) or 1
    return float(units) if consistent else units / 2


def units_of_reads(sizes: Iterable[int], *, consistent: bool) -> float:
    """Units of reading several items one by one; `sizes` are bytes, 0 for a missing item."""
    units = sum([-(-size // READ_UNIT_BYTES) or 1 for size in sizes])
    return float(units) if consistent else units / 2


def write_units(item_bytes: int) -> float:
    """Units of writing an item; `item_bytes` is the larger of its sizes before and after."""
    return float(-(-item_bytes // WRITE_UNIT_BYTES) or 1)


LEAST_READ_UNITS: Final = {
    consistent: read_units(0, consistent=consistent) for consistent in (False, True)
}
"""Units of reading a missing item or an empty page, by whether the read is consistent."""
