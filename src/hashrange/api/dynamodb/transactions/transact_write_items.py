"""TransactWriteItems: up to 100 actions on items of several tables, all of them or none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter, methodcaller
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.charged import (
    charges_of_items,
    charges_of_writes,
    is_limited,
    key_values,
    metrics_by_table,
    metrics_of,
)
from hashrange.api.dynamodb.transactions.actions import (
    Action,
    actions_of,
    checked_action,
    planned,
    refuse_paths,
    refuse_payload,
    refuse_with_request,
    sent_action,
)
from hashrange.api.dynamodb.transactions.cancellation import cancelled, throttled
from hashrange.api.dynamodb.transactions.costs import (
    TRANSACTION_TIMES,
    charges_by_table,
    cost_of,
    cost_of_written,
    count_conflicts,
    refuse_strong,
    shown_capacity,
    units_of_cancelled,
    units_of_read,
)
from hashrange.api.dynamodb.transactions.identities import comparable, identity_of
from hashrange.api.dynamodb.transactions.keys import TABLE_NAME, is_table, with_name
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.constraints import (
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
)
from hashrange.api.steps.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.api.steps.permissions import (
    Asked,
    Group,
    Permission,
    consumed_option,
    named_by_update,
    permission_on_table,
    returned,
    tested,
)
from hashrange.capacity.units import Charge, KeyValues, write_units
from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import CLIENT_TOKEN_CHARS_MAX, TRANSACTION_ACTIONS_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    ConditionCheck,
    Delete,
    ItemCollectionMetrics,
    Put,
    TransactWriteItem,
    TransactWriteItems,
    TransactWriteItemsAnswer,
    Update,
)
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.tokens import Token, token_name
from hashrange.tables.writing.transactions import (
    Replayed,
    Transaction,
    TransactionCancelledError,
    write_transaction,
)
from hashrange.tables.writing.write_plans import WritePlan, WriteResult
from hashrange.wire import enums
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, inside, length, one_of, required, rows
from hashrange.wire.rules import Form, Row


def _actions(*of_each: Row) -> Row:
    """The constraints of the actions; `of_each` are added to those of each action."""
    failure = one_of(
        "return_values_on_condition_check_failure", enums.RETURN_VALUES_ON_CONDITION_CHECK_FAILURE
    )
    rows_of_each = (required("table_name"), *of_each)
    key = required("key")
    condition = required("condition_expression")
    return each(
        "transact_items",
        inside("condition_check", *rows_of_each, key, condition, failure),
        inside("put", *rows_of_each, required("item"), failure),
        inside("delete", *rows_of_each, key, failure),
        inside("update", *rows_of_each, key, required("update_expression"), failure),
    )


# Source of the order: captures of the service, October 2026; the place of the items is not known.
_MEMBERS: Final = (
    length("client_request_token", 1, CLIENT_TOKEN_CHARS_MAX),
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
    required("transact_items"),
    length("transact_items", 1, TRANSACTION_ACTIONS_MAX),
)
_MEMBER_ROWS: Final = rows(*_MEMBERS)
_ROWS: Final = rows(*_MEMBERS, _actions())
_NAME_ROWS: Final = rows(*_MEMBERS, _actions(*TABLE_NAME))

IAM_ACTIONS: Final[Mapping[type, str]] = {
    ConditionCheck: "ConditionCheckItem",
    Put: "PutItem",
    Update: "UpdateItem",
    Delete: "DeleteItem",
}


class CheckedTransactWriteItems(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no tables."""

    request: TransactWriteItems
    actions: list[Action]
    table_names: tuple[str, ...]
    """Names of the tables as sent, in the order of first use."""


class TransactWriteItemsPlan(msgspec.Struct, frozen=True):
    """The actions, and their transaction."""

    request: TransactWriteItems
    actions: list[Action]
    transaction: Transaction[None]


