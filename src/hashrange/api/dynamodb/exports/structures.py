"""The structures that requests and answers of exports share."""

from typing import Final

from hashrange.backups.exports.manifests import billed_bytes, summary_key
from hashrange.model.backup import ExportJob, ExportState
from hashrange.model.structures.dynamodb import (
    ExportAnswer,
    ExportDescription,
    ExportSummary,
    IncrementalExportSpecification,
)

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
