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
"""Exponent of the leading digit: magnitudes are below 1E+126."""
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
"""Partition attributes of a global index; it may have as many sort attributes."""
NON_KEY_ATTRIBUTES_MAX: Final = 20
"""In the NonKeyAttributes of one index."""
PROJECTED_ATTRIBUTES_MAX: Final = 100
"""Non-key attributes over all indexes of a table."""
ITEM_COLLECTION_BYTES_MAX: Final = 10 * 1024**3
"""In a table with local indexes: items of a partition key, and their entries in those indexes."""
TABLE_ARN_CHARS_MAX: Final = 1024
TABLES_PAGE_MAX: Final = 100
BACKUPS_PAGE_MAX: Final = 100
RECOVERY_DAYS_MAX: Final = 35  # of point-in-time recovery; also its default
CONTRIBUTOR_INSIGHTS_PAGE_MAX: Final = 100
JOBS_PAGE_MAX: Final = 25
"""Pages of exports, imports and bulk operations."""
JOB_ARN_CHARS_MIN: Final = 37
"""ARNs of backups, exports, imports and bulk operations."""
JOB_ARN_CHARS_MAX: Final = 1024
IMPORT_TOKEN_CHARS_MIN: Final = 112
IMPORT_TOKEN_CHARS_MAX: Final = 1024
KEY_ATTRIBUTES_MAX: Final = 2
"""A table has a partition key, and may have a sort key."""
RESOURCE_ARN_CHARS_MAX: Final = 1283
REVISION_CHARS_MAX: Final = 255
"""ExpectedRevisionId of a resource policy."""
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
"""Decreases of provisioned throughput in a UTC day without a pause between them."""
DECREASE_PAUSE_SECONDS: Final = 3600
"""Pause before each further decrease of that day, which allows 27 in all."""
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

# Batches and pages
BATCH_GET_KEYS_MAX: Final = 100
BATCH_WRITE_ITEMS_MAX: Final = 25
BATCH_GET_BYTES_MAX: Final = 16 * 1024 * 1024
TRANSACTION_ACTIONS_MAX: Final = 100
TRANSACTION_BYTES_MAX: Final = 4 * 1024 * 1024
"""Items that TransactGetItems reads; items, keys and values of a TransactWriteItems request."""
CLIENT_TOKEN_CHARS_MAX: Final = 36
CLIENT_TOKEN_SECONDS: Final = 600
"""How long a token is remembered after its transaction is complete."""
PAGE_BYTES_MAX: Final = 1024 * 1024
"""Query and Scan: bytes of items evaluated before a page ends."""
LIMIT_MIN: Final = 1
"""Smallest Limit of Query and Scan."""
SEGMENTS_MAX: Final = 1_000_000

# Capacity
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
STREAM_READS_PER_SECOND_MAX: Final = 5
"""GetRecords on one shard of a stream."""
STREAM_READ_BYTES_PER_SECOND_MAX: Final = 2 * 1024**2
STREAM_SHARD_READERS_MAX: Final = 10_000
"""Our own: shards whose reads a process counts."""
CONTRIBUTORS_MAX: Final = 25
"""Keys in one report of contributor insights."""

# Auto scaling
SCALING_TARGET_PERCENT_MIN: Final = 20
SCALING_TARGET_PERCENT_MAX: Final = 90
SCALING_TARGETS_MAX: Final = 5000
"""Scalable targets of one account and region."""
SCALING_POLICIES_MAX: Final = 50
"""Policies of one target."""
SCALING_ACTIONS_MAX: Final = 200
"""Scheduled actions of one target."""
SCALING_NAME_CHARS_MAX: Final = 256
SCALING_ID_CHARS_MAX: Final = 1600
"""Resource ids, schedules, time zones, roles."""
SCALING_ARN_CHARS_MAX: Final = 1011
SCALING_PAGE_MAX: Final = 50
SCALING_POLICIES_PAGE_MAX: Final = 10
SCALING_ACTIVITIES_DAYS: Final = 42
"""How long activities are kept."""
SCALING_ACTIVITIES_MAX: Final = 200
"""Our own: activities that are kept of one target."""

