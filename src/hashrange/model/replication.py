"""The group of replicas of a global table, as the catalog entry of each replica has it."""

from typing import Final, Literal, TypeAlias

import msgspec

ReplicaState: TypeAlias = Literal["CREATING", "CREATION_FAILED", "ACTIVE", "DELETING"]
"""CREATING: its items are being copied. CREATION_FAILED: a server of another region has refused it.
DELETING: it is removed from the group."""
ReplicaCopy: TypeAlias = Literal["NONE", "OWN", "ALL"]
"""Items that are still to be copied: none, those that were last written in this region, or all."""
GroupState: TypeAlias = Literal["CREATING", "ACTIVE", "DELETING", "ENDED"]
"""CREATING: some members may not know the group yet, and none uses its log. ACTIVE: all know it.
DELETING: its members but one are to be removed; that one still needs what the log has. ENDED: it
has all of that, and writes without the log."""

Version: TypeAlias = tuple[int, str]
"""Of a change of settings: when, in microseconds, and in which region; the greater one is later."""
SettingValue: TypeAlias = int | str | None


class Register(msgspec.Struct, frozen=True, array_like=True):
    """A setting that the last write wins, by itself: `tables/catalog/registers.py`."""

    value: SettingValue
    version: Version


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
    end_shard: int = 0
    """If not 0, those from this number on are not: this table is being disassociated."""
    overrides: Overrides = NO_OVERRIDES
    incarnation: int = 0
    """When it was added, in microseconds; an earlier replica in the region had another."""
    is_remote: bool = False
    """Another server has it."""
    account: str = ""
    """If each replica is of an account of its own; else it is that of the table."""
    copy: ReplicaCopy = "NONE"
    """Of a replica on another server: what this one copies to it, beside the log."""

    def gets(self, shard: int) -> bool:
        """Whether changes in a shard are replicated to it."""
        return self.first_shard <= shard and (not self.end_shard or shard < self.end_shard)


class StrongGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The group whose log orders all writes of a strong table. Only its state changes."""

    id: str
    """Of this group alone: a table that had another one before has another id now."""
    members: tuple[str, ...]
    """Three regions, in alphabetical order."""
    witness: str | None = None
    """The member that has a log but no table."""
    founder: str = ""
    """The region of the table with which it began."""
    state: GroupState = "CREATING"

    @property
    def has_log(self) -> bool:
        """Whether members run, and writes go through the log."""
        return self.state in {"ACTIVE", "DELETING"}


class Witness(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A witness on this server. It is no table: one of its name is another one."""

    number: int
    """Prefix of the rows of its log; no table has it."""
    account: str
    name: str
    """Of the table of the group."""
    region: str
    """Its own."""
    group: StrongGroup
    gone_ms: int | None = None
    """When its log was removed. The row is kept for a while: a call that arrives late must not
    bring the witness back."""


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
    """The overrides of the table itself."""
    group: str = ""
    """The id of the table that the group began with; other tables may have the same name."""
    incarnation: int = 0
    """Of this replica, as `Replica.incarnation`."""
    is_leaving: bool = False
    """Another server has removed this replica from the group: it ends when all have its changes."""
    gone: dict[str, int] = {}
    """The last incarnations of replicas that were removed, by their regions."""
    denied: dict[str, int] = {}
    """Regions whose policies deny replication, with the times since when, in milliseconds."""
    settings_version: Version = (0, "")
    """Of the indexes and the time to live of all replicas, which change as a whole."""
    registers: dict[str, Register] = {}
    """The other settings, by name."""
    registers_sum: int = 0
    """Differs if the registers do."""
    strong: StrongGroup | None = None
    """Of a table with strong consistency; None for a table whose replicas are equal eventually."""
    is_unprotected: bool = False
    """Whether this replica may be disassociated."""
    disassociation_ms: int = 0
    """When it was requested that this replica leaves the group and keeps its items; 0 if it is not.
    It leaves when all changes until then are replicated."""

    def number_of(self, region: str) -> int:
        """The number of a region in the headers of this table's items."""
        return self.regions.index(region)
