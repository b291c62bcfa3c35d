"""Imports and bulk operations in the engine: their descriptions."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final, Generic, TypeVar

import msgspec

from hashrange.limits.imports import IMPORT_KEPT_MS, JOBS_KEPT_MAX
from hashrange.model.import_job import BulkJob, ImportJob
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair
from hashrange.tables.import_keys import BULK, IMPORT, job_key, jobs_range, report_range
from hashrange.tables.paging import pairs
from hashrange.tables.system_keys import changes_key

J = TypeVar("J", ImportJob, BulkJob)

_PAGE_ROWS: Final = 100
_PAGE_BYTES: Final = 4 * 1024 * 1024
_encode: Final = msgspec.json.Encoder().encode


class JobRows(Generic[J]):
    """The rows of all jobs of one kind."""

    def __init__(self, kind: int, of: type[J]) -> None:
        self._kind = kind
        self.decode: Callable[[bytes], J] = msgspec.json.Decoder(of).decode

    def key(self, arn: str) -> bytes:
        """The key of a job."""
        return job_key(self._kind, arn)

    def row(self, job: J) -> dict[bytes, bytes]:
        """The key and the value of a job."""
        return {self.key(job.arn): _encode(job)}

    async def find(self, engine: Engine, arn: str) -> J | None:
        """The job with an ARN."""
        (value,) = await engine.read([self.key(arn)])
        return None if value is None else self.decode(value)

    async def all(self, engine: Engine) -> AsyncIterator[J]:
        """All jobs, in the order of their ARNs."""
        async for _, value in pairs(engine, jobs_range(self._kind)):
            yield self.decode(value)

    async def create(self, engine: Engine, job: J, fences: Fences = NO_FENCES) -> None:
        """Store a new job."""
        row = self.row(job)
        adds = {changes_key(): 1}  # other processes look at the jobs then
        await engine.write(
            list(row), lambda _: Changes(answer=None, puts=row, adds=adds), fences=fences
        )

    async def change(
        self, engine: Engine, arn: str, change: Callable[[J], J], fences: Fences = NO_FENCES
    ) -> J | None:
        """Replace a job by the result of `change`, which is pure and may run again.

        Done on a full disk, too, so that a job that fills the disk can end.

        Returns the new description; None if there is no such job.
        """
        key = self.key(arn)
        # On a full disk an engine does only what deletes; no ARN has this byte.
        absent = key + b"\x00"

        def decide(stored: list[bytes | None]) -> Changes[J | None]:
            (value,) = stored
            if value is None:
                return Changes(answer=None)
            changed = change(self.decode(value))
            return Changes(answer=changed, puts={key: _encode(changed)}, deletes=[absent])

        return await engine.write([key], decide, fences=fences)

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


IMPORTS: Final = JobRows(IMPORT, ImportJob)
BULK_JOBS: Final = JobRows(BULK, BulkJob)


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