# Expressions
EXPRESSION_BYTES_MAX: Final = 4096
EXPRESSION_OPERATORS_MAX: Final = 300
FILTER_CONDITIONS_MAX: Final = 300
"""Our own: conditions of a QueryFilter or ScanFilter, which is applied to each item of a page."""
IN_OPERANDS_MAX: Final = 100
SCAN_FILTER_ARGUMENTS_MAX: Final = FILTER_CONDITIONS_MAX * IN_OPERANDS_MAX
"""Our own: arguments of a ScanFilter, in which the service does not bound IN."""
PATH_ELEMENTS_MAX: Final = 32
PLACEHOLDERS_BYTES_MAX: Final = 2 * 1024 * 1024
"""ExpressionAttributeNames and ExpressionAttributeValues together."""
PLACEHOLDER_BYTES_MAX: Final = 255
"""A key of ExpressionAttributeNames or ExpressionAttributeValues, with its # or colon."""
LIST_INDEX_MAX: Final = 2**31 - 1
EXPRESSION_SHAPES_MAX: Final = 4096
"""Our own: shapes of requests whose compiled expressions are cached, of each cache."""
EXPRESSION_SHAPE_CHARS_MAX: Final = 16 * 1024
"""Our own: of the texts of one cached shape; longer ones are compiled each time."""
EXPRESSION_SHAPES_CHARS_MAX: Final = 512 * 1024
"""Our own: of the texts of all cached shapes, which take about a hundred times as many bytes."""
LEGACY_SHAPES_MAX: Final = 512
"""Our own: cached shapes of conditions, and of updates, from before expressions."""
KEY_CONDITIONS_MAX: Final = 2
"""Entries of KeyConditions, except for an index whose key has several attributes."""
ATTRIBUTES_TO_GET_MAX: Final = 255

# PartiQL
STATEMENT_CHARS_MAX: Final = 8192
STATEMENT_NEXT_TOKEN_CHARS_MAX: Final = 32_768
BATCH_STATEMENTS_MAX: Final = 25
TRANSACTION_STATEMENTS_MAX: Final = 100
STATEMENT_READS_MAX: Final = 50
"""Alternatives of the partition and sort key that one SELECT may name."""
STATEMENT_LEVELS_MAX: Final = 40
"""Our own: parentheses, lists and documents within each other in a statement."""
STATEMENT_PARENTHESES_MAX: Final = 24
"""Our own: parentheses within each other, those of functions too."""
STATEMENT_CHAIN_MAX: Final = 24
"""Our own: operators of one precedence in a row, as in `a = b = c`, but for AND and OR."""
STATEMENT_CONDITION_OPERATORS_MAX: Final = 3000
"""Our own: operators of a condition once comparisons of conditions are written out."""
STATEMENTS_MAX: Final = 2048
"""Our own: prepared statements kept in memory."""
STATEMENTS_CHARS_MAX: Final = 512 * 1024
"""Our own: of the texts of all of them, which take about a hundred times as much."""
INT32_MAX: Final = 2**31 - 1
INT32_MIN: Final = -(2**31)
"""The exponent and the scale of a number literal fit 32 bits."""

# Time to live
TIME_TO_LIVE_NAME_CHARS_MAX: Final = 255
TIME_TO_LIVE_CHANGE_MS_MIN: Final = 60 * 60 * 1000
"""Time between two changes of a table's time to live."""
TIME_TO_LIVE_AGE_SECONDS_MAX: Final = 5 * 365 * 24 * 60 * 60
"""Items that expired longer ago are not deleted: their attribute is likely not a time."""

