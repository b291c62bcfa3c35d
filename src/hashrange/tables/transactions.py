"""Transactions: several items written as one, or none of them; several read at one moment.

From its admission until it is durable, the items of a writing transaction are in flight: whoever
else would write one of them meanwhile is refused, and so is a transaction that would read it. The
engine keeps order all the same; the refusals are DynamoDB's, and clients count on them. What is in
flight on another server is not known here: who loses to it each time it is tried is refused alike.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import transactions as messages
from hashrange.storage.engine import Changes, ContendedError
from hashrange.tables.images import size_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import read_items
from hashrange.tables.store import Store
from hashrange.tables.tokens import Token
from hashrange.tables.writer import ItemWrite, WriteBatch, WriteResult, joined, write_together

A = TypeVar("A")

Outcome: TypeAlias = WriteResult[A] | DynamoError
"""What would become of one action: its refusal is the reason why nothing becomes of any."""

REASONS: Final = frozenset(
    {
        Fault.CONDITION_FAILED,
        Fault.COLLECTION_TOO_LARGE,
        Fault.TRANSACTION_CONFLICT,
        Fault.VALIDATION,
    }
)
"""Faults of one action that cancel a transaction; all others are faults of the request."""


class TransactionCancelledError(Exception):
    """Nothing was written, because one action at least was refused."""

    def __init__(self, outcomes: "Sequence[Outcome[Any] | None]") -> None:
        super().__init__("a transaction was cancelled")
        self.outcomes = outcomes
        """One for each action, in their order; None where it is not known."""


class RefusedRequestError(Exception):
    """What a decision raises if one action is reason to refuse the request as a whole."""

    def __init__(self, fault: DynamoError) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Replayed(msgspec.Struct, frozen=True):
    """The transaction was complete before: the bytes of its items as they are now, 0 for none."""

    sizes: list[int]


class _Losses:
    """Which items others have changed between the tries of a transaction."""

    __slots__ = ("_items", "_lost")

    def __init__(self) -> None:
        self._items: Sequence[bytes | None] = ()
        self._lost: set[int] = set()

    def see(self, items: Sequence[bytes | None]) -> None:
        """Another try; `items` is what is stored of each."""
        if self._items:
            pairs = zip(self._items, items, strict=True)
            self._lost.update(place for place, (one, now) in enumerate(pairs) if one != now)
        self._items = items

    def cancelled(self, count: int) -> TransactionCancelledError:
        """With a conflict of each of those; of all `count` if none is known."""
        lost = self._lost or range(count)
        return TransactionCancelledError(
            [_conflict() if place in lost else None for place in range(count)]
        )


class Transaction(msgspec.Struct, Generic[A], frozen=True):
    """The plan of a writing transaction.

    Attributes:
        writes: of distinct items; those that decide on the image that was handed in only check it.
        checks: for each write, whether it only checks.
        token: if the client sent one.
    """

    writes: Sequence[ItemWrite[A]]
    checks: Sequence[bool]
    token: Token | None = None


async def write_transaction(
    store: Store, transaction: Transaction[A]
) -> list[WriteResult[A]] | Replayed:
    """Write all items of a transaction at once.

    A transaction that was cancelled leaves no token: sent again, it is tried again.

    Raises:
        TransactionCancelledError: an action was refused, or met another transaction.
        DynamoError: IdempotentParameterMismatchException, TransactionInProgressException, and
            what decisions raise about the request.
    """
    token, now_ms = transaction.token, store.clock.now_ms()
    if token is not None and token.running_key() in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_IN_PROGRESS, messages.in_progress())
    if not store.in_flight.keys().isdisjoint([write.key for write in transaction.writes]):
        return await _met(store, transaction, now_ms)
    token_keys = [] if token is None else token.keys(now_ms)
    losses = _Losses()

    def decide(together: WriteBatch[A]) -> Changes[Any]:
        losses.see(together.items)
        if token is None:
            return _decided(transaction, together)
        if token.is_known(together.more, now_ms):
            return Changes(answer=_replayed(together.items))
        changes = _decided(transaction, together)
        puts = {**changes.puts, token_keys[0]: token.row(now_ms)}
        return msgspec.structs.replace(changes, puts=puts)

    # None of these is in flight, and so nobody else takes them out.
    mine = _items_and_token(transaction)
    store.in_flight.update(mine)
    done: list[WriteResult[A]] | Replayed
    try:
        done = await write_together(store, transaction.writes, decide, token_keys)
    except RefusedRequestError as error:
        raise error.fault from error
    except ContendedError as error:
        raise losses.cancelled(len(transaction.writes)) from error
    finally:
        for key in mine:
            del store.in_flight[key]
    return done


async def read_transaction(
    store: Store, tables: Sequence[OpenTable], keys: Sequence[bytes]
) -> list[bytes | None]:
    """The stored items at `keys` at one moment; `tables` are all whose items are read.

    Raises TransactionCancelledError if a transaction is about to write one of them, or others
    change too much meanwhile.
    """
    if any(map(store.in_flight.get, keys)):
        raise TransactionCancelledError(
            [_conflict() if store.in_flight.get(key) else None for key in keys]
        )
    try:
        return await read_items(store.engine, tables, keys)
    except ContendedError as error:
        raise _Losses().cancelled(len(keys)) from error


async def _met(store: Store, transaction: Transaction[A], now_ms: int) -> Replayed:
    """A transaction on items that are in flight: cancelled, unless it was complete before."""
    keys = [write.key for write in transaction.writes]
    in_flight = [key in store.in_flight for key in keys]
    token = transaction.token
    if token is not None:
        values = await store.engine.read([*keys, *token.keys(now_ms)])
        if token.is_known(values[len(keys) :], now_ms):
            return _replayed(values[: len(keys)])
    raise TransactionCancelledError([_conflict() if met else None for met in in_flight])


def _conflict() -> DynamoError:
    return DynamoError(Fault.TRANSACTION_CONFLICT, messages.conflict())


def _items_and_token(transaction: Transaction[A]) -> dict[bytes, bool]:
    """What is in flight of a transaction, and whether it is written."""
    pairs = zip(transaction.writes, transaction.checks, strict=True)
    mine = {write.key: not check for write, check in pairs}
    if transaction.token is not None:
        mine[transaction.token.running_key()] = True
    return mine


def _decided(transaction: Transaction[A], together: WriteBatch[A]) -> Changes[list[WriteResult[A]]]:
    """The changes of all actions. Raises what cancels them."""
    changes: list[Changes[WriteResult[A]]] = []
    outcomes: list[Outcome[A]] = []
    for position in range(len(transaction.writes)):
        try:
            change = together.change(position)
        except DynamoError as error:
            if error.fault not in REASONS:
                raise
            outcomes.append(error)
        else:
            changes.append(change)
            outcomes.append(change.answer)
    if len(changes) < len(outcomes):
        raise TransactionCancelledError(outcomes)
    return joined(changes)


def _replayed(values: Sequence[bytes | None]) -> Replayed:
    return Replayed([0 if value is None else size_of(value) for value in values])
