"""The composition root of the tasks that do jobs; the modules of most are imported when needed."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hashrange.assembly.parts import Parts
from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.index_jobs import index_jobs
from hashrange.background.job_runner import JobContext, JobRunner, LateJobRunner
from hashrange.settings.kinds import SQLITE
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.catalog import pages_of_tables
from hashrange.tables.jobs.transfers import BULK_JOBS, EXPORT_STATES, IMPORTS
from hashrange.tables.opened.open_table import OpenTable

if TYPE_CHECKING:
    from hashrange.background.import_jobs import ImportDirectories


def job_runners(parts: Parts, context: JobContext) -> Sequence[JobRunner]:
    """The tasks that do what requests have begun, job by job; the first one builds indexes."""
    buckets, engine = parts.buckets, context.engine

    def exports() -> JobRunner:
        from hashrange.background.export_jobs import export_jobs  # noqa: PLC0415 - see below

        return export_jobs(context, buckets)

    def imports() -> JobRunner:
        from hashrange.background.import_jobs import import_jobs  # noqa: PLC0415

        return import_jobs(context, buckets, _directories(parts))

    def bulk_operations() -> JobRunner:
        from hashrange.background.bulk_jobs import bulk_jobs  # noqa: PLC0415

        return bulk_jobs(context, buckets, parts.capacities)

    # Most servers have none of these jobs.
    late = (
        (partial(EXPORT_STATES.all, engine), exports),
        (partial(IMPORTS.all, engine), imports),
        (partial(BULK_JOBS.all, engine), bulk_operations),
    )
    return (
        index_jobs(engine, context.catalog, context.pacer),
        backup_jobs(context),
        *(LateJobRunner(stored, make, context.pacer) for stored, make in late),
        _archiver(parts, context),
    )


def _archiver(parts: Parts, context: JobContext) -> JobRunner:
    """The task of archives; without the setting it only says that tables had one."""
    settings = parts.settings

    def make() -> JobRunner:
        from hashrange.background.archiver import Archiver  # noqa: PLC0415 - few servers need it
        from hashrange.settings.archives import archive_rules  # noqa: PLC0415

        rules = () if settings.archive is None else archive_rules(settings.archive)
        return Archiver(context, parts.buckets, rules, shards=settings.stream_shards)

    if settings.archive is not None:
        return make()
    return LateJobRunner(partial(_archived, context.engine), make, context.pacer)


async def _archived(engine: Engine) -> AsyncIterator[OpenTable]:
    """The tables whose logs are kept for an archive."""
    async for tables in pages_of_tables(engine):
        for opened in tables.values():
            if any(reader.kind == "ARCHIVE" for reader in opened.table.log.readers):
                yield opened


def _directories(parts: Parts) -> "ImportDirectories":
    """The files of imports; those for sorting are beside the data, as large as they are."""
    from hashrange.background.import_jobs import ImportDirectories  # noqa: PLC0415 - see above
    from hashrange.backups.imports.spools import KEY_BYTES  # noqa: PLC0415

    settings, random_bytes = parts.settings, parts.store.clock.random_bytes
    has_directory = settings.engine == SQLITE and not settings.memory
    return ImportDirectories(
        spool=settings.data if has_directory else None,
        errors=settings.import_log,
        new_key=None if parts.storage.master_key_id is None else partial(random_bytes, KEY_BYTES),
    )
