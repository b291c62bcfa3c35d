"""Lists and descriptions of exports, imports and bulk operations, which are not built.

All lists are empty and no description finds anything.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import (
    IMPORT_TOKEN_CHARS_MAX,
    IMPORT_TOKEN_CHARS_MIN,
    JOB_ARN_CHARS_MAX,
    JOB_ARN_CHARS_MIN,
    JOBS_PAGE_MAX,
    TABLE_ARN_CHARS_MAX,
)
from hashrange.messages import unbuilt as messages
from hashrange.messages.tables.operations import arn_not_found
from hashrange.operations.pipeline.accesses import ANY, Access, Resource, on_anything, on_arn
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext
from hashrange.operations.streams.constraints import no_such_arn
from hashrange.wire.arns import is_job_arn, parsed
from hashrange.wire.constraints import between, length, matches, required, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.member_types import Integer
from hashrange.wire.rules import Form

_HEX_PATTERN: Final = "([0-9a-f]{16})+"


class ListExports(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_arn: str | None = None
    max_results: Integer | None = None
    next_token: str | None = None


class ListImports(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_arn: str | None = None
    page_size: Integer | None = None
    next_token: str | None = None


class ListBulkOperations(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    max_results: Integer | None = None
    next_token: str | None = None


class DescribeExport(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    export_arn: str | None = None


class DescribeImport(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    import_arn: str | None = None


class DescribeBulkOperation(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    bulk_operation_arn: str | None = None


class ExportsAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListExports."""

    export_summaries: tuple[()] = ()


class ImportsAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListImports."""

    import_summary_list: tuple[()] = ()


class BulkOperationsAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListBulkOperations."""

    bulk_operations_summary_list: tuple[()] = ()


_TABLE_ARN: Final = length("table_arn", 1, TABLE_ARN_CHARS_MAX)
_EXPORTS_ROWS: Final = rows(_TABLE_ARN, between("max_results", 1, JOBS_PAGE_MAX))
_IMPORTS_ROWS: Final = rows(
    _TABLE_ARN,
    between("page_size", 1, JOBS_PAGE_MAX),
    length("next_token", IMPORT_TOKEN_CHARS_MIN, IMPORT_TOKEN_CHARS_MAX),
    matches("next_token", _HEX_PATTERN),
)
_BULK_ROWS: Final = rows(
    between("max_results", 1, JOBS_PAGE_MAX),
    length("next_token", 1, IMPORT_TOKEN_CHARS_MAX),
    matches("next_token", _HEX_PATTERN),
)
_EXPORT_ROWS: Final = rows(
    required("export_arn"), length("export_arn", JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX)
)
_IMPORT_ROWS: Final = rows(
    required("import_arn"), length("import_arn", JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX)
)
_BULK_OPERATION_ROWS: Final = rows(
    required("bulk_operation_arn"),
    length("bulk_operation_arn", JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX),
)


class CheckedList(msgspec.Struct, frozen=True):
    """An empty list, and the table that it is restricted to."""

    answer: object
    table_arn: str | None


class CheckedJob(msgspec.Struct, frozen=True):
    """The ARN of a job, and the error for its absence."""

    arn: str
    missing: DynamoError


def _of_list(action: str) -> Callable[[CheckedList], Iterable[Access]]:
    """The action on the table of the list, or on no resource."""

    def accesses(checked: CheckedList) -> Iterable[Access]:
        arn = checked.table_arn
        return (Access(action, ANY if arn is None else Resource("table", arn)),)

    return accesses


def check_exports(request: ListExports) -> CheckedList:
    """Refuse invalid members; the empty list."""
    check_constraints(request, _EXPORTS_ROWS, Form.MODEL)
    _check_list(request.table_arn, request.next_token)
    return CheckedList(ExportsAnswer(), request.table_arn)


def check_imports(request: ListImports) -> CheckedList:
    """Refuse invalid members; the empty list."""
    check_constraints(request, _IMPORTS_ROWS, Form.MODEL)
    _check_list(request.table_arn, request.next_token)
    return CheckedList(ImportsAnswer(), request.table_arn)


