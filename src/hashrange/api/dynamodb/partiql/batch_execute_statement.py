"""BatchExecuteStatement: up to 25 reads or writes; each one succeeds or fails alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec
from msgspec.structs import replace

from hashrange.api.dynamodb.items.charged import charges_of_items, charges_of_write
from hashrange.api.dynamodb.items.pages import answered_item
from hashrange.api.dynamodb.items.written import units_of
from hashrange.api.dynamodb.partiql.fitting import plan_of
from hashrange.api.dynamodb.partiql.permissions import of_statement
from hashrange.api.dynamodb.partiql.selects import PointRead
from hashrange.api.dynamodb.partiql.statements import (
    STATEMENT_ROWS,
    Member,
    StatementOptions,
    access_of,
    canonical_parameters,
    shape_of,
    without_table,
)
from hashrange.api.dynamodb.partiql.writes import ItemPlan, Write, reworded
from hashrange.api.steps.accesses import Access
from hashrange.api.steps.constraints import RETURN_CONSUMED_CAPACITY
from hashrange.api.steps.operation import (
    CallerContext,
    ChargedError,
    Operation,
    Outcome,
    TableMode,
)
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.capacity.consumed import Kind, Units, consumed_by_table
from hashrange.capacity.units import Charge, read_units, write_units
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.requests import BATCH_STATEMENTS_MAX
from hashrange.messages import partiql as messages
from hashrange.messages.items import operations as item_messages
from hashrange.messages.items.operations import conflict
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    BatchExecuteStatement,
    BatchExecuteStatementAnswer,
    BatchStatementError,
    BatchStatementRequest,
    BatchStatementResponse,
    ConsumedCapacity,
)
from hashrange.tables.items.images import Image
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import read_items
from hashrange.tables.opened.vector_entries import charged_sizes
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite, WriteResult
from hashrange.tables.writing.writer import write_items
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, length, required, rows
from hashrange.wire.rules import Form

_MEMBERS: Final = (
    RETURN_CONSUMED_CAPACITY,
    required("statements"),
    length("statements", 1, BATCH_STATEMENTS_MAX),
)
_MEMBER_ROWS: Final = rows(*_MEMBERS)
_ROWS: Final = rows(*_MEMBERS, each("statements", *STATEMENT_ROWS))
_CODES: Final = {
    Fault.VALIDATION: "ValidationError",
    Fault.ACCESS_DENIED: "AccessDenied",
    Fault.CONDITION_FAILED: "ConditionalCheckFailed",
    Fault.DUPLICATE_ITEM: "DuplicateItem",
    Fault.RESOURCE_NOT_FOUND: "ResourceNotFound",
    Fault.COLLECTION_TOO_LARGE: "ItemCollectionSizeLimitExceeded",
    Fault.TRANSACTION_CONFLICT: "TransactionConflict",
    Fault.THROTTLED: "ThrottlingError",
    Fault.THROUGHPUT_EXCEEDED: "ProvisionedThroughputExceeded",
    Fault.REQUEST_LIMIT_EXCEEDED: "RequestLimitExceeded",
}
"""Faults of one statement; all other faults refuse the request."""


MemberOrFault: TypeAlias = Member | DynamoError
PlanOrFault: TypeAlias = PointRead | Write | DynamoError


class CheckedBatchExecuteStatement(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no tables, with the faults of its statements.

    Attributes:
        request: as sent.
        members: one for each statement.
        table_names: in the order of first use.
    """

    request: BatchExecuteStatement
    members: list[MemberOrFault]
    table_names: tuple[str, ...]


class BatchExecuteStatementPlan(msgspec.Struct, frozen=True):
    """The plan of each statement, or its fault."""

    request: BatchExecuteStatement
    members: list[MemberOrFault]
    plans: list[PlanOrFault]


def check(request: BatchExecuteStatement) -> CheckedBatchExecuteStatement:
    """Check each statement by itself; raise only for the request as a whole."""
    sent = request.statements or []
    # Nobody looks at a million statements that are too many anyway.
    too_many = len(sent) > BATCH_STATEMENTS_MAX
    check_constraints(request, _MEMBER_ROWS if too_many else _ROWS, Form.MODEL)
    members = [_member(each) for each in sent]
    found = [member.shape.prepared for member in members if isinstance(member, Member)]
    if len({statement.reads for statement in found}) > 1:
        raise invalid(messages.batch_mixes())
    names = tuple(dict.fromkeys(each.table for each in found))
    request.note(frozenset(names))
    return CheckedBatchExecuteStatement(request, members, names)