def check(request: TransactWriteItems) -> CheckedTransactWriteItems:
    """Refuse invalid members, expressions and values, and requests of more than 4 MB."""
    entries = request.transact_items or []
    actions_of_each = list(map(actions_of, entries))
    sent = list(filter(None, chain.from_iterable(actions_of_each)))
    if len(entries) > TRANSACTION_ACTIONS_MAX:
        # Too many actions are refused before each of them is checked.
        check_constraints(request, _MEMBER_ROWS, Form.MODEL)
    elif all(map(is_table, set(map(_table_name, sent)))):
        check_constraints(request, _ROWS, Form.MODEL)
    else:
        named = msgspec.structs.replace(request, transact_items=[_named(each) for each in entries])
        check_constraints(named, _NAME_ROWS, Form.MODEL)
    has_one_each = _ALL_BUT_ONE.issuperset(map(_absent, actions_of_each))
    actions = [
        checked_action(each) for each in (sent if has_one_each else map(sent_action, entries))
    ]
    refuse_payload(actions)
    return CheckedTransactWriteItems(
        request, actions, tuple(dict.fromkeys(map(_table_name, actions)))
    )


_table_name: Final = attrgetter("table_name")
_table: Final = attrgetter("table")
_key: Final = attrgetter("key")
_only_checks: Final = attrgetter("only_checks")
_absent: Final = methodcaller("count", None)
_ALL_BUT_ONE: Final = frozenset((3,))
"""How many of the four members of an entry are absent."""


def _named(entry: TransactWriteItem) -> TransactWriteItem:
    return TransactWriteItem(
        condition_check=with_name(entry.condition_check),
        put=with_name(entry.put),
        delete=with_name(entry.delete),
        update=with_name(entry.update),
    )


def accesses(checked: CheckedTransactWriteItems) -> Iterable[Access]:
    """The IAM action of each action, on its table."""
    return [
        Access(IAM_ACTIONS[type(action.sent)], Resource("table", action.table_name))
        for action in checked.actions
    ]


def fit(checked: CheckedTransactWriteItems, *tables: OpenTable) -> TransactWriteItemsPlan:
    """Make the writes; refuse duplicate keys and empty values of keys.

    Raises TransactionCanceledException for actions that do not fit their tables.
    """
    request = checked.request
    refuse_strong(tables)
    by_name = dict(zip(checked.table_names, tables, strict=True))
    planned_or_not = [_planned(action, by_name[action.table_name]) for action in checked.actions]
    writes = [write for write in planned_or_not if not isinstance(write, DynamoError)]
    if len(writes) < len(planned_or_not):
        for action in checked.actions:
            refuse_with_request(action, by_name[action.table_name])
    if len(set(map(_key, writes))) < len(writes):
        raise invalid(messages.several_actions_on_one_item())
    if len(writes) < len(planned_or_not):
        raise cancelled(
            [write if isinstance(write, DynamoError) else None for write in planned_or_not]
        )
    token = None
    if request.client_request_token is not None:
        name = token_name(tables[0], request.client_request_token)
        token = Token(name, _identity(checked))
    checks = list(map(_only_checks, checked.actions))
    return TransactWriteItemsPlan(request, checked.actions, Transaction(writes, checks, token))


def _planned(action: Action, table: OpenTable) -> WritePlan[None] | DynamoError:
    """The write of an action, or the reason why it does not fit the table."""
    if action.update is not None or action.guard.condition is not None:
        refuse_paths(action, table)
    try:
        return planned(action, table)
    except DynamoError as error:
        return error.as_value()


def _identity(checked: CheckedTransactWriteItems) -> bytes:
    request = checked.request
    return identity_of(
        list(map(comparable, checked.actions)),
        request.return_consumed_capacity,
        request.return_item_collection_metrics,
    )


def charges(plan: TransactWriteItemsPlan) -> Sequence[Charge]:
    """The least write units of each action: twice those of an empty item."""
    units = TRANSACTION_TIMES * write_units(0)
    return [
        Charge(
            action.table_name,
            (action.item[write.table.partition_name],),
            write_units=units,
            position=write.key[ITEM_POSITION],
        )
        for action, write in zip(plan.actions, plan.transaction.writes, strict=True)
    ]


