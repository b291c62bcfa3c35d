"""Limits of tables and indexes: names, keys, tags, time to live."""

from typing import Final

TABLE_NAME_CHARS_MIN: Final = 3
TABLE_NAME_CHARS_MAX: Final = 255
INDEX_NAME_CHARS_MIN: Final = 3
INDEX_NAME_CHARS_MAX: Final = 255
LOCAL_INDEXES_MAX: Final = 5
GLOBAL_INDEXES_MAX: Final = 20
INDEX_KEY_ATTRIBUTES_MAX: Final = 8
GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX: Final = 4
"""Partition attributes of a global index; it may have as many sort attributes."""
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
