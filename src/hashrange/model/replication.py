"""The group of replicas of a global table, as the catalog entry of each replica has it."""

from typing import Literal, TypeAlias

import msgspec

ReplicaState: TypeAlias = Literal["CREATING", "ACTIVE", "DELETING"]
"""CREATING: its items are being copied. DELETING: it is removed from the group."""


class Replica(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Another replica of the table."""

    region: str
    state: ReplicaState = "ACTIVE"
    first_shard: int = 1
    """Changes in shards of this table's log from this number on are replicated to it."""


class Replication(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The regions of a global table.

    Regions keep their numbers, since items and records of changes have them. A table from which all
    replicas were removed keeps this value.
    """

    regions: tuple[str, ...]
    """By their numbers in the headers of items; the first is the table's own."""
    replicas: tuple[Replica, ...] = ()
    """The other replicas that exist."""

    def number_of(self, region: str) -> int:
        """The number of a region in the headers of this table's items."""
        return self.regions.index(region)
