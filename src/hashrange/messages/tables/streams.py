"""Texts about streams: the API of DynamoDB Streams, and StreamSpecification.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from hashrange.messages.tables.dates import in_short
from hashrange.messages.text import Text

_INVALID = "One or more parameter values were invalid: "
_IN_USE = "Attempt to change a resource which is still in use: "

# CreateTable with a stream and without a view type. 2026.
view_type_of_new_table_missing = Text(_INVALID + "Table is being created with a stream enabled, UpdateViewType is required")
# CreateTable with a view type and without a stream. Verified.
view_type_of_new_table_without_stream = Text(_INVALID + "Table is being created with a stream disabled, UpdateViewType should not be specified", 149)
# UpdateTable enables a stream without a view type. 2026.
view_type_missing = Text(_INVALID + "If stream is being enabled then UpdateViewType is required")
# UpdateTable disables a stream and names a view type. 2026.
view_type_without_stream = Text(_INVALID + "If stream is being disabled, then UpdateViewType must not be specified")
# UpdateTable enables a second stream, or another view type. 2026.
already_enabled = Text("Table already has an enabled stream: TableName: {table}")


def too_many(table: str, most: int) -> str:
    """LimitExceededException: UpdateTable enables a stream too often within a day. Our own."""
    return f"Subscriber limit exceeded: Only {most} streams of a table are kept, with those that were disabled and whose records can still be read: TableName: {table}"


# UpdateTable of a table without a stream. 2026.
no_stream_to_disable = Text("Table has no stream to disable: TableName: {table}")


def changing(table: str, stream: str, operation: str) -> str:
    """ResourceInUseException: a stream, while it is being changed by ENABLE or DISABLE. 2026."""
    refused = "A stream status change is currently in progress."
    return _during_change(refused, table, stream, operation)


def units_during(table: str, stream: str, operation: str) -> str:
    """ResourceInUseException: the table's units, while its stream is being changed. 2026."""
    refused = "Can't change table IOPS when stream status is being updated."
    return _during_change(refused, table, stream, operation)


def class_during(table: str, stream: str, operation: str) -> str:
    """ResourceInUseException: the table's class, while its stream is being changed. 2026."""
    refused = "Can't update table class when stream status is being updated."
    return _during_change(refused, table, stream, operation)


# ResourceInUseException: maxima, while the stream is being changed. 2026, the beginning.
limits_during = Text(_IN_USE + "OnDemandThroughput cannot be updated while stream status update is in progress")
# ResourceInUseException: DeleteTable, while the stream is being changed. 2026.
delete_during = Text(_IN_USE + "Cannot delete table while stream is being enabled/disabled.")
# ResourceInUseException: the stream, while the table's units are changing. 2026.
during_units = Text(_IN_USE + "Can't enable or disable stream while table IOPS are being updated. Table: {table}")
# ResourceInUseException: the stream, while the table's class is changing. 2026.
during_class = Text(_IN_USE + "Can't change stream status when a table class update is in progress. Table: {table} TableClassUpdateInProgress: {table_class}")
# ResourceInUseException: the stream, while an index is being created. 2026, the beginning.
during_index = Text(_IN_USE + "Can't change stream status when an index is being created. Table: {table} Indexes: [{indexes}]")
# Not the ARN of a stream. Source: tests of an AWS SDK that run on the service.
invalid_stream_arn = Text("Invalid StreamArn")
# A stream that does not exist, or no longer. Source: reports of users.
stream_not_found = Text("Requested resource not found: Stream: {arn} not found")
# A shard that does not exist, or no longer. Source: reports of users.
shard_not_found = Text("Requested resource not found: Shard does not exist")
# A ShardIterator that this server did not issue. Source: DynamoDB Local.
invalid_iterator = Text("Invalid ShardIterator")


def iterator_expired(created_ms: int, now_ms: int, age_ms_max: int) -> str:
    """ExpiredIteratorException. Source: the wording of Kinesis, which streams are built on."""
    return f"Iterator expired. The iterator was created at time {in_short(created_ms)} while right now it is {in_short(now_ms)} which is further in the future than the tolerated delay of {age_ms_max} milliseconds."


# TrimmedDataAccessException: the next records were trimmed. Source: reports of users.
trimmed = Text("The data you are trying to access has been trimmed")
# Limit beyond the maximum of an operation. Source: DynamoDB Local, of GetRecords.
limit_too_high = Text(_INVALID + "Limit should be less than or equal to {most}")
# AT_ or AFTER_SEQUENCE_NUMBER without a sequence number. The text is our own.
sequence_number_missing = Text(_INVALID + "The parameter SequenceNumber is required for this ShardIteratorType")
# A sequence number with another type of iterator. The text is our own.
sequence_number_not_allowed = Text(_INVALID + "The parameter SequenceNumber is not allowed for this ShardIteratorType")
# A sequence number outside of the shard. Source: DynamoDB Local.
sequence_number_of_other_shard = Text("Invalid SequenceNumber for the shard")
# AT_TIMESTAMP without a time. The text is our own.
timestamp_missing = Text(_INVALID + "The parameter Timestamp is required for this ShardIteratorType")
# A time with another type of iterator. The text is our own.
timestamp_not_allowed = Text(_INVALID + "The parameter Timestamp is not allowed for this ShardIteratorType")
# AT_TIMESTAMP of a time in the future. The text is our own.
timestamp_in_future = Text(_INVALID + "The parameter Timestamp must not be in the future")
# A ShardFilter without Type or ShardId. The text is our own.
shard_filter_incomplete = Text(_INVALID + "ShardFilter must have both Type and ShardId")


def _during_change(refused: str, table: str, stream: str, operation: str) -> str:
    return f"{_IN_USE}{refused} Table: {table} Stream: {stream} Operation: {operation}"
