"""Capacity units by table, index and partition, as meters and limits of capacity use them."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

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
