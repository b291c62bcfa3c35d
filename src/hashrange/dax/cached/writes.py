"""Writes through the item cache: the table first, then what it holds now into the cache."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from hashrange.api.dynamodb.items import batch_write_item
from hashrange.api.dynamodb.items.batch_write_item import BatchWriteItemPlan
from hashrange.api.dynamodb.items.put_item import PutItemPlan
from hashrange.api.dynamodb.items.written import SingleItemPlan
from hashrange.api.dynamodb.transactions import transact_get_items, transact_write_items
from hashrange.api.dynamodb.transactions.transact_get_items import TransactGetItemsPlan
from hashrange.api.dynamodb.transactions.transact_write_items import TransactWriteItemsPlan
from hashrange.api.steps.operation import Caller, CallerContext, Outcome
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cached.reads import filling
from hashrange.model.structures.dynamodb import (
    BatchWriteItemAnswer,
    ConditionCheck,
    Get,
    TransactGetItem,
    TransactGetItems,
)
from hashrange.tables.items.images import Image, stored

Run: TypeAlias = Callable[[Any, Any], Coroutine[Any, Any, Outcome]]
"""The step `run` of an operation."""
Refresh: TypeAlias = Callable[[Caller, TransactGetItems], None]
"""Begins to read items in the background, in the name of a caller."""


def cached_write(layer: CacheLayer, run: Run, *, leaves_image: bool) -> Run:
    """PutItem, DeleteItem or UpdateItem.

    Args:
        layer: the caches.
        run: that of the operation.
        leaves_image: the plan of a put has its image, and a delete leaves none. That of an update
            is not known here.
    """

    async def written(plan: SingleItemPlan, context: CallerContext) -> Outcome:
        with layer.writing([plan.key]) as left:
            outcome = await run(plan, context)
            if leaves_image:
                after = plan.after if isinstance(plan, PutItemPlan) else None
                left(plan.key, _value(plan.key, after))
        return outcome

    return written


def cached_batch_write(layer: CacheLayer) -> Run:
    """BatchWriteItem; if some items were not processed, no entry says which."""

    async def written(plan: BatchWriteItemPlan, context: CallerContext) -> Outcome:
        with layer.writing([each.key for each in plan.writes]) as left:
            outcome = await batch_write_item.run(plan, context)
            answer = outcome.answer
            assert isinstance(answer, BatchWriteItemAnswer)
            if not answer.unprocessed_items:
                for each in plan.writes:
                    left(each.key, _value(each.key, each.after))
        return outcome

    return written


def cached_transact_write(layer: CacheLayer, refresh: Refresh) -> Run:
    """TransactWriteItems: the entries of its items are gone until they were read again.

    Args:
        layer: the caches.
        refresh: reads the items that were written; DAX does that after it has answered.
    """

    async def written(plan: TransactWriteItemsPlan, context: CallerContext) -> Outcome:
        changed = [
            (action, write)
            for action, write in zip(plan.actions, plan.transaction.writes, strict=True)
            if not isinstance(action.sent, ConditionCheck)
        ]
        with layer.writing([write.key for _, write in changed]):
            outcome = await transact_write_items.run(plan, context)
        gets = []
        for action, write in changed:
            key = {name: action.item[name] for name in write.table.key_names}
            gets.append(TransactGetItem(get=Get(key=key, table_name=action.table_name)))
        if gets:
            refresh(context.caller, TransactGetItems(transact_items=gets))
        return outcome

    return written


def refreshing(layer: CacheLayer) -> Run:
    """TransactGetItems as the cluster makes it for itself: it keeps what it reads."""

    async def read(plan: TransactGetItemsPlan, context: CallerContext) -> Outcome:
        return await transact_get_items.run(plan, filling(layer, context))

    return read


def _value(key: bytes, after: Image | None) -> bytes | None:
    return None if after is None else stored(after, key)
