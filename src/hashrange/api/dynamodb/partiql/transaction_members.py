"""Statements of a transaction, as the members of TransactGetItems and TransactWriteItems."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.api.dynamodb.items.conditions import check_scalar_projection
from hashrange.api.dynamodb.partiql.fitting import NEW_ITEM, WriteParts, item_of
from hashrange.api.dynamodb.partiql.ordering import columns_of
from hashrange.api.dynamodb.partiql.permissions import AnyItem, PresentItem
from hashrange.api.dynamodb.partiql.ranges import ranges_of
from hashrange.api.dynamodb.partiql.reading import is_only_key, names_one_value
from hashrange.api.dynamodb.partiql.statements import StatementShape
from hashrange.api.dynamodb.partiql.writes import reworded
from hashrange.api.dynamodb.transactions.actions import (
    Action,
    Sent,
    planned,
    refuse_paths,
    refuse_with_request,
)
from hashrange.api.dynamodb.transactions.transact_get_items import CheckedGet
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.partiql.key_conditions import branches_of
from hashrange.expressions.program import Constants, Update
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages import partiql as messages
from hashrange.messages.items import operations as item_messages
from hashrange.messages.items import values as value_messages
from hashrange.model.canonical import encoded_item
from hashrange.model.sizes import value_bytes
from hashrange.model.structures import dynamodb as structures
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision, ItemWrite, WritePlan

Maker: TypeAlias = Callable[[Constants], Any]


class WrongKeyError(Exception):
    """A statement does not name one item of its table; this cancels the transaction."""

    def __init__(self, fault: DynamoError) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Write(msgspec.Struct, frozen=True):
    """An action, and its write."""

    action: Action
    write: ItemWrite[None]


_SENT: Final[dict[str, Sent]] = {
    "INSERT": structures.Put(),
    "UPDATE": structures.Update(),
    "DELETE": structures.Delete(),
    "EXISTS": structures.ConditionCheck(),
}


def _made(
    shape: StatementShape, table: OpenTable, constants: Constants, fit: Callable[..., Maker]
) -> Any:
    """The result of `fit`, which is called once for a table."""
    fitted = shape.fitted
    if fitted is None or fitted[0] is not table:
        shape.fitted = fitted = (table, fit(shape, table))
    return fitted[1](constants)


def get_of(shape: StatementShape, constants: Constants, table: OpenTable) -> CheckedGet:
    """The item that a SELECT reads.

    Raises:
        DynamoError: ValidationException: it does not name one item, or more than that.
    """
    get: CheckedGet = _made(shape, table, constants, _fitted_get)
    return get


def write_of(shape: StatementShape, constants: Constants, table: OpenTable) -> Write:
    """The write, or check, of an INSERT, UPDATE, DELETE or EXISTS.

    Raises:
        WrongKeyError: it does not name an item.
        DynamoError: ValidationException.
    """
    statement = shape.prepared
    if statement.returning is not None:
        raise invalid(messages.returning_in_transaction())
    if statement.index is not None:
        raise invalid(messages.index_in_transaction())
    if statement.columns_fault is not None:
        raise invalid(statement.columns_fault)
    action: Action = _made(shape, table, constants, _fitted_action)
    refuse_paths(action, table)
    refuse_with_request(action, table)
    try:
        write = planned(action, table)
    except DynamoError as error:
        raise WrongKeyError(error) from error
    return Write(action, ItemWrite(table, write.key, partial(_decided, write)))


def _decided(write: WritePlan[None], before: Image | None) -> Decision[None]:
    """The decision of a write, with the texts of statements. Pure."""
    try:
        return write.decide(before)
    except DynamoError as error:
        raise reworded(error) from None  # it may be the same error


def _fitted_get(shape: StatementShape, table: OpenTable) -> Maker:
    statement = shape.prepared
    if statement.index is not None:
        raise invalid(messages.index_in_transaction())
    if statement.columns_fault is not None:
        raise invalid(statement.columns_fault)
    access_path = AccessPath(table)
    sort = access_path.sort[0].name if access_path.sort else None
    branches = branches_of(statement.condition, access_path.partition[0].name, sort)
    if branches.too_many:
        raise invalid(messages.too_many_reads())
    projection = columns_of(statement.columns)
    check_scalar_projection(projection, table)
    is_key = is_only_key(branches, access_path.key_names)
    types = {attribute.name: attribute.type for attribute in table.table.key_attributes}
    suits = all(
        statement.kinds[position] == types[part.attribute]
        for part in branches.parts
        for position in part.positions
    )

    def get(constants: Constants) -> CheckedGet:
        if suits:
            ranges_of(branches, access_path, constants)
        if not is_key or not names_one_value(branches, access_path.key_names, constants):
            raise invalid(messages.transaction_select_without_key())
        parts = branches.branches[0].parts
        key = {part.attribute: constants[part.positions[0]] for part in parts}
        return CheckedGet(statement.table, key, projection)

    return get


def _fitted_action(shape: StatementShape, table: OpenTable) -> Maker:
    statement = shape.prepared
    if statement.verb == "INSERT":
        return partial(_insertion, shape)
    exists = statement.verb == "EXISTS"
    parts = WriteParts(statement, table, first_wins=exists)
    if exists and (not parts.names_item or parts.condition is None):
        raise invalid(messages.exists_without_condition())
    return partial(_change, shape, parts)


def _insertion(shape: StatementShape, constants: Constants) -> Action:
    put = encoded_item(item_of(shape.prepared, constants), Wording.OLDER)
    if put.size > ITEM_BYTES_MAX:
        raise invalid(item_messages.item_too_large())
    name = shape.prepared.table
    return Action(name, _SENT["INSERT"], put.item, put.size, NEW_ITEM, None, put)


def _change(shape: StatementShape, parts: WriteParts, constants: Constants) -> Action:
    statement = shape.prepared
    key = _key(parts, constants)
    values = parts.extended(constants)
    condition = None if parts.condition is None else parts.condition.bound(values)
    guard_type = AnyItem if statement.verb == "DELETE" else PresentItem
    guard = guard_type(condition, shape.options.return_old)
    update = None if parts.update is None else Update(parts.update, values)
    size = sum(map(value_bytes, constants))
    sent, only_checks = _SENT[statement.verb], statement.verb == "EXISTS"
    return Action(statement.table, sent, key, size, guard, update, only_checks=only_checks)


def _key(parts: WriteParts, constants: Constants) -> Item:
    if not parts.names_item:
        raise WrongKeyError(invalid(value_messages.key_schema_mismatch()))
    try:
        return parts.key(constants)
    except DynamoError as error:
        raise WrongKeyError(error) from error
