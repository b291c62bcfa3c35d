"""ImportTable: creates a table whose items are imported in the background."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.definitions.encryption import refuse_encryption
from hashrange.api.dynamodb.definitions.table_names import no_such_table
from hashrange.api.dynamodb.imports.descriptions import described_import
from hashrange.api.dynamodb.tables import create_table
from hashrange.api.dynamodb.tables.create_table import (
    CheckedCreateTable,
    draft_of,
    refuse_busy_name,
)
from hashrange.api.steps.accesses import Access, Resource, on_read_objects
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.api.steps.table_lookup import deleting_table
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import IMPORT_TOKEN_MS, IMPORTS_MAX
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.operations import table_exists
from hashrange.model.import_job import ImportJob, JobSource
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    CreateTable,
    ImportAnswer,
    ImportTable,
    TableCreationParameters,
)
from hashrange.model.table import Table
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.jobs.transfers import IMPORTS
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import IMPORT_TABLE_ROWS
from hashrange.wire.rules import Form

_UNIQUE_CHARS: Final = 8
_replace: Final = msgspec.structs.replace


class CheckedImport(msgspec.Struct, frozen=True, kw_only=True):
    """A request whose members are valid, and the table that it asks for."""

    request: ImportTable
    table: CheckedCreateTable
    source: JobSource

    @property
    def table_names(self) -> tuple[str]:
        """The name, as sent."""
        return self.table.table_names


def check(request: ImportTable) -> CheckedImport:
    """Refuse invalid members, and definitions that CreateTable refuses."""
    check_constraints(request, IMPORT_TABLE_ROWS, Form.MODEL)
    source, creation = request.s3_bucket_source, request.table_creation_parameters
    kind = request.input_format
    assert source is not None, "required"
    assert creation is not None, "required"
    assert source.s3_bucket is not None, "required"
    assert kind is not None, "required"
    options = None if request.input_format_options is None else request.input_format_options.csv
    if options is not None and kind != "CSV":
        raise invalid(messages.options_of_other_format(kind))
    names = None if options is None else options.header_list
    return CheckedImport(
        request=request,
        table=create_table.check_definition(_as_create_table(creation)),
        source=JobSource(
            bucket=source.s3_bucket,
            prefix=source.s3_key_prefix,
            owner=source.s3_bucket_owner,
            format=kind,
            compression=request.input_compression_type or "NONE",
            delimiter=None if options is None else options.delimiter,
            headers=None if names is None else tuple(names),
        ),
    )


def _as_create_table(creation: TableCreationParameters) -> CreateTable:
    return CreateTable(
        table_name=creation.table_name,
        attribute_definitions=creation.attribute_definitions,
        key_schema=creation.key_schema,
        billing_mode=creation.billing_mode,
        provisioned_throughput=creation.provisioned_throughput,
        on_demand_throughput=creation.on_demand_throughput,
        sse_specification=creation.sse_specification,
        global_secondary_indexes=creation.global_secondary_indexes,
        vector_indexes=creation.vector_indexes,
    )


async def run(checked: CheckedImport, context: RequestContext) -> Outcome:
    """Create the table, and the import of its items.

    Raises ResourceInUseException, ImportConflictException, LimitExceededException.
    """
    refuse_encryption(checked.table.request.sse_specification, context.choices)
    await _refuse_existing(checked.table.name, context)
    jobs = [job async for job in IMPORTS.all(context.store.engine)]
    known = _known(checked, jobs, context)
    if known is None:
        if sum(job.status == "IN_PROGRESS" for job in jobs) >= IMPORTS_MAX:
            raise DynamoError(Fault.LIMIT_EXCEEDED, messages.too_many_imports(IMPORTS_MAX))
        known = await _created(checked, context)
    return Outcome(ImportAnswer(described_import(known)))


async def _refuse_existing(name: str, context: RequestContext) -> None:
    """Raise ResourceInUseException for a table that is there, but for one that is being imported.

    Before the token is looked at, also for the table that the token has made (measured by
    ScyllaDB's tests, which run on AWS).
    """
    opened = await context.catalog.open(name)
    if opened is None:
        is_there = await deleting_table(context.catalog, name, context) is not None
    else:
        is_there = opened.table.import_arn is None
    if is_there:
        raise DynamoError(Fault.RESOURCE_IN_USE, table_exists(name))


def _known(
    checked: CheckedImport, jobs: Iterable[ImportJob], context: RequestContext
) -> ImportJob | None:
    """The import that the request has begun before, by its token.

    Raises ImportConflictException: the token was that of a request for another table.
    Source: measured by users, October 2026.
    """
    token, prefix = checked.request.client_token, context.catalog.prefix
    for job in jobs:
        is_recent = context.store.kept_ms() - job.started_ms < IMPORT_TOKEN_MS
        if job.token == token and job.table.startswith(prefix) and is_recent:
            if job.table != prefix + checked.table.name:
                raise DynamoError(Fault.IMPORT_CONFLICT, messages.token_of_other_import())
            return job
    return None


async def _created(checked: CheckedImport, context: RequestContext) -> ImportJob:
    """Add the table and its import to the catalog, at once."""
    name, catalog = checked.table.name, context.catalog
    await refuse_busy_name(name, context)
    draft = draft_of(checked.table, context)

    def with_import(number: int) -> Table:
        table = draft(number)
        unique = context.new_id[:_UNIQUE_CHARS]
        return _replace(table, import_arn=f"{table.arn}/import/{context.now_ms:014}-{unique}")

    def rows_of(_values: Any, table: Table) -> dict[bytes, bytes]:
        return IMPORTS.row(_job(checked, table, context))

    table = await catalog.create(with_import, name, ExtraRows((), rows_of))
    return _job(checked, table, context)


def _job(checked: CheckedImport, table: Table, context: RequestContext) -> ImportJob:
    request, source = checked.request, checked.source
    assert table.import_arn is not None, "it is imported"
    options = request.input_format_options
    return ImportJob(
        arn=table.import_arn,
        token=request.client_token,
        table=context.catalog.prefix + table.name,
        table_number=table.number,
        table_arn=table.arn,
        table_id=table.id,
        source=_replace(source, owner=source.owner or table.account),
        options=None if options is None else msgspec.to_builtins(options),
        creation=msgspec.to_builtins(request.table_creation_parameters),
        started_ms=context.now_ms,
    )


def accesses(checked: CheckedImport) -> Iterable[Access]:
    """The action on the table, and those of S3 on the objects."""
    table = Access("ImportTable", Resource("table", checked.table_names[0]))
    return [table, *on_read_objects(checked.source.bucket)]


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["ImportTable"],
    request=ImportTable,
    check=check,
    accesses=accesses,
    not_found=no_such_table,
    run=run,
)
