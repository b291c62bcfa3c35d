"""ExecuteStatement: one statement."""

from collections.abc import Coroutine, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.partiql.fitting import plan_of
from hashrange.api.dynamodb.partiql.permissions import of_statement
from hashrange.api.dynamodb.partiql.statements import (
    Page,
    StatementOptions,
    StatementPlan,
    StatementShape,
    access_of,
    canonical_parameters,
    shape_of,
    without_table,
)
from hashrange.api.steps.accesses import Access
from hashrange.api.steps.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.capacity.units import Charge
from hashrange.errors import invalid
from hashrange.expressions.program import Constants
from hashrange.messages import partiql as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import ExecuteStatement
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import EXECUTE_STATEMENT_ROWS
from hashrange.wire.rules import Form


class CheckedExecuteStatement(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    shape: StatementShape
    constants: Constants
    page: Page


def check(request: ExecuteStatement) -> CheckedExecuteStatement:
    """Check the members and the parameters, and prepare the statement."""
    check_constraints(request, EXECUTE_STATEMENT_ROWS, Form.MODEL)
    assert request.statement is not None, "required"
    options = StatementOptions(
        request.consistent_read is True,
        request.return_consumed_capacity,
        request.return_values_on_condition_check_failure == "ALL_OLD",
    )
    parameters = request.parameters
    canonical = canonical_parameters(parameters)
    found, constants = shape_of(request.statement, parameters, canonical, options)
    request.note(found.prepared.table)
    statement = found.prepared
    if statement.verb == "EXISTS":
        raise invalid(messages.exists_alone())
    if request.next_token is not None and not statement.reads:
        raise invalid(messages.next_token_of_write())
    page = Page(request.limit, request.next_token, request.statement)
    return CheckedExecuteStatement(found.table_names, found, constants, page)


def accesses(checked: CheckedExecuteStatement) -> Iterable[Access]:
    """The action of the statement on its table or index."""
    return (access_of(checked.shape.prepared),)


def fit(checked: CheckedExecuteStatement, table: OpenTable) -> StatementPlan:
    """Plan the statement as an operation on items."""
    return plan_of(checked.shape, checked.constants, table, checked.page)


def charges(plan: StatementPlan) -> Sequence[Charge]:
    """The least units of the plan."""
    return plan.charges()


def spot(plan: StatementPlan) -> Charge | None:
    """The only charge of a plan of one item."""
    return plan.spot()


def is_eventual(plan: StatementPlan) -> bool:
    """Whether it is a SELECT without ConsistentRead."""
    return plan.is_eventual()


def run(plan: StatementPlan, context: CallerContext) -> Coroutine[Any, Any, Outcome]:
    """Run the plan."""
    return plan.run(context)


def permissions(
    checked: CheckedExecuteStatement, plan: StatementPlan, asked: Asked
) -> Iterator[Permission]:
    """The action of the statement."""
    return of_statement(checked.shape.prepared, plan, asked)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["ExecuteStatement"],
    request=ExecuteStatement,
    check=check,
    accesses=accesses,
    permissions=permissions,
    tables=TableMode.OPEN,
    without_table=lambda checked: without_table(checked.shape.prepared),
    fit=fit,
    charges=charges,
    spot=spot,
    is_eventual=is_eventual,
    run=run,
)
