"""What requests cost, and in which partition: the unit of account of meters, limits and samples."""

from typing import TypeAlias

import msgspec

from hashrange.model.values import AttributeValue


class HashRange(msgspec.Struct, frozen=True):
    """Partition hashes from `start` up to but not including `end`; empty where there is no end."""

    start: bytes
    end: bytes


Partition: TypeAlias = tuple[AttributeValue, ...] | HashRange
"""One, by the canonical values of its key, whose hash is `keyspace.hash16`; or a range."""


class Charge(msgspec.Struct, frozen=True):
    """Capacity units consumed in one place.

    Attributes:
        table: its name or ARN, as the request has it.
        partition: None for those that the plan of the request names, together.
        index: None for the table itself. A local index is in the partitions of its table.
    """

    table: str
    partition: Partition | None = None
    index: str | None = None
    read_units: float = 0.0
    write_units: float = 0.0
