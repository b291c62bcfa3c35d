"""A table's definition, as the catalog stores it."""

from typing import Literal, TypeAlias

import msgspec

from hashrange.model.log import ALL_RECORDS, Log, Shard
from hashrange.model.replication import Replication, StrongGroup
from hashrange.model.table_features import (
    Destination,
    InsightsSetting,
    ResourcePolicy,
    Restore,
    Stream,
)
from hashrange.model.values import KeyType

BillingMode: TypeAlias = Literal["PROVISIONED", "PAY_PER_REQUEST"]
TableClass: TypeAlias = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
ProjectionType: TypeAlias = Literal["ALL", "KEYS_ONLY", "INCLUDE"]
IndexState: TypeAlias = Literal["ACTIVE", "BUILDING", "DELETING"]
"""BUILDING: writes maintain the entries, entries of older items are being added, and reads are
refused. DELETING: neither written nor read; the entries are being removed."""
DistanceFunction: TypeAlias = Literal["COSINE", "DOT_PRODUCT", "EUCLIDEAN"]
IndexStatus: TypeAlias = Literal["CREATING", "ACTIVE", "UPDATING", "DELETING"]
TableStatus: TypeAlias = Literal[
    "CREATING", "ACTIVE", "UPDATING", "DELETING", "REPLICATION_NOT_AUTHORIZED"
]


class KeyAttribute(msgspec.Struct, frozen=True):
    """An attribute of a key, with its declared type."""

    name: str
    type: KeyType


