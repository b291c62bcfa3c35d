"""Capacity units by table, index and partition, as meters and limits of capacity use them."""

from typing import TypeAlias

import msgspec

from hashrange.model.values import AttributeValue


class HashRange(msgspec.Struct, frozen=True):
    """Partition hashes from `start` up to but not including `end`; empty means no bound."""

    start: bytes
    end: bytes


Partition: TypeAlias = tuple[AttributeValue, ...] | HashRange
"""One partition, by the canonical values of its key (hashed by `keyspace.hash16`), or a range."""


class Charge(msgspec.Struct, frozen=True):
    """Capacity units consumed in one place.

    Attributes:
        table: the name or ARN in the request.
        partition: None for all partitions of the request's plan together.
        index: None for the table itself. A local index shares the partitions of its table.
        sort: the beginning of the sort key, as it is ordered in storage; empty if unknown.
    """

    table: str
    partition: Partition | None = None
    index: str | None = None
    read_units: float = 0.0
    write_units: float = 0.0
    sort: bytes = b""
