"""The group of replicas of a global table, as the catalog entry of each replica has it."""

from typing import Final, Literal, TypeAlias

import msgspec

ReplicaState: TypeAlias = Literal["CREATING", "ACTIVE", "DELETING"]
"""CREATING: its items are being copied. DELETING: it is removed from the group."""


class IndexOverrides(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings of a global index that one replica has for itself."""

    name: str
    read_units: int | None = None
    max_read_units: int | None = None


class Overrides(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings that one replica has for itself, as requested; None where it has those of all.

    They are described; the replica's entry has the settings that are in effect.
    """

    read_units: int | None = None
    max_read_units: int | None = None
    """-1 if a maximum of all replicas is not one of this replica."""
    table_class: str | None = None
    key: str | None = None
    """KMSMasterKeyId."""
    indexes: tuple[IndexOverrides, ...] = ()


NO_OVERRIDES: Final = Overrides()


class Replica(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Another replica of the table."""

    region: str
    state: ReplicaState = "ACTIVE"
    first_shard: int = 1
    """Changes in shards of this table's log from this number on are replicated to it."""
    overrides: Overrides = NO_OVERRIDES


class Replication(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The regions of a global table.

    Regions keep their numbers, since items and records of changes have them. A table from which all
    replicas were removed keeps this value.
    """

    regions: tuple[str, ...]
    """By their numbers in the headers of items; the first is the table's own."""
    replicas: tuple[Replica, ...] = ()
    """The other replicas that exist."""
    overrides: Overrides = NO_OVERRIDES
    """Those of the table itself."""

    def number_of(self, region: str) -> int:
        """The number of a region in the headers of this table's items."""
        return self.regions.index(region)
