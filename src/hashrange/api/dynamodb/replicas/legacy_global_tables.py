"""Global tables of the version 2017.11.29, which the service makes no more: there are none.

Replicas of the version 2019.11.21, in `api.dynamodb.replicas`, are none of these.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.constraints import NAME_PATTERN
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages.tables import replicas as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    CreateGlobalTable,
    CreateReplicaAction,
    DescribeGlobalTable,
    DescribeGlobalTableSettings,
    ListGlobalTables,
    ListGlobalTablesAnswer,
    UpdateGlobalTable,
    UpdateGlobalTableSettings,
)
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import (
    each,
    matches,
    one_of,
    required,
    rows,
)
from hashrange.wire.enums import REGION_NAME
from hashrange.wire.model_constraints.dynamodb import (
    DESCRIBE_GLOBAL_TABLE_ROWS,
    LIST_GLOBAL_TABLES_ROWS,
    UPDATE_GLOBAL_TABLE_ROWS,
)
from hashrange.wire.rules import Form, Rows


class ReplicasToAdd(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Replicas under the name that violations of UpdateGlobalTable have."""

    replicas_to_add: Sequence[CreateReplicaAction]


_CREATE_NAME_ROWS: Final = rows(
    required("global_table_name"), matches("global_table_name", NAME_PATTERN)
)
_CREATE_ROWS: Final = rows(
    each("replication_group", required("region_name"), one_of("region_name", REGION_NAME))
)
_ADDED_ROWS: Final = rows(each("replicas_to_add", one_of("region_name", REGION_NAME)))


class Sought(msgspec.Struct, frozen=True):
    """The global table of a checked request.

    Attributes:
        name: its name; `*` for all.
        regions: of replicas that the request adds or removes.
        refusal: what is raised.
    """

    name: str
    refusal: DynamoError | None = None
    regions: tuple[str, ...] = ()


def check_list(request: ListGlobalTables) -> Sought:
    """Refuse invalid members."""
    check_constraints(request, LIST_GLOBAL_TABLES_ROWS, Form.MODEL)
    return Sought("*")


def check_table(request: DescribeGlobalTable) -> Sought:
    """Refuse invalid members."""
    check_constraints(request, DESCRIBE_GLOBAL_TABLE_ROWS, Form.MODEL)
    name = str(request.global_table_name)
    return Sought(name, _absent(messages.described_global_table_not_found(name)))


def check_settings(request: DescribeGlobalTableSettings) -> Sought:
    """Refuse invalid members."""
    check_constraints(request, DESCRIBE_GLOBAL_TABLE_ROWS, Form.MODEL)
    name = str(request.global_table_name)
    return Sought(name, _absent(messages.global_table_not_found(name)))


def _absent(text: str) -> DynamoError:
    return DynamoError(Fault.GLOBAL_TABLE_NOT_FOUND, text)


def check_create(request: CreateGlobalTable) -> Sought:
    """Refuse invalid members, in the order and the words of the service.

    Source: captures of the service, September 2026.
    """
    group = request.replication_group
    if group is None:
        raise invalid(messages.parameters_invalid())
    check_constraints(request, _CREATE_NAME_ROWS, Form.MODEL)
    name = str(request.global_table_name)
    if not TABLE_NAME_CHARS_MIN <= len(name) <= TABLE_NAME_CHARS_MAX:
        raise invalid(messages.name_length())
    if not group:
        raise invalid(messages.no_replicas())
    _check_prefixed(request, _CREATE_ROWS)
    regions = tuple(str(one.region_name) for one in group)
    return Sought(name, invalid(messages.global_table_version()), regions)


