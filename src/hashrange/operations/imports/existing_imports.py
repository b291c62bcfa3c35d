"""DescribeImport and ListImports. Imports are found after their tables are gone, too."""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import (
    IMPORT_TOKEN_CHARS_MAX,
    IMPORT_TOKEN_CHARS_MIN,
    JOB_ARN_CHARS_MAX,
    JOB_ARN_CHARS_MIN,
    JOBS_PAGE_MAX,
)
from hashrange.limits.imports import JOBS_PAGE
from hashrange.limits.tables import TABLE_ARN_CHARS_MAX
from hashrange.messages.tables.imports import import_not_found
from hashrange.messages.tables.jobs import table_arn_invalid
from hashrange.model.operations import OPERATION_FACTS
from hashrange.operations.imports.descriptions import (
    ImportSummary,
    described_import,
    summary_of_import,
)
from hashrange.operations.imports.import_table import ImportAnswer
from hashrange.operations.imports.listing import page_of
from hashrange.operations.pipeline.accesses import ANY, Access, Resource, on_arn
from hashrange.operations.pipeline.job_arns import check_job_arn, foreign_job, missing_job
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext
from hashrange.operations.streams.constraints import no_such_arn
from hashrange.tables.import_jobs import IMPORTS
from hashrange.wire.arns import parsed
from hashrange.wire.constraints import between, length, matches, required, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.member_types import Integer
from hashrange.wire.rules import Form

PAGE_PATTERN: Final = "([0-9a-f]{16})+"


class ListImports(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_arn: str | None = None
    page_size: Integer | None = None
    next_token: str | None = None


class DescribeImport(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    import_arn: str | None = None


class ImportsAnswer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer to ListImports."""

    import_summary_list: list[ImportSummary]
    next_token: str | None = None


_LIST_ROWS: Final = rows(
    length("table_arn", 1, TABLE_ARN_CHARS_MAX),
    between("page_size", 1, JOBS_PAGE_MAX),
    length("next_token", IMPORT_TOKEN_CHARS_MIN, IMPORT_TOKEN_CHARS_MAX),
    matches("next_token", PAGE_PATTERN),
)
_ROWS: Final = rows(
    required("import_arn"), length("import_arn", JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX)
)


def check_list(request: ListImports) -> ListImports:
    """Refuse invalid members, and an ARN that is not of a table."""
    check_constraints(request, _LIST_ROWS, Form.MODEL)
    if request.table_arn is not None:
        arn = parsed(request.table_arn)
        if arn is None or arn.index is not None or arn.label is not None:
            raise invalid(table_arn_invalid())
    return request


def check_one(request: DescribeImport) -> str:
    """Refuse an ARN that is not of an import."""
    check_constraints(request, _ROWS, Form.MODEL)
    arn = str(request.import_arn)
    check_job_arn(arn, "import", "Import")
    return arn


async def run_list(request: ListImports, context: RequestContext) -> Outcome:
    """A page of imports, newest first."""
    store, prefix, arn = context.store, context.catalog.prefix, request.table_arn
    jobs = [
        job
        async for job in IMPORTS.all(store.engine)
        if job.table.startswith(prefix) and arn in {None, job.table_arn}
    ]
    limit = JOBS_PAGE if request.page_size is None else request.page_size
    page, token = page_of(jobs, request.next_token, limit, store.secret)
    return Outcome(ImportsAnswer([summary_of_import(job) for job in page], token))


async def run_describe(arn: str, context: RequestContext) -> Outcome:
    """Describe an import. Raises ImportNotFoundException."""
    job = await IMPORTS.find(context.store.engine, arn)
    if job is None or not job.table.startswith(context.catalog.prefix):
        raise missing(arn, context)
    return Outcome(ImportAnswer(described_import(job)))


def missing(arn: str, context: RequestContext) -> DynamoError:
    """The error for an ARN that is not there, whose form was checked."""
    return missing_job(arn, context.caller, absent=not_found, elsewhere=not_found)


def not_found(arn: str) -> DynamoError:
    """The ImportNotFoundException for an ARN."""
    return DynamoError(Fault.IMPORT_NOT_FOUND, import_not_found(arn))


def list_accesses(request: ListImports) -> Iterable[Access]:
    """The action on the table of the list, or on no resource."""
    arn = request.table_arn
    return (Access("ListImports", ANY if arn is None else Resource("table", arn)),)


LIST_IMPORTS: Final = Operation(
    facts=OPERATION_FACTS["ListImports"],
    request=ListImports,
    check=check_list,
    accesses=list_accesses,
    not_found=no_such_arn,
    run=run_list,
)
DESCRIBE_IMPORT: Final = Operation(
    facts=OPERATION_FACTS["DescribeImport"],
    request=DescribeImport,
    check=check_one,
    accesses=lambda arn: on_arn("DescribeImport", "import", arn),
    not_found=not_found,
    foreign=foreign_job,
    elsewhere=not_found,
    run=run_describe,
)
