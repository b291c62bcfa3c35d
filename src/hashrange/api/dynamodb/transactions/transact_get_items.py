"""TransactGetItems: reads up to 100 items of several tables at one moment."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.charged import charges_of_items, is_limited, key_values
from hashrange.api.dynamodb.items.conditions import check_scalar_projection
from hashrange.api.dynamodb.items.pages import answered_item
from hashrange.api.dynamodb.transactions.cancellation import cancelled, throttled
from hashrange.api.dynamodb.transactions.costs import (
    TRANSACTION_TIMES,
    charges_by_table,
    cost_of,
    count_conflicts,
    refuse_strong,
    shown_capacity,
    units_of_read,
)
from hashrange.api.dynamodb.transactions.keys import (
    TABLE_NAME,
    is_table,
    refuse_empty_keys,
    with_name,
)
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.constraints import RETURN_CONSUMED_CAPACITY
from hashrange.api.steps.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.api.steps.permissions import (
    Asked,
    Group,
    Permission,
    consumed_option,
    permission_on_table,
    projected,
    selection,
)
from hashrange.capacity.units import Charge, KeyValues, read_units
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.limits.requests import TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.canonical import canonical_item
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    Get,
    ItemResponse,
    TransactGetItem,
    TransactGetItems,
    TransactGetItemsAnswer,
)
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import size_of
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import charged_sizes
from hashrange.tables.writing.transactions import TransactionCancelledError, read_transaction
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, inside, length, required, rows
from hashrange.wire.rules import Form, Row


def _gets(*of_each: Row) -> Row:
    get = inside("get", required("table_name"), *of_each, required("key"))
    return each("transact_items", required("get"), get)


_MEMBERS: Final = (
    RETURN_CONSUMED_CAPACITY,
    required("transact_items"),
    length("transact_items", 1, TRANSACTION_ACTIONS_MAX),
)
_MEMBER_ROWS: Final = rows(*_MEMBERS)
_ROWS: Final = rows(*_MEMBERS, _gets())
_NAME_ROWS: Final = rows(*_MEMBERS, _gets(*TABLE_NAME))
_NO_SOURCES: Final = Sources()


class CheckedGet(msgspec.Struct, frozen=True):
    """A canonical key, and the projection of its item."""

    table_name: str
    key: Item
    projection: Projection | None


class CheckedTransactGetItems(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no tables."""

    request: TransactGetItems
    gets: list[CheckedGet]
    table_names: tuple[str, ...]
    """Names of the tables as sent, in the order of first use."""


class TransactGetItemsPlan(msgspec.Struct, frozen=True):
    """Encoded keys to read, one for each get."""

    request: TransactGetItems
    gets: list[CheckedGet]
    by_name: Mapping[str, OpenTable]
    keys: list[bytes]


def check(request: TransactGetItems) -> CheckedTransactGetItems:
    """Refuse invalid members, expressions and values."""
    entries = request.transact_items or []
    if len(entries) > TRANSACTION_ACTIONS_MAX:
        # Too many actions are refused before each of them is checked.
        check_constraints(request, _MEMBER_ROWS, Form.MODEL)
    elif all(entry.get is None or is_table(entry.get.table_name) for entry in entries):
        check_constraints(request, _ROWS, Form.MODEL)
    else:
        named = [TransactGetItem(get=with_name(entry.get)) for entry in entries]
        check_constraints(
            msgspec.structs.replace(request, transact_items=named), _NAME_ROWS, Form.MODEL
        )
    gets = [_checked_get(entry.get) for entry in entries]
    return CheckedTransactGetItems(
        request, gets, tuple(dict.fromkeys(get.table_name for get in gets))
    )


def _checked_get(get: Get | None) -> CheckedGet:
    assert get is not None, "checked"
    assert get.key is not None, "checked"
    assert get.table_name is not None, "checked"
    text, names = get.projection_expression, get.expression_attribute_names
    projection = None
    if text is None:
        check_presence(_NO_SOURCES, names, None)
    else:
        projection = bind(Sources(projection=text), names, None, wording=Wording.OLDER).projection
    return CheckedGet(get.table_name, canonical_item(get.key, Wording.OLDER).item, projection)


def accesses(checked: CheckedTransactGetItems) -> Iterable[Access]:
    """GetItem on the table of each get."""
    return [Access("GetItem", Resource("table", get.table_name)) for get in checked.gets]


