"""StartBulkPutItems: begins to put the records of objects into an existing table."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.api.dynamodb.definitions.table_names import no_such_table
from hashrange.api.dynamodb.imports.descriptions import described_bulk
from hashrange.api.steps.accesses import Access, Resource, on_objects, on_read_objects
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import (
    IMPORT_TOKEN_MS,
    IMPORTS_MAX,
)
from hashrange.messages.items.operations import token_of_another_request
from hashrange.messages.tables import backups as messages
from hashrange.model.import_job import BULK_GOING_ON, BulkJob, JobSource
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    BulkAnswer,
    StartBulkPutItems,
)
from hashrange.model.table import Table
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.jobs.transfers import BULK_JOBS
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import START_BULK_PUT_ITEMS_ROWS
from hashrange.wire.rules import Form

_UNIQUE_CHARS: Final = 8
_DIGEST_BYTES: Final = 16
_REPORT_ACTIONS: Final = ("s3:AbortMultipartUpload", "s3:PutObject")


class CheckedBulkPut(msgspec.Struct, frozen=True):
    """A request whose members are valid."""

    request: StartBulkPutItems
    source: JobSource
    table_names: tuple[str]


class BulkPutPlan(msgspec.Struct, frozen=True):
    """An operation to begin."""

    checked: CheckedBulkPut
    table: Table


def check(request: StartBulkPutItems) -> CheckedBulkPut:
    """Refuse invalid members."""
    check_constraints(request, START_BULK_PUT_ITEMS_ROWS, Form.MODEL)
    source, output = request.input_s3_configuration, request.output_s3_configuration
    assert source is not None, "required"
    assert output is not None, "required"
    assert source.s3_bucket is not None, "required"
    assert source.input_format is not None, "required"
    if output.s3_bucket is None:
        raise invalid(messages.output_without_bucket())
    found = JobSource(
        bucket=source.s3_bucket,
        prefix=source.s3_key_prefix,
        owner=source.s3_bucket_owner,
        format=source.input_format,
        compression=source.input_compression_type or "NONE",
    )
    return CheckedBulkPut(request, found, (str(request.table_name),))


def fit(checked: CheckedBulkPut, table: Table) -> BulkPutPlan:
    """The plan. Raises ValidationException for a global table."""
    if replicas_of(table):
        raise invalid(messages.bulk_put_into_global_table())
    return BulkPutPlan(checked, table)


async def run(plan: BulkPutPlan, context: RequestContext) -> Outcome:
    """Begin the operation.

    Raises ResourceInUseException, IdempotentParameterMismatchException, LimitExceededException.
    """
    engine, checked = context.store.engine, plan.checked
    job = _job(plan, context)
    going_on = 0
    async for other in BULK_JOBS.all(engine):
        if _is_again(other, job, context.store.kept_ms()):
            if other.digest != job.digest:
                raise DynamoError(Fault.IDEMPOTENT_PARAMETER_MISMATCH, token_of_another_request())
            return Outcome(BulkAnswer(described_bulk(other)))
        if other.status in BULK_GOING_ON:
            going_on += 1
            if other.table == job.table:
                name = checked.table_names[0]
                raise DynamoError(Fault.RESOURCE_IN_USE, messages.bulk_going_on(name))
    if going_on >= IMPORTS_MAX:
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.too_many_bulk_operations(IMPORTS_MAX))
    await BULK_JOBS.create(engine, job)
    context.catalog.whole.on_change(job.table)
    return Outcome(BulkAnswer(described_bulk(job)))


def _is_again(other: BulkJob, job: BulkJob, kept_ms: int) -> bool:
    """Whether the token is that of an operation which was begun before."""
    is_same = job.token is not None and other.token == job.token
    is_near = other.arn.split(":")[:5] == job.arn.split(":")[:5]  # one account and region
    return is_same and is_near and kept_ms - other.started_ms < IMPORT_TOKEN_MS


def _job(plan: BulkPutPlan, context: RequestContext) -> BulkJob:
    request, table = plan.checked.request, plan.table
    source = msgspec.structs.replace(
        plan.checked.source, owner=plan.checked.source.owner or table.account
    )
    sent = msgspec.json.encode(msgspec.to_builtins(request), order="sorted")
    unique = context.new_id[:_UNIQUE_CHARS]
    return BulkJob(
        arn=f"{table.arn}/bulk-operation/{context.now_ms:014}-{unique}",
        token=request.client_token,
        digest=blake2b(sent, digest_size=_DIGEST_BYTES).hexdigest(),
        table=context.catalog.prefix + table.name,
        table_name=table.name,
        table_number=table.number,
        table_id=table.id,
        source=source,
        input=msgspec.to_builtins(request.input_s3_configuration),
        output=msgspec.to_builtins(request.output_s3_configuration),
        units_max=request.max_write_request_units,
        tier=request.performance_tier,
        started_ms=context.now_ms,
    )


def accesses(checked: CheckedBulkPut) -> Iterable[Access]:
    """The action on the table, and those of S3 on objects and reports."""
    output = checked.request.output_s3_configuration
    assert output is not None, "required"
    assert output.s3_bucket is not None, "checked"
    return [
        Access("StartBulkPutItems", Resource("table", checked.table_names[0])),
        *on_read_objects(checked.source.bucket),
        *on_objects(_REPORT_ACTIONS, output.s3_bucket),
    ]


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["StartBulkPutItems"],
    request=StartBulkPutItems,
    check=check,
    accesses=accesses,
    tables=TableMode.DEFINITION,
    not_found=no_such_table,
    fit=fit,
    run=run,
)
