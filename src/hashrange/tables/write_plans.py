"""Plans of writes of items, their decisions and results: what the writer takes and gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from hashrange.tables.change_log import Actor
from hashrange.tables.entry_changes import EntryUnits
from hashrange.tables.images import Image
from hashrange.tables.item_collections import CollectionSizes
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.tombstones import GlobalVersion

A = TypeVar("A")
R_co = TypeVar("R_co", covariant=True)


class Decision(msgspec.Struct, Generic[A], frozen=True):
    """The new state of one item.

    `after` is the new image, None to delete the item; the same object as the old image means that
    nothing changes.
    """

    after: Image | None
    answer: A


class ItemWrite(msgspec.Struct, Generic[A], frozen=True):
    """The plan of one write: a key, and a pure function that decides and may run again."""

    table: OpenTable
    key: bytes
    decide: Callable[[Image | None], Decision[A]]
    who: Actor = Actor.CALLER
    origin: GlobalVersion | None = None


class ItemReplacement(msgspec.Struct, frozen=True):
    """The plan of one write that puts or deletes an item whatever is stored.

    `after` is the new item, None to delete it.
    """

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


class WriteTerms(msgspec.Struct, frozen=True):
    """What the changes of one write depend on besides its plan and its item.

    Attributes:
        absent: keys of entries that are not built yet.
        collections: the sizes of item collections, which are updated.
        version: the version and the number of the region of a change of a global table.
    """

    absent: frozenset[bytes] = frozenset()
    collections: CollectionSizes | None = None
    version: tuple[int, int] | None = None
