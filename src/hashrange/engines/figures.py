"""The figures of engines, for metrics."""

from typing import TYPE_CHECKING

from hashrange.observe.counts import Durations
from hashrange.observe.figures import Figures
from hashrange.storage.sqlite.engine import SqliteEngine

if TYPE_CHECKING:
    from hashrange.storage.postgres.engine import PostgresEngine
    from hashrange.storage.workers.engine import WorkerEngine


def figures_of_sqlite(engine: SqliteEngine) -> Figures:
    """Of an engine on SQLite."""
    stats = engine.stats()
    return {
        "engine_commits_total": stats.groups,
        "engine_writes_total": stats.works,
        "engine_writes_refused_total": stats.refused,
        "engine_commit_duration_seconds": stats.commits,
        "engine_sync_duration_seconds": stats.syncs,
        "engine_write_queue_length": stats.queue_length,
        "engine_recoveries_total": stats.recoveries,
        "engine_wal_pages": stats.wal_pages,
        "engine_data_bytes": stats.data_bytes,
        "engine_disk_full": stats.disk_full,
        "engine_down": stats.down,
    }


def figures_of_worker(engine: "WorkerEngine") -> Figures:
    """Of a worker of such an engine."""
    stats = engine.stats()
    return {
        # Groups, syncs and proposals are counted by the writer.
        "engine_writes_total": stats.decided,
        "engine_writes_refused_total": stats.refused,
        "engine_lost_comparisons_total": stats.conflicts,
    }


def figures_of_postgres(engine: "PostgresEngine") -> Figures:
    """Of an engine on PostgreSQL."""
    stats = engine.stats()
    return {
        "engine_commits_total": sum(stats.durations.buckets),
        "engine_writes_total": stats.decided,
        "engine_writes_refused_total": stats.refused,
        "engine_commit_duration_seconds": stats.durations,
        # The syncs of the database are not known here.
        "engine_sync_duration_seconds": Durations(),
        "engine_write_queue_length": stats.queue_length,
        "engine_recoveries_total": stats.recoveries,
        "engine_statements_total": stats.statements,
        "engine_lost_comparisons_total": stats.conflicts,
        "engine_down": stats.down,
    }
