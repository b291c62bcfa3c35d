"""The permissions of statements of PartiQL, each statement by itself. Pure."""

from collections.abc import Iterable, Iterator
from itertools import chain
from types import MappingProxyType
from typing import Final

from hashrange.errors import DynamoError
from hashrange.expressions.condition_checks import leaves, operands_of
from hashrange.expressions.operands import walked
from hashrange.expressions.syntax import Path
from hashrange.expressions.update_checks import operands_of as operands_of_action
from hashrange.model.values import AttributeValue, Item
from hashrange.operations.authorization.permissions import Asked, Permission, context_of, returned
from hashrange.operations.partiql.batch_execute_statement import (
    BatchExecuteStatementPlan,
    Member,
)
from hashrange.operations.partiql.execute_statement import CheckedExecuteStatement
from hashrange.operations.partiql.execute_transaction import (
    CheckedExecuteTransaction,
    ExecuteTransactionPlan,
)
from hashrange.operations.partiql.selects import PageRead, PointRead
from hashrange.operations.partiql.statements import StatementPlan, access_of
from hashrange.operations.partiql.writes import Write
from hashrange.partiql.prepared import Prepared
from hashrange.policies.variables import Context

_NOTHING: Final[Context] = MappingProxyType({})
_TRANSACTION: Final[Context] = {"dynamodb:enclosingoperation": ("ExecuteTransaction",)}


def of_execute_statement(
    checked: CheckedExecuteStatement, plan: StatementPlan, asked: Asked
) -> Iterator[Permission]:
    """ExecuteStatement."""
    return _of_plan(checked.shape.prepared, plan, asked)


def of_batch_execute_statement(
    _checked: object, plan: BatchExecuteStatementPlan, asked: Asked
) -> Iterator[Permission]:
    """BatchExecuteStatement: those of the statements that have no fault."""
    for member, planned in zip(plan.members, plan.plans, strict=True):
        if isinstance(member, Member) and not isinstance(planned, DynamoError):
            yield from of_member(member, planned, asked)


def of_member(member: Member, plan: PointRead | Write, asked: Asked) -> Iterator[Permission]:
    """One statement of BatchExecuteStatement."""
    return _of_plan(member.shape.prepared, plan, asked)


def of_execute_transaction(
    checked: CheckedExecuteTransaction, plan: ExecuteTransactionPlan, asked: Asked
) -> Iterator[Permission]:
    """ExecuteTransaction."""
    statements = [shape for shape, _ in checked.members]
    if plan.reads is not None:
        for shape, get in zip(statements, plan.reads.gets, strict=True):
            partition = get.key[plan.reads.by_name[get.table_name].partition_name]
            yield _read(shape.prepared, [partition], asked, scans=False, enclosing=_TRANSACTION)
        return
    assert plan.writes is not None, "it reads or it writes"
    writes = zip(plan.writes.actions, plan.writes.transaction.writes, strict=True)
    for shape, (action, write) in zip(statements, writes, strict=True):
        partition = action.item[write.table.partition_name]
        if shape.prepared.verb == "EXISTS":
            yield _read(shape.prepared, [partition], asked, scans=False, enclosing=_TRANSACTION)
            continue
        (returns,) = returned("NONE", old_on_failure=shape.options.return_old)
        yield _written(
            shape.prepared, partition, action.item, asked, returns=returns, enclosing=_TRANSACTION
        )


def _of_plan(statement: Prepared, plan: StatementPlan, asked: Asked) -> Iterator[Permission]:
    if isinstance(plan, PageRead):
        keys = plan.reading.access_path.key_names  # NextToken shows them
        yield _read(statement, plan.partitions or (), asked, scans=plan.scans, keys=keys)
    elif isinstance(plan, PointRead):
        read = plan.plan
        partition = read.checked.key[read.table.partition_name]
        yield _read(statement, [partition], asked, scans=False)
    else:
        assert isinstance(plan, Write), "there are no other plans"
        write, options = plan.plan, plan.plan.options
        partition = write.item[write.table.partition_name]
        for returns in returned(options.returns, old_on_failure=options.returns_old_on_failure):
            yield _written(statement, partition, write.item, asked, returns=returns)


def _read(
    statement: Prepared,
    partitions: Iterable[AttributeValue],
    asked: Asked,
    *,
    scans: bool,
    keys: Iterable[str] = (),
    enclosing: Context = _NOTHING,
) -> Permission:
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


def _written(
    statement: Prepared,
    partition: AttributeValue,
    item: Item,
    asked: Asked,
    *,
    returns: str,
    enclosing: Context = _NOTHING,
) -> Permission:
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