def _member(sent: BatchStatementRequest) -> MemberOrFault:
    """A statement, or its fault."""
    assert sent.statement is not None, "required"
    return_old = sent.return_values_on_condition_check_failure == "ALL_OLD"
    options = StatementOptions(sent.consistent_read is True, return_old=return_old, use="batch")
    try:
        canonical = canonical_parameters(sent.parameters)
        found, constants = shape_of(sent.statement, sent.parameters, canonical, options)
        if found.prepared.verb == "EXISTS":
            raise invalid(messages.exists_alone())
    except DynamoError as error:
        if error.fault is not Fault.VALIDATION:
            raise
        return error.as_value()
    return Member(found, constants)


def accesses(checked: CheckedBatchExecuteStatement) -> Iterable[Access]:
    """The action of each statement on its table or index, without repetition."""
    members = [member for member in checked.members if isinstance(member, Member)]
    return tuple(dict.fromkeys(access_of(member.shape.prepared) for member in members))


def fit(
    checked: CheckedBatchExecuteStatement, *tables: OpenTable | None
) -> BatchExecuteStatementPlan:
    """Plan each statement, or keep its fault. Raises ValidationException: two name one item."""
    by_name = dict(zip(checked.table_names, tables, strict=True))
    plans = [_fitted(member, by_name) for member in checked.members]
    keys = [plan.plan.key for plan in plans if not isinstance(plan, DynamoError)]
    if len(set(keys)) < len(keys):
        raise invalid(item_messages.duplicate_keys())
    return BatchExecuteStatementPlan(checked.request, checked.members, plans)


def _fitted(member: MemberOrFault, by_name: dict[str, OpenTable | None]) -> PlanOrFault:
    if isinstance(member, DynamoError):
        return member
    statement = member.shape.prepared
    table = by_name[statement.table]
    if table is None:
        return without_table(statement)
    try:
        plan = plan_of(member.shape, member.constants, table)
    except DynamoError as error:
        if error.fault is not Fault.VALIDATION:
            raise
        return error.as_value()
    assert isinstance(plan, PointRead | Write), "a SELECT in a batch reads one item"
    return plan


def charges(plan: BatchExecuteStatementPlan) -> Sequence[Charge]:
    """The least units of each statement that has a plan."""
    return [
        charge
        for each_plan in plan.plans
        if not isinstance(each_plan, DynamoError)
        for charge in each_plan.charges()
    ]


def without(
    plan: BatchExecuteStatementPlan, refusals: Sequence[DynamoError | None]
) -> BatchExecuteStatementPlan:
    """The plan with the errors of throttled statements in their places."""
    following = iter(refusals)
    plans: list[PlanOrFault] = []
    for each_plan in plan.plans:
        error = None if isinstance(each_plan, DynamoError) else next(following)
        plans.append(each_plan if error is None else error)
    return replace(plan, plans=plans)


def is_eventual(plan: BatchExecuteStatementPlan) -> bool:
    """Whether each statement is a SELECT without ConsistentRead; all are read at one moment."""
    return all(isinstance(each, DynamoError) or each.is_eventual() for each in plan.plans)


async def run(plan: BatchExecuteStatementPlan, context: CallerContext) -> Outcome:
    """Read at one moment, or write each statement by itself."""
    reads = [each for each in plan.plans if isinstance(each, PointRead)]
    if reads:
        return _answer(plan, await _read(plan.plans, context.store))
    return _answer(plan, await _written(plan.plans, context.store))


class _Done(msgspec.Struct, frozen=True):
    """The result of one statement, and its cost."""

    item: Any = None
    error: DynamoError | None = None
    cost: Units = Units()
    began: bool = False
    charges: Sequence[Charge] = ()
    """By place, if the table wants that."""


async def _read(plans: Sequence[PlanOrFault], store: Store) -> list[_Done]:
    reads = [plan.plan for plan in plans if isinstance(plan, PointRead)]
    tables = [*{id(read.table): read.table for read in reads}.values()]
    stored = iter(await read_items(store.engine, tables, [read.key for read in reads]))
    done: list[_Done] = []
    for plan in plans:
        if not isinstance(plan, PointRead):
            assert isinstance(plan, DynamoError), "reads and writes do not go together"
            done.append(_Done(error=plan))
            continue
        item, read = next(stored), plan.plan.checked.shape
        (size,) = charged_sizes(plan.plan.table.table, [item])
        cost = Units(table=read_units(size, consistent=read.consistent))
        shown = None if item is None else answered_item(item, read.projection)
        charged: Sequence[Charge] = ()
        if plan.plan.table.wants_places:
            charged = charges_of_items(read.table_names, [plan.plan.key], [cost.total])
        done.append(_Done(shown, cost=cost, began=True, charges=charged))
    return done


