"""DescribeBulkOperation, ListBulkOperations and CancelBulkOperation."""

from typing import Final

import msgspec

from hashrange.api.dynamodb.imports.descriptions import described_bulk, summary_of_bulk
from hashrange.api.steps.accesses import on_anything
from hashrange.api.steps.jobs import JobArns, arns_of, page_of
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import JOBS_PAGE
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.operations import arn_not_found
from hashrange.model.import_job import BulkJob
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    BulkAnswer,
    CancelBulkOperation,
    CancelBulkOperationAnswer,
    DescribeBulkOperation,
    ListBulkOperations,
    ListBulkOperationsAnswer,
)
from hashrange.tables.jobs.transfers import BULK_JOBS
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import LIST_BULK_OPERATIONS_ROWS
from hashrange.wire.rules import Form


def check_list(request: ListBulkOperations) -> ListBulkOperations:
    """Refuse invalid members."""
    check_constraints(request, LIST_BULK_OPERATIONS_ROWS, Form.MODEL)
    return request


async def run_list(request: ListBulkOperations, context: RequestContext) -> Outcome:
    """A page of operations, newest first."""
    store = context.store
    jobs = [job async for job in BULK_JOBS.all(store.engine, arns_of(context.catalog))]
    limit = JOBS_PAGE if request.max_results is None else request.max_results
    page, token = page_of(jobs, request.next_token, limit, store.secret)
    return Outcome(ListBulkOperationsAnswer([summary_of_bulk(job) for job in page], token))


async def run_cancel(arn: str, context: RequestContext) -> Outcome:
    """Let an operation be cancelled: what it has put stays.

    Raises ResourceNotFoundException; ValidationException: it has ended.
    """

    def cancelled(job: BulkJob) -> BulkJob:
        if job.status == "CANCELLING":
            return job
        if job.status != "IN_PROGRESS":
            raise invalid(messages.bulk_ended(job.status))
        return msgspec.structs.replace(job, status="CANCELLING")

    await ARNS.found(arn, context)
    job = await BULK_JOBS.change(context.store.engine, arn, cancelled)
    if job is None:
        raise ARNS.missing(arn, context)
    context.catalog.whole.on_change(job.table)
    return Outcome(CancelBulkOperationAnswer(arn, job.status))


def not_found(arn: str) -> DynamoError:
    """The ResourceNotFoundException for an ARN; the text is not published."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, arn_not_found(arn))


LIST_BULK_OPERATIONS: Final = Operation(
    facts=OPERATION_FACTS["ListBulkOperations"],
    request=ListBulkOperations,
    check=check_list,
    accesses=on_anything("ListBulkOperations"),
    run=run_list,
)
ARNS: Final = JobArns(
    kind="bulk-operation",
    title="Bulk Operation",
    member="bulk_operation_arn",
    stored=BULK_JOBS,
    not_found=not_found,
)
DESCRIBE_BULK_OPERATION: Final = ARNS.describing(
    "DescribeBulkOperation", DescribeBulkOperation, lambda job: BulkAnswer(described_bulk(job))
)
CANCEL_BULK_OPERATION: Final = ARNS.operation(
    "CancelBulkOperation", CancelBulkOperation, run_cancel
)
