"""Names of the objects of an export, and the contents of its manifests. Pure.

Source: Developer Guide, "DynamoDB table export output format"; measured by users, October 2026.
The guide calls the objects of checksums `.checksum`; exports of the service have `.md5`, as
listings of users and ScyllaDB's tests show.
"""

import hashlib
from base64 import b32encode, b64encode
from typing import Final

import msgspec

from hashrange.limits.backups import EXPORT_BILLED_BYTES_MIN
from hashrange.model.backup import ION, ExportJob
from hashrange.model.times import iso_time_ms

_FOLDER: Final = "AWSDynamoDB"
_NAME_CHARS: Final = 26
_encode: Final = msgspec.json.Encoder().encode


def _folder(job: ExportJob) -> str:
    prefix = job.target.prefix or ""
    return f"{prefix}{'/' if prefix and not prefix.endswith('/') else ''}{_FOLDER}"


def manifest_key(job: ExportJob, name: str) -> str:
    """The key of an object beside the data files, such as `manifest-summary.json`."""
    return f"{_folder(job)}/{job.id}/{name}"


def summary_key(job: ExportJob) -> str:
    """The key of the summary, which descriptions name."""
    return manifest_key(job, "manifest-summary.json")


def data_key(job: ExportJob) -> str:
    """The key of the next data file; the same after a kill, so that its first attempt is replaced.

    Data files of all incremental exports to a prefix are in one folder, as those of the service.
    """
    folder = f"{_folder(job)}/data" if job.window else f"{_folder(job)}/{job.id}/data"
    digest = hashlib.sha256(f"{job.arn} {len(job.files)}".encode()).digest()
    name = b32encode(digest).decode().lower()[:_NAME_CHARS]
    return f"{folder}/{name}.{'ion' if job.format == ION else 'json'}.gz"


def billed_bytes(job: ExportJob) -> int:
    """BilledSizeBytes: the items that were read; of a window at least ten megabytes."""
    return max(job.size_bytes, EXPORT_BILLED_BYTES_MIN) if job.window else job.size_bytes


def files_manifest(job: ExportJob) -> bytes:
    """The manifest of data files: a line for each."""
    return b"".join(
        _encode(
            {
                "itemCount": file.items,
                "md5Checksum": file.md5,
                "etag": file.etag,
                "dataFileS3Key": file.key,
            }
        )
        + b"\n"
        for file in job.files
    )


def summary_manifest(job: ExportJob, ended_ms: int) -> bytes:
    """The summary."""
    window, target = job.window, job.target
    if window is None:
        time_ms = job.started_ms if job.time_ms is None else job.time_ms
        times = {"exportTime": iso_time_ms(time_ms)}
    else:
        times = {
            "exportFromTime": iso_time_ms(window.from_ms),
            "exportToTime": iso_time_ms(window.to_ms),
        }
    return _encode(
        {
            "version": "2020-06-30" if window is None else "2023-08-01",
            "exportArn": job.arn,
            "startTime": iso_time_ms(job.started_ms),
            "endTime": iso_time_ms(ended_ms),
            "tableArn": job.table_arn,
            "tableId": job.table_id,
            **times,
            "s3Bucket": target.bucket,
            "s3Prefix": target.prefix,
            "s3SseAlgorithm": target.shown_algorithm,
            "s3SseKmsKeyId": target.sse_key,
            "manifestFilesS3Key": manifest_key(job, "manifest-files.json"),
            "billedSizeBytes": billed_bytes(job),
            "itemCount": job.items,
            "outputFormat": job.format,
            **({} if window is None else {"outputView": window.view_type}),
            "exportType": job.kind,
        }
    )


def checksum(content: bytes) -> bytes:
    """The content of the checksum file of a manifest."""
    return b64encode(hashlib.md5(content, usedforsecurity=False).digest())
