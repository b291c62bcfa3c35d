"""Beginning and ending an export: its description, and its snapshot of the table. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.model.export_job import ExportJob
from hashrange.model.table import Table
from hashrange.tables.catalog.catalog_entries import ExtraRows
from hashrange.tables.jobs.export_jobs import EXPORTS
from hashrange.tables.log.shards import without_reader
from hashrange.tables.snapshots.snapshots import SnapshotAt, with_snapshot

_READER: Final = "export:"
"""Before the ARN of an export, in the name of the reader of its table's log."""


def exports_of(table: Table) -> list[str]:
    """The ARNs of the exports of a table that are in progress."""
    readers = (reader.name for reader in table.log.readers)
    return [name.removeprefix(_READER) for name in readers if name.startswith(_READER)]


def export_arn(table: Table, now_ms: int, unique: str) -> str:
    """The ARN of an export; `unique` distinguishes those of one millisecond."""
    return f"{table.arn}/export/{now_ms:014}-{unique}"


def with_export(job: ExportJob, table: Table) -> Table:
    """The table when an export begins: its log is kept for what the export reads."""
    time_ms = job.time_ms if job.window is None else job.window.from_ms - 1
    return with_snapshot(table, _READER + job.arn, time_ms=time_ms, now_ms=job.started_ms)


def without_export(arn: str, now_ms: int, table: Table) -> Table:
    """The table when an export has ended."""
    return without_reader(table, _READER + arn, now_ms)


def snapshot_of(job: ExportJob) -> SnapshotAt:
    """The snapshot that an export reads."""
    return SnapshotAt(
        name=job.table,
        table=job.table_number,
        reader=_READER + job.arn,
        time_ms=job.time_ms,
        number=job.number,
    )


def ended(job: ExportJob, now_ms: int, failure: tuple[str, str] | None) -> ExportJob:
    """The export at its end."""
    status = "COMPLETED" if failure is None else "FAILED"
    return msgspec.structs.replace(job, status=status, ended_ms=now_ms, failure=failure)


def ended_rows(arn: str, now_ms: int, failure: tuple[str, str] | None) -> ExtraRows:
    """The end of an export, to be written with the table that `without_export` returns."""

    def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
        (value,) = values
        job = None if value is None else EXPORTS.decode(value)
        if job is None or job.ended_ms is not None:
            return {}
        return EXPORTS.row(ended(job, now_ms, failure))

    return ExtraRows((EXPORTS.key(arn),), puts)
