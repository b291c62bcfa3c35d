"""All jobs of a server as data: exports, imports, bulk operations, backups, restores, index builds.

What is going on and how it ended stands in the descriptions and in the catalog; how far a job has
come is known to the process that does it (`observe.jobs`).
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from heapq import nlargest
from typing import Final

import msgspec

from hashrange.model.import_job import BulkJob, ImportJob
from hashrange.model.table import Table
from hashrange.observe.snapshot import JobState
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.catalog import pages_of_tables
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.jobs.transfers import BULK_JOBS, EXPORT_STATES, IMPORTS

ARCHIVE: Final = "archive"
EXPORT: Final = "export"
IMPORT: Final = "import"
BULK: Final = "bulk"
BACKUP: Final = "backup"
RESTORE: Final = "restore"
REPLICA: Final = "replica"
INDEX: Final = "index"
_CREATING: Final = "CREATING"
_DELETING: Final = "DELETING"
_COMPLETED: Final = frozenset({"COMPLETED", "COMPLETED_WITH_ERRORS"})
_COLONS: Final = 5
"""Before the resource in an ARN."""


class JobView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A job.

    Attributes:
        kind: `export`, `import`, `bulk`, `backup`, `restore`, `replica` (the copy of the items for
            a new replica) or `index`.
        name: the id in its ARN, the name of a backup or of an index; empty for a restore, a replica
            and the index of time to live.
        arn: of the job; None for a restore, a replica and an index.
        table: the name of the table.
        account: of the table.
        region: of the table.
        state: as the API has it: IN_PROGRESS, CANCELLING, COMPLETED, COMPLETED_WITH_ERRORS,
            CANCELLED and FAILED; of backups, restores, replicas and indexes CREATING, and DELETING
            of an index that is being removed.
        progress: from 0 to 1; None if it is not known: nothing was done yet, another server on the
            same database does it, or it has failed.
        begun_ms: when it was requested; None for the removal of an index.
        ended_ms: None while it goes on.
        seconds_left: an estimate; None if there is none.
        may_cancel: whether CancelBulkOperation with its ARN would cancel it.
        failure: why it has failed, or what it has refused.
    """

    kind: str
    name: str
    arn: str | None = None
    table: str
    account: str
    region: str
    state: str
    progress: float | None = None
    begun_ms: int | None
    ended_ms: int | None = None
    seconds_left: float | None = None
    may_cancel: bool = False
    failure: str | None = None

    @property
    def live_name(self) -> str:
        """Its name as a `JobState`: empty if a table has one such job at a time."""
        return "" if self.kind in {IMPORT, INDEX} else self.name


async def jobs(
    engine: Engine, live: Sequence[JobState] = (), *, prefix: str = "", ended_max: int = 100
) -> Sequence[JobView]:
    """All jobs that go on, and those that ended last, each newest first.

    Reads the whole catalog and all descriptions; requests are served in between.

    Args:
        engine: holds them.
        live: how far those have come that the processes of this server do.
        prefix: of the names of the tables, as the whole catalog has them.
        ended_max: how many of those that have ended.
    """
    going_on, ended = list[JobView](), list[JobView]()
    by_key = {(each.kind, each.table, each.name): each for each in live}
    async for stored, view in _all(engine):
        if not stored.startswith(prefix):
            continue
        if view.ended_ms is not None:
            ended.append(view)
            continue
        # Of the indexes of a table, the first is worked on.
        state = by_key.pop((view.kind, stored, view.live_name), None)
        share, left = (None, None) if state is None else (state.share, state.seconds_left)
        going_on.append(msgspec.structs.replace(view, progress=share, seconds_left=left))
    going_on.sort(key=_newest, reverse=True)
    return [*going_on, *nlargest(ended_max, ended, key=_newest)]


def _newest(view: JobView) -> tuple[int, str, str]:
    return view.ended_ms or view.begun_ms or 0, view.table, view.name


async def _all(engine: Engine) -> AsyncIterator[tuple[str, JobView]]:
    """All jobs, each with the stored name of its table."""
    async for tables in pages_of_tables(engine):
        for stored, opened in tables.items():
            for view in _of_table(opened.table):
                yield stored, view
    async for backup in BACKUPS.all(engine):
        if backup.source is not None:
            view = _view(BACKUP, backup.arn, _CREATING, backup.created_ms, name=backup.name)
            yield backup.source, view
    async for export in EXPORT_STATES.all(engine):
        view = _view(EXPORT, export.arn, export.status, export.started_ms, name=export.id)
        text = None if export.failure is None else export.failure[1]
        yield export.table, _ended(view, export.ended_ms, text)
    async for each in IMPORTS.all(engine):
        yield each.table, _of_records(IMPORT, each)
    async for bulk in BULK_JOBS.all(engine):
        yield bulk.table, _of_records(BULK, bulk)


def _of_table(table: Table) -> Iterator[JobView]:
    """The restore of a table, and its indexes that are being built or removed."""
    restore = table.restore
    if restore is not None and not restore.is_sent:
        kind = REPLICA if restore.regions else RESTORE
        yield _view(kind, table.arn, _CREATING, table.created_ms)
    for index in table.kept_indexes:
        if index.state != "ACTIVE":
            name = "" if index.is_expiry else index.name
            if index.state == "BUILDING":
                yield _view(INDEX, table.arn, _CREATING, index.created_ms or None, name=name)
            else:
                yield _view(INDEX, table.arn, _DELETING, None, name=name)


def _of_records(kind: str, job: ImportJob | BulkJob) -> JobView:
    view = _view(kind, job.arn, job.status, job.started_ms, name=job.arn.rpartition("/")[2])
    return _ended(view, job.ended_ms, job.failure)


def _view(kind: str, arn: str, state: str, begun_ms: int | None, *, name: str = "") -> JobView:
    """A job that goes on; `arn` is its own, or that of its table."""
    *_, region, account, resource = arn.split(":", _COLONS)
    _, table, *job = resource.split("/")
    return JobView(
        kind=kind,
        name=name,
        arn=arn if job else None,
        table=table,
        account=account,
        region=region,
        state=state,
        begun_ms=begun_ms,
        may_cancel=kind == BULK and state == "IN_PROGRESS",
    )


def _ended(view: JobView, ended_ms: int | None, failure: str | None) -> JobView:
    progress = 1.0 if view.state in _COMPLETED else None
    return msgspec.structs.replace(view, progress=progress, ended_ms=ended_ms, failure=failure)
