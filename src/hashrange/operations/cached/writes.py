"""Writes through the item cache: the table first, then what it holds now into the cache."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from hashrange.dax_cache.caches import Caches, Writing
from hashrange.errors import DynamoError
from hashrange.model.structures.dynamodb import (
    BatchWriteItemAnswer,
    ConditionCheck,
    Get,
    TransactGetItem,
    TransactGetItems,
)
from hashrange.operations.cached.reads import size_of_entry
from hashrange.operations.items import batch_write_item
from hashrange.operations.items.batch_write_item import BatchWriteItemPlan
from hashrange.operations.items.put_item import PutItemPlan
from hashrange.operations.items.written import SingleItemPlan
from hashrange.operations.pipeline.operation import Caller, CallerContext, Outcome
from hashrange.operations.transactions import transact_get_items, transact_write_items
from hashrange.operations.transactions.transact_get_items import TransactGetItemsPlan
from hashrange.operations.transactions.transact_write_items import TransactWriteItemsPlan
from hashrange.storage.engine import StaleFenceError
from hashrange.tables.images import Image, stored

Run: TypeAlias = Callable[[Any, Any], Coroutine[Any, Any, Outcome]]
Refresh: TypeAlias = Callable[[Caller, TransactGetItems], None]
"""Begins to read items in the background, in the name of a caller."""


@contextmanager
def _through(caches: Caches[Any], keys: list[bytes]) -> Iterator[Writing[Any]]:
    """A context around a write, which knows which errors say that nothing was changed."""
    with caches.writing(keys) as writing:
        try:
            yield writing
        except (DynamoError, StaleFenceError):
            writing.refused()
            raise


def _tell(writing: Writing[Any], key: bytes, after: Image | None, now_ms: int) -> None:
    """What a write left of an item; None if it deleted it."""
    if after is None:
        writing.delete(key, now_ms)
    else:
        value = stored(after)
        writing.put(key, value, size_of_entry(value), now_ms)


class CachedWrite:
    """PutItem, DeleteItem or UpdateItem, whose new image is not known here.

    Args:
        caches: of the cluster.
        now_ms: the time.
        run: that of the operation.
        leaves_image: the plan of a put has its image, and a delete leaves none.
    """

    def __init__(
        self, caches: Caches[Any], now_ms: Callable[[], int], run: Run, *, leaves_image: bool
    ) -> None:
        self._caches = caches
        self._now_ms = now_ms
        self._run = run
        self._leaves_image = leaves_image

    async def run(self, plan: SingleItemPlan, context: CallerContext) -> Outcome:
        """Write the item."""
        with _through(self._caches, [plan.key]) as writing:
            outcome = await self._run(plan, context)
            if self._leaves_image:
                after = plan.after if isinstance(plan, PutItemPlan) else None
                _tell(writing, plan.key, after, self._now_ms())
        return outcome


class CachedBatchWrite:
    """BatchWriteItem.

    Args:
        caches: of the cluster.
        now_ms: the time.
    """

    def __init__(self, caches: Caches[Any], now_ms: Callable[[], int]) -> None:
        self._caches = caches
        self._now_ms = now_ms

    async def run(self, plan: BatchWriteItemPlan, context: CallerContext) -> Outcome:
        """Write the items; if some were not processed, no entry tells which."""
        with _through(self._caches, [each.key for each in plan.writes]) as writing:
            outcome = await batch_write_item.run(plan, context)
            answer = outcome.answer
            assert isinstance(answer, BatchWriteItemAnswer)
            if not answer.unprocessed_items:
                now_ms = self._now_ms()
                for each in plan.writes:
                    _tell(writing, each.key, each.after, now_ms)
        return outcome


class CachedTransactWrite:
    """TransactWriteItems.

    Args:
        caches: of the cluster.
        refresh: reads the items that were written; DAX does that after it has answered.
    """

    def __init__(self, caches: Caches[Any], refresh: Refresh) -> None:
        self._caches = caches
        self._refresh = refresh

    async def run(self, plan: TransactWriteItemsPlan, context: CallerContext) -> Outcome:
        """Write the items; then their entries are gone until they were read again."""
        changed = [
            (action, write)
            for action, write in zip(plan.actions, plan.transaction.writes, strict=True)
            if not isinstance(action.sent, ConditionCheck)
        ]
        with _through(self._caches, [write.key for _, write in changed]):
            outcome = await transact_write_items.run(plan, context)
        gets = []
        for action, write in changed:
            key = {name: action.item[name] for name in write.table.key_names}
            gets.append(TransactGetItem(get=Get(key=key, table_name=action.table_name)))
        if gets:
            self._refresh(context.caller, TransactGetItems(transact_items=gets))
        return outcome


class Refreshed:
    """TransactGetItems as the cluster makes it for itself: it keeps what it reads.

    Args:
        filling: makes the context whose reads are kept.
    """

    def __init__(self, filling: Callable[[CallerContext], CallerContext]) -> None:
        self._filling = filling

    async def run(self, plan: TransactGetItemsPlan, context: CallerContext) -> Outcome:
        """Read the items."""
        return await transact_get_items.run(plan, self._filling(context))
