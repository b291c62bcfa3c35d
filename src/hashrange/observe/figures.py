"""Figures that the parts of a server report at each scrape: names and help texts, in one table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from hashrange.model.operations import OPERATION_FACTS
from hashrange.observe.counts import Durations

Figure: TypeAlias = float | Durations
"""Durations become a histogram; numbers whose names end in `_total` a counter, others a gauge."""

Figures: TypeAlias = Mapping[str, Figure]
"""Figures by name: keys of `SENTENCES`, of those in `LABELS` with values: see `labelled`."""

LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    "table_expired_items_total": ("table",),
    "destination_throttled_records_total": ("table",),
    "destination_failed_records_total": ("table",),
    "destination_errors_total": ("table",),
    "destination_units_total": ("table",),
    "destination_lag_seconds": ("table",),
    "replication_latency_seconds": ("table", "receiving_region"),
    "peer_changes_total": ("receiving_region",),
    "peer_lag_seconds": ("receiving_region",),
    "peer_away_seconds": ("receiving_region",),
    "dax_cluster_cache_hits_total": ("account", "region", "cluster", "cache"),
    "dax_cluster_cache_misses_total": ("account", "region", "cluster", "cache"),
    "dax_cluster_cache_bytes": ("account", "region", "cluster"),
    "dax_cluster_cache_memory_percent": ("account", "region", "cluster"),
    "dax_cluster_evicted_bytes_total": ("account", "region", "cluster"),
    "dax_cluster_connections": ("account", "region", "cluster"),
    "dax_cluster_calls_total": ("account", "region", "cluster", "operation"),
    "dax_cluster_failed_calls_total": ("account", "region", "cluster", "kind"),
    "alarms": ("state",),
    "online_index_percent": ("table", "index"),
    "online_index_write_units_total": ("table", "index"),
    "archived_items_total": ("table",),
    "archive_lag_seconds": ("table",),
    "trigger_records_total": ("trigger", "table"),
    "trigger_failures_total": ("trigger", "table"),
    "trigger_records_given_up_total": ("trigger", "table"),
    "trigger_lag_seconds": ("trigger", "table"),
    "refused_signatures_total": ("code",),
    "refused_requests_total": ("reason",),
    "service_requests_total": ("service", "code"),
    "certificate_days_left": ("setting",),
    "disk_free_bytes": ("setting",),
    "disk_size_bytes": ("setting",),
}
"""Names of the labels of figures that have some."""
_SEPARATOR: Final = "@"
"""Neither in names of tables nor in those of regions."""


def labelled(name: str, *values: str) -> str:
    """The name of a figure for values of its labels; reports and sums know nothing of labels."""
    return _SEPARATOR.join([name, *values])


def name_and_labels(name: str) -> tuple[str, tuple[str, ...]]:
    """The name of a figure without the values of its labels, and these."""
    plain, *values = name.split(_SEPARATOR)
    return plain, tuple(values)


def joined(*sources: Callable[[], Figures]) -> Callable[[], Figures]:
    """The figures of several sources together."""
    return lambda: {name: figure for read in sources for name, figure in read().items()}


class TableFigures(Protocol):
    """The size of a table."""

    @property
    def items(self) -> int:
        """How many items the table has."""

    @property
    def size(self) -> int:
        """Bytes of its items, as DynamoDB counts them."""


def dax_calls(operation: str) -> str:
    """The name of the figure of an operation's calls through DAX: `dax_get_item_calls_total`."""
    words = "".join(f"_{each.lower()}" if each.isupper() else each for each in operation)
    return f"dax{words}_calls_total"


