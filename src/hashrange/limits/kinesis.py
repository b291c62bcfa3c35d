"""Limits of Kinesis Data Streams.

Source, without another one: Developer Guide, "Quotas and limits", and the API's model, 2026.
"""

from typing import Final

SHARDS_MAX: Final = 500
"""Open shards of provisioned streams in an account and region: the default of most regions."""
ON_DEMAND_STREAMS_MAX: Final = 50
ON_DEMAND_SHARDS: Final = 4
"""Shards of a new on-demand stream."""
KEPT_SHARDS_MAX: Final = 4_000
"""Our own: shards of a stream with those that are closed, and whose records are still kept."""
RETENTION_HOURS_MIN: Final = 24
RETENTION_HOURS_MAX: Final = 8760
CONSUMERS_MAX: Final = 20
"""Registered consumers of a stream."""
KINESIS_TAGS_MAX: Final = 50
RESIZES_A_DAY_MAX: Final = 10
SWITCHES_A_DAY_MAX: Final = 2
DAY_MS: Final = 24 * 60 * 60 * 1000
STREAMS_PAGE: Final = 100
"""Streams of a page of ListStreams, and shards of one of DescribeStream, if no limit is given."""
SHARDS_PAGE: Final = 1000
"""Shards of a page of ListShards, if no limit is given."""
CONSUMERS_PAGE: Final = 100
PAGE_TOKEN_MS_MAX: Final = 300_000
"""For how long NextToken can be used."""
RECORD_KIB_MAX: Final = 1024
RECORD_BYTES_MAX: Final = RECORD_KIB_MAX * 1024
"""Data and partition key of a record."""
PUT_RECORDS_BYTES_MAX: Final = 10 * 1024 * 1024
"""Data and partition keys of PutRecords."""
GET_RECORDS_MAX: Final = 10_000
GET_RECORDS_BYTES_MAX: Final = 10 * 1024 * 1024
KINESIS_ITERATOR_MS_MAX: Final = 300_000
PUTS_PER_SECOND_MAX: Final = 1000
"""Records that are written to a shard."""
PUT_BYTES_PER_SECOND_MAX: Final = 1024 * 1024
READS_PER_SECOND_MAX: Final = 5
READ_BYTES_PER_SECOND_MAX: Final = 2 * 1024 * 1024
DESTINATION_LOG_MS: Final = DAY_MS
"""For how long changes of a table wait for its destination. Source: Developer Guide, "Metrics"."""
DESTINATION_UPDATES_A_DAY_MAX: Final = 3
"""Changes of the precision. Source: API reference."""
DESTINATIONS_MAX: Final = 20
"""Our own: streams that the destinations of a table list; those that ended first are dropped."""
RATED_SHARDS_MAX: Final = 10_000
"""Our own: shards whose rates a process counts."""
REMOTE_PAGE_RECORDS: Final = 500
"""Changes in one request to another server: the limit of PutRecords."""
REMOTE_CALL_SECONDS_MAX: Final = 10.0
"""Our own: of each system call of a request to another server."""
REMOTE_RETRY_SECONDS_FIRST: Final = 0.2
"""Our own: the bound of the first pause after a failure; it doubles with each."""
REMOTE_RETRY_SECONDS_MAX: Final = 30.0
REMOTE_FAILURES_UNSHOWN: Final = 2
"""Our own: failures in a row that are not yet shown in the description of a destination."""
REMOTE_ENABLE_MS_MAX: Final = 60_000
"""Our own: a server that has not answered for so long cannot be enabled."""
REMOTE_DISABLE_MS_MAX: Final = 300_000
"""Our own: for how long a disabled destination waits for a server that fails."""
