"""The structures that requests and answers of exports share."""

from typing import Any, Final

import msgspec

from hashrange.exports.manifests import billed_bytes, summary_key
from hashrange.model.export_job import ExportJob, ExportState
from hashrange.model.values import AttributeValue
from hashrange.wire.member_types import Timestamp

_MS: Final = 1000


class FilterSpecification(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Which items and attributes are exported."""

    filter_expression: str | None = None
    projection_expression: str | None = None
    key_condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


class IncrementalExportSpecification(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The window of an incremental export."""

    export_from_time: Timestamp | None = None
    export_to_time: Timestamp | None = None
    export_view_type: str | None = None


class ExportDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """An export; dates are in seconds since the epoch."""

    export_arn: str
    export_status: str
    start_time: float
    end_time: float | None = None
    export_manifest: str | None = None
    table_arn: str
    table_id: str
    export_time: float | None = None
    client_token: str | None = None
    s3_bucket: str
    s3_bucket_owner: str | None = None
    s3_prefix: str | None = None
    s3_sse_algorithm: str
    s3_sse_kms_key_id: str | None = None
    failure_code: str | None = None
    failure_message: str | None = None
    export_format: str
    billed_size_bytes: int | None = None
    item_count: int | None = None
    export_type: str | None = None
    incremental_export_specification: IncrementalExportSpecification | None = None
    filter_specification: dict[str, Any] | None = None


class ExportSummary(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An export in a list."""

    export_arn: str
    export_status: str
    export_type: str


class ExportAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ExportTableToPointInTime, and to DescribeExport."""

    export_description: ExportDescription


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
