"""Plans of writes of items, their decisions and results: what the writer takes and gives.

Every change of an item begins as a plan: that of a request, of a replica, of a restore, of expiry.
A plan that *replaces* its item puts or deletes it whatever is stored, and answers nothing of that.
On a plain table its changes follow from the size and the version of the stored item, so that they
can be decided in another process, which gets the plan as bytes:

    time (8)        of the write, in microseconds
    size (4)        of the item, in DynamoDB's accounting
    JSON            of the item, up to the end; nothing for a delete

The last writer wins: of two changes of an item, all replicas keep the one with the greater version,
in whichever order they receive them. A change of a client gets a version above that of the item, or
of its tombstone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from struct import Struct
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

import msgspec

from hashrange.model.log import Actor
from hashrange.model.replication import Replication
from hashrange.model.values import Item
from hashrange.tables.items.images import OWN_REGION, Image, version_and_region_of
from hashrange.tables.items.item_changes import EntryUnits
from hashrange.tables.log.change_log import is_change
from hashrange.tables.log.tombstones import GlobalVersion, version_and_region
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

A = TypeVar("A")
R_co = TypeVar("R_co", covariant=True)

_REPLACEMENT: Final = Struct(">QI")


class Decision(msgspec.Struct, Generic[A], frozen=True):
    """The new state of one item.

    `after` is the new image, None to delete the item; the same object as the old image means that
    nothing changes. `item` are its attributes, if the plan has them.
    """

    after: Image | None
    answer: A
    item: Item | None = None


class ItemWrite(msgspec.Struct, Generic[A], frozen=True):
    """The plan of one write: a key, and a pure function that decides and may run again."""

    replaces: ClassVar[bool] = False

    table: OpenTable
    key: bytes
    decide: Callable[[Image | None], Decision[A]]
    who: Actor = Actor.CALLER
    origin: GlobalVersion | None = None


class ItemReplacement(msgspec.Struct, frozen=True):
    """The plan of one write that puts or deletes an item whatever is stored.

    `after` is the new item, None to delete it.
    """

    replaces: ClassVar[bool] = True

    table: OpenTable
    key: bytes
    after: Image | None
    who: Actor = Actor.CALLER
    origin: GlobalVersion | None = None

    def decide(self, _before: Image | None) -> Decision[None]:
        """The new item. Pure."""
        return Decision(self.after, None)


class WritePlan(Protocol[A]):
    """The plan of one write, as far as the writer needs it."""

    @property
    def table(self) -> OpenTable:
        """The table of the item."""

    @property
    def key(self) -> bytes:
        """The key of the item in the engine."""

    @property
    def who(self) -> Actor:
        """The author of the change."""

    @property
    def origin(self) -> GlobalVersion | None:
        """The version of a change that was made in another region; None for one of this region."""

    @property
    def replaces(self) -> bool:
        """Whether it puts or deletes `after` whatever is stored, and answers nothing of that."""

    @property
    def decide(self) -> Callable[[Image | None], Decision[A]]:
        """Returns the decision for the old image, None for no item. Pure; may run again."""


class AnsweringPlan(WritePlan[A], Protocol[A, R_co]):
    """The plan of one write that converts the result to the answer of its operation."""

    def to_outcome(self, done: "WriteResult[A]", /) -> R_co:
        """The outcome of the operation, from the result of the write. Pure; may run again."""


class StoreHolder(Protocol):
    """The context of a write."""

    @property
    def store(self) -> Store:
        """The store to write to."""


class WriteResult(msgspec.Struct, Generic[A], frozen=True):
    """The result of a write, and the sizes from which its capacity units are computed.

    Attributes:
        answer: the answer of the decision.
        size: the bytes of the larger of both images, as they are charged.
        index_units: the write units of each index that it changed; of a vector index bytes.
        collection_bytes: the size of the item's collection, if the table counts them.
        entry_units: `index_units` by place, if the table wants that.
        has_lost: it is a change of another region, and one that another region made has won.
    """

    answer: A
    size: int = 0
    index_units: Mapping[str, float] = {}
    collection_bytes: int | None = None
    entry_units: Sequence[EntryUnits] | None = None
    has_lost: bool = False


def replacement_bytes(after: Image | None, now_us: int) -> bytes:
    """A plan that replaces an item, and its time, without the table and the key."""
    if after is None:
        return _REPLACEMENT.pack(now_us, 0)
    return _REPLACEMENT.pack(now_us, after.size) + after.json


def replacement_from(data: bytes) -> tuple[Image | None, int]:
    """The new item and the time in `replacement_bytes`."""
    now_us, size = _REPLACEMENT.unpack_from(data)
    json = data[_REPLACEMENT.size :]
    return Image(size, json) if json else None, now_us


def replicated_write(
    table: OpenTable, key: bytes, after: Image | None, version: GlobalVersion
) -> ItemWrite[None]:
    """The plan of a change that was made in another region.

    Args:
        table: the replica to change.
        key: of the item in this replica.
        after: the item after the change; None if it was deleted.
        version: of the change; its region is one of the table's replication.
    """
    decision = Decision(after, None)
    return ItemWrite(table, key, lambda _before: decision, origin=version)


def latest_writes(writes: Iterable[ItemWrite[None]]) -> list[ItemWrite[None]]:
    """Of changes of other regions the last one of each item."""
    latest: dict[bytes, ItemWrite[None]] = {}
    for write in writes:
        other = latest.setdefault(write.key, write)
        if other is not write and _version_of(other) < _version_of(write):
            latest[write.key] = write
    return list(latest.values())


def _version_of(write: ItemWrite[None]) -> GlobalVersion:
    assert write.origin is not None, "a change of another region"
    return write.origin


def next_version(
    write: WritePlan[Any], item: bytes | None, mark: bytes | None, now_us: int
) -> tuple[int, int] | None:
    """The version and the region's number of a change; None if an earlier change wins.

    Args:
        write: the plan, for a global table.
        item: the stored item.
        mark: its tombstone.
        now_us: the time.
    """
    origin = write.origin
    version, region = _stored_version(item, mark)
    if origin is None:
        return max(now_us, version + 1), OWN_REGION
    group = _replication(write.table)
    if write.table.is_strong:
        # A copy of the items may have brought the change of an entry, or a later one.
        is_known = item is not None and version >= origin.version
        return None if is_known else (origin.version, group.number_of(origin.region))
    regions = group.regions
    # The regions decide between equal versions only; their names are read then.
    if origin.version < version or (
        origin.version == version and version and origin.region <= regions[region]
    ):
        return None
    return origin.version, regions.index(origin.region)


def is_conflict(write: WritePlan[Any], item: bytes | None, mark: bytes | None) -> bool:
    """Whether a change of one region, which an earlier change wins over, and that one conflict.

    Changes of one region do not; nor does a change that is sent again.
    """
    if write.origin is None or write.table.is_strong:
        return False
    _, region = _stored_version(item, mark)
    return _replication(write.table).regions[region] != write.origin.region


def _stored_version(item: bytes | None, mark: bytes | None) -> tuple[int, int]:
    """The version of an item or of its tombstone, and the number of its region."""
    if item is not None:
        return version_and_region_of(item)
    return (0, OWN_REGION) if mark is None else version_and_region(mark)


def leaves_as_is(write: WritePlan[Any], before: Image | None, after: Image | None) -> bool:
    """Whether a client leaves an item of a global table as it is: another region's change wins.

    Source: captures of the service, September 2026.
    """
    return write.origin is None and not is_change(before, after)


def _replication(table: OpenTable) -> Replication:
    replication = table.table.replication
    assert replication is not None, "a global table"
    return replication
