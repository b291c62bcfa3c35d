"""What is read off the parts of a server when somebody asks: names and sentences, one table."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from hashrange.observe.counts import Durations

Figure: TypeAlias = float | Durations
"""Durations are a histogram; of numbers, those whose names end in `_total` only grow."""

Figures: TypeAlias = Mapping[str, Figure]

SENTENCES: Final[Mapping[str, str]] = {
    "engine_commits_total": "Groups of writes committed.",
    "engine_writes_total": "Writes decided, those refused by a condition included.",
    "engine_writes_refused_total": "Writes answered ServiceUnavailable, for too many waited.",
    "engine_commit_duration_seconds": "Of a group: its changes applied, written and synced.",
    "engine_sync_duration_seconds": "Of the second half of that: the log written and synced.",
    "engine_write_queue_length": "Writes that wait for a group.",
    "engine_recoveries_total": "Failures of the storage after which it served again.",
    "engine_wal_pages": "Pages of 4 KiB in the write-ahead log.",
    "engine_disk_full": "1 while the disk is full: only what deletes is written.",
    "engine_down": "1 while nothing can be read or written.",
    "engine_statements_total": "Statements sent to the database: round trips.",
    "engine_lost_comparisons_total": "Writes tried again, for others had changed what they read.",
    "engine_data_bytes": "Size of the data file, without the write-ahead log.",
    "worker_restarts_total": "Processes of this server that took the place of one that had ended.",
    "expired_items_total": "Items deleted for their time to live.",
    "background_failures_total": "Ends of background work that were not meant; it began again.",
    "background_leads": "1 while this server does the work that one of all servers does.",
    "trigger_records_total": "Records of streams that triggers have delivered.",
    "trigger_failures_total": "Calls of triggers that failed.",
    "trigger_records_given_up_total": "Records that triggers have given up.",
    "trigger_lag_seconds": "Age of the oldest record that a trigger is delivering; 0 for none.",
    "transaction_items": "Items of transactions that are not durable yet.",
    "tables": "Tables.",
    "indexes_in_work": "Indexes that are being built or removed.",
    "tables_dropping": "Tables deleted whose rows or streams are still there.",
}
"""All figures; their names go without the prefix of the server's name."""
