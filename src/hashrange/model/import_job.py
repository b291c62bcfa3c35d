"""Imports and bulk operations, as they are stored."""

from typing import Any, Final, Literal, TypeAlias

import msgspec

ImportStatus: TypeAlias = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]
BulkStatus: TypeAlias = Literal[
    "IN_PROGRESS", "COMPLETED", "COMPLETED_WITH_ERRORS", "CANCELLING", "CANCELLED", "FAILED"
]
BULK_GOING_ON: Final = frozenset({"IN_PROGRESS", "CANCELLING"})


class JobSource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the records of a job are, and in which form.

    Attributes:
        bucket: the name of the bucket.
        prefix: of the keys of its objects; None if the request had none.
        owner: the account that the request expects to have the bucket.
        format: CSV, DYNAMODB_JSON or ION.
        compression: GZIP, ZSTD or NONE.
        delimiter: of CSV.
        headers: of CSV; None if they are the first row.
    """

    bucket: str
    prefix: str | None = None
    owner: str | None = None
    format: str
    compression: str = "NONE"
    delimiter: str | None = None
    headers: tuple[str, ...] | None = None


class JobCounts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The counts of a job so far.

    Attributes:
        objects_bytes: the size of all objects; None until they are listed.
        bytes: of objects that were read, decompressed.
        records: read so far.
        items: written so far, those included that later records replaced.
        refused: records that are no items of the table.
        unmet: records of a bulk operation whose conditions did not hold.
    """

    objects_bytes: int | None = None
    bytes: int = 0
    records: int = 0
    items: int = 0
    refused: int = 0
    unmet: int = 0


class RecordsJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An import or a bulk operation.

    Its JSON is stored: members may be added, with a default, but never renamed.

    Attributes:
        arn: of the job.
        token: the ClientToken; None if the request had none.
        table: the table, as the whole catalog has it.
        table_number: of that table.
        table_id: of that table.
        source: the records.
        started_ms: when it was requested.
        ended_ms: None until its end.
        counts: its progress.
        failure_code: of a failed job.
        failure: the text for it.
        attempts: how often it was begun again because the storage failed.
    """

    arn: str
    token: str | None = None
    table: str
    table_number: int
    table_id: str
    source: JobSource
    started_ms: int
    ended_ms: int | None = None
    counts: JobCounts = JobCounts()
    failure_code: str | None = None
    failure: str | None = None
    attempts: int = 0


class ImportJob(RecordsJob, frozen=True, kw_only=True, omit_defaults=True):
    """An import; `started_ms` is the version of its items.

    Attributes:
        table_arn: of its table.
        options: InputFormatOptions, as sent.
        creation: TableCreationParameters, as sent.
        status: ImportStatus.
        written: the last key that was written, in hexadecimal; rows are written in their order.
    """

    table_arn: str
    options: dict[str, Any] | None = None
    creation: dict[str, Any]
    status: ImportStatus = "IN_PROGRESS"
    written: str = ""


class BulkJob(RecordsJob, frozen=True, kw_only=True, omit_defaults=True):
    """A bulk operation.

    Attributes:
        digest: of the members of the request, with which the token must come again.
        table_name: in its namespace.
        input: InputS3Configuration, as sent.
        output: OutputS3Configuration, as sent.
        units_max: write units a second; None for no bound of its own.
        tier: PerformanceTier.
        status: BulkStatus.
        objects: of how many objects, in the order of their keys, all records are done.
        records: how many records of the next object are done.
        put_bytes: of items that were put.
        local_bytes: of their entries in local indexes, by index.
        global_bytes: of their entries in global indexes, by index.
        vector_bytes: of their entries in vector indexes, by index.
    """

    digest: str = ""
    table_name: str
    input: dict[str, Any]
    output: dict[str, Any]
    units_max: int | None = None
    tier: str | None = None
    status: BulkStatus = "IN_PROGRESS"
    objects: int = 0
    records: int = 0
    put_bytes: int = 0
    local_bytes: dict[str, int] = {}
    global_bytes: dict[str, int] = {}
    vector_bytes: dict[str, int] = {}
