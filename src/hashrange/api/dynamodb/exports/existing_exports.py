"""DescribeExport and ListExports, and what requests and answers of exports share.

Source: Developer Guide, "Filtering a table export"; API reference, FilterSpecification.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items.conditions import check_scalar_keys, check_scalar_projection
from hashrange.api.dynamodb.items.key_ranges import key_range
from hashrange.api.dynamodb.streams.specification import no_such_arn
from hashrange.api.steps.accesses import Access, on_arn
from hashrange.api.steps.jobs import JobArns, arns_of, newest_first
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.backups.exports.manifests import billed_bytes, summary_key
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.expressions.program import Bound, Sources, bind, check_presence
from hashrange.limits.backups import JOBS_PAGE
from hashrange.messages.items.queries import filter_on_key
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.backups import next_token_invalid, table_arn_invalid
from hashrange.model.backup import ExportJob, ExportState
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    DescribeExport,
    ExportAnswer,
    ExportDescription,
    ExportSummary,
    FilterSpecification,
    IncrementalExportSpecification,
    ListExports,
    ListExportsAnswer,
)
from hashrange.model.table import Table
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.jobs.transfers import EXPORT_STATES, EXPORTS
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire.arns import is_job_arn, parsed, table_name_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import LIST_EXPORTS_ROWS
from hashrange.wire.rules import Form

_MS: Final = 1000


def summary(job: ExportState) -> ExportSummary:
    """An export in a list."""
    return ExportSummary(export_arn=job.arn, export_status=job.status, export_type=job.kind)


def answer(job: ExportJob) -> ExportAnswer:
    """The description of an export.

    The type is shown if the request had it, and counts are shown when the export is complete
    (measured by users, October 2026, and ScyllaDB's tests).
    """
    window, target = job.window, job.target
    is_complete = job.status == "COMPLETED"
    code, text = job.failure or (None, None)
    time_ms = job.started_ms if job.time_ms is None else job.time_ms
    return ExportAnswer(
        ExportDescription(
            export_arn=job.arn,
            export_status=job.status,
            start_time=job.started_ms / _MS,
            end_time=None if job.ended_ms is None else job.ended_ms / _MS,
            export_manifest=summary_key(job) if is_complete else None,
            table_arn=job.table_arn,
            table_id=job.table_id,
            export_time=time_ms / _MS if window is None else None,
            client_token=job.token,
            s3_bucket=target.bucket,
            s3_bucket_owner=target.owner,
            s3_prefix=target.prefix,
            s3_sse_algorithm=target.shown_algorithm,
            s3_sse_kms_key_id=target.sse_key,
            failure_code=code,
            failure_message=text,
            export_format=job.format,
            billed_size_bytes=billed_bytes(job) if is_complete else None,
            item_count=job.items if is_complete else None,
            export_type=job.sent_type if window is None else job.kind,
            incremental_export_specification=None
            if window is None
            else IncrementalExportSpecification(
                export_from_time=window.from_ms / _MS,
                export_to_time=window.to_ms / _MS,
                export_view_type=window.view_type,
            ),
            filter_specification=job.filter,
        )
    )


class CheckedListExports(msgspec.Struct, frozen=True):
    """A request whose members are valid; `before` is the last export of the page before."""

    table_arn: str | None
    most: int
    before: str | None


def check_list(request: ListExports) -> CheckedListExports:
    """Refuse invalid members, and tokens of other lists."""
    check_constraints(request, LIST_EXPORTS_ROWS, Form.MODEL)
    if request.table_arn is not None:
        arn = parsed(request.table_arn)
        if arn is None or arn.index is not None or arn.label is not None:
            raise invalid(table_arn_invalid())
    token = request.next_token
    before = None if token is None else _arn_in(token)
    return CheckedListExports(request.table_arn, request.max_results or JOBS_PAGE, before)


def _arn_in(token: str) -> str:
    """The ARN in a token, which is its text in hexadecimal."""
    try:
        arn = bytes.fromhex(token).decode()
    except ValueError:
        arn = ""
    if not is_job_arn(arn, "export"):
        raise invalid(next_token_invalid(token))
    return arn


async def run_list(checked: CheckedListExports, context: RequestContext) -> Outcome:
    """A page of exports, newest first; those of a table that was replaced are not listed."""
    table_id = None
    if checked.table_arn is not None:
        opened = await context.catalog.open(table_name_of(checked.table_arn))
        if opened is None:
            return Outcome(ListExportsAnswer([]))
        table_id = opened.table.id
    found = EXPORT_STATES.all(context.store.engine, arns_of(context.catalog))
    jobs = [job async for job in found if table_id in {None, job.table_id}]
    after = None if checked.before is None else _order(checked.before)
    page, last = newest_first(jobs, lambda job: _order(job.arn), after, checked.most)
    token = None if last is None else last.arn.encode().hex()
    return Outcome(ListExportsAnswer([summary(job) for job in page], token))


def _order(arn: str) -> tuple[str, str]:
    """Exports by their time, which their ids begin with."""
    table, _, job = arn.rpartition("/")
    return job, table


def not_found(arn: str) -> DynamoError:
    """The ExportNotFoundException for an ARN."""
    return DynamoError(Fault.EXPORT_NOT_FOUND, messages.export_not_found(arn))


def in_other_region(_arn: str) -> DynamoError:
    """The ExportNotFoundException for the ARN of an export of another region."""
    return DynamoError(Fault.EXPORT_NOT_FOUND, messages.export_elsewhere())


def list_accesses(checked: CheckedListExports) -> Iterable[Access]:
    """The action on the table of the list, or on no resource."""
    return on_arn("ListExports", "table", checked.table_arn)


LIST_EXPORTS: Final = Operation(
    facts=OPERATION_FACTS["ListExports"],
    request=ListExports,
    check=check_list,
    accesses=list_accesses,
    not_found=no_such_arn,
    run=run_list,
)
ARNS: Final = JobArns(
    kind="export",
    title="Export",
    member="export_arn",
    stored=EXPORTS,
    not_found=not_found,
    elsewhere=in_other_region,
)
DESCRIBE_EXPORT: Final = ARNS.describing("DescribeExport", DescribeExport, answer)


class ExportFilter(msgspec.Struct, frozen=True):
    """A specification that fits its table: an `ItemFilter` of `backups.exports.pages`."""

    bounds: tuple[bytes, bytes] | None
    bound: Bound

    def holds(self, item: Item) -> bool:
        """Whether the filter expression allows an item."""
        return self.bound.filter is None or self.bound.filter.holds(item)

    def projected(self, item: Item) -> Item:
        """The attributes that are exported."""
        return item if self.bound.projection is None else self.bound.projection.apply(item)


def checked(specification: FilterSpecification) -> Bound:
    """The expressions of a specification. Raises ValidationException."""
    sources = Sources(
        projection=specification.projection_expression,
        filter=specification.filter_expression,
        key_condition=specification.key_condition_expression,
    )
    names = specification.expression_attribute_names
    values = specification.expression_attribute_values
    check_presence(sources, names, values)
    if sources == Sources():
        raise invalid(messages.filter_empty())
    return bind(sources, names, values, wording=Wording.CURRENT)


def fitted(bound: Bound, table: Table) -> ExportFilter:
    """The filter for a table. Raises ValidationException."""
    opened = OpenTable(table, {})
    access_path = AccessPath(opened)
    bounds = None
    if bound.key_condition is not None:
        keys = key_range(access_path, bound.key_condition, None, reverse=False)
        bounds = (keys.start, keys.end)
    check_scalar_projection(bound.projection, opened)
    if bound.filter is not None:
        used = {path[0] for path in bound.filter.paths}
        for attribute in table.key_attributes:
            if bounds is not None and attribute.name in used:
                raise invalid(filter_on_key(attribute.name))
        check_scalar_keys(bound.filter, opened)
    return ExportFilter(bounds, bound)


def stored_filter(specification: dict[str, Any], table: Table) -> ExportFilter:
    """The filter of an export, from its description."""
    sent = msgspec.convert(specification, FilterSpecification)
    return fitted(checked(sent), table)
