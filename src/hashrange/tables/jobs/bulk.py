"""The bulk path: rows of a table that is being imported, which no request can reach.

Items and index entries come in the order of their keys, many at a time, and nothing is read before
they are written. The description of the import is in each write, with the last key: so no row is
counted twice, whichever write a crash interrupts.
"""

from collections.abc import Mapping

import msgspec

from hashrange.model.import_job import ImportJob
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.jobs.import_jobs import IMPORTS


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