def keys(plan: TransactWriteItemsPlan) -> Sequence[KeyValues]:
    """The keys of all actions."""
    pairs = zip(plan.actions, plan.transaction.writes, strict=True)
    return [key_values(write.table, action.item) for action, write in pairs]


async def run(plan: TransactWriteItemsPlan, context: CallerContext) -> Outcome:
    """Write all items or none. Raises TransactionCanceledException."""
    request, writes = plan.request, plan.transaction.writes
    names = list(map(_table_name, plan.actions))
    limited = is_limited(set(map(_table, writes)))
    try:
        done = await write_transaction(context.store, plan.transaction)
    except TransactionCancelledError as error:
        count_conflicts(names, error.outcomes, context.units)
        units = units_of_cancelled(error.outcomes)
        charged = (
            charges_of_items(names, list(map(_key, writes)), units, is_write=True)
            if limited
            else charges_by_table(cost_of(names, units), "write")
        )
        raise cancelled(error.outcomes, charged) from error
    detail = request.return_consumed_capacity
    if isinstance(done, Replayed):
        units = units_of_read(done.sizes)
        cost = cost_of(names, units)
        return Outcome(
            TransactWriteItemsAnswer(consumed_capacity=shown_capacity(cost, detail, "read")),
            charges=charges_of_items(names, list(map(_key, writes)), units)
            if limited
            else charges_by_table(cost, "read"),
        )
    cost = cost_of_written(names, writes, done)
    answer = TransactWriteItemsAnswer(
        consumed_capacity=shown_capacity(cost, detail, "write"),
        item_collection_metrics=_metrics(plan, done),
    )
    charged = charges_by_table(cost, "write")
    if limited:
        keys_written = list(map(_key, writes))
        charged = charges_of_writes(names, keys_written, done, times=TRANSACTION_TIMES)
    return Outcome(answer, charges=charged, of_indexes=("write", cost))


def _metrics(
    plan: TransactWriteItemsPlan, done: Sequence[WriteResult[None]]
) -> dict[str, list[ItemCollectionMetrics]] | None:
    """The metrics of the collections that were written; a ConditionCheck writes none."""
    if plan.request.return_item_collection_metrics != "SIZE":
        return None
    written = zip(plan.actions, plan.transaction.writes, done, strict=True)
    return metrics_by_table(
        (action.table_name, metrics_of(write.table, action.item, one.collection_bytes))
        for action, write, one in written
        if one.collection_bytes is not None and not action.only_checks
    )


def permissions(
    _checked: object, plan: TransactWriteItemsPlan, asked: Asked
) -> Iterator[Permission]:
    """The action of each kind that occurs, on each table."""
    groups: dict[tuple[str, str, str], Group] = {}
    for action, write in zip(plan.actions, plan.transaction.writes, strict=True):
        old = action.sent.return_values_on_condition_check_failure == "ALL_OLD"
        (returns,) = returned("NONE", old_on_failure=old)
        place = (IAM_ACTIONS[type(action.sent)], action.table_name, returns)
        names = chain(action.item, tested(action.guard.condition), named_by_update(action.update))
        partition = action.item[write.table.partition_name]
        groups.setdefault(place, Group()).add(partition, names)
    for (name, table_name, returns), group in groups.items():
        yield permission_on_table(
            name,
            table_name,
            asked,
            partitions=group.partitions,
            names=group.names,
            options={
                "dynamodb:returnvalues": (returns,),
                "dynamodb:returnconsumedcapacity": (
                    consumed_option(plan.request.return_consumed_capacity),
                ),
                "dynamodb:enclosingoperation": ("TransactWriteItems",),
            },
        )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["TransactWriteItems"],
    request=TransactWriteItems,
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
