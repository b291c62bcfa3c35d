"""ExportTableToPointInTime: notes what is to be exported; a background task writes the objects."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.continuous_backups import restorable
from hashrange.api.dynamodb.exports import existing_exports
from hashrange.api.dynamodb.exports.existing_exports import answer
from hashrange.api.dynamodb.exports.export_times import CheckedTimes, ExportTimes, checked_times
from hashrange.api.steps.accesses import Access, Resource, on_objects
from hashrange.api.steps.jobs import foreign_job
from hashrange.api.steps.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.backups.exports.data_files import export_arn, with_export
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.expressions.program import Bound
from hashrange.limits.backups import (
    EXPORT_TOKEN_MS,
    EXPORTS_MAX,
)
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.backups import recovery_disabled
from hashrange.model.backup import DYNAMODB_JSON, ExportJob, ExportToken, Target
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    ExportTableToPointInTime,
    FilterSpecification,
)
from hashrange.model.table import Table
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.jobs.backups import new_number
from hashrange.tables.jobs.transfers import (
    EXPORT_STATES,
    EXPORTS,
    token_from,
    token_row,
)
from hashrange.tables.keys.backup_keys import export_token_key
from hashrange.wire.arns import parsed
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import EXPORT_TABLE_TO_POINT_IN_TIME_ROWS
from hashrange.wire.rules import Form

_UNIQUE_CHARS: Final = 8
_KMS: Final = "KMS"
_TABLE: Final = ":table/"
_SOME_NAME: Final = "any"
_S3_ACTIONS: Final = ("s3:PutObject", "s3:PutObjectAcl", "s3:AbortMultipartUpload")
_encode: Final = msgspec.json.Encoder().encode


class CheckedExport(msgspec.Struct, frozen=True):
    """A request whose members are valid."""

    request: ExportTableToPointInTime
    table_arn: str
    target: Target
    times: CheckedTimes
    bound: Bound | None

    @property
    def table_names(self) -> tuple[str]:
        """The ARN, as sent."""
        return (self.table_arn,)


class ExportPlan(msgspec.Struct, frozen=True):
    """An export to begin, which fits its table."""

    checked: CheckedExport
    table: Table


def check(request: ExportTableToPointInTime) -> CheckedExport:
    """Refuse invalid members."""
    check_constraints(request, EXPORT_TABLE_TO_POINT_IN_TIME_ROWS, Form.MODEL)
    arn, bucket = request.table_arn, request.s3_bucket
    assert arn is not None, "required"
    assert bucket is not None, "required"
    _check_arn(arn)
    if request.s3_sse_kms_key_id is not None and request.s3_sse_algorithm != _KMS:
        raise invalid(messages.key_without_kms())
    sent = ExportTimes(
        request.export_type, request.export_time, request.incremental_export_specification
    )
    target = Target(
        bucket=bucket,
        owner=request.s3_bucket_owner,
        prefix=request.s3_prefix,
        sse_algorithm=request.s3_sse_algorithm,
        sse_key=request.s3_sse_kms_key_id,
    )
    specification = request.filter_specification
    bound = None if specification is None else existing_exports.checked(specification)
    return CheckedExport(request, arn, target, checked_times(sent), bound)


def _check_arn(arn: str) -> None:
    if not arn.startswith("arn:"):
        raise invalid(messages.arn_malformed())
    found = parsed(arn)
    if found is None and _names_no_table(arn):
        raise table_not_found(arn)
    if found is None or found.index is not None or found.label is not None:
        raise invalid(messages.arn_not_of_table())


def _names_no_table(arn: str) -> bool:
    """Whether an ARN is that of a table, but for a name that no table can have.

    Source: ScyllaDB's tests, which run on AWS.
    """
    head, separator, name = arn.partition(_TABLE)
    return "/" not in name and parsed(f"{head}{separator}{_SOME_NAME}") is not None


def fit(checked: CheckedExport, table: Table) -> ExportPlan:
    """Refuse a filter that does not fit the table."""
    if checked.bound is not None:
        existing_exports.fitted(checked.bound, table)
    return ExportPlan(checked, table)


async def run(plan: ExportPlan, context: RequestContext) -> Outcome:
    """Begin the export, unless its token is that of one that was begun.

    Raises:
        DynamoError: PointInTimeRecoveryUnavailableException, InvalidExportTimeException,
            ExportConflictException, LimitExceededException, TableNotFoundException.
    """
    engine, request = context.store.engine, plan.checked.request
    digest = _digest(request)
    known = await _known(request.client_token, digest, context)
    if known is not None:
        return Outcome(answer(known))
    history = await restorable(plan.table, context)
    window = plan.checked.times.within(plan.table, history)
    if window is None:
        text = recovery_disabled(plan.table.name)
        raise DynamoError(Fault.RECOVERY_UNAVAILABLE, text)
    running = [job.arn async for job in EXPORT_STATES.all(engine) if job.status == "IN_PROGRESS"]
    if len(running) >= EXPORTS_MAX:
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.too_many_exports(EXPORTS_MAX))
    job = await _job(plan, context)
    job = msgspec.structs.replace(job, time_ms=window.time_ms, window=window.window)
    try:
        await context.catalog.change(
            plan.table.name, partial(with_export, job), _extra_rows(job, digest)
        )
    except _TokenTakenError:
        known = await _known(request.client_token, digest, context)
        assert known is not None, "it was there a moment ago"
        return Outcome(answer(known))
    except DynamoError as error:
        raise table_not_found(plan.checked.table_arn) from error
    return Outcome(answer(job))


async def _job(plan: ExportPlan, context: RequestContext) -> ExportJob:
    request, table = plan.checked.request, plan.table
    sent = request.filter_specification
    return ExportJob(
        arn=export_arn(table, context.now_ms, context.new_id[:_UNIQUE_CHARS]),
        table_arn=table.arn,
        table_id=table.id,
        table=context.catalog.prefix + table.name,
        table_number=table.number,
        namespace=context.catalog.prefix,
        started_ms=context.now_ms,
        token=request.client_token,
        sent_type=request.export_type,
        number=await new_number(context.store.engine),
        target=plan.checked.target,
        format=request.export_format or DYNAMODB_JSON,
        filter=None if sent is None else _as_sent(sent),
    )


def _as_sent(specification: FilterSpecification) -> dict[str, object]:
    found = msgspec.to_builtins(specification)
    return {name: value for name, value in found.items() if value is not None}


def _digest(request: ExportTableToPointInTime) -> str:
    """A digest of all members but the token."""
    sent = msgspec.structs.replace(request, client_token=None)
    return hashlib.sha256(_encode(sent)).hexdigest()


class _TokenTakenError(Exception):
    """Another request with the token was faster."""


def _extra_rows(job: ExportJob, digest: str) -> ExtraRows:
    """The description and the token, to be written with the table that `with_export` returns."""
    rows_of_job = EXPORTS.row(job) | token_row(job, digest)

    def puts(values: Sequence[bytes | None], table: Table) -> dict[bytes, bytes]:
        if table.number != job.table_number:
            raise table_not_found(job.table_arn)
        if any(value is not None and _holds(token_from(value), job.started_ms) for value in values):
            raise _TokenTakenError
        return rows_of_job

    keys = () if job.token is None else (export_token_key(job.namespace, job.token),)
    return ExtraRows(keys, puts)


def _holds(token: ExportToken, now_ms: int) -> bool:
    return now_ms - token.started_ms < EXPORT_TOKEN_MS


async def _known(token: str | None, digest: str, context: RequestContext) -> ExportJob | None:
    """The export that was begun with a token. Raises ExportConflictException."""
    if token is None:
        return None
    engine = context.store.engine
    (value,) = await engine.read([export_token_key(context.catalog.prefix, token)])
    found = None if value is None else token_from(value)
    if found is None or not _holds(found, context.store.kept_ms()):
        return None
    if found.digest != digest:
        raise DynamoError(Fault.EXPORT_CONFLICT, messages.token_conflict())
    return await EXPORTS.find(engine, found.arn)


def table_not_found(arn: str) -> DynamoError:
    """The TableNotFoundException, with the ARN as sent."""
    return DynamoError(Fault.TABLE_NOT_FOUND, messages.table_not_found(arn))


def accesses(checked: CheckedExport) -> Iterable[Access]:
    """The action on the table, and those of S3 on the objects of the bucket.

    Source: Developer Guide, "Requesting a table export in DynamoDB".
    """
    on_table = Access("ExportTableToPointInTime", Resource("table", checked.table_arn))
    return [on_table, *on_objects(_S3_ACTIONS, checked.target.bucket)]


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["ExportTableToPointInTime"],
    request=ExportTableToPointInTime,
    check=check,
    accesses=accesses,
    tables=TableMode.DEFINITION,
    not_found=table_not_found,
    foreign=foreign_job,
    elsewhere=table_not_found,
    fit=fit,
    run=run,
)
