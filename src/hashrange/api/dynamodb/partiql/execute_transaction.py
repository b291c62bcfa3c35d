"""ExecuteTransaction: up to 100 statements, all of them or none; all reads, or all writes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NoReturn

import msgspec

from hashrange.access.policies.variables import Context
from hashrange.api.dynamodb.partiql.permissions import of_read, of_write
from hashrange.api.dynamodb.partiql.statements import (
    STATEMENT_ROWS,
    StatementOptions,
    StatementShape,
    access_of,
    canonical_parameters,
    shape_of,
    without_table,
)
from hashrange.api.dynamodb.partiql.transaction_members import (
    Write,
    WrongKeyError,
    get_of,
    write_of,
)
from hashrange.api.dynamodb.transactions import transact_get_items, transact_write_items
from hashrange.api.dynamodb.transactions.actions import refuse_payload
from hashrange.api.dynamodb.transactions.cancellation import cancelled, throttled
from hashrange.api.dynamodb.transactions.costs import refuse_strong
from hashrange.api.dynamodb.transactions.identities import identity_of, unless_none
from hashrange.api.dynamodb.transactions.keys import refuse_empty_keys
from hashrange.api.dynamodb.transactions.transact_get_items import CheckedGet
from hashrange.api.steps.accesses import Access
from hashrange.api.steps.constraints import RETURN_CONSUMED_CAPACITY
from hashrange.api.steps.operation import (
    CallerContext,
    Operation,
    Outcome,
    TableMode,
)
from hashrange.api.steps.permissions import Asked, Permission, returned
from hashrange.capacity.units import Charge
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.expressions.program import Constants
from hashrange.limits.requests import CLIENT_TOKEN_CHARS_MAX, TRANSACTION_STATEMENTS_MAX
from hashrange.messages import partiql as messages
from hashrange.messages.items import operations as item_messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    ExecuteTransaction,
    ExecuteTransactionAnswer,
    ParameterizedStatement,
    TransactGetItems,
    TransactGetItemsAnswer,
    TransactWriteItems,
    TransactWriteItemsAnswer,
)
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.tokens import Token, token_name
from hashrange.tables.writing.transactions import Transaction
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, length, required, rows
from hashrange.wire.rules import Form

_MEMBERS: Final = (
    length("client_request_token", 1, CLIENT_TOKEN_CHARS_MAX),
    RETURN_CONSUMED_CAPACITY,
    required("transact_statements"),
    length("transact_statements", 1, TRANSACTION_STATEMENTS_MAX),
)
_MEMBER_ROWS: Final = rows(*_MEMBERS)
_ROWS: Final = rows(
    *_MEMBERS,
    each("transact_statements", *STATEMENT_ROWS),
)


class CheckedExecuteTransaction(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no tables.

    Attributes:
        request: as sent.
        members: the statements, and the constants of each.
        table_names: in the order of first use.
        reads: all are SELECTs.
    """

    request: ExecuteTransaction
    members: list[tuple[StatementShape, Constants]]
    table_names: tuple[str, ...]
    reads: bool


class ExecuteTransactionPlan(msgspec.Struct, frozen=True):
    """The plan of TransactGetItems or of TransactWriteItems."""

    reads: transact_get_items.TransactGetItemsPlan | None = None
    writes: transact_write_items.TransactWriteItemsPlan | None = None


def check(request: ExecuteTransaction) -> CheckedExecuteTransaction:
    """Prepare all statements. Raises ValidationException: one is wrong, or reads meet writes."""
    sent = request.transact_statements or []
    # Nobody looks at a million statements that are too many anyway.
    too_many = len(sent) > TRANSACTION_STATEMENTS_MAX
    check_constraints(request, _MEMBER_ROWS if too_many else _ROWS, Form.MODEL)
    members = [_member(position, statement) for position, statement in enumerate(sent)]
    kinds = {member.prepared.reads for member, _ in members}
    if len(kinds) > 1:
        raise invalid(messages.transaction_mixes())
    names = dict.fromkeys(member.prepared.table for member, _ in members)
    request.note(frozenset(names))
    return CheckedExecuteTransaction(request, members, tuple(names), kinds == {True})


