"""Limits of streams and their shards."""

from typing import Final

STREAM_ARN_CHARS_MAX: Final = 1024
STREAMS_PAGE_MAX: Final = 100
SHARDS_PAGE_MAX: Final = 100
STREAM_RECORDS_MAX: Final = 1000
"""Records that one GetRecords returns."""
STREAM_PAGE_BYTES_MAX: Final = 1024 * 1024
SEQUENCE_NUMBER_CHARS_MIN: Final = 21
SEQUENCE_NUMBER_CHARS_MAX: Final = 40
ITERATOR_MS_MAX: Final = 15 * 60 * 1000
STREAM_SHARDS_MAX: Final = 100
"""Our own: shards of a new stream."""
STREAMS_MAX: Final = 500
"""Our own: streams of a table, one enabled and others whose records are retained. Each adds some
180 bytes, and 136 more for each further shard, to the catalog entry, which is decoded after each
change of the table: 1.4 ms at this limit with one shard each."""
EMPTY_STREAMS_MAX: Final = 50
"""Our own: the latest disabled streams of a table, which stay for the retention although they have
no records; of earlier ones, shards without records go sooner."""
STREAM_RETENTION_SECONDS: Final = 24 * 60 * 60
STREAM_SHARD_SECONDS: Final = 4 * 60 * 60
