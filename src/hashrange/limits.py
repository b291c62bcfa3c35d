"""Every limit, with its unit in the name. Read in November 2026.

Sources: the service quotas page of the Developer Guide and the API's model, unless said otherwise;
limits of our own (no DynamoDB counterpart) say so.
"""

from typing import Final

# Items and values
ITEM_BYTES_MAX: Final = 400 * 1024
"""Names and values together, as `model.sizes` counts them; inclusive."""
NESTING_LEVELS_MAX: Final = 32
"""A top-level value is level 1."""
ATTRIBUTE_NAME_BYTES_MAX: Final = 65_535
KEY_ATTRIBUTE_NAME_CHARS_MAX: Final = 255
PARTITION_KEY_BYTES_MAX: Final = 2048
SORT_KEY_BYTES_MAX: Final = 1024
NUMBER_DIGITS_MAX: Final = 38
NUMBER_EXPONENT_MAX: Final = 125
"""Of the leading digit: magnitudes stay under 1E+126."""
NUMBER_EXPONENT_MIN: Final = -130

# Tables
TABLE_NAME_CHARS_MIN: Final = 3
TABLE_NAME_CHARS_MAX: Final = 255
INDEX_NAME_CHARS_MIN: Final = 3
INDEX_NAME_CHARS_MAX: Final = 255
LOCAL_INDEXES_MAX: Final = 5
GLOBAL_INDEXES_MAX: Final = 20
INDEX_KEY_ATTRIBUTES_MAX: Final = 8
GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX: Final = 4
"""Of a global index; as many sort attributes again."""
NON_KEY_ATTRIBUTES_MAX: Final = 20
"""In the list of one index."""
PROJECTED_ATTRIBUTES_MAX: Final = 100
"""Non-key attributes over all indexes of a table."""
ITEM_COLLECTION_BYTES_MAX: Final = 10 * 1024**3
"""Of a table with local indexes: items of one partition key, and their entries in those indexes."""
TABLE_ARN_CHARS_MAX: Final = 1024
TABLES_PAGE_MAX: Final = 100
BACKUPS_PAGE_MAX: Final = 100
CONTRIBUTOR_INSIGHTS_PAGE_MAX: Final = 100
JOBS_PAGE_MAX: Final = 25
"""Of exports, imports and bulk operations."""
JOB_ARN_CHARS_MIN: Final = 37
"""Of backups, exports, imports and bulk operations."""
JOB_ARN_CHARS_MAX: Final = 1024
IMPORT_TOKEN_CHARS_MIN: Final = 112
IMPORT_TOKEN_CHARS_MAX: Final = 1024
KEY_ATTRIBUTES_MAX: Final = 2
"""Of a table: a partition key, and a sort key."""
RESOURCE_ARN_CHARS_MAX: Final = 1283
TAGS_MAX: Final = 50
TAG_KEY_CHARS_MAX: Final = 128
TAG_VALUE_CHARS_MAX: Final = 256
TAG_SET_BYTES_MAX: Final = 10_240
CAPACITY_UNITS_MAX: Final = 1_000_000_000_000
ACCOUNT_CAPACITY_UNITS_MAX: Final = 80_000
TABLE_CAPACITY_UNITS_MAX: Final = 40_000
ON_DEMAND_WARM_READ_UNITS: Final = 12_000
ON_DEMAND_WARM_WRITE_UNITS: Final = 4_000
DECREASES_AT_WILL: Final = 4
"""Decreases of provisioned throughput in a UTC day that need not wait for each other."""
DECREASE_PAUSE_SECONDS: Final = 3600
"""Between the others of that day; so there are 27 at most."""
ON_DEMAND_SWITCHES_MAX: Final = 4
"""Switches from provisioned to on demand in any 24 hours."""
ON_DEMAND_SWITCHES_HOURS: Final = 24
CLASS_CHANGES_MAX: Final = 2
"""Changes of the table class in any 30 days."""
CLASS_CHANGES_DAYS: Final = 30
ENDPOINT_CACHE_MINUTES: Final = 1440

# Streams
STREAM_ARN_CHARS_MIN: Final = 37
STREAM_ARN_CHARS_MAX: Final = 1024
STREAMS_PAGE_MAX: Final = 100
SHARDS_PAGE_MAX: Final = 100
STREAM_RECORDS_MAX: Final = 1000
"""Of one GetRecords."""
STREAM_PAGE_BYTES_MAX: Final = 1024 * 1024
SHARD_ID_CHARS_MIN: Final = 28
SHARD_ID_CHARS_MAX: Final = 65
SEQUENCE_NUMBER_CHARS_MIN: Final = 21
SEQUENCE_NUMBER_CHARS_MAX: Final = 40
ITERATOR_CHARS_MAX: Final = 2048
ITERATOR_MS_MAX: Final = 15 * 60 * 1000
STREAM_SHARDS_MAX: Final = 100
"""Our own: shards that a stream may begin with."""
STREAM_RETENTION_SECONDS: Final = 24 * 60 * 60
STREAM_SHARD_SECONDS: Final = 4 * 60 * 60

# Batches and pages
BATCH_GET_KEYS_MAX: Final = 100
BATCH_WRITE_ITEMS_MAX: Final = 25
BATCH_GET_BYTES_MAX: Final = 16 * 1024 * 1024
TRANSACTION_ACTIONS_MAX: Final = 100
TRANSACTION_BYTES_MAX: Final = 4 * 1024 * 1024
"""Of all items that a transaction reads; of the items, keys and values of one that writes."""
CLIENT_TOKEN_CHARS_MAX: Final = 36
CLIENT_TOKEN_SECONDS: Final = 600
"""How long a token is known after its transaction is complete."""
PAGE_BYTES_MAX: Final = 1024 * 1024
"""Query and Scan: bytes of items evaluated before a page ends."""
LIMIT_MIN: Final = 1
"""Items that a page of Query or Scan may be limited to."""
SEGMENTS_MAX: Final = 1_000_000