def _member(position: int, sent: ParameterizedStatement) -> tuple[StatementShape, Constants]:
    assert sent.statement is not None, "required"
    return_old = sent.return_values_on_condition_check_failure == "ALL_OLD"
    options = StatementOptions(return_old=return_old, use="transaction")
    canonical = canonical_parameters(sent.parameters)
    try:
        return shape_of(sent.statement, sent.parameters, canonical, options)
    except DynamoError as error:
        _refuse(position, error)


def _refuse(position: int, error: DynamoError) -> NoReturn:
    """Refuse the request with the fault of one statement."""
    if error.fault is not Fault.VALIDATION:
        raise error
    raise invalid(messages.in_transaction(position, str(error.message))) from error


def accesses(checked: CheckedExecuteTransaction) -> Iterable[Access]:
    """The action of each statement on its table, without repetition."""
    return tuple(dict.fromkeys(access_of(member.prepared) for member, _ in checked.members))


def fit(checked: CheckedExecuteTransaction, *tables: OpenTable | None) -> ExecuteTransactionPlan:
    """Plan the statements as one transaction.

    What is wrong with a statement refuses the request; a key that does not suit its table, and a
    table that is not there, cancel it.
    """
    refuse_strong(tables)
    by_name = dict(zip(checked.table_names, tables, strict=True))
    made: list[CheckedGet | Write | DynamoError] = []
    for position, (member, constants) in enumerate(checked.members):
        table = by_name[member.prepared.table]
        if table is None:
            missing = without_table(member.prepared)
            if missing.fault is Fault.VALIDATION:
                _refuse(position, missing)
            made.append(missing)
            continue
        try:
            if checked.reads:
                made.append(get_of(member, constants, table))
            else:
                made.append(write_of(member, constants, table))
        except WrongKeyError as error:
            made.append(error.fault)
        except DynamoError as error:
            _refuse(position, error)
    open_tables = {name: table for name, table in by_name.items() if table is not None}
    return (_reads if checked.reads else _writes)(checked, made, open_tables)


def _reads(
    checked: CheckedExecuteTransaction,
    made: Sequence[CheckedGet | Write | DynamoError],
    by_name: Mapping[str, OpenTable],
) -> ExecuteTransactionPlan:
    found: list[bytes | DynamoError] = []
    gets = [get for get in made if isinstance(get, CheckedGet)]
    for get in made:
        if isinstance(get, CheckedGet):
            try:
                found.append(key_of(by_name[get.table_name], get.key))
            except DynamoError as error:
                refuse_empty_keys(by_name[get.table_name], get.key)
                found.append(error.as_value())
        else:
            assert isinstance(get, DynamoError)
            found.append(get)
    keys = [key for key in found if isinstance(key, bytes)]
    _refuse_made(found, keys)
    request = TransactGetItems(return_consumed_capacity=checked.request.return_consumed_capacity)
    return ExecuteTransactionPlan(
        reads=transact_get_items.TransactGetItemsPlan(request, gets, by_name, keys)
    )


def _writes(
    checked: CheckedExecuteTransaction,
    made: Sequence[CheckedGet | Write | DynamoError],
    by_name: Mapping[str, OpenTable],
) -> ExecuteTransactionPlan:
    writes = [one for one in made if isinstance(one, Write)]
    found = [one.write.key if isinstance(one, Write) else one for one in made]
    _refuse_made(found, [one.write.key for one in writes])
    actions = [one.action for one in writes]
    refuse_payload(actions)
    sent, token = checked.request, None
    if sent.client_request_token is not None:
        name = token_name(by_name[checked.table_names[0]], sent.client_request_token)
        token = Token(name, _identity(sent))
    request = TransactWriteItems(return_consumed_capacity=sent.return_consumed_capacity)
    checks = [action.only_checks for action in actions]
    transaction = Transaction([one.write for one in writes], checks, token)
    return ExecuteTransactionPlan(
        writes=transact_write_items.TransactWriteItemsPlan(request, actions, transaction)
    )


