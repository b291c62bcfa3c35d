"""Descriptions of imports and bulk operations in answers."""

from typing import Final

from hashrange.model.import_job import BulkJob, ImportJob
from hashrange.model.structures.dynamodb import (
    BulkBytes,
    BulkOperationDescription,
    BulkOperationSummary,
    BulkOperationTableDetail,
    BulkOperationUsage,
    BulkOperationVectorBytes,
    ImportSummary,
    ImportTableDescription,
    S3BucketSource,
)

_MS: Final = 1000


def described_import(job: ImportJob) -> ImportTableDescription:
    """The description of an import; it has no ProcessedSizeBytes until something was read.

    Source: measured by ScyllaDB's and moto's tests, which run on AWS.
    """
    counts = job.counts
    has_ended = job.ended_ms is not None and counts.objects_bytes is not None
    return ImportTableDescription(
        import_arn=job.arn,
        import_status=job.status,
        table_arn=job.table_arn,
        table_id=job.table_id,
        client_token=job.token,
        s3_bucket_source=_source(job),
        error_count=counts.refused,
        input_format=job.source.format,
        input_format_options=job.options,
        input_compression_type=job.source.compression,
        table_creation_parameters=job.creation,
        start_time=job.started_ms / _MS,
        end_time=_seconds(job.ended_ms),
        processed_size_bytes=counts.bytes if counts.bytes or has_ended else None,
        processed_item_count=counts.records,
        imported_item_count=counts.items,
        failure_code=job.failure_code,
        failure_message=job.failure,
    )


def summary_of_import(job: ImportJob) -> ImportSummary:
    """An import in a list."""
    return ImportSummary(
        import_arn=job.arn,
        import_status=job.status,
        table_arn=job.table_arn,
        s3_bucket_source=_source(job),
        input_format=job.source.format,
        start_time=job.started_ms / _MS,
        end_time=_seconds(job.ended_ms),
    )


def _source(job: ImportJob) -> S3BucketSource:
    source = job.source
    return S3BucketSource(
        s3_bucket_owner=source.owner, s3_bucket=source.bucket, s3_key_prefix=source.prefix
    )


def _seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / _MS


def described_bulk(job: BulkJob) -> BulkOperationDescription:
    """The description of a bulk operation."""
    counts = job.counts
    return BulkOperationDescription(
        bulk_operation_arn=job.arn,
        bulk_operation_status=job.status,
        table_details=[BulkOperationTableDetail(table_name=job.table_name, table_id=job.table_id)],
        client_token=job.token,
        input_s3_configuration=job.input,
        output_s3_configuration=job.output,
        start_time=job.started_ms / _MS,
        end_time=_seconds(job.ended_ms),
        processed_item_count=counts.records,
        processed_input_bytes=counts.bytes,
        total_input_bytes=counts.objects_bytes,
        bulk_operation_usage=[_usage(job)],
        failed_item_count=counts.refused,
        failure_code=job.failure_code,
        failure_message=job.failure,
        max_write_request_units=job.units_max,
        performance_tier=job.tier,
    )


def _usage(job: BulkJob) -> BulkOperationUsage:
    return BulkOperationUsage(
        table_name=job.table_name,
        bulk_put_bytes=job.put_bytes
        + sum(job.local_bytes.values())
        + sum(job.global_bytes.values()),
        table=BulkBytes(bulk_put_bytes=job.put_bytes),
        local_secondary_indexes=_bytes_of(job.local_bytes),
        global_secondary_indexes=_bytes_of(job.global_bytes),
        vector_indexes={
            name: BulkOperationVectorBytes(bulk_put_vector_bytes=size)
            for name, size in job.vector_bytes.items()
        }
        or None,
    )


def _bytes_of(by_index: dict[str, int]) -> dict[str, BulkBytes] | None:
    return {name: BulkBytes(bulk_put_bytes=size) for name, size in by_index.items()} or None


def summary_of_bulk(job: BulkJob) -> BulkOperationSummary:
    """A bulk operation in a list."""
    return BulkOperationSummary(
        bulk_operation_arn=job.arn,
        bulk_operation_status=job.status,
        start_time=job.started_ms / _MS,
        end_time=_seconds(job.ended_ms),
    )
