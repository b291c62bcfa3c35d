"""Writes that replace items whatever is stored, and answer nothing of that.

A put or a delete without condition and without returned attributes, on a plain table, follows from
the size and the version of the stored item. So another process can decide it, without its plan.
"""

from collections.abc import Callable, Coroutine, Sequence
from operator import attrgetter
from struct import Struct
from typing import Any, Final, Protocol, TypeVar

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.transactions import conflict
from hashrange.storage.engine import Changes, DelegableDecision, Fences
from hashrange.tables.images import Image, size_and_version_of, stored
from hashrange.tables.keyspace import bytes_key_of, item_count_key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.write_plans import StoreHolder, WriteResult

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_key: Final = attrgetter("key")
_table: Final = attrgetter("table")
_US: Final = 1000
"""Microseconds in a millisecond."""
_ARGUMENTS: Final = Struct(">QI")
"""The time of the write, and the size of the item; its JSON follows, or nothing for a delete."""


class ReplacementPlan(Protocol):
    """The plan of a write of one item."""

    @property
    def table(self) -> OpenTable:
        """The table of the item."""

    @property
    def key(self) -> bytes:
        """The key of the item in the engine."""

    @property
    def after(self) -> Image | None:
        """The item; None to delete it."""


class AnsweringReplacementPlan(ReplacementPlan, Protocol[R_co]):
    """The plan of an operation that replaces one item."""

    def to_outcome(self, done: WriteResult[Any], /) -> R_co:
        """The outcome of the operation, from the result of the write. Pure; may run again."""


def replace_item(
    write: AnsweringReplacementPlan[R], context: StoreHolder
) -> Coroutine[Any, Any, R]:
    """Put or delete an item of a plain table, whatever is stored.

    Raises TransactionConflictException, at once, if the item is in flight.
    """
    store, key, table = context.store, write.key, write.table
    assert table.is_plain, "nothing else is written with its items"
    if store.in_flight and key in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_CONFLICT, conflict())
    decide = _ItemDecision(write, store.clock.now_ms() * _US)
    return store.engine.write((key,), decide, fences=table.fences)


def replace_items(
    store: Store, writes: Sequence[ReplacementPlan]
) -> Coroutine[Any, Any, list[WriteResult[None]]]:
    """Put and delete items of distinct keys of plain tables, whatever is stored, atomically.

    The caller has checked that none of the items is in flight.
    """
    decide = _BatchDecision(writes, store.clock.now_ms() * _US)
    return store.engine.write(list(map(_key, writes)), decide, fences=_fences(writes))


class ReplacementBatch(msgspec.Struct, frozen=True):
    """Several replacements with the stored values of one moment, for one run of their decision.

    Attributes:
        items: the stored items, in the order of the writes.
        more: the values of the further keys of `replace_batch`.
    """

    items: Sequence[bytes | None]
    more: Sequence[bytes | None]
    decision: "_BatchDecision"

    def changes(self) -> Changes[list[WriteResult[None]]]:
        """The changes of all writes."""
        return self.decision(self.items)


def replace_batch(
    store: Store,
    writes: Sequence[ReplacementPlan],
    decide: Callable[[ReplacementBatch], Changes[R]],
    more: Sequence[bytes],
) -> Coroutine[Any, Any, R]:
    """Like `replace_items`, with a decision that depends on further keys, which it may put."""
    each, count = _BatchDecision(writes, store.clock.now_ms() * _US), len(writes)
    return store.engine.write(
        [*map(_key, writes), *more],
        lambda values: decide(ReplacementBatch(values[:count], values[count:], each)),
        fences=_fences(writes),
    )


def _fences(writes: Sequence[ReplacementPlan]) -> Fences:
    fences: dict[bytes, bytes] = {}
    for table in set(map(_table, writes)):
        assert table.is_plain, "nothing else is written with its items"
        fences.update(table.fences)
    return fences


class _Replacements(msgspec.Struct):
    """The changes of replacements, in the order of their calls."""

    now_us: int
    puts: dict[bytes, bytes] = {}
    deletes: list[bytes] = []
    adds: dict[bytes, int] = {}

    def add(self, key: bytes, after: Image | None, value: bytes | None) -> int:
        """Add those of a write over a stored value; returns the size of the larger item."""
        size = old_size = version = 0
        if value is not None:
            old_size, version = size_and_version_of(value)
        if after is not None:
            size, now_us = after.size, self.now_us
            self.puts[key] = stored(after, now_us if version < now_us else version + 1)
        elif value is not None:
            self.deletes.append(key)
        adds, grown = self.adds, size - old_size
        if grown:
            bytes_key = bytes_key_of(key)
            adds[bytes_key] = adds.get(bytes_key, 0) + grown
        if (value is None) is not (after is None):
            count_key = item_count_key_of(key)
            adds[count_key] = adds.get(count_key, 0) + (1 if value is None else -1)
        return size if grown > 0 else old_size


class _ItemDecision(DelegableDecision[R], frozen=True):
    write: AnsweringReplacementPlan[R]
    now_us: int

    def __call__(self, values: Sequence[bytes | None]) -> Changes[R]:
        write, done = self.write, _Replacements(self.now_us)
        size = done.add(write.key, write.after, values[0])
        answer = write.to_outcome(WriteResult(None, size))
        return Changes(answer=answer, puts=done.puts, deletes=done.deletes, adds=done.adds)

    def arguments(self) -> Sequence[bytes]:
        return (_arguments(self.write.after, self.now_us),)

    def answer_from(self, numbers: Sequence[int]) -> R:
        return self.write.to_outcome(WriteResult(None, numbers[0]))


class _BatchDecision(DelegableDecision[list[WriteResult[None]]], frozen=True):
    writes: Sequence[ReplacementPlan]
    now_us: int

    def __call__(self, values: Sequence[bytes | None]) -> Changes[list[WriteResult[None]]]:
        done = _Replacements(self.now_us)
        add, pairs = done.add, zip(self.writes, values, strict=True)
        sizes = [add(write.key, write.after, value) for write, value in pairs]
        answer = self.answer_from(sizes)
        return Changes(answer=answer, puts=done.puts, deletes=done.deletes, adds=done.adds)

    def arguments(self) -> Sequence[bytes]:
        now_us = self.now_us
        return [_arguments(write.after, now_us) for write in self.writes]

    def answer_from(self, numbers: Sequence[int]) -> list[WriteResult[None]]:
        return [WriteResult(None, size) for size in numbers]


def decide_delegated(
    keys: Sequence[bytes], arguments: Sequence[bytes], values: Sequence[bytes | None]
) -> Changes[tuple[int, ...]]:
    """The changes of replacements in another process, from their `arguments`.

    The answer is the size of the larger of the old and the new item of each.
    """
    done, sizes = _Replacements(0), []
    for key, argument, value in zip(keys, arguments, values, strict=True):
        done.now_us, size = _ARGUMENTS.unpack_from(argument)
        json = argument[_ARGUMENTS.size :]
        sizes.append(done.add(key, Image(size, json) if json else None, value))
    return Changes(answer=tuple(sizes), puts=done.puts, deletes=done.deletes, adds=done.adds)


def _arguments(after: Image | None, now_us: int) -> bytes:
    if after is None:
        return _ARGUMENTS.pack(now_us, 0)
    return _ARGUMENTS.pack(now_us, after.size) + after.json
