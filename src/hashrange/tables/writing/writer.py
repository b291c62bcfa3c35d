"""The writer of items: no other module changes an item.

It hands the keys of plans (`write_plans`) to the engine, with the decision (`write_decisions`) that
makes one `Changes` of the plans and the stored items, all or nothing.

Three kinds of tables need more than the items to decide. While an index is being built, an item may
or may not have its entry yet: the item is read first, the keys of its possible entries are added to
the keys of the write, and the write is retried if the item changed in between. If item collections
are counted, their sizes are read first. Writes of clients to strong tables are decided for the log
of the table, and written when it has them.
"""

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, TypeVar

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.operations import conflict
from hashrange.storage.engine import NO_FENCES, Changes, ContendedError, Fences
from hashrange.tables.log.tombstones import tombstone_key
from hashrange.tables.opened.strong import is_proposed, write_each
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_decisions import (
    Replacement,
    Replacements,
    WriteBatch,
    all_decided,
    are_replacements,
    decided,
    decided_replicated,
)
from hashrange.tables.writing.write_plans import AnsweringPlan, StoreHolder, WritePlan, WriteResult
from hashrange.tables.writing.write_terms import ChangedError, Preread, preread

A = TypeVar("A")
R = TypeVar("R")

PREREADS_MAX: Final = 20
"""Attempts of a write whose item changes after the preread, while an index is being built."""
_US: Final = 1000
"""Microseconds in a millisecond; in us, since an item may change twice in a millisecond."""
_key: Final = attrgetter("key")
_table: Final = attrgetter("table")
_is_strong: Final = attrgetter("table.is_strong")
_needs_preread: Final = attrgetter("table.needs_preread")


def write_item(write: AnsweringPlan[A, R], context: StoreHolder) -> Coroutine[Any, Any, R]:
    """Write one item; an error of its decision changes nothing and reaches the caller.

    Raises TransactionConflictException, at once, if the item is in flight.
    """
    store, key, table = context.store, write.key, write.table
    if store.in_flight and key in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_CONFLICT, conflict())
    now_us = store.clock.now_ms() * _US
    if write.replaces and table.is_plain:
        return store.engine.write((key,), Replacement(write, now_us), fences=table.fences)
    if not table.needs_preread:
        decide = partial(decided, write, now_us, write.to_outcome)
        return store.engine.write((key,), decide, fences=table.fences)
    if table.is_strong:
        return store.strong.write(table, key, partial(decided, write, now_us, write.to_outcome))
    if table.is_building or table.has_collections:
        return _write_alone(store, write)
    decide = partial(decided_replicated, write, now_us, write.to_outcome)
    return store.engine.write((key, tombstone_key(key)), decide, fences=table.fences)


async def _write_alone(store: Store, write: AnsweringPlan[A, R]) -> R:
    (done,) = await write_items(store, (write,))
    return write.to_outcome(done)


def write_items(
    store: Store, writes: Sequence[WritePlan[A]]
) -> Coroutine[Any, Any, list[WriteResult[A]]]:
    """Write several items of distinct keys atomically; none if a decision raises.

    Items of strong tables are written each for itself. The caller has checked that none of the
    items is in flight.
    """
    if are_replacements(writes):
        decide = Replacements(writes, store.clock.now_ms() * _US)
        return store.engine.write([*map(_key, writes)], decide, fences=_fences(writes))
    if any(map(_is_strong, writes)):
        return _write_strong_ones(store, writes)
    return write_batch(store, writes, all_decided)


async def _write_strong_ones(store: Store, writes: Sequence[WritePlan[A]]) -> list[WriteResult[A]]:
    """Write items of which some are of strong tables. Raises the first error."""
    now_us = store.clock.now_ms() * _US
    others = [write for write in writes if not is_proposed(write)]
    plain = await write_batch(store, others, all_decided) if others else list[WriteResult[A]]()
    proposed: list[tuple[WritePlan[A], Callable[..., Changes[Any]]]] = [
        (each, partial(decided, each, now_us, _itself)) for each in writes if is_proposed(each)
    ]
    results = iter(await write_each(store.strong, proposed))
    done, found = iter(plain), list[WriteResult[A]]()
    for write in writes:
        result = next(results) if is_proposed(write) else next(done)
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found


def _itself(done: WriteResult[A]) -> WriteResult[A]:
    return done


def write_batch(
    store: Store,
    writes: Sequence[WritePlan[A]],
    decide: Callable[[WriteBatch[A]], Changes[R]],
    more: Sequence[bytes] = (),
    *,
    fences: Fences = NO_FENCES,
) -> Coroutine[Any, Any, R]:
    """Write several items of distinct keys with a common decision.

    Args:
        store: the store to write to.
        writes: the plans.
        decide: pure; decides the writes of the batch and returns `batch.changes`, or raises.
        more: further keys to read, which the decision may put.
        fences: of the write, beside those of the tables.
    """
    held, now_us = {**_fences(writes), **fences}, store.clock.now_ms() * _US
    if any(map(_needs_preread, writes)):
        return _write_with_preread(store, writes, decide, more, now_us=now_us, fences=held)
    return store.engine.write(
        [*map(_key, writes), *more],
        lambda values: decide(WriteBatch(writes, now_us, values)),
        fences=held,
    )


def _fences(writes: Sequence[WritePlan[Any]]) -> dict[bytes, bytes]:
    fences: dict[bytes, bytes] = {}
    for table in dict.fromkeys(map(_table, writes)):
        fences.update(table.fences)
    return fences


async def _write_with_preread(
    store: Store,
    writes: Sequence[WritePlan[A]],
    decide: Callable[[WriteBatch[A]], Changes[R]],
    more: Sequence[bytes],
    *,
    now_us: int,
    fences: Fences,
) -> R:
    """As `write_batch`, for tables of which more is to be known; `fences` are all."""

    def joint(known: Preread, values: Sequence[bytes | None]) -> Changes[R]:
        terms = known.terms(values[: len(items)], values[first:])
        return decide(WriteBatch(writes, now_us, values[:first], terms))

    items, engine = [*map(_key, writes)], store.engine
    first = len(items) + len(more)
    for _ in range(PREREADS_MAX):
        known = await preread(store, writes, fences)
        keys = [*items, *more, *known.keys()]
        try:
            return await engine.write(keys, partial(joint, known), fences=fences)
        except ChangedError:
            continue
    raise ContendedError("an item changes faster than its index can be built")
