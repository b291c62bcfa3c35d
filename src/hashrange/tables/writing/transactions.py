"""Transactions: several items written atomically, or read at one moment.

The items of a writing transaction are in flight from its admission until it is durable. Meanwhile
other writes of them, and transactions that read them, are refused. The engine would serialize them
anyway; clients rely on these refusals of DynamoDB. Items in flight on other servers are not known
here; a transaction that conflicts with them in every attempt is refused in the same way.
"""

from collections.abc import Sequence
from operator import attrgetter, not_
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from hashrange.clock import Times
from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import operations as messages
from hashrange.storage.engine import Changes, ContendedError
from hashrange.tables.items.images import size_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import read_items
from hashrange.tables.opened.vector_entries import charged_sizes
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.tokens import Token
from hashrange.tables.writing.write_decisions import WriteBatch
from hashrange.tables.writing.write_plans import WritePlan, WriteResult
from hashrange.tables.writing.writer import write_batch

A = TypeVar("A")

_NO_TIMES: Final[Times] = (0, 0, 0)
_key: Final = attrgetter("key")
_size: Final = attrgetter("size")

ActionOutcome: TypeAlias = WriteResult[A] | DynamoError
"""The outcome of one action; an error cancels the whole transaction."""

REASONS: Final = frozenset(
    {
        Fault.CONDITION_FAILED,
        Fault.DUPLICATE_ITEM,
        Fault.COLLECTION_TOO_LARGE,
        Fault.TRANSACTION_CONFLICT,
        Fault.VALIDATION,
    }
)
"""Faults of one action that cancel a transaction; all others are faults of the request."""


class TransactionCancelledError(Exception):
    """Nothing was written, because at least one action was refused."""

    def __init__(self, outcomes: "Sequence[ActionOutcome[Any] | None]") -> None:
        super().__init__("a transaction was cancelled")
        self.outcomes = outcomes
        """The outcomes of the actions, in their order; None if unknown."""


class RefusedRequestError(Exception):
    """Raised by a decision to refuse the whole request because of one action."""

    def __init__(self, fault: DynamoError) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Replayed(msgspec.Struct, frozen=True):
    """The transaction was completed before."""

    sizes: Sequence[int]
    """For each write, the bytes of the larger of both images, as in `WriteResult.size`."""


class _Cancelled(msgspec.Struct, frozen=True):
    """The transaction is cancelled, and its token is written."""

    outcomes: "Sequence[ActionOutcome[Any] | None]"


class _ConflictTracker:
    """The items that others have changed between the attempts of a transaction."""

    __slots__ = ("_changed", "_items")

    def __init__(self) -> None:
        self._items: Sequence[bytes | None] = ()
        self._changed: set[int] = set()

    def add_attempt(self, items: Sequence[bytes | None]) -> None:
        """Record an attempt; `items` are the stored values."""
        if self._items:
            pairs = zip(self._items, items, strict=True)
            self._changed.update(
                position for position, (old, new) in enumerate(pairs) if old != new
            )
        self._items = items

    def cancelled(self, count: int) -> TransactionCancelledError:
        """The error with a conflict for each changed item, or for all `count` if none is known."""
        changed = self._changed or range(count)
        return TransactionCancelledError(
            [_conflict() if position in changed else None for position in range(count)]
        )


class Transaction(msgspec.Struct, Generic[A], frozen=True):
    """The plan of a writing transaction.

    Attributes:
        writes: the writes, of distinct items; a check is a write that leaves its item unchanged.
        checks: for each write, whether it is a check.
        token: the client's token, if any.
    """

    writes: Sequence[WritePlan[A]]
    checks: Sequence[bool]
    token: Token | None = None


async def write_transaction(
    store: Store, transaction: Transaction[A]
) -> list[WriteResult[A]] | Replayed:
    """Write all items of a transaction atomically.

    A transaction that an action cancels stores its token, so that it may be sent again and is then
    executed again, but no other request with the token. Source: captures of the service, September
    2026.

    Raises:
        TransactionCancelledError: an action was refused, or conflicts with another transaction.
        DynamoError: IdempotentParameterMismatchException, TransactionInProgressException, and
            errors of decisions that refuse the request.
    """
    token = transaction.token
    if token is not None and token.running_key() in store.in_flight:
        raise DynamoError(Fault.TRANSACTION_IN_PROGRESS, messages.in_progress())
    keys = list(map(_key, transaction.writes))
    if not store.in_flight.keys().isdisjoint(keys):
        return await _cancel_in_flight(store, transaction)
    times, token_keys, token_key = _NO_TIMES, [], b""
    if token is not None:
        times = store.times()
        token_keys = token.keys(times)
        token_key = token_keys[0]
    conflicts = _ConflictTracker()

    decide = _Decision(transaction, conflicts, token_key, times)
    # None of these keys is in flight, so no other transaction removes them.
    in_flight_rows = _rows_in_flight(transaction, keys)
    store.in_flight.update(in_flight_rows)
    done: list[WriteResult[A]] | Replayed | _Cancelled
    try:
        done = await write_batch(store, transaction.writes, decide, token_keys)
    except RefusedRequestError as error:
        raise error.fault from error
    except ContendedError as error:
        raise conflicts.cancelled(len(transaction.writes)) from error
    finally:
        for key in in_flight_rows:
            del store.in_flight[key]
    if isinstance(done, _Cancelled):
        raise TransactionCancelledError(done.outcomes)
    return done