SENTENCES: Final[Mapping[str, str]] = {
    "engine_commits_total": "Groups of writes committed.",
    "engine_writes_total": "Writes decided, those refused by a condition included.",
    "engine_writes_refused_total": "Writes answered ServiceUnavailable because the queue was full.",
    "engine_commit_duration_seconds": "Time to commit a group: apply, write and sync its changes.",
    "engine_sync_duration_seconds": "Part of it in which the log is written and synced.",
    "engine_write_queue_length": "Writes waiting for a group.",
    "engine_recoveries_total": "Times that the storage failed and was opened again.",
    "engine_wal_pages": "Pages of 4 KiB in the write-ahead log.",
    "engine_wal_bytes": "Size of the file of the write-ahead log.",
    "engine_disk_full": "1 while the disk is full: only deletes are accepted.",
    "engine_down": "1 while nothing can be read or written.",
    "damage_found_total": "Places at which stored data were found damaged, since the start.",
    "damaged_places": "Places at which stored data are known to be damaged.",
    "scrub_rows_total": "Rows that --scrub-days has read.",
    "scrub_progress_ratio": "Part of all rows that was read since the last pass of --scrub-days.",
    "scrub_last_pass_time_seconds": "When the last pass of --scrub-days ended.",
    "engine_down_seconds_total": "For how long the database has not answered, in all outages.",
    "engine_failovers_total": "How often connections went to another host of the database.",
    "engine_host": "The host of the database that is used: its number in the URL, from 1.",
    "engine_statements_total": "Statements sent to the database: round trips.",
    "engine_lost_comparisons_total": "Writes retried because what they had read was changed.",
    "engine_data_bytes": "Size of the data file, without the write-ahead log.",
    "worker_restarts_total": "Processes of this server that were started again.",
    "expired_items_total": "Items deleted for their time to live.",
    "table_expired_items_total": "The same by table: TimeToLiveDeletedItemCount.",
    "destination_throttled_records_total": "Changes that a stream did not take at once.",
    "destination_failed_records_total": "Changes that were never put into their stream.",
    "destination_errors_total": "Requests that the server of a stream refused, or did not answer.",
    "destination_units_total": "Change data capture units of those that were put.",
    "destination_lag_seconds": "Age of the oldest change that waits for its stream.",
    "online_index_percent": "How much of an index is built: OnlineIndexPercentageProgress.",
    "online_index_write_units_total": "Units of its entries: OnlineIndexConsumedWriteCapacity.",
    "replicated_changes_total": "Changes sent to replicas of global tables.",
    "replication_conflicts_total": "Changes of other regions that had lost when they arrived.",
    "replication_latency_seconds": "Age of the oldest change that a region got last.",
    "peer_changes_total": "Changes sent to replicas on servers of other regions.",
    "peer_lag_seconds": "Age of the oldest change that was just sent to them, or waits.",
    "peer_away_seconds": "For how long their servers have not been reached; 0 if they are.",
    "peer_calls_total": "Calls to servers of other regions.",
    "peer_call_failures_total": "Those that were not answered, or refused.",
    "peer_sent_bytes_total": "Bytes sent in these calls, compressed.",
    "peer_received_bytes_total": "Bytes received in their answers.",
    "strong_members": "Members of strong tables that run in this server.",
    "strong_leads": "Those of them that lead their groups.",
    "strong_entries_total": "Entries of logs of strong tables that were applied here.",
    "strong_conflicts_total": "Writes refused since another region wrote the item meanwhile.",
    "strong_messages_total": "Messages to members of strong tables on other servers.",
    "background_failures_total": "Failures of background work, which was started again.",
    "background_leads": "1 while this server holds the lease for background work.",
    "archived_items_total": "Expired items that were stored in archives.",
    "archive_lag_seconds": "Age of the oldest closed shard that waits for its archive; 0 if none.",
    "trigger_records_total": "Records of streams that triggers have delivered.",
    "trigger_failures_total": "Calls of triggers that failed.",
    "trigger_records_given_up_total": "Records that triggers have given up.",
    "trigger_lag_seconds": "Age of the oldest record that a trigger is delivering; 0 if none.",
    "backups_total": "Backups of all data that were made.",
    "backup_failures_total": "Backups of all data that failed.",
    "backup_interval_seconds": "Time between two scheduled backups.",
    "backup_last_success_time_seconds": "Time of the newest backup, since the epoch.",
    "backup_age_seconds": "Age of the newest backup.",
    "backup_last_bytes": "Size of the data in the last backup.",
    "backup_last_stored_bytes": "Bytes that the last backup added to its place.",
    "jobs_running": "Backups, restores, exports, imports and other jobs that are being done.",
    "jobs_ended_total": "Jobs that have ended.",
    "job_failures_total": "Those of them that could not be done.",
    "refused_signatures_total": "Requests refused for their signature, by code.",
    "waiting_requests": "Requests that were read and wait until they begin.",
    "refused_requests_total": "Requests answered ServiceUnavailable as they had waited too long.",
    "service_requests_total": "Requests to the other APIs; the code is OK or that of the error.",
    "certificate_days_left": "Days until the first certificate in the file of a setting ends.",
    "disk_free_bytes": "Free space of the file system of a directory, by its setting.",
    "disk_size_bytes": "Size of this file system.",
    "access_log_lines_dropped_total": "Lines that the access log has lost.",
    "alarms": "Alarms in each state.",
    "alarm_state_changes_total": "Changes of the states of alarms by their evaluation.",
    "alarm_actions_total": "Actions of alarms that were done.",
    "alarm_action_failures_total": "Actions of alarms that have failed for good.",
    "audit_records_total": "Records written to the audit log.",
    "audit_records_dropped_total": "Records that the audit log could not take or write.",
    "audit_write_failures_total": "Writes to the audit log that failed.",
    "audit_backlog_records": "Records that wait for the disk of the audit log.",
    "dax_item_cache_hits_total": "Items that DAX had: ItemCacheHits.",
    "dax_item_cache_misses_total": "Items that DAX read from their tables: ItemCacheMisses.",
    "dax_query_cache_hits_total": "Queries that DAX had: QueryCacheHits.",
    "dax_query_cache_misses_total": "Queries that DAX sent to their tables: QueryCacheMisses.",
    "dax_scan_cache_hits_total": "Scans that DAX had: ScanCacheHits.",
    "dax_scan_cache_misses_total": "Scans that DAX sent to their tables: ScanCacheMisses.",
    "dax_cache_bytes": "Bytes of what DAX has cached: EstimatedDbSize.",
    "dax_evicted_entries_total": "Entries that DAX has evicted to make room.",
    "dax_evicted_bytes_total": "Bytes of entries that DAX has evicted: EvictedSize.",
    "dax_cache_memory_percent": "How full the caches of DAX are: CacheMemoryUtilization.",
    **{
        dax_calls(facts.name): f"{facts.name} through DAX: {facts.dax_metric}."
        for facts in OPERATION_FACTS.values()
        if facts.dax_metric is not None
    },
    "dax_calls_total": "Calls of clients of DAX: TotalRequestCount.",
    "dax_call_seconds": "Durations of calls of clients of DAX.",
    "dax_failed_calls_total": "Calls of clients of DAX with an error: FailedRequestCount.",
    "dax_error_calls_total": "Of these, errors of clients: ErrorRequestCount.",
    "dax_throttled_calls_total": "Of these, for lack of capacity: ThrottledRequestCount.",
    "dax_fault_calls_total": "Of these, errors of the server: FaultRequestCount.",
    "dax_connections": "Connections of clients of DAX: ClientConnections.",
    "dax_upstream_requests_total": "Requests that `hashrange dax` has sent to its upstream.",
    "dax_upstream_retries_total": "Those of them that were sent again.",
    "dax_upstream_unanswered_total": "Requests to the upstream without an answer.",
    "dax_upstream_waiting": "Requests that wait for a connection to the upstream.",
    "dax_upstream_connections": "Connections to the upstream that are in use.",
    "dax_cluster_cache_hits_total": "Reads that the caches of a DAX cluster had.",
    "dax_cluster_cache_misses_total": "Reads that they sent to the tables.",
    "dax_cluster_cache_bytes": "Bytes of what a DAX cluster has cached.",
    "dax_cluster_cache_memory_percent": "How full the caches of a DAX cluster are.",
    "dax_cluster_evicted_bytes_total": "Bytes of entries that it has evicted to make room.",
    "dax_cluster_connections": "Connections of clients of a DAX cluster.",
    "dax_cluster_calls_total": "Calls of clients of a DAX cluster.",
    "dax_cluster_failed_calls_total": "Of these, those with an error.",
    "dax_nodes": "Nodes of DAX clusters that listen in this server.",
    "transaction_items": "Items of transactions that are not yet durable.",
    "tables": "Tables.",
    "indexes_in_work": "Indexes that are being built or removed.",
    "tables_dropping": "Tables deleted whose rows or streams are still there.",
}
"""Help text of each figure; `exposition` puts `hashrange_` before the name."""


@dataclass(slots=True, kw_only=True)
class Traffic:
    """Counts since the start of the process."""

    connections_opened: int = 0
    connections_closed: int = 0
    connections_refused: int = 0
    """Over the maximum, or while the server drains; also counted as opened and closed."""
    requests_refused: int = 0
    """Malformed, too large, too slow, or too long for the memory left: refused before the operation
    was known."""
    answers_abandoned: int = 0
    """Their connections were aborted, as clients left too many answers unread together."""
    bytes_received: int = 0
    bytes_sent: int = 0

    @property
    def connections(self) -> int:
        """How many are open."""
        return self.connections_opened - self.connections_closed