# Capacity
READ_UNIT_BYTES: Final = 4096
WRITE_UNIT_BYTES: Final = 1024
assert ITEM_BYTES_MAX % READ_UNIT_BYTES == 0, "the largest item costs a whole number of read units"

# Expressions
EXPRESSION_BYTES_MAX: Final = 4096
EXPRESSION_OPERATORS_MAX: Final = 300
FILTER_CONDITIONS_MAX: Final = 300
"""Our own: of a QueryFilter or ScanFilter, which is asked of each item of a page."""
IN_OPERANDS_MAX: Final = 100
SCAN_FILTER_ARGUMENTS_MAX: Final = FILTER_CONDITIONS_MAX * IN_OPERANDS_MAX
"""Our own: arguments of a ScanFilter, in which IN has no bound of its own on the service."""
PATH_ELEMENTS_MAX: Final = 32
PLACEHOLDERS_BYTES_MAX: Final = 2 * 1024 * 1024
"""ExpressionAttributeNames and ExpressionAttributeValues together."""
PLACEHOLDER_BYTES_MAX: Final = 255
"""Keys of ExpressionAttributeNames and ExpressionAttributeValues, with their # or :."""
LIST_INDEX_MAX: Final = 2**31 - 1
EXPRESSION_PLANS_MAX: Final = 4096
"""Our own: compiled plans kept in memory."""
EXPRESSION_PLAN_CHARS_MAX: Final = 16 * 1024
"""Our own: of the texts of one plan that is kept; longer ones are compiled each time."""
EXPRESSION_PLANS_CHARS_MAX: Final = 512 * 1024
"""Our own: of all plans kept in memory, which takes about a hundred times as much."""
LEGACY_PLANS_MAX: Final = 512
"""Our own: compiled plans of conditions, and of updates, from before expressions."""
KEY_CONDITIONS_MAX: Final = 2
"""Entries of KeyConditions where a key has no more attributes than those of tables."""
ATTRIBUTES_TO_GET_MAX: Final = 255

# Time to live
TIME_TO_LIVE_NAME_CHARS_MAX: Final = 255
TIME_TO_LIVE_CHANGE_MS_MIN: Final = 60 * 60 * 1000
"""Between two changes of a table's time to live."""
TIME_TO_LIVE_AGE_SECONDS_MAX: Final = 5 * 365 * 24 * 60 * 60
"""Items that expired longer ago are left alone: their attribute is likely no time."""

# Wire (request line and header sizes as measured by users of the service)
REQUEST_LINE_BYTES_MAX: Final = 16 * 1024
REQUEST_HEADERS_BYTES_MAX: Final = 16 * 1024
REQUEST_BODY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Also after decompression."""
JSON_DEPTH_MAX: Final = 300
"""Our own: levels of objects and arrays in a request; those that are right have less than 80."""
COMPRESSED_ANSWER_BYTES_MIN: Final = 4096
"""Larger bodies are compressed if the client accepts it."""
VIOLATIONS_MAX: Final = 10
"""Violations of the model's constraints that one answer lists."""
ECHO_CHARS_MAX: Final = 64 * 1024
"""Our own: a refused value is echoed up to here."""
SIGNED_HEADS_MAX: Final = 4096
"""Our own: parsed heads of Authorization headers kept in memory."""
SIGNED_HEADS_BYTES_MAX: Final = 1024 * 1024
"""Our own: of all of them."""
SIGNED_HEAD_BYTES_MAX: Final = 1024
"""Our own: longer ones are not kept."""
REQUEST_HEADS_MAX: Final = 1024
"""Our own: heads of requests kept in memory, each for a client, an operation and a second."""
REQUEST_HEADS_BYTES_MAX: Final = 1024 * 1024
"""Our own: of all of them."""
REQUEST_HEAD_BYTES_MAX: Final = 2048
"""Our own: longer ones are not kept."""
ACCESS_KEY_CHARS_MAX: Final = 128
REGION_CHARS_MAX: Final = 63
"""Our own: a region stands in host names, whose labels are no longer."""

# HTTP edge (our own, unless the settings say otherwise)
HTTP_CONNECTIONS_MAX: Final = 1000
HTTP_REQUEST_SECONDS_MAX: Final = 30
HTTP_IDLE_SECONDS_MAX: Final = 120
HTTP_BACKLOG_MAX: Final = 1024
"""Connections that wait to be accepted."""
WAITING_WRITES_MAX: Final = 10_000
"""Writes that wait for the disk: what waits longer than so many take, half a second on a slow disk,
is better tried again."""
WORKERS_MAX: Final = 64
"""Processes that answer requests; one writer feeds fewer."""
HTTP_REFUSALS_MAX: Final = 100
"""Connections beyond the maximum that are told so at the same time; further ones are cut off."""
HTTP_LINGER_SECONDS_MAX: Final = 5
"""How long what a refused client still sends is thrown away, so that it can read its answer."""
HTTP_PIECE_BYTES_MAX: Final = 16 * 1024
"""Bytes parsed at a time: bounds the requests of one connection that are parsed but not begun."""
GZIP_MEMBERS_MAX: Final = 1000
"""Members of one gzip body: bounds the work that tiny members make."""

# Metrics (our own: bound what one scrape can grow to)
METRIC_TABLES_MAX: Final = 1000
METRIC_OPERATIONS_MAX: Final = 100
METRIC_CODES_MAX: Final = 100
"""Of one operation."""
