"""Global tables of the version 2017.11.29, which the service makes no more: there are none.

Replicas of the version 2019.11.21, in `operations.replicas`, are none of these.
"""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages import unbuilt as messages
from hashrange.operations.pipeline.accesses import on_anything
from hashrange.operations.pipeline.constraints import NAME_PATTERN
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext
from hashrange.operations.tables.structures import Untyped
from hashrange.wire.constraints import between, length, matches, required, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.member_types import Integer
from hashrange.wire.rules import Form


class ListGlobalTables(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    exclusive_start_global_table_name: str | None = None
    limit: Integer | None = None
    region_name: str | None = None


class DescribeGlobalTable(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    global_table_name: str | None = None


class DescribeGlobalTableSettings(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    global_table_name: str | None = None


class CreateGlobalTable(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    global_table_name: str | None = None
    replication_group: list[Untyped] | None = None


class LegacyReplicaUpdate(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A replica to create or to delete."""

    create: Untyped | None = None
    delete: Untyped | None = None


class UpdateGlobalTable(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    global_table_name: str | None = None
    replica_updates: list[LegacyReplicaUpdate] | None = None


class UpdateGlobalTableSettings(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    global_table_name: str | None = None
    global_table_billing_mode: str | None = None
    global_table_provisioned_write_capacity_units: Integer | None = None
    global_table_provisioned_write_capacity_auto_scaling_settings_update: Untyped | None = None
    global_table_global_secondary_index_settings_update: list[Untyped] | None = None
    replica_settings_update: list[Untyped] | None = None


_LIST_ROWS: Final = rows(
    matches("exclusive_start_global_table_name", NAME_PATTERN),
    length("exclusive_start_global_table_name", TABLE_NAME_CHARS_MIN, TABLE_NAME_CHARS_MAX),
    between("limit", 1, None),
)
_NAME: Final = (
    required("global_table_name"),
    matches("global_table_name", NAME_PATTERN),
    length("global_table_name", TABLE_NAME_CHARS_MIN, TABLE_NAME_CHARS_MAX),
)
_NAME_ROWS: Final = rows(*_NAME)


_CREATE_ROWS: Final = rows(*_NAME, required("replication_group"))
_UPDATE_ROWS: Final = rows(*_NAME, required("replica_updates"))


class ListAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListGlobalTables, for any region."""

    global_tables: tuple[()] = ()


def check_list(request: ListGlobalTables) -> None:
    """Refuse invalid members."""
    check_constraints(request, _LIST_ROWS, Form.MODEL)


def check_table(request: DescribeGlobalTable) -> str:
    """Refuse invalid members; the text of the error for its absence."""
    check_constraints(request, _NAME_ROWS, Form.MODEL)
    return messages.described_global_table_not_found(str(request.global_table_name))


def check_settings(request: DescribeGlobalTableSettings) -> str:
    """Refuse invalid members; the text of the error for its absence."""
    check_constraints(request, _NAME_ROWS, Form.MODEL)
    return messages.global_table_not_found(str(request.global_table_name))


def check_create(request: CreateGlobalTable) -> None:
    """Refuse invalid members."""
    check_constraints(request, _CREATE_ROWS, Form.MODEL)


def check_update(request: UpdateGlobalTable) -> str:
    """Refuse invalid members, and replicas to create; the text of the error for its absence.

    Source: users' measurements of the service, October 2026.
    """
    check_constraints(request, _UPDATE_ROWS, Form.MODEL)
    updates = request.replica_updates
    if not updates:
        raise invalid(messages.no_replica_updates())
    if any(each.create is not None for each in updates):
        raise invalid(messages.global_table_version())
    return messages.global_table_not_found(str(request.global_table_name))


def check_update_settings(request: UpdateGlobalTableSettings) -> str:
    """Refuse invalid members; the text of the error for its absence."""
    check_constraints(request, _NAME_ROWS, Form.MODEL)
    return messages.global_table_not_found(str(request.global_table_name))


async def run_list(_checked: None, _context: RequestContext) -> Outcome:
    """An empty list."""
    return Outcome(ListAnswer())


async def refuse_version(_checked: None, _context: RequestContext) -> Outcome:
    """Raise ValidationException."""
    raise invalid(messages.global_table_version())


async def run_describe(text: str, _context: RequestContext) -> Outcome:
    """Raise GlobalTableNotFoundException."""
    raise DynamoError(Fault.GLOBAL_TABLE_NOT_FOUND, text)


LIST_GLOBAL_TABLES: Final = Operation(
    request=ListGlobalTables,
    check=check_list,
    accesses=on_anything("ListGlobalTables"),
    run=run_list,
)
CREATE_GLOBAL_TABLE: Final = Operation(
    request=CreateGlobalTable,
    check=check_create,
    accesses=on_anything("CreateGlobalTable"),
    run=refuse_version,
)
UPDATE_GLOBAL_TABLE: Final = Operation(
    request=UpdateGlobalTable,
    check=check_update,
    accesses=on_anything("UpdateGlobalTable"),
    run=run_describe,
)
UPDATE_GLOBAL_TABLE_SETTINGS: Final = Operation(
    request=UpdateGlobalTableSettings,
    check=check_update_settings,
    accesses=on_anything("UpdateGlobalTableSettings"),
    run=run_describe,
)
DESCRIBE_GLOBAL_TABLE: Final = Operation(
    request=DescribeGlobalTable,
    check=check_table,
    accesses=on_anything("DescribeGlobalTable"),
    run=run_describe,
)
DESCRIBE_GLOBAL_TABLE_SETTINGS: Final = Operation(
    request=DescribeGlobalTableSettings,
    check=check_settings,
    accesses=on_anything("DescribeGlobalTableSettings"),
    run=run_describe,
)
