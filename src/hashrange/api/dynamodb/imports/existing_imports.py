"""DescribeImport and ListImports. Imports are found after their tables are gone, too."""

from collections.abc import Iterable
from typing import Final

from hashrange.api.dynamodb.imports.descriptions import described_import, summary_of_import
from hashrange.api.dynamodb.streams.specification import no_such_arn
from hashrange.api.steps.accesses import Access, on_arn
from hashrange.api.steps.jobs import JobArns, arns_of, page_of
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import JOBS_PAGE
from hashrange.messages.tables.backups import import_not_found, table_arn_invalid
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    DescribeImport,
    ImportAnswer,
    ListImports,
    ListImportsAnswer,
)
from hashrange.tables.jobs.transfers import IMPORTS
from hashrange.wire.arns import parsed
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import LIST_IMPORTS_ROWS
from hashrange.wire.rules import Form


def check_list(request: ListImports) -> ListImports:
    """Refuse invalid members, and an ARN that is not of a table."""
    check_constraints(request, LIST_IMPORTS_ROWS, Form.MODEL)
    if request.table_arn is not None:
        arn = parsed(request.table_arn)
        if arn is None or arn.index is not None or arn.label is not None:
            raise invalid(table_arn_invalid())
    return request


async def run_list(request: ListImports, context: RequestContext) -> Outcome:
    """A page of imports, newest first."""
    store, arn = context.store, request.table_arn
    found = IMPORTS.all(store.engine, arns_of(context.catalog))
    jobs = [job async for job in found if arn in {None, job.table_arn}]
    limit = JOBS_PAGE if request.page_size is None else request.page_size
    page, token = page_of(jobs, request.next_token, limit, store.secret)
    return Outcome(ListImportsAnswer([summary_of_import(job) for job in page], token))


def not_found(arn: str) -> DynamoError:
    """The ImportNotFoundException for an ARN."""
    return DynamoError(Fault.IMPORT_NOT_FOUND, import_not_found(arn))


def list_accesses(request: ListImports) -> Iterable[Access]:
    """The action on the table of the list, or on no resource."""
    return on_arn("ListImports", "table", request.table_arn)


LIST_IMPORTS: Final = Operation(
    facts=OPERATION_FACTS["ListImports"],
    request=ListImports,
    check=check_list,
    accesses=list_accesses,
    not_found=no_such_arn,
    run=run_list,
)
ARNS: Final = JobArns(
    kind="import",
    title="Import",
    member="import_arn",
    stored=IMPORTS,
    not_found=not_found,
)
DESCRIBE_IMPORT: Final = ARNS.describing(
    "DescribeImport", DescribeImport, lambda job: ImportAnswer(described_import(job))
)