def _tried(plan: ItemPlan, before: Image | None) -> Decision[Any]:
    """The decision of a plan; its refusal becomes an answer and does not stop other statements."""
    try:
        return plan.decide(before)
    except DynamoError as error:
        if error.fault not in _CODES:
            raise
        return Decision(before, error.as_value())


async def _written(plans: Sequence[PlanOrFault], store: Store) -> list[_Done]:
    in_flight = {plan.plan.key for plan in plans if isinstance(plan, Write)}
    in_flight &= store.in_flight.keys()
    free = [
        ItemWrite(plan.plan.table, plan.plan.key, partial(_tried, plan.plan), plan.plan.who)
        for plan in plans
        if isinstance(plan, Write) and plan.plan.key not in in_flight
    ]
    results = iter(await write_items(store, free) if free else ())
    done: list[_Done] = []
    for plan in plans:
        if not isinstance(plan, Write):
            assert isinstance(plan, DynamoError), "reads and writes do not go together"
            done.append(_Done(error=plan))
        elif plan.plan.key in in_flight:
            error = DynamoError(Fault.TRANSACTION_CONFLICT, conflict())
            done.append(_Done(error=error, began=True))
        else:
            done.append(_done(plan, next(results)))
    return done


def _done(plan: Write, result: WriteResult[Any]) -> _Done:
    answer, key, charged = result.answer, plan.plan.key, list[Charge]()
    names, limited = plan.plan.options.table_names, plan.plan.table.wants_places
    if isinstance(answer, DynamoError):
        units = answer.write_units if isinstance(answer, ChargedError) else 0.0
        if limited:
            charged = charges_of_items(names, [key], [units], is_write=True)
        return _Done(error=reworded(answer), cost=Units(table=units), began=True, charges=charged)
    cost = units_of(plan.plan.table, write_units(result.size), result.index_units)
    if limited:
        charged = charges_of_write(names[0], key, result)
    return _Done(answer, cost=cost, began=True, charges=charged)


def _answer(plan: BatchExecuteStatementPlan, done: Sequence[_Done]) -> Outcome:
    responses: list[BatchStatementResponse] = []
    costs: dict[str, Units] = {}
    failed: dict[str, float] = {}
    for member, one in zip(plan.members, done, strict=True):
        name, error = None, None
        if one.error is not None:
            old = (one.error.members or {}).get("Item")
            error = BatchStatementError(_CODES[one.error.fault], one.error.message, old)
        if one.began:
            assert isinstance(member, Member)
            name = member.shape.prepared.table
            if error is not None:
                failed[name] = failed.get(name, 0.0) + one.cost.total
            else:
                costs[name] = costs[name].plus(one.cost) if name in costs else one.cost
        responses.append(BatchStatementResponse(error=error, table_name=name, item=one.item))
    capacity = _capacity(costs, failed, plan.request.return_consumed_capacity)
    answer = BatchExecuteStatementAnswer(responses=responses, consumed_capacity=capacity)
    reads = any(isinstance(each_plan, PointRead) for each_plan in plan.plans)
    totals = {name: cost.total for name, cost in costs.items()}
    for name, units in failed.items():
        totals[name] = totals.get(name, 0.0) + units
    charged = [
        Charge(name, read_units=units) if reads else Charge(name, write_units=units)
        for name, units in totals.items()
    ]
    placed = [charge for one in done for charge in one.charges]
    kind: Kind = "read" if reads else "write"
    return Outcome(answer, charges=placed or charged, of_indexes=(kind, costs))


def _capacity(
    costs: Mapping[str, Units], failed: Mapping[str, float], detail: str | None
) -> list[ConsumedCapacity] | None:
    """A row for each table on which a statement succeeded; units of others are in its total alone.

    Source: measured by users, August 2026.
    """
    rows = consumed_by_table(costs, detail)
    if rows is None or not failed:
        return rows
    return [
        replace(row, capacity_units=row.capacity_units + failed.get(row.table_name, 0.0))
        for row in rows
    ]


def permissions(
    _checked: object, plan: BatchExecuteStatementPlan, asked: Asked
) -> Iterator[Permission]:
    """Permissions of the statements that have no fault."""
    for member, planned in zip(plan.members, plan.plans, strict=True):
        if isinstance(member, Member) and not isinstance(planned, DynamoError):
            yield from of_statement(member.shape.prepared, planned, asked)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["BatchExecuteStatement"],
    request=BatchExecuteStatement,
    check=check,
    accesses=accesses,
    permissions=permissions,
    tables=TableMode.OPEN,
    may_lack_tables=True,
    fit=fit,
    charges=charges,
    is_eventual=is_eventual,
    without=without,
    run=run,
)