def _refuse_made(found: Sequence[object], keys: Sequence[bytes]) -> None:
    """Refuse faults of statements, then several statements on the same item."""
    if len(keys) < len(found):
        reasons = [each if isinstance(each, DynamoError) else None for each in found]
        raise cancelled(reasons, every_invalid=True)
    if len(set(keys)) < len(keys):
        raise invalid(item_messages.several_actions_on_one_item())


def _identity(request: ExecuteTransaction) -> bytes:
    members = list(map(_comparable, request.transact_statements or []))
    return identity_of(members, request.return_consumed_capacity)


def _comparable(sent: ParameterizedStatement) -> ParameterizedStatement:
    assert sent.statement is not None, "required"
    parameters = sent.parameters
    return ParameterizedStatement(
        statement=sent.statement.rstrip(),
        parameters=None if parameters is None else list(canonical_parameters(parameters)),
        return_values_on_condition_check_failure=unless_none(
            sent.return_values_on_condition_check_failure
        ),
    )


def charges(plan: ExecuteTransactionPlan) -> Sequence[Charge]:
    """The least units of the transaction."""
    if plan.reads is not None:
        return transact_get_items.charges(plan.reads)
    assert plan.writes is not None
    return transact_write_items.charges(plan.writes)


async def run(plan: ExecuteTransactionPlan, context: CallerContext) -> Outcome:
    """Read or write all items. Raises TransactionCanceledException."""
    if plan.reads is not None:
        read = await transact_get_items.run(plan.reads, context)
        assert isinstance(read.answer, TransactGetItemsAnswer)
        answer_of_reads = read.answer
        answer = ExecuteTransactionAnswer(
            responses=answer_of_reads.responses, consumed_capacity=answer_of_reads.consumed_capacity
        )
        return Outcome(answer, charges=read.charges)
    assert plan.writes is not None
    written = await transact_write_items.run(plan.writes, context)
    assert isinstance(written.answer, TransactWriteItemsAnswer)
    answer = ExecuteTransactionAnswer(
        responses=[], consumed_capacity=written.answer.consumed_capacity
    )
    return Outcome(answer, charges=written.charges, of_indexes=written.of_indexes)


_ENCLOSING: Final[Context] = {"dynamodb:enclosingoperation": ("ExecuteTransaction",)}


def permissions(
    checked: CheckedExecuteTransaction, plan: ExecuteTransactionPlan, asked: Asked
) -> Iterator[Permission]:
    """The action of each statement."""
    statements = [shape for shape, _ in checked.members]
    if plan.reads is not None:
        for shape, get in zip(statements, plan.reads.gets, strict=True):
            partition = get.key[plan.reads.by_name[get.table_name].partition_name]
            yield of_read(shape.prepared, [partition], asked, scans=False, enclosing=_ENCLOSING)
        return
    assert plan.writes is not None, "it reads or it writes"
    writes = zip(plan.writes.actions, plan.writes.transaction.writes, strict=True)
    for shape, (action, write) in zip(statements, writes, strict=True):
        partition = action.item[write.table.partition_name]
        if shape.prepared.verb == "EXISTS":
            yield of_read(shape.prepared, [partition], asked, scans=False, enclosing=_ENCLOSING)
            continue
        (returns,) = returned("NONE", old_on_failure=shape.options.return_old)
        yield of_write(
            shape.prepared, partition, action.item, asked, returns=returns, enclosing=_ENCLOSING
        )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["ExecuteTransaction"],
    request=ExecuteTransaction,
    check=check,
    accesses=accesses,
    permissions=permissions,
    tables=TableMode.OPEN,
    may_lack_tables=True,
    fit=fit,
    charges=charges,
    without=throttled,
    run=run,
)