# Wire (request line and header sizes as measured by users of the service)
REQUEST_LINE_BYTES_MAX: Final = 16 * 1024
REQUEST_HEADERS_BYTES_MAX: Final = 16 * 1024
REQUEST_BODY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Also after decompression."""
JSON_DEPTH_MAX: Final = 300
"""Our own: levels of objects and arrays in a request; valid requests have less than 80."""
COMPRESSED_ANSWER_BYTES_MIN: Final = 4096
"""Larger bodies are compressed if the client accepts it."""
VIOLATIONS_MAX: Final = 10
"""Violations of the model's constraints that one answer lists."""
ECHO_CHARS_MAX: Final = 64 * 1024
"""Our own: longer values are cut off where an error echoes them."""
SIGNED_HEADS_MAX: Final = 4096
"""Our own: parsed Authorization headers in the cache."""
SIGNED_HEADS_BYTES_MAX: Final = 1024 * 1024
"""Our own: all cached Authorization headers together."""
SIGNED_HEAD_BYTES_MAX: Final = 1024
"""Our own: longer Authorization headers are not cached."""
REQUEST_HEADS_MAX: Final = 1024
"""Our own: parsed heads in the cache, each for a client, an operation and a second."""
REQUEST_HEADS_BYTES_MAX: Final = 1024 * 1024
"""Our own: all cached heads together."""
REQUEST_HEAD_BYTES_MAX: Final = 2048
"""Our own: longer heads are not cached."""
SIGNATURE_SKEW_SECONDS_MAX: Final = 15 * 60
"""Between the clocks of client and server."""
PRESIGNED_SECONDS_MAX: Final = 7 * 24 * 60 * 60
SIGNING_KEYS_MAX: Final = 1024
"""Our own: derived signing keys in the cache, each for an access key, a day and a region."""
SIGNING_KEYS_CHARS_MAX: Final = 256 * 1024
"""Our own: secret keys and scopes of all cached signing keys together."""
SIGNING_KEY_CHARS_MAX: Final = 1024
"""Our own: the signing keys of longer secret keys and scopes are not cached."""
VERIFIED_HEADS_BYTES_MAX: Final = 4 * 1024 * 1024
"""Our own: all cached heads of verified requests together."""
VERIFIED_HEAD_BYTES_MAX: Final = 8192
"""Our own: longer heads, such as those with a long session token, are not cached."""
FAILED_ADDRESSES_MAX: Final = 4096
"""Our own: addresses whose failed signatures are counted; the oldest are forgotten."""
FAILED_SIGNATURES_FREE: Final = 10
"""Our own: failed signatures of an address in a row that are answered at once."""
FAILED_SIGNATURES_PER_SECOND: Final = 10
"""Our own: failed signatures of an address that are answered within a second, after these."""
FAILED_SIGNATURE_SECONDS_MAX: Final = 2
"""Our own: the longest delay of the answer to a failed signature."""
FAILED_SIGNATURES_WAITING_MAX: Final = 1000
"""Our own: answers to failed signatures that are delayed at the same time; more are not."""
PRINCIPAL_RATES_MAX: Final = 4096
"""Our own: principals whose requests are counted; the oldest are forgotten."""
ACCESS_KEY_CHARS_MAX: Final = 128
REGION_CHARS_MAX: Final = 63
"""Our own: a region is a label of host names, whose labels have at most 63 characters."""

# HTTP edge (our own, unless the settings say otherwise)
HTTP_CONNECTIONS_MAX: Final = 1000
HTTP_REQUEST_SECONDS_MAX: Final = 30
HTTP_IDLE_SECONDS_MAX: Final = 120
HTTP_BACKLOG_MAX: Final = 1024
"""Connections that wait to be accepted."""
WAITING_WRITES_MAX: Final = 10_000
"""Writes in the queue of an engine: half a second of work on a slow disk; further writes are
refused and may be retried."""
WORKERS_MAX: Final = 64
"""Processes that answer requests; one writer cannot keep so many busy."""
HTTP_REFUSALS_MAX: Final = 100
"""Connections beyond the maximum that get a refusal at the same time; others are aborted."""
HTTP_REFUSALS_PER_ADDRESS_MAX: Final = 10
"""Likewise of one address, beyond its maximum of connections."""
HTTP_LINGER_SECONDS_MAX: Final = 5
"""How long bytes of a refused client are discarded, so that it can read its answer."""
TLS_HANDSHAKE_SECONDS_MAX: Final = 10
"""To the first byte of a handshake, and then to its end."""
TLS_HANDSHAKES_MAX: Final = 256
"""Handshakes at a time, of each process; beyond it the oldest is given up."""
HTTP_PIECE_BYTES_MAX: Final = 16 * 1024
"""Bytes parsed at a time: bounds the requests of a connection that are parsed and not begun."""
GZIP_MEMBERS_MAX: Final = 1000
"""Members of one gzip body: bounds the cost of tiny members."""

# Metrics (our own: bound the size of a scrape)
METRIC_TABLES_MAX: Final = 1000
METRIC_OPERATIONS_MAX: Final = 100
METRIC_THROTTLES_MAX: Final = 10_000
"""Throttle events with their tables and indexes."""
METRIC_CODES_MAX: Final = 100
"""Codes of the faults of one operation."""

# Realism (our own: errors, latencies and lags that tests ask for)
REALISM_RULES_MAX: Final = 100
"""Rules of faults, and of latencies."""
LATENCY_MS_MAX: Final = 60_000
"""The longest time for which an answer is held."""
HELD_ANSWERS_MAX: Final = 10_000
"""Answers that are held at a time, of each process; further ones are sent at once."""
REPLICA_LAG_MS_MAX: Final = 60 * 60 * 1000
LAGGED_VALUES_MAX: Final = 100_000
"""Old values of items and index entries; beyond it the oldest are no longer shown."""
LAGGED_BYTES_MAX: Final = 256 * 1024**2
"""Bytes of these values."""

