"""A table's definition: what the catalog keeps of it."""

from typing import Literal, TypeAlias

import msgspec

from hashrange.model.log import ALL_RECORDS, Log, Shard
from hashrange.model.stream import Stream
from hashrange.model.values import KeyType

BillingMode: TypeAlias = Literal["PROVISIONED", "PAY_PER_REQUEST"]
TableClass: TypeAlias = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
ProjectionType: TypeAlias = Literal["ALL", "KEYS_ONLY", "INCLUDE"]
IndexState: TypeAlias = Literal["ACTIVE", "BUILDING", "DELETING"]
"""BUILDING: every write keeps its entries, but older items are still being added, and nobody reads.
DELETING: nobody writes or reads; its entries are being removed."""
IndexStatus: TypeAlias = Literal["CREATING", "ACTIVE", "UPDATING", "DELETING"]
TableStatus: TypeAlias = Literal["CREATING", "ACTIVE", "UPDATING", "DELETING"]


class KeyAttribute(msgspec.Struct, frozen=True):
    """An attribute of a key, with the one type that it may have."""

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
    """Most request units a second of an on-demand table or index; None is no limit of its own."""

    max_read_units: int | None = None
    max_write_units: int | None = None


class WarmUnits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Units a second that a table or index is prepared for."""

    read_units: int = 0
    write_units: int = 0


class Shown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What does not change at once, as clients see it; before a change is complete, what was."""

    at_ms: int
    """When it was so; of a change, when it was asked for."""
    throughput: Throughput
    warm: WarmUnits
    billing_switched_ms: int | None = None
    table_class: TableClass | None = None
    class_changed_ms: int | None = None


class Encryption(msgspec.Struct, frozen=True, kw_only=True):
    """Encryption with a key of KMS, as it was asked for; the server encrypts nothing."""

    key_arn: str


class Index(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A secondary index, local or global.

    Its JSON is on disks, as that of the table is.
    """

    name: str
    number: int
    """Prefix of its entries under the table's; never used again in the table."""
    is_local: bool = False
    partition: tuple[KeyAttribute, ...]
    """One attribute; of a global index up to four; none of the index of expiry."""
    sort: tuple[KeyAttribute, ...] = ()
    projection: ProjectionType
    non_key: tuple[str, ...] = ()
    """Of INCLUDE, in the order in which they were given."""
    throughput: Throughput = Throughput()
    on_demand: OnDemandLimits = OnDemandLimits()
    warm: WarmUnits = WarmUnits()
    """As that of the table."""
    warm_changed_ms: int | None = None
    changed_ms: int | None = None
    """When its throughput or its maxima last changed."""
    meanwhile: Shown | None = None
    """What is shown until that change is complete."""
    state: IndexState = "ACTIVE"
    created_ms: int = 0
    """When UpdateTable made it; 0 if it was made with the table."""

    @property
    def is_expiry(self) -> bool:
        """Not a client's: it orders the items of a table by when they expire."""
        return not self.partition

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """Partition attributes, then sort attributes."""
        return self.partition + self.sort

    def is_same(self, other: "Index") -> bool:
        """The same index in the same state."""
        return self.number == other.number and self.state == other.state


class Table(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One table. A change makes a new value, written to the catalog as a whole.

    Its JSON is on disks: members may be added, with a default, but never renamed.
    """

    number: int
    """Prefix of all its keys in the engine; never used again."""
    id: str
    """UUID that clients see as TableId."""
    name: str
    account: str
    region: str
    created_ms: int
    attributes: tuple[KeyAttribute, ...]
    """AttributeDefinitions, in the order in which they were given."""
    partition: KeyAttribute
    sort: KeyAttribute | None
    billing_mode: BillingMode
    throughput: Throughput
    billing_switched_ms: int | None = None
    """When PAY_PER_REQUEST was last chosen; None if it never was."""
    on_demand_switches_ms: tuple[int, ...] = ()
    """When UpdateTable last switched to PAY_PER_REQUEST, oldest first, of a day at most."""
    on_demand: OnDemandLimits = OnDemandLimits()
    warm: WarmUnits = WarmUnits()
    """The most that was asked for or provisioned so far, but for what it is provisioned for now."""
    warm_changed_ms: int | None = None
    """When WarmThroughput was last asked for."""
    table_class: TableClass | None = None
    """None until a class was chosen."""
    class_changed_ms: int | None = None
    class_changes_ms: tuple[int, ...] = ()
    """When UpdateTable last changed the class, oldest first, of a month at most."""
    deletion_protection: bool = False
    indexes: tuple[Index, ...] = ()
    """In the order in which they were made."""
    counts_collections: bool = False
    """The bytes of its item collections are counted. So it is with every table with local indexes;
    where an older build made it, since a later one has opened it."""
    next_index: int = 1
    """Number of the next index."""
    streams: tuple[Stream, ...] = ()
    """Oldest first: those that can still be read; at most the last is enabled."""
    log: Log = Log()
    """What streams and other readers read."""
    latest_stream_ms: int | None = None
    """When a stream was last enabled; it stays when the stream is gone."""
    expiry: Index | None = None
    """The items that have a time to live, in its order; None while time to live is disabled."""
    expiry_changed_ms: int | None = None
    """When time to live was last enabled or disabled."""
    tags: dict[str, str] = {}
    encryption: Encryption | None = None
    """None is the service's own key."""
    encryption_changed_ms: int | None = None
    """When UpdateTable last changed it."""
    changed_ms: int | None = None
    """When UpdateTable last made a change that shows as UPDATING."""
    meanwhile: Shown | None = None
    """What is shown until the change made at `changed_ms` or `warm_changed_ms` is complete."""
    deleted_ms: int | None = None
    """Set only in the list of dropped tables."""

    @property
    def arn(self) -> str:
        """The ARN, in its creator's account and region."""
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{self.name}"

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The primary key: the partition key, and the sort key if there is one."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @property
    def stream(self) -> Stream | None:
        """The stream that is enabled."""
        last = self.streams[-1] if self.streams else None
        return last if last is not None and last.disabled_ms is None else None

    def shards_of(self, stream: Stream) -> list[Shard]:
        """The shards of a stream that can be read, by number."""
        return [
            shard
            for shard in self.log.shards
            if stream.has(shard) and shard.trimmed_to != ALL_RECORDS
        ]

    @property
    def kept_indexes(self) -> tuple[Index, ...]:
        """What writes keep up: the indexes that clients made, and that of expiry."""
        return self.indexes if self.expiry is None else (*self.indexes, self.expiry)

    def with_index(self, index: Index, changed: Index | None) -> "Table":
        """The definition with one of its indexes replaced, or without it.

        The same definition, if the index is no longer what it was.
        """
        if self.expiry is not None and self.expiry.is_same(index):
            return msgspec.structs.replace(self, expiry=changed)
        indexes: list[Index] = []
        for each in self.indexes:
            if not each.is_same(index):
                indexes.append(each)
            elif changed is not None:
                indexes.append(changed)
        return msgspec.structs.replace(self, indexes=tuple(indexes))

    def index(self, name: str) -> Index | None:
        """The index of that name."""
        return next((index for index in self.indexes if index.name == name), None)