def check_bulk_operations(request: ListBulkOperations) -> CheckedList:
    """Refuse invalid members; the empty list."""
    check_constraints(request, _BULK_ROWS, Form.MODEL)
    _check_list(None, request.next_token)
    return CheckedList(BulkOperationsAnswer(), None)


def _check_list(table_arn: str | None, next_token: str | None) -> None:
    """Refuse an ARN that is not of a table, and any token, since none is issued."""
    if table_arn is not None:
        arn = parsed(table_arn)
        if arn is None or arn.index is not None or arn.label is not None:
            raise invalid(messages.table_arn_invalid())
    if next_token is not None:
        raise invalid(messages.next_token_invalid(next_token))


def check_export(request: DescribeExport) -> CheckedJob:
    """Refuse an ARN that is not of an export; the fault for its absence."""
    check_constraints(request, _EXPORT_ROWS, Form.MODEL)
    fault, text = Fault.EXPORT_NOT_FOUND, messages.export_not_found
    return _missing("Export", str(request.export_arn), fault, text)


def check_import(request: DescribeImport) -> CheckedJob:
    """Refuse an ARN that is not of an import; the fault for its absence."""
    check_constraints(request, _IMPORT_ROWS, Form.MODEL)
    fault, text = Fault.IMPORT_NOT_FOUND, messages.import_not_found
    return _missing("Import", str(request.import_arn), fault, text)


def _missing(kind: str, arn: str, fault: Fault, text: Callable[[str], str]) -> CheckedJob:
    """The absence of a job. Raises ValidationException for an ARN of another kind."""
    if not is_job_arn(arn, kind.lower()):
        raise invalid(messages.invalid_job_arn(kind))
    return CheckedJob(arn, DynamoError(fault, text(arn)))


def check_bulk_operation(request: DescribeBulkOperation) -> CheckedJob:
    """Refuse invalid members; the fault for its absence.

    The form of the ARN is not published, nor is the text.
    """
    check_constraints(request, _BULK_OPERATION_ROWS, Form.MODEL)
    arn = str(request.bulk_operation_arn)
    return CheckedJob(arn, DynamoError(Fault.RESOURCE_NOT_FOUND, arn_not_found(arn)))


async def run_list(checked: CheckedList, _context: RequestContext) -> Outcome:
    """The empty list of the check."""
    return Outcome(checked.answer)


async def run_describe(checked: CheckedJob, _context: RequestContext) -> Outcome:
    """Raise the fault that `check` has found."""
    raise checked.missing


LIST_EXPORTS: Final = Operation(
    request=ListExports,
    check=check_exports,
    accesses=_of_list("ListExports"),
    not_found=no_such_arn,
    run=run_list,
)
LIST_IMPORTS: Final = Operation(
    request=ListImports,
    check=check_imports,
    accesses=_of_list("ListImports"),
    not_found=no_such_arn,
    run=run_list,
)
LIST_BULK_OPERATIONS: Final = Operation(
    request=ListBulkOperations,
    check=check_bulk_operations,
    accesses=_of_list("ListBulkOperations"),
    run=run_list,
)
DESCRIBE_EXPORT: Final = Operation(
    request=DescribeExport,
    check=check_export,
    accesses=lambda checked: on_arn("DescribeExport", "export", checked.arn),
    not_found=lambda arn: DynamoError(Fault.EXPORT_NOT_FOUND, messages.export_not_found(arn)),
    run=run_describe,
)
DESCRIBE_IMPORT: Final = Operation(
    request=DescribeImport,
    check=check_import,
    accesses=lambda checked: on_arn("DescribeImport", "import", checked.arn),
    not_found=lambda arn: DynamoError(Fault.IMPORT_NOT_FOUND, messages.import_not_found(arn)),
    run=run_describe,
)
DESCRIBE_BULK_OPERATION: Final = Operation(
    request=DescribeBulkOperation,
    check=check_bulk_operation,
    accesses=on_anything("DescribeBulkOperation"),
    run=run_describe,
)
