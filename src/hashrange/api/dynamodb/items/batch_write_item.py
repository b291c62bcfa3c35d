"""BatchWriteItem: up to 25 puts and deletes of several tables, each atomic by itself."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby
from operator import attrgetter
from typing import ClassVar, Final

import msgspec

from hashrange.api.dynamodb.items.charged import (
    charges_of_writes,
    is_limited,
    key_values,
    metrics_by_table,
    metrics_of,
)
from hashrange.api.dynamodb.items.written import units_by_table
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.constraints import (
    NAME_PATTERN,
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
    are_tables,
)
from hashrange.api.steps.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.api.steps.permissions import (
    Asked,
    Permission,
    consumed_option,
    permission_on_table,
)
from hashrange.capacity.consumed import consumed_by_table
from hashrange.capacity.units import Charge, KeyValues, write_units
from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import BATCH_WRITE_ITEMS_MAX, ITEM_BYTES_MAX
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages.items import operations as messages
from hashrange.messages.items import values as value_messages
from hashrange.model.canonical import Encoded, canonical_item, encoded_item
from hashrange.model.log import Actor
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    BatchWriteItem,
    BatchWriteItemAnswer,
    ItemCollectionMetrics,
    WriteRequest,
)
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.indexes import check_keys_of_put, is_too_large
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, WriteResult
from hashrange.tables.writing.writer import write_items
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import (
    each,
    each_value,
    inside,
    map_keys,
    map_values,
    required,
    rows,
)
from hashrange.wire.rules import ITSELF, Form

_ROWS: Final = rows(
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
    map_values("request_items", least=1, most=BATCH_WRITE_ITEMS_MAX),
)
_REQUIRED_ROWS: Final = rows(
    each_value(
        "request_items",
        each(
            ITSELF,
            inside("delete_request", required("key")),
            inside("put_request", required("item")),
        ),
    )
)
_NAME_ROWS: Final = rows(
    map_keys(
        "request_items",
        least=TABLE_NAME_CHARS_MIN,
        most=TABLE_NAME_CHARS_MAX,
        pattern=NAME_PATTERN,
    )
)


_key: Final = attrgetter("key")
_table: Final = attrgetter("table")
_name: Final = attrgetter("name")


class CheckedWrite(msgspec.Struct, frozen=True):
    """A write; `put` is None for a delete; `key` is the item of a put, the key of a delete."""

    put: Encoded | None
    key: Item


class CheckedBatchWriteItem(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no tables."""

    request: BatchWriteItem
    parts: dict[str, list[CheckedWrite]]

    @property
    def table_names(self) -> list[str]:
        """Names or ARNs of the tables, as sent."""
        return list(self.parts)


class Replacement(msgspec.Struct, frozen=True):
    """A write of the engine that replaces an item; it never refuses.

    Attributes:
        table: that of the item.
        key: the encoded key.
        name: the name of the table, as sent.
        item: the item of a put, the key of a delete.
        after: the image to put; None for a delete.
    """

    table: OpenTable
    key: bytes
    name: str
    item: Item
    after: Image | None
    who: ClassVar[Actor] = Actor.CALLER
    origin: ClassVar[None] = None
    replaces: ClassVar[bool] = True

    def decide(self, _: Image | None) -> Decision[None]:
        """The image of the put, or none for a delete. Pure."""
        return Decision(self.after, None, self.item)


class BatchWriteItemPlan(msgspec.Struct, frozen=True):
    """Writes in the order of the request."""

    request: BatchWriteItem
    writes: list[Replacement]
    throttled: frozenset[bytes] = frozenset()
    """Keys of items that are not written, and answered as UnprocessedItems."""


def check(request: BatchWriteItem) -> CheckedBatchWriteItem:
    """Refuse invalid members and values, and items that are too large."""
    if not request.request_items:
        raise invalid(messages.no_batch_requests("BatchWriteItem"))
    check_constraints(request, _ROWS, Form.MODEL)
    if not are_tables(request.request_items):
        check_constraints(request, _NAME_ROWS, Form.MODEL)
    if sum(len(writes) for writes in request.request_items.values()) > BATCH_WRITE_ITEMS_MAX:
        raise invalid(messages.too_many_writes())
    try:
        parts = {
            name: [_check_write(write) for write in writes]
            for name, writes in request.request_items.items()
        }
    except DynamoError:
        # Missing members are refused before invalid values.
        check_constraints(request, _REQUIRED_ROWS, Form.MODEL)
        raise
    return CheckedBatchWriteItem(request, parts)


def _check_write(write: WriteRequest) -> CheckedWrite:
    put, delete = write.put_request, write.delete_request
    if put is not None and delete is None and put.item is not None:
        sized = encoded_item(put.item, Wording.OLDER)
        if sized.size > ITEM_BYTES_MAX:
            raise invalid(messages.item_too_large())
        return CheckedWrite(sized, sized.item)
    if delete is not None and put is None and delete.key is not None:
        return CheckedWrite(None, canonical_item(delete.key, Wording.OLDER).item)
    raise invalid(messages.one_write_each())


def fit(checked: CheckedBatchWriteItem, *tables: OpenTable) -> BatchWriteItemPlan:
    """Encode keys and images; refuse what does not fit the tables, and duplicate keys."""
    parts = list(zip(checked.parts.items(), tables, strict=True))
    try:
        writes = [_fit_write(write, name, table) for (name, part), table in parts for write in part]
    except DynamoError:
        _refuse_duplicates(_fitting(parts))
        raise
    _refuse_duplicates(writes)
    return BatchWriteItemPlan(checked.request, writes)