class Throughput(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Provisioned units a second, and when they were last changed (ms since the epoch)."""

    read_units: int = 0
    write_units: int = 0
    increased_ms: int | None = None
    decreased_ms: int | None = None
    decreases_today: int = 0


class OnDemandLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Most request units a second of an on-demand table or index; None if no limit was set."""

    max_read_units: int | None = None
    max_write_units: int | None = None


class WarmUnits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Units a second that a table or index is prepared for."""

    read_units: int = 0
    write_units: int = 0


class VisibleSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of a table or index as clients see them at one moment.

    A change takes effect for clients only when it is complete; until then the catalog keeps the
    settings before it.
    """

    at_ms: int
    """That moment; of settings before a change, the time at which the change was requested."""
    throughput: Throughput
    warm: WarmUnits
    billing_switched_ms: int | None = None
    table_class: TableClass | None = None
    class_changed_ms: int | None = None


class Encryption(msgspec.Struct, frozen=True, kw_only=True):
    """Encryption with a key of KMS, as requested.

    Attributes:
        key_arn: of the key, or of its alias.
        is_local: the key is that of an encrypted data directory, whichever it has by now. With
            another key nothing is encrypted.
    """

    key_arn: str
    is_local: bool = False


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """Point-in-time recovery: since when, and for how many days each state can be restored."""

    since_ms: int
    days: int


class Vector(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The vectors of a vector index.

    Attributes:
        attribute: the attribute that has them.
        dimensions: the numbers in each.
        distance: the function that compares two of them.
        filters: the attributes that a search can require, in the order of the request.
        hash_place: the place of the HASH element among the elements of the search schema.
    """

    attribute: str
    dimensions: int
    distance: DistanceFunction
    filters: tuple[KeyAttribute, ...] = ()
    hash_place: int = 0


class Index(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A secondary index, local or global, or a vector index.

    Its JSON is stored, so the rules of `Table` hold: members are never renamed.
    """

    name: str
    number: int
    """Prefix of its entries, after the table's; never used again in the table."""
    is_local: bool = False
    partition: tuple[KeyAttribute, ...]
    """One attribute; up to four in a global index; none in the index of expiry. Of a vector index
    the HASH attribute of its search schema, if it has one."""
    sort: tuple[KeyAttribute, ...] = ()
    projection: ProjectionType
    non_key: tuple[str, ...] = ()
    """The attributes of an INCLUDE projection, in the order of the request."""
    throughput: Throughput = Throughput()
    on_demand: OnDemandLimits = OnDemandLimits()
    warm: WarmUnits = WarmUnits()
    """As `Table.warm`."""
    warm_changed_ms: int | None = None
    changed_ms: int | None = None
    """When its throughput or its on-demand limits last changed."""
    meanwhile: VisibleSettings | None = None
    """The settings that clients see until that change is complete."""
    state: IndexState = "ACTIVE"
    created_ms: int = 0
    """When UpdateTable created it; 0 if it was created with the table."""
    insights: InsightsSetting | None = None
    """None if contributor insights were never enabled."""
    vector: Vector | None = None
    """None unless it is a vector index."""

    @property
    def is_expiry(self) -> bool:
        """Whether it is the index of expiry, which orders items by the time at which they expire.

        Clients do not see it.
        """
        return not self.partition and self.vector is None

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """Partition attributes, then sort attributes."""
        return self.partition + self.sort

    def is_same(self, other: "Index") -> bool:
        """Whether both are the same index in the same state; other settings may differ."""
        return self.number == other.number and self.state == other.state


class Table(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One table. Every change creates a new value, written to the catalog as a whole.

    Its JSON is stored: members may be added, with a default, but never renamed.
    """

    number: int
    """Prefix of all its keys in the engine; never used again."""
    id: str
    """A UUID; TableId in responses."""
    name: str
    account: str
    region: str
    created_ms: int
    attributes: tuple[KeyAttribute, ...]
    """AttributeDefinitions, in the order of the request."""
    partition: KeyAttribute
    sort: KeyAttribute | None
    billing_mode: BillingMode
    throughput: Throughput
    billing_switched_ms: int | None = None
    """When PAY_PER_REQUEST was last chosen; None if it never was."""
    on_demand_switches_ms: tuple[int, ...] = ()
    """When UpdateTable switched to PAY_PER_REQUEST within the last day, oldest first."""
    on_demand: OnDemandLimits = OnDemandLimits()
    warm: WarmUnits = WarmUnits()
    """The most units requested or provisioned so far, without the present provisioning."""
    warm_changed_ms: int | None = None
    """When WarmThroughput was last requested."""
    table_class: TableClass | None = None
    """None until a class was chosen."""
    class_changed_ms: int | None = None
    class_changes_ms: tuple[int, ...] = ()
    """When UpdateTable changed the class within the last month, oldest first."""
    deletion_protection: bool = False
    indexes: tuple[Index, ...] = ()
    """Local and global ones, in the order of their creation."""
    vectors: tuple[Index, ...] = ()
    """The vector indexes, in the order of their creation."""
    counts_collections: bool = False
    """Whether the bytes of its item collections are counted: in every table with local indexes.
    A table of an older build is counted when it is first opened."""
    next_index: int = 1
    """Number of the next index."""
    streams: tuple[Stream, ...] = ()
    """The streams that can still be read, oldest first; only the last may be enabled."""
    log: Log = Log()
    """The change log, which streams and other readers read."""
    destinations: tuple[Destination, ...] = ()
    """Kinesis data streams that get its changes, or got them; one at a time gets them."""
    latest_stream_ms: int | None = None
    """When a stream was last enabled; kept after the stream has been removed."""
    expiry: Index | None = None
    """The index of expiry; None while time to live is disabled."""
    expiry_changed_ms: int | None = None
    """When time to live was last enabled or disabled."""
    tags: dict[str, str] = {}
    policy: ResourcePolicy | None = None
    """None if it never had one; also for its indexes."""
    encryption: Encryption | None = None
    """None for a key that the service owns."""
    encryption_changed_ms: int | None = None
    """When UpdateTable last changed the encryption."""
    encryption_changes_ms: tuple[int, ...] = ()
    """When UpdateTable changed it within a day from the first of these, oldest first."""
    encryption_before: Encryption | None = None
    """The value before that change, which descriptions show until the change is complete."""
    changed_ms: int | None = None
    """When UpdateTable last made a change during which the status is UPDATING."""
    meanwhile: VisibleSettings | None = None
    """The settings that clients see until the change at `changed_ms` or `warm_changed_ms` is
    complete."""
    recovery: Recovery | None = None
    """None while point-in-time recovery is disabled."""
    restore: Restore | None = None
    """Where the items come from while the table is being restored; its status is CREATING."""
    insights: InsightsSetting | None = None
    """None if contributor insights were never enabled; indexes have settings of their own."""
    replication: Replication | None = None
    """None if it never had a replica."""
    settings_replication: Literal["ENABLED", "DISABLED"] | None = None
    """ENABLED: replicas in other accounts may have its settings. None until UpdateTable or
    CreateTable has set it."""
    import_arn: str | None = None
    """The import that writes its items; its status is CREATING until that has ended."""
    deleted_ms: int | None = None
    """Set only in the list of dropped tables."""
    keeps_items: bool = False
    """In that list: the items belong to the backup of the deleted table."""

    @property
    def arn(self) -> str:
        """The ARN, in the account and region of the request that created the table."""
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{self.name}"

    @property
    def is_filled_later(self) -> bool:
        """Whether a restore or an import still writes its items: no request reads or writes it."""
        return self.restore is not None or self.import_arn is not None

    @property
    def is_leaving(self) -> bool:
        """It is a replica that is being removed: requests on its items do not find it any more."""
        return self.replication is not None and self.replication.is_leaving

    @property
    def is_served(self) -> bool:
        """Whether requests on its items find it."""
        return not (self.is_filled_later or self.is_leaving)

    @property
    def is_replicated(self) -> bool:
        """Whether it has replicas where the last writer wins: deleted items leave tombstones."""
        group = self.replication
        return group is not None and group.strong is None and bool(group.replicas)

    @property
    def strong(self) -> StrongGroup | None:
        """The group of a table with strong consistency; None for any other table."""
        return None if self.replication is None else self.replication.strong

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The primary key: the partition key, and the sort key if there is one."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @property
    def stream(self) -> Stream | None:
        """The enabled stream; None if there is none."""
        last = self.streams[-1] if self.streams else None
        return last if last is not None and last.disabled_ms is None else None

    @property
    def destination(self) -> Destination | None:
        """The destination that gets changes; None if there is none."""
        return next((each for each in self.destinations if each.gets_changes), None)

    def shards_of(self, stream: Stream) -> list[Shard]:
        """The shards of a stream that can be read, by number."""
        return [
            shard
            for shard in self.log.shards
            if stream.has(shard) and shard.trimmed_to != ALL_RECORDS
        ]

    @property
    def all_indexes(self) -> tuple[Index, ...]:
        """The indexes of clients: local, global and vector indexes."""
        return self.indexes + self.vectors

    @property
    def kept_indexes(self) -> tuple[Index, ...]:
        """The indexes that writes maintain: those of clients, and the index of expiry."""
        return self.all_indexes if self.expiry is None else (*self.all_indexes, self.expiry)

    def with_index(self, index: Index, changed: Index | None) -> "Table":
        """The definition with `index` replaced by `changed`, or removed if that is None.

        The same definition if the index has been removed or has another state now.
        """
        if self.expiry is not None and self.expiry.is_same(index):
            return msgspec.structs.replace(self, expiry=changed)
        indexes, vectors = (
            tuple(
                each if not each.is_same(index) else changed
                for each in kept
                if changed is not None or not each.is_same(index)
            )
            for kept in (self.indexes, self.vectors)
        )
        return msgspec.structs.replace(self, indexes=indexes, vectors=vectors)

    def index(self, name: str) -> Index | None:
        """The local or global index of that name; None if there is none."""
        return next((index for index in self.indexes if index.name == name), None)

    def vector_index(self, name: str) -> Index | None:
        """The vector index of that name; None if there is none."""
        return next((index for index in self.vectors if index.name == name), None)
