"""TransactGetItems: up to 100 items of any tables, read at one moment."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from hashrange.capacity.charges import Charge
from hashrange.capacity.consumed import ConsumedCapacity
from hashrange.capacity.units import read_units
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.limits import TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX
from hashrange.messages.items import transactions as messages
from hashrange.model.canonical import canonical_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.operations.items.conditions import check_scalar_projection
from hashrange.operations.items.pages import seen
from hashrange.operations.pipeline.accesses import Access, Resource
from hashrange.operations.pipeline.constraints import RETURN_CONSUMED_CAPACITY
from hashrange.operations.pipeline.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.operations.transactions.cancellation import cancelled
from hashrange.operations.transactions.costs import TRANSACTION_TIMES, charged, cost_of_read, told
from hashrange.operations.transactions.keys import refuse_empty_keys
from hashrange.operations.transactions.names import TABLE_NAME, is_table, with_name
from hashrange.operations.transactions.shapes import Get, TransactGetItem
from hashrange.tables.images import size_of
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.transactions import TransactionCancelledError, read_transaction
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, inside, length, required, rows
from hashrange.wire.rules import Form, Row


class TransactGetItems(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    transact_items: list[TransactGetItem] | None = None
    return_consumed_capacity: str | None = None


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
    """One key, canonical, and what of its item is to be answered."""

    table_name: str
    key: Item
    projection: Projection | None


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the tables."""

    request: TransactGetItems
    gets: list[CheckedGet]
    table_names: tuple[str, ...]
    """Of the tables, in the order of first use."""


class Plan(msgspec.Struct, frozen=True):
    """Keys to read, one for each get."""

    request: TransactGetItems
    gets: list[CheckedGet]
    by_name: Mapping[str, OpenTable]
    keys: list[bytes]


class ItemResponse(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """An item, or none."""

    item: Any = None


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """The answer."""

    responses: list[ItemResponse]
    consumed_capacity: list[ConsumedCapacity] | None = None


def check(request: TransactGetItems) -> Checked:
    """See `Operation.check`."""
    entries = request.transact_items or []
    if len(entries) > TRANSACTION_ACTIONS_MAX:
        # Nobody looks at a million actions that are too many anyway.
        check_constraints(request, _MEMBER_ROWS, Form.MODEL)
    elif all(entry.get is None or is_table(entry.get.table_name) for entry in entries):
        check_constraints(request, _ROWS, Form.MODEL)
    else:
        named = [TransactGetItem(get=with_name(entry.get)) for entry in entries]
        check_constraints(
            msgspec.structs.replace(request, transact_items=named), _NAME_ROWS, Form.MODEL
        )
    gets = [_checked_get(entry.get) for entry in entries]
    return Checked(request, gets, tuple(dict.fromkeys(get.table_name for get in gets)))


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


def accesses(checked: Checked) -> Iterable[Access]:
    """See `Operation.accesses`."""
    return [Access("GetItem", Resource("table", get.table_name)) for get in checked.gets]


def fit(checked: Checked, *tables: OpenTable) -> Plan:
    """See `Operation.fit`. Raises TransactionCanceledException for keys of other types."""
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
    return Plan(checked.request, checked.gets, by_name, keys)


def _key(get: CheckedGet, table: OpenTable) -> bytes | DynamoError:
    """The key of a get, or the reason why there is none."""
    check_scalar_projection(get.projection, table)
    try:
        return key_of(table, get.key)
    except DynamoError as error:
        return error


def charges(plan: Plan) -> Iterable[Charge]:
    """See `Operation.charges`."""
    units = TRANSACTION_TIMES * read_units(0, consistent=True)
    for get in plan.gets:
        partition = (get.key[plan.by_name[get.table_name].partition_name],)
        yield Charge(get.table_name, partition, read_units=units)


async def run(plan: Plan, context: CallerContext) -> Outcome:
    """See `Operation.run`."""
    try:
        items = await read_transaction(context.store, [*plan.by_name.values()], plan.keys)
    except TransactionCancelledError as error:
        raise cancelled(error.outcomes) from error
    sizes = [0 if item is None else size_of(item) for item in items]
    if sum(sizes) > TRANSACTION_BYTES_MAX:
        raise invalid(messages.items_too_large())
    responses = [
        _NO_ITEM if item is None else ItemResponse(seen(item, get.projection))
        for get, item in zip(plan.gets, items, strict=True)
    ]
    cost = cost_of_read([get.table_name for get in plan.gets], sizes)
    capacity = told(cost, plan.request.return_consumed_capacity, "read")
    answer = Answer(responses=responses, consumed_capacity=capacity)
    return Outcome(answer, charges=charged(cost, "read"))


_NO_ITEM: Final = ItemResponse()

OPERATION: Final = Operation(
    request=TransactGetItems,
    check=check,
    accesses=accesses,
    tables=TableMode.OPEN,
    fit=fit,
    charges=charges,
    run=run,
)