def _fitting(
    parts: Iterable[tuple[tuple[str, list[CheckedWrite]], OpenTable]],
) -> list[Replacement]:
    """The writes before the first that does not fit: the service checks them in order."""
    writes: list[Replacement] = []
    with suppress(DynamoError):
        for (name, part), table in parts:
            for write in part:
                writes.append(_fit_write(write, name, table))  # noqa: PERF401 - kept if one fails
    return writes


def _refuse_duplicates(writes: Sequence[Replacement]) -> None:
    if len(set(map(_key, writes))) < len(writes):
        raise invalid(messages.duplicate_keys())


def _fit_write(write: CheckedWrite, name: str, table: OpenTable) -> Replacement:
    sized = write.put
    if sized is None:
        return Replacement(table, key_of(table, write.key), name, write.key, None)
    item = sized.item
    key = table.string_key(item) or key_of(table, _key_within(item, table))
    if table.has_indexes:
        check_keys_of_put(table, item)
        if is_too_large(table, item, sized.size):
            raise invalid(messages.item_too_large())
    return Replacement(table, key, name, item, Image(sized.size, sized.json))


def _key_within(item: Item, table: OpenTable) -> Item:
    try:
        return {name: item[name] for name in table.key_names}
    except KeyError as error:
        raise invalid(value_messages.key_schema_mismatch()) from error


def charges(plan: BatchWriteItemPlan) -> Sequence[Charge]:
    """The least write units of each write: those of an empty item."""
    units = write_units(0)
    return [
        Charge(
            write.name,
            (write.item[write.table.partition_name],),
            write_units=units,
            position=write.key[ITEM_POSITION],
        )
        for write in plan.writes
    ]


def keys(plan: BatchWriteItemPlan) -> Sequence[KeyValues]:
    """The keys of all writes."""
    return [key_values(write.table, write.item) for write in plan.writes]


def without(plan: BatchWriteItemPlan, refusals: Sequence[DynamoError | None]) -> BatchWriteItemPlan:
    """The plan without throttled writes; raises the first error if there are no others."""
    refused = [error for error in refusals if error is not None]
    if len(refused) == len(plan.writes):
        raise refused[0]
    throttled = frozenset(
        write.key for write, error in zip(plan.writes, refusals, strict=True) if error is not None
    )
    return msgspec.structs.replace(plan, throttled=throttled)


async def run(plan: BatchWriteItemPlan, context: CallerContext) -> Outcome:
    """Write all items but UnprocessedItems: those of transactions in progress, and throttled."""
    store = context.store
    unprocessed: dict[str, list[WriteRequest]] = {}
    if plan.throttled or not store.in_flight.keys().isdisjoint(map(_key, plan.writes)):
        plan, unprocessed = _possible_now(plan, store)
    done: Sequence[WriteResult[None]] = ()
    if plan.writes:
        done = await write_items(store, plan.writes)
    units = units_by_table(map(_name, plan.writes), map(_table, plan.writes), done)
    answer = BatchWriteItemAnswer(
        unprocessed_items=unprocessed,
        item_collection_metrics=_metrics(plan, done),
        consumed_capacity=consumed_by_table(units, plan.request.return_consumed_capacity),
    )
    charged = [Charge(name, write_units=cost.total) for name, cost in units.items()]
    if is_limited(set(map(_table, plan.writes))):
        names = [write.name for write in plan.writes]
        charged = charges_of_writes(names, [write.key for write in plan.writes], done)
    return Outcome(answer, charges=charged, of_indexes=("write", units))


def _possible_now(
    plan: BatchWriteItemPlan, store: Store
) -> tuple[BatchWriteItemPlan, dict[str, list[WriteRequest]]]:
    """The writes that can be made now, and those of items that are throttled or in flight."""
    assert plan.request.request_items is not None, "checked"
    requests = [one for several in plan.request.request_items.values() for one in several]
    left = BatchWriteItemPlan(plan.request, [])
    unprocessed: dict[str, list[WriteRequest]] = {}
    for write, sent in zip(plan.writes, requests, strict=True):
        if write.key in store.in_flight or write.key in plan.throttled:
            unprocessed.setdefault(write.name, []).append(sent)
        else:
            left.writes.append(write)
    return left, unprocessed


def _metrics(
    plan: BatchWriteItemPlan, done: Sequence[WriteResult[None]]
) -> dict[str, list[ItemCollectionMetrics]] | None:
    if plan.request.return_item_collection_metrics != "SIZE":
        return None
    return metrics_by_table(
        (write.name, metrics_of(write.table, write.item, one.collection_bytes))
        for write, one in zip(plan.writes, done, strict=True)
        if one.collection_bytes is not None
    )


def permissions(_checked: object, plan: BatchWriteItemPlan, asked: Asked) -> Iterator[Permission]:
    """BatchWriteItem on each of the tables."""
    for name, writes in groupby(plan.writes, _name):
        named = list(writes)
        yield permission_on_table(
            "BatchWriteItem",
            name,
            asked,
            partitions=[(write.item[write.table.partition_name],) for write in named],
            names=chain.from_iterable(write.item for write in named),
            options={
                "dynamodb:returnconsumedcapacity": (
                    consumed_option(plan.request.return_consumed_capacity),
                )
            },
        )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["BatchWriteItem"],
    request=BatchWriteItem,
    check=check,
    accesses=on_tables("BatchWriteItem"),
    permissions=permissions,
    tables=TableMode.OPEN,
    fit=fit,
    charges=charges,
    keys=keys,
    without=without,
    run=run,
)
