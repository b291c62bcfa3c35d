"""Exports, imports and bulk operations in the engine: their descriptions, and writes of imports.

Items and index entries of imports come in the order of their keys, many at a time, and nothing is
read before they are written. The description of the import is in each write, with the last key: so
no row is counted twice, whichever write a crash interrupts.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeVar

import msgspec

from hashrange.limits.backups import IMPORT_KEPT_MS, JOBS_KEPT_MAX
from hashrange.model.backup import ExportJob, ExportState, ExportToken
from hashrange.model.import_job import BulkJob, ImportJob
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair
from hashrange.tables.jobs.descriptions import Descriptions, JobLostError
from hashrange.tables.keys.backup_keys import (
    BULK,
    IMPORT,
    export_key,
    export_token_key,
    job_key,
    report_range,
)
from hashrange.tables.keys.system_keys import changes_key

J = TypeVar("J", ImportJob, BulkJob)

_PAGE_ROWS: Final = 100
_PAGE_BYTES: Final = 4 * 1024 * 1024


class JobRows(Descriptions[J]):
    """The rows of all jobs of one kind."""

    async def create(self, engine: Engine, job: J, fences: Fences = NO_FENCES) -> None:
        """Store a new job."""
        row = self.row(job)
        adds = {changes_key(): 1}  # other processes look at the jobs then
        await engine.write(
            list(row), lambda _: Changes(answer=None, puts=row, adds=adds), fences=fences
        )

    async def forget(self, engine: Engine, now_ms: int, fences: Fences) -> None:
        """Remove the jobs that ended long ago, and the oldest ones if there are too many."""
        ended = sorted(
            [(job.ended_ms, job.arn) async for job in self.all(engine) if job.ended_ms is not None],
            reverse=True,
        )
        kept = [each for each in ended if each[0] >= now_ms - IMPORT_KEPT_MS][:JOBS_KEPT_MAX]
        for _, arn in ended[len(kept) :]:
            await self.delete(engine, arn, fences)

    async def delete(self, engine: Engine, arn: str, fences: Fences = NO_FENCES) -> None:
        """Remove a job."""
        key = self.key(arn)
        await engine.write([key], lambda _: Changes(answer=None, deletes=[key]), fences=fences)


IMPORTS: Final = JobRows(ImportJob, partial(job_key, IMPORT))
BULK_JOBS: Final = JobRows(BulkJob, partial(job_key, BULK))


async def some_lines(engine: Engine, arn: str, kind: str, start: bytes) -> list[Pair]:
    """Rows of lines of a report behind a key; none at its end."""
    first, end = report_range(arn, kind)
    return await engine.scan(max(first, start), end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES)


async def forget_lines(engine: Engine, arn: str, fences: Fences) -> None:
    """Delete the lines of all reports of a bulk operation."""
    key = BULK_JOBS.key(arn)
    while page := await some_lines(engine, arn, "", b""):
        rows = [row for row, _ in page]
        await engine.write(
            [key], partial(lambda rows, _: Changes(answer=None, deletes=rows), rows), fences=fences
        )


async def put_rows(
    engine: Engine,
    before: ImportJob,
    after: ImportJob,
    *,
    rows: Mapping[bytes, bytes],
    adds: Mapping[bytes, int],
    fences: Fences,
) -> None:
    """Write rows of the table of an import, with counters and the progress of the import.

    Args:
        engine: holds the table.
        before: the import as it is stored.
        after: the import with these rows.
        rows: items or index entries by their keys, which are greater than `before.written`.
        adds: to counters of the table.
        fences: of the leader, and of the table.

    Raises:
        JobLostError: the import is stored as something else.
    """
    key = IMPORTS.key(before.arn)
    puts = {**rows, **IMPORTS.row(after)}

    def decide(stored: list[bytes | None]) -> Changes[None]:
        (value,) = stored
        if value is None or IMPORTS.decode(value) != before:
            raise JobLostError
        return Changes(answer=None, puts=puts, adds=adds)

    await engine.write([key], decide, fences=fences)


def finished(job: ImportJob, now_ms: int, failure: tuple[str, str] | None) -> ImportJob:
    """The import at its end; `failure` is its code and text."""
    code, text = failure or (None, None)
    return msgspec.structs.replace(
        job,
        status="COMPLETED" if failure is None else "FAILED",
        ended_ms=now_ms,
        failure_code=code,
        failure=text,
    )


EXPORTS: Final = Descriptions(ExportJob, export_key)
EXPORT_STATES: Final = Descriptions(ExportState, export_key)
"""The same rows without the lists that grow with an export."""
token_from: Final = msgspec.json.Decoder(ExportToken).decode
"""The stored token in a value. Raises msgspec.DecodeError."""


def token_row(job: ExportJob, digest: str) -> dict[bytes, bytes]:
    """The key and the value of its token, if it has one."""
    if job.token is None:
        return {}
    token = ExportToken(arn=job.arn, digest=digest, started_ms=job.started_ms)
    return {export_token_key(job.namespace, job.token): msgspec.json.encode(token)}


async def change_export(
    engine: Engine, arn: str, change: Callable[[ExportJob], ExportJob], fences: Fences
) -> ExportJob | None:
    """Replace an export by the result of `change`, which is pure and may run again.

    Returns the new description; None if there is no such export, or it has ended.
    """

    def unless_ended(job: ExportJob) -> ExportJob | None:
        return change(job) if job.ended_ms is None else None

    return await EXPORTS.change(engine, arn, unless_ended, fences)


async def forget_export(engine: Engine, job: ExportState, fences: Fences) -> None:
    """Remove an export and its token; its objects stay."""
    keys = [export_key(job.arn)]
    if job.token is not None:
        keys.append(export_token_key(job.namespace, job.token))

    def decide(stored: list[bytes | None]) -> Changes[None]:
        # The token may be that of a later export.
        own = [value for value in stored[1:] if value and token_from(value).arn == job.arn]
        return Changes(answer=None, deletes=keys if own else keys[:1])

    await engine.write(keys, decide, fences=fences)