def check_update(request: UpdateGlobalTable) -> Sought:
    """Refuse invalid members.

    Source: captures of the service, September 2026.
    """
    check_constraints(request, UPDATE_GLOBAL_TABLE_ROWS, Form.MODEL)
    updates = request.replica_updates or []
    if not updates or any(one.create is None and one.delete is None for one in updates):
        raise invalid(messages.parameters_invalid())
    if any(one.create is not None and one.delete is not None for one in updates):
        raise invalid(messages.two_actions())
    added = [one.create for one in updates if one.create is not None]
    _check_prefixed(ReplicasToAdd(replicas_to_add=added), _ADDED_ROWS)
    name = str(request.global_table_name)
    version = invalid(messages.global_table_version())
    refusal = version if added else _absent(messages.described_global_table_not_found(name))
    changed = (one.create or one.delete for one in updates)
    return Sought(name, refusal, tuple(str(one.region_name) for one in changed if one))


def _check_prefixed(request: object, constraints: Rows) -> None:
    """Refuse violations that the service finds later than those of its model, with a prefix."""
    try:
        check_constraints(request, constraints, Form.MODEL)
    except DynamoError as error:
        raise invalid(messages.prefixed(str(error.message))) from None


def check_update_settings(request: UpdateGlobalTableSettings) -> Sought:
    """Refuse invalid members."""
    check_constraints(request, DESCRIBE_GLOBAL_TABLE_ROWS, Form.MODEL)
    name = str(request.global_table_name)
    return Sought(name, _absent(messages.global_table_not_found(name)))


def _asked(action: str) -> Callable[[Sought], Iterable[Access]]:
    """The action on the replicas that a request adds or removes, then on the global table.

    Source: captures of the service, September 2026; those of settings by analogy.
    """

    def accesses(checked: Sought) -> Iterable[Access]:
        name = checked.name
        return [
            *(Access(action, Resource("replica", name, region=one)) for one in checked.regions),
            Access(action, Resource("global-table", name)),
        ]

    return accesses


async def run_list(_checked: Sought, _context: RequestContext) -> Outcome:
    """An empty list."""
    return Outcome(ListGlobalTablesAnswer(()))


async def run_refused(checked: Sought, _context: RequestContext) -> Outcome:
    """Raise GlobalTableNotFoundException, or ValidationException for the version."""
    assert checked.refusal is not None, "all but lists are refused"
    raise checked.refusal


LIST_GLOBAL_TABLES: Final = Operation(
    facts=OPERATION_FACTS["ListGlobalTables"],
    request=ListGlobalTables,
    check=check_list,
    accesses=_asked("ListGlobalTables"),
    run=run_list,
)
CREATE_GLOBAL_TABLE: Final = Operation(
    facts=OPERATION_FACTS["CreateGlobalTable"],
    request=CreateGlobalTable,
    check=check_create,
    accesses=_asked("CreateGlobalTable"),
    run=run_refused,
)
UPDATE_GLOBAL_TABLE: Final = Operation(
    facts=OPERATION_FACTS["UpdateGlobalTable"],
    request=UpdateGlobalTable,
    check=check_update,
    accesses=_asked("UpdateGlobalTable"),
    run=run_refused,
)
UPDATE_GLOBAL_TABLE_SETTINGS: Final = Operation(
    facts=OPERATION_FACTS["UpdateGlobalTableSettings"],
    request=UpdateGlobalTableSettings,
    check=check_update_settings,
    accesses=_asked("UpdateGlobalTableSettings"),
    run=run_refused,
)
DESCRIBE_GLOBAL_TABLE: Final = Operation(
    facts=OPERATION_FACTS["DescribeGlobalTable"],
    request=DescribeGlobalTable,
    check=check_table,
    accesses=_asked("DescribeGlobalTable"),
    run=run_refused,
)
DESCRIBE_GLOBAL_TABLE_SETTINGS: Final = Operation(
    facts=OPERATION_FACTS["DescribeGlobalTableSettings"],
    request=DescribeGlobalTableSettings,
    check=check_settings,
    accesses=_asked("DescribeGlobalTableSettings"),
    run=run_refused,
)
