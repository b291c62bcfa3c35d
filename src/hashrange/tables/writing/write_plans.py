"""Plans of writes of items, their decisions and results: what the writer takes and gives.

Every change of an item begins as a plan: that of a request, of a replica, of a restore, of expiry.
A plan that *replaces* its item puts or deletes it whatever is stored, and answers nothing of that.
On a plain table its changes follow from the size and the version of the stored item, so that they
can be decided in another process, which gets the plan as bytes:

    time (8)        of the write, in microseconds
    size (4)        of the item, in DynamoDB's accounting
    JSON            of the item, up to the end; nothing for a delete
"""

from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import ClassVar, Final, Generic, Protocol, TypeVar

import msgspec

from hashrange.model.log import Actor
from hashrange.model.values import Item
from hashrange.tables.items.images import Image
from hashrange.tables.items.item_changes import EntryUnits
from hashrange.tables.log.tombstones import GlobalVersion
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
        size: the bytes of the larger of both images.
        index_units: the write units of each index that it changed.
        collection_bytes: the size of the item's collection, if the table counts them.
        entry_units: `index_units` by place, if the table wants that.
    """

    answer: A
    size: int = 0
    index_units: Mapping[str, float] = {}
    collection_bytes: int | None = None
    entry_units: Sequence[EntryUnits] | None = None


class ReplacingPlan(Protocol):
    """A plan that replaces its item."""

    @property
    def table(self) -> OpenTable:
        """The table of the item."""

    @property
    def key(self) -> bytes:
        """The key of the item in the engine."""

    @property
    def after(self) -> Image | None:
        """The item; None to delete it."""


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
