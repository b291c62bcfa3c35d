"""The permissions of a statement of PartiQL, and which conditions guard it. Pure."""

from collections.abc import Iterable, Iterator
from itertools import chain
from types import MappingProxyType
from typing import Final

from hashrange.access.policies.variables import Context
from hashrange.api.dynamodb.items.conditions import Guard
from hashrange.api.dynamodb.partiql.selects import PageRead, PointRead
from hashrange.api.dynamodb.partiql.statements import StatementPlan, access_of
from hashrange.api.dynamodb.partiql.writes import Write
from hashrange.api.steps.operation import ChargedError
from hashrange.api.steps.permissions import Asked, Permission, context_of, returned
from hashrange.capacity.units import write_units
from hashrange.errors import Fault
from hashrange.expressions.condition_checks import leaves, operands_of
from hashrange.expressions.operands import walked
from hashrange.expressions.partiql.prepared import Prepared
from hashrange.expressions.syntax import Path
from hashrange.expressions.update_checks import operands_of as operands_of_action
from hashrange.messages.items.operations import condition_failed
from hashrange.messages.partiql import item_exists
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.items.images import Image
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import charged_bytes

_NOTHING: Final[Context] = MappingProxyType({})


def of_statement(statement: Prepared, plan: StatementPlan, asked: Asked) -> Iterator[Permission]:
    """The action of a statement on its table or index, once for each way to show old items."""
    if isinstance(plan, PageRead):
        keys = plan.reading.access_path.key_names  # NextToken shows them
        yield of_read(statement, plan.partitions or (), asked, scans=plan.scans, keys=keys)
    elif isinstance(plan, PointRead):
        read = plan.plan
        partition = read.checked.key[read.table.partition_name]
        yield of_read(statement, [partition], asked, scans=False)
    else:
        assert isinstance(plan, Write), "there are no other plans"
        write, options = plan.plan, plan.plan.options
        partition = write.item[write.table.partition_name]
        for returns in returned(options.returns, old_on_failure=options.returns_old_on_failure):
            yield of_write(statement, partition, write.item, asked, returns=returns)


def of_read(
    statement: Prepared,
    partitions: Iterable[AttributeValue],
    asked: Asked,
    *,
    scans: bool,
    keys: Iterable[str] = (),
    enclosing: Context = _NOTHING,
) -> Permission:
    """The action of a SELECT or of EXISTS on items with these partition keys."""
    select = "ALL_ATTRIBUTES" if statement.index is None else "ALL_PROJECTED_ATTRIBUTES"
    if statement.columns is not None:
        select = "SPECIFIC_ATTRIBUTES"
    options = {
        "dynamodb:select": (select,),
        "dynamodb:fulltablescan": (str(scans).lower(),),
        **enclosing,
    }
    values = [(value,) for value in partitions]
    context = context_of(asked, values, chain(keys, _names(statement)), options)
    return Permission(access_of(statement), context)


def of_write(
    statement: Prepared,
    partition: AttributeValue,
    item: Item,
    asked: Asked,
    *,
    returns: str,
    enclosing: Context = _NOTHING,
) -> Permission:
    """The action of a statement that writes an item."""
    options = dict(enclosing)
    if statement.verb != "INSERT":
        options["dynamodb:returnvalues"] = (returns,)
    context = context_of(asked, [(partition,)], chain(item, _names(statement)), options)
    return Permission(access_of(statement), context)


def _names(statement: Prepared) -> Iterator[str]:
    """The top-level attributes that a statement names; those of an item are not among them."""
    conditions = () if statement.condition is None else leaves(statement.condition)
    operands = [operand for leaf in conditions for operand in operands_of(leaf)]
    for action in statement.actions:
        operands += (action.target, *operands_of_action(action))
    for operand in walked(operands):
        if isinstance(operand, Path):
            yield str(operand.elements[0])
    yield from (order.attribute for order in statement.order)
    for column in statement.columns or ():
        yield str(column.path.elements[0])


class NewItem(Guard, frozen=True):
    """INSERT: the item must not exist."""

    def admit(self, before: Image | None, table: OpenTable) -> Item | None:
        """Raises DuplicateItemException, whose cost is that of a write of the item."""
        if before is None:
            return None
        units = write_units(charged_bytes(table.table, before))
        raise ChargedError(Fault.DUPLICATE_ITEM, item_exists(), write_units=units)


class PresentItem(Guard, frozen=True):
    """UPDATE: the item must exist and meet the condition."""

    def admit(self, before: Image | None, table: OpenTable) -> Item | None:
        """Raises ConditionalCheckFailedException: the item is missing or the condition fails."""
        if before is None:
            text = condition_failed()
            raise ChargedError(Fault.CONDITION_FAILED, text, write_units=write_units(0))
        return super().admit(before, table)


class AnyItem(Guard, frozen=True):
    """DELETE: the item must meet the condition if it exists."""

    def admit(self, before: Image | None, table: OpenTable) -> Item | None:
        """The item, None if it is missing. Raises ConditionalCheckFailedException."""
        return None if before is None else super().admit(before, table)