def fit(checked: CheckedTransactGetItems, *tables: OpenTable) -> TransactGetItemsPlan:
    """Encode the keys; refuse duplicates.

    Raises TransactionCanceledException for keys that do not fit their tables.
    """
    refuse_strong(tables)
    by_name = dict(zip(checked.table_names, tables, strict=True))
    found = [_key(get, by_name[get.table_name]) for get in checked.gets]
    keys = [key for key in found if isinstance(key, bytes)]
    if len(keys) < len(found):
        for get in checked.gets:
            refuse_empty_keys(by_name[get.table_name], get.key)
    if len(set(keys)) < len(keys):
        raise invalid(messages.several_actions_on_one_item())
    if len(keys) < len(found):
        raise cancelled([None if isinstance(key, bytes) else key for key in found])
    return TransactGetItemsPlan(checked.request, checked.gets, by_name, keys)


def _key(get: CheckedGet, table: OpenTable) -> bytes | DynamoError:
    """The encoded key of a get, or the reason why it does not fit the table."""
    check_scalar_projection(get.projection, table)
    try:
        return key_of(table, get.key)
    except DynamoError as error:
        return error.as_value()


def charges(plan: TransactGetItemsPlan) -> Sequence[Charge]:
    """The least read units of each key: twice those of a missing item."""
    units = TRANSACTION_TIMES * read_units(0, consistent=True)
    return [
        Charge(
            get.table_name,
            (get.key[plan.by_name[get.table_name].partition_name],),
            read_units=units,
            position=key[ITEM_POSITION],
        )
        for get, key in zip(plan.gets, plan.keys, strict=True)
    ]


def keys(plan: TransactGetItemsPlan) -> Sequence[KeyValues]:
    """The keys of all gets."""
    return [key_values(plan.by_name[get.table_name], get.key) for get in plan.gets]


async def run(plan: TransactGetItemsPlan, context: CallerContext) -> Outcome:
    """Read all items at one moment. Raises TransactionCanceledException."""
    try:
        items = await read_transaction(context.store, [*plan.by_name.values()], plan.keys)
    except TransactionCancelledError as error:
        count_conflicts((get.table_name for get in plan.gets), error.outcomes, context.units)
        raise cancelled(error.outcomes) from error
    sizes = [0 if item is None else size_of(item) for item in items]
    if sum(sizes) > TRANSACTION_BYTES_MAX:
        raise invalid(messages.items_too_large())
    responses = [
        _NO_ITEM if item is None else ItemResponse(answered_item(item, get.projection))
        for get, item in zip(plan.gets, items, strict=True)
    ]
    names = [get.table_name for get in plan.gets]
    tables = [plan.by_name[name].table for name in names]
    units = units_of_read(
        [charged_sizes(table, [item])[0] for table, item in zip(tables, items, strict=True)]
    )
    cost = cost_of(names, units)
    capacity = shown_capacity(cost, plan.request.return_consumed_capacity, "read")
    answer = TransactGetItemsAnswer(responses=responses, consumed_capacity=capacity)
    if is_limited(plan.by_name.values()):
        return Outcome(answer, charges=charges_of_items(names, plan.keys, units))
    return Outcome(answer, charges=charges_by_table(cost, "read"))


_NO_ITEM: Final = ItemResponse()


def permissions(_checked: object, plan: TransactGetItemsPlan, asked: Asked) -> Iterator[Permission]:
    """GetItem on each table, once with and once without a projection."""
    groups: dict[tuple[str, str], Group] = {}
    for get in plan.gets:
        group = groups.setdefault((get.table_name, selection(get.projection)), Group())
        partition = get.key[plan.by_name[get.table_name].partition_name]
        group.add(partition, (*get.key, *projected(get.projection)))
    for (table_name, select), group in groups.items():
        yield permission_on_table(
            "GetItem",
            table_name,
            asked,
            partitions=group.partitions,
            names=group.names,
            options={
                "dynamodb:select": (select,),
                "dynamodb:returnconsumedcapacity": (
                    consumed_option(plan.request.return_consumed_capacity),
                ),
                "dynamodb:enclosingoperation": ("TransactGetItems",),
            },
        )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["TransactGetItems"],
    request=TransactGetItems,
    check=check,
    accesses=accesses,
    permissions=permissions,
    tables=TableMode.OPEN,
    fit=fit,
    charges=charges,
    keys=keys,
    without=throttled,
    run=run,
)