# Audit log (our own, but for the first two, which are CloudTrail's)
AUDIT_MEMBER_BYTES_MAX: Final = 100 * 1024
"""Of requestParameters, and of responseElements; larger ones are replaced by their size."""
LOOKUP_EVENTS_MAX: Final = 50
AUDIT_BACKLOG_RECORDS_MAX: Final = 20_000
"""Records that wait for the disk; further ones are dropped and counted."""
AUDIT_BACKLOG_BYTES_MAX: Final = 16 * 1024 * 1024
AUDIT_LINE_BYTES_MAX: Final = 512 * 1024
AUDIT_LOOKUP_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of files that one LookupEvents reads; it goes on with its NextToken."""
AUDIT_LOOKUPS_MAX: Final = 2  # at the same time, in each process
AUDIT_LOOKUP_FILES_MAX: Final = 4096
AUDIT_PRINCIPALS_MAX: Final = 10_000
"""Principals, and tables of one, that a search for anomalies keeps; likewise partition keys."""
AUDIT_KEYS_MAX: Final = 100_000

# Policies
MANAGED_POLICY_CHARS_MAX: Final = 6_144
"""White space is not counted."""
SESSION_POLICY_CHARS_MAX: Final = 2_048
"""Of an inline session policy, white space and all."""
TRUST_POLICY_CHARS_MAX: Final = 2_048
"""Of a role, unless the quota was raised; white space is not counted."""
ROLE_POLICIES_CHARS_MAX: Final = 10_240
"""All inline policies of one role together; white space is not counted."""
GROUP_POLICIES_CHARS_MAX: Final = 5_120
"""Likewise of one group."""
USER_POLICIES_CHARS_MAX: Final = 2_048
"""Likewise of one user."""
RESOURCE_POLICY_BYTES_MAX: Final = 20 * 1024
"""Of a table or stream, white space and all."""
RESOURCE_POLICY_PAUSE_MS: Final = 15_000
"""After a change, until the policy of a table or stream can be changed again."""
GOVERNED_RESOURCES_MAX: Final = 10_000
"""Tables, indexes and streams whose policies are kept parsed. Our own."""
GOVERNED_RESOURCES_CHARS_MAX: Final = 4_000_000
"""Characters of the texts in all of them. Our own."""
CONNECTIONS_KEYS_MAX: Final = 1_000
"""Condition keys of connections that are kept for a second. Our own."""
CONNECTIONS_KEYS_CHARS_MAX: Final = 1_000_000
"""Characters of the texts in all of them. Our own."""
POLICY_VERDICTS_MAX: Final = 20_000
"""What is compiled of policies, by principal, action and resource. Our own."""
POLICY_VERDICTS_CHARS_MAX: Final = 4_000_000
"""Characters of the texts in all of them. Our own."""
POLICY_VERDICT_CHARS_MAX: Final = 100_000
"""Characters of the texts in one that is kept. Our own."""

# Identities (quotas of IAM, unless said otherwise)
USERS_MAX: Final = 5_000
ROLES_MAX: Final = 1_000
MANAGED_POLICIES_MAX: Final = 1_500
POLICY_VERSIONS_MAX: Final = 5
USER_KEYS_MAX: Final = 2
ATTACHED_POLICIES_MAX: Final = 10
"""Managed policies of one user or role."""
SESSION_POLICIES_MAX: Final = 10
"""ARNs of managed policies that are given for one session."""
SESSION_SECONDS_MIN: Final = 900
SESSION_SECONDS: Final = 3_600
CHAINED_SESSION_SECONDS_MAX: Final = 3_600
"""Of a session that another session of a role has asked for."""
ROLE_SESSION_SECONDS_MAX: Final = 43_200
USER_SESSION_SECONDS_MAX: Final = 129_600
SESSION_TOKEN_CHARS_MAX: Final = 6_144
"""Our own: tokens travel in a header."""
SESSIONS_MAX: Final = 10_000
"""Our own: sessions whose tokens were opened, in memory."""
SESSIONS_CHARS_MAX: Final = 16_000_000
"""Our own: characters of their tokens."""
PARSED_POLICIES_MAX: Final = 10_000
"""Our own: policy documents that are kept parsed."""
PARSED_POLICIES_CHARS_MAX: Final = 8_000_000
"""Our own: characters of their texts."""
IDENTITY_CHANGES_MAX: Final = 200
"""Our own: rows in the list of the last changes; a process that missed more reads all."""
IDENTITIES_LOOK_SECONDS: Final = 0.5
"""Our own: interval in which each process looks for changes of identities by others."""
FORM_BYTES_MAX: Final = 512 * 1024
"""Our own: body of a request to IAM or STS."""
FORM_FIELDS_MAX: Final = 2_000
FORM_LEVELS_MAX: Final = 8
"""Our own: parts of the name of a field in such a body."""
FORM_LIST_MAX: Final = 1_000
SIMULATIONS_MAX: Final = 1_000
"""Our own: actions times resources of one simulation."""
