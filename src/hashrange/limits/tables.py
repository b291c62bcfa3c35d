"""Limits of tables: definitions, capacity, auto scaling, streams and contributor insights."""

from typing import Final

from hashrange.limits.requests import ITEM_BYTES_MAX

# Tables and indexes: names, keys, tags, time to live.
TABLE_NAME_CHARS_MIN: Final = 3
TABLE_NAME_CHARS_MAX: Final = 255
INDEX_NAME_CHARS_MIN: Final = 3
INDEX_NAME_CHARS_MAX: Final = 255
LOCAL_INDEXES_MAX: Final = 5
GLOBAL_INDEXES_MAX: Final = 20
INDEX_KEY_ATTRIBUTES_MAX: Final = 8
GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX: Final = 4
"""Partition attributes of a global index; it may have as many sort attributes."""
VECTOR_INDEXES_MAX: Final = 5
VECTOR_DIMENSIONS_MAX: Final = 4096
INLINE_FILTERS_MAX: Final = 18
"""Attributes of the search schema of a vector index, besides the HASH attribute."""
PROJECTED_ATTRIBUTES_MAX: Final = 100
"""Non-key attributes over all indexes of a table."""
ITEM_COLLECTION_BYTES_MAX: Final = 10 * 1024**3
"""In a table with local indexes: items of a partition key, and their entries in those indexes."""
TABLE_ARN_CHARS_MAX: Final = 1024
TABLES_PAGE_MAX: Final = 100
TAGS_MAX: Final = 50
TAG_KEY_CHARS_MAX: Final = 128
TAG_VALUE_CHARS_MAX: Final = 256
TAG_SET_BYTES_MAX: Final = 10_240
CLASS_CHANGES_MAX: Final = 2
"""Changes of the table class in any 30 days."""
CLASS_CHANGES_DAYS: Final = 30
STRONG_MEMBERS: Final = 3
"""Regions of a strong table, with that of its witness."""
STRONG_REGIONS: Final = (
    *("us-east-1", "us-east-2", "us-west-2", "ca-central-1"),
    *("eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1", "eu-north-1", "eu-south-2"),
    *("ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1"),
)
"""Where they can be. Source: Developer Guide, "Multi-Region strong consistency", September 2026."""
DENIED_REPLICA_MS_MAX: Final = 20 * 60 * 60 * 1000
"""For how long a replica can deny replication before it leaves its global table."""
ENCRYPTION_CHANGES_MAX: Final = 4
"""Changes of the encryption of a table within a day from the first; then one each six hours."""
ENCRYPTION_WINDOW_MS: Final = 24 * 60 * 60 * 1000
ENCRYPTION_CHANGE_MS_MIN: Final = 6 * 60 * 60 * 1000
TIME_TO_LIVE_CHANGE_MS_MIN: Final = 31 * 60 * 1000
"""Time between two changes of a table's time to live.

Source: users' measurements, October 2026; it is less than the hour of the API Reference.
"""
TIME_TO_LIVE_AGE_SECONDS_MAX: Final = 5 * 365 * 24 * 60 * 60
"""Items that expired longer ago are not deleted: their attribute is likely not a time."""

# Capacity: sizes of units, quotas, changes in a day, partitions.
CAPACITY_UNITS_MAX: Final = 1_000_000_000_000
ACCOUNT_CAPACITY_UNITS_MAX: Final = 80_000
TABLE_CAPACITY_UNITS_MAX: Final = 40_000
ON_DEMAND_WARM_READ_UNITS: Final = 12_000
ON_DEMAND_WARM_WRITE_UNITS: Final = 4_000
DECREASES_AT_WILL: Final = 4
"""Decreases of provisioned throughput in a UTC day without a pause between them."""
DECREASE_PAUSE_SECONDS: Final = 3600
"""Pause before each further decrease of that day, which allows 27 in all."""
ON_DEMAND_SWITCHES_MAX: Final = 4
"""Switches from provisioned to on demand in any 24 hours."""
ON_DEMAND_SWITCHES_HOURS: Final = 24
READ_UNIT_BYTES: Final = 4096
WRITE_UNIT_BYTES: Final = 1024

assert ITEM_BYTES_MAX % READ_UNIT_BYTES == 0, "the largest item costs a whole number of read units"

PARTITION_READ_UNITS_MAX: Final = 3000
"""Units a second of one partition; reads and writes are limited separately."""
PARTITION_WRITE_UNITS_MAX: Final = 1000
PARTITION_BYTES_MAX: Final = 10 * 1024**3
BURST_SECONDS: Final = 300
"""A table or index keeps its unused units of this many seconds."""
ON_DEMAND_GROWTH_SECONDS: Final = 30 * 60
"""A new peak of an on-demand table counts as its previous peak after this time."""
PARTITIONS_MAX: Final = 4096
"""Our own: of one table or index; it is not split any further."""
CAPACITY_TABLES_MAX: Final = 10_000
"""Our own: tables whose capacity a process keeps in memory."""
HOT_KEY_WARNINGS_MAX: Final = 1000
"""Our own: partitions of which a process remembers that it has warned."""
STREAM_READS_PER_SECOND_MAX: Final = 5
"""GetRecords on one shard of a stream."""
STREAM_READ_BYTES_PER_SECOND_MAX: Final = 2 * 1024**2
STREAM_SHARD_READERS_MAX: Final = 10_000
"""Our own: shards whose reads a process counts."""

# Auto scaling.
SCALING_TARGET_PERCENT_MIN: Final = 10
"""Source: users' measurements, October 2026; the Developer Guide says 20."""
SCALING_TARGET_PERCENT_MAX: Final = 90
SCALING_TARGET_MIN: Final = 8.51592e-109
"""Of any metric. Source: users' measurements, October 2026."""
SCALING_TARGET_MAX: Final = 1.174271e108
SCALING_TARGETS_MAX: Final = 5000
"""Scalable targets of one account and region."""
SCALING_ACTIONS_MAX: Final = 200
"""Scheduled actions of one target."""
SCALING_ID_CHARS_MAX: Final = 1600
"""Resource ids, schedules, time zones, roles."""
SCALING_PAGE_MAX: Final = 50
SCALING_POLICIES_PAGE_MAX: Final = 10
SCALING_ACTIVITIES_DAYS: Final = 42
"""How long activities are kept."""
SCALING_ACTIVITIES_MAX: Final = 200
"""Our own: activities that are kept of one target."""
SCALING_RUNS_KEPT_MAX: Final = 10_000
"""Next runs of scheduled actions that are kept in memory."""

# Streams and their shards.
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

# Contributor insights.
CONTRIBUTOR_INSIGHTS_PAGE_MAX: Final = 100
CONTRIBUTORS_MAX: Final = 25
"""Keys in one report of contributor insights."""
INSIGHT_RULE_CHARS_MAX: Final = 128
INSIGHT_MINUTES_MAX: Final = 15
"""Our own: finished minutes whose contributors are kept."""
INSIGHT_PLACES_MAX: Final = 64
"""Our own: tables and indexes whose contributors a process counts; the idlest is forgotten."""
INSIGHT_KEY_CHARS_MAX: Final = 400
"""Our own: a longer key of a contributor is shown by its beginning and a hash."""
VERIFY_FINDINGS_MAX: Final = 1000
"""Our own: findings that `hashrange verify` reports, of one kind and in all."""