async def read_transaction(
    store: Store, tables: Sequence[OpenTable], keys: Sequence[bytes]
) -> list[bytes | None]:
    """The stored items at `keys` at one moment; `tables` are the tables of these items.

    Raises TransactionCancelledError if one of them is in flight, or after too many conflicts.
    """
    if any(map(store.in_flight.get, keys)):
        raise TransactionCancelledError(
            [_conflict() if store.in_flight.get(key) else None for key in keys]
        )
    try:
        return await read_items(store.engine, tables, keys)
    except ContendedError as error:
        raise _ConflictTracker().cancelled(len(keys)) from error


async def _cancel_in_flight(store: Store, transaction: Transaction[A]) -> Replayed:
    """Cancel a transaction with items in flight, unless it was completed before."""
    keys = [write.key for write in transaction.writes]
    in_flight = [key in store.in_flight for key in keys]
    token = transaction.token
    if token is not None:
        times = store.times()
        values = await store.engine.read([*keys, *token.keys(times)])
        use = token.earlier_use(values[len(keys) :], times)
        if use is not None and use.sizes is not None:
            return _replayed(use.sizes, values[: len(keys)])
    raise TransactionCancelledError(
        [_conflict() if is_in_flight else None for is_in_flight in in_flight]
    )


def _conflict() -> DynamoError:
    return DynamoError(Fault.TRANSACTION_CONFLICT, messages.conflict())


def _rows_in_flight(transaction: Transaction[A], keys: Sequence[bytes]) -> dict[bytes, bool]:
    """The rows of a transaction in `Store.in_flight`; `keys` are those of its writes."""
    found = dict(zip(keys, map(not_, transaction.checks), strict=True))
    if transaction.token is not None:
        found[transaction.token.running_key()] = True
    return found


class _Decision(msgspec.Struct, Generic[A], frozen=True):
    """Decides a transaction once for each token; `token_key` is the one at which it is written."""

    transaction: Transaction[A]
    conflicts: _ConflictTracker
    token_key: bytes
    times: Times

    def __call__(self, batch: WriteBatch[A]) -> Changes[Any]:
        """The changes of one attempt; the further values of the batch are the token's rows."""
        self.conflicts.add_attempt(batch.items)
        token = self.transaction.token
        if token is None:
            return batch.changes.changes(_results(batch))
        use = token.earlier_use(batch.more, self.times)
        if use is not None and use.sizes is not None:
            return Changes(answer=_replayed(use.sizes, batch.items))
        try:
            results = _results(batch)
        except TransactionCancelledError as error:
            if use is not None:
                raise
            row = token.row_of_cancelled(self.times[0])
            return Changes(answer=_Cancelled(error.outcomes), puts={self.token_key: row})
        row = token.row(self.times[0], map(_size, results))
        return batch.changes.changes(results, {self.token_key: row})


def _results(batch: WriteBatch[A]) -> list[WriteResult[A]]:
    """The results of all actions. Raises TransactionCancelledError, RefusedRequestError."""
    if batch.replaces_all:
        return batch.decide_all()
    results: list[WriteResult[A]] = []
    outcomes: list[ActionOutcome[A]] = []
    for position in range(len(batch.writes)):
        try:
            result = batch.decide(position)
        except DynamoError as error:
            if error.fault not in REASONS:
                raise
            outcomes.append(error.as_value())
        else:
            results.append(result)
            outcomes.append(result)
    if len(results) < len(outcomes):
        left = zip(outcomes, batch.writes, batch.items, strict=True)
        raise TransactionCancelledError(
            [_left(outcome, write, item) for outcome, write, item in left]
        )
    return results


def _left(outcome: ActionOutcome[A], write: WritePlan[A], item: bytes | None) -> ActionOutcome[A]:
    """The outcome of an action, whose item stays as it is because another one cancels it."""
    if isinstance(outcome, DynamoError):
        return outcome
    (size,) = charged_sizes(write.table.table, [item])
    return WriteResult(outcome.answer, size)


def _replayed(sizes: Sequence[int], items: Sequence[bytes | None]) -> Replayed:
    """The answer of a completed transaction, whose token may lack sizes; `items` are present."""
    return Replayed(sizes or [0 if item is None else size_of(item) for item in items])
