"""Limits of streams and their shards."""

from typing import Final

STREAM_ARN_CHARS_MIN: Final = 37
STREAM_ARN_CHARS_MAX: Final = 1024
STREAMS_PAGE_MAX: Final = 100
SHARDS_PAGE_MAX: Final = 100
STREAM_RECORDS_MAX: Final = 1000
"""Records that one GetRecords returns."""
STREAM_PAGE_BYTES_MAX: Final = 1024 * 1024
SHARD_ID_CHARS_MIN: Final = 28
SHARD_ID_CHARS_MAX: Final = 65
SEQUENCE_NUMBER_CHARS_MIN: Final = 21
SEQUENCE_NUMBER_CHARS_MAX: Final = 40
ITERATOR_CHARS_MAX: Final = 2048
ITERATOR_MS_MAX: Final = 15 * 60 * 1000
STREAM_SHARDS_MAX: Final = 100
"""Our own: shards of a new stream."""
STREAM_RETENTION_SECONDS: Final = 24 * 60 * 60
STREAM_SHARD_SECONDS: Final = 4 * 60 * 60
