"""Texts about streams: the API of DynamoDB Streams, and StreamSpecification.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from hashrange.messages.tables.dates import in_short

_INVALID = "One or more parameter values were invalid: "
_IN_USE = "Attempt to change a resource which is still in use: "


def view_type_of_new_table_missing() -> str:
    """CreateTable with a stream and without a view type. 2026."""
    return f"{_INVALID}Table is being created with a stream enabled, UpdateViewType is required"


def view_type_of_new_table_without_stream() -> str:
    """CreateTable with a view type and without a stream. Catalogue 149, verified."""
    return (
        f"{_INVALID}Table is being created with a stream disabled, "
        "UpdateViewType should not be specified"
    )


def view_type_missing() -> str:
    """UpdateTable enables a stream without a view type. 2026."""
    return f"{_INVALID}If stream is being enabled then UpdateViewType is required"


def view_type_without_stream() -> str:
    """UpdateTable disables a stream and names a view type. 2026."""
    return f"{_INVALID}If stream is being disabled, then UpdateViewType must not be specified"


def already_enabled(table: str) -> str:
    """UpdateTable enables a second stream, or another view type. 2026."""
    return f"Table already has an enabled stream: TableName: {table}"


def too_many(table: str, most: int) -> str:
    """LimitExceededException: UpdateTable enables a stream too often within a day. Our own."""
    return (
        f"Subscriber limit exceeded: Only {most} streams of a table are kept, with those that were "
        f"disabled and whose records can still be read: TableName: {table}"
    )


def no_stream_to_disable(table: str) -> str:
    """UpdateTable of a table without a stream. 2026."""
    return f"Table has no stream to disable: TableName: {table}"


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


def limits_during() -> str:
    """ResourceInUseException: maxima, while the stream is being changed. 2026, the beginning."""
    return (
        f"{_IN_USE}OnDemandThroughput cannot be updated while stream status update is in progress"
    )


def delete_during() -> str:
    """ResourceInUseException: DeleteTable, while the stream is being changed. 2026."""
    return f"{_IN_USE}Cannot delete table while stream is being enabled/disabled."


def during_units(table: str) -> str:
    """ResourceInUseException: the stream, while the table's units are changing. 2026."""
    return (
        f"{_IN_USE}Can't enable or disable stream while table IOPS are being updated. "
        f"Table: {table}"
    )


def during_class(table: str, table_class: str) -> str:
    """ResourceInUseException: the stream, while the table's class is changing. 2026."""
    return (
        f"{_IN_USE}Can't change stream status when a table class update is in progress. "
        f"Table: {table} TableClassUpdateInProgress: {table_class}"
    )


def during_index(table: str, indexes: str) -> str:
    """ResourceInUseException: the stream, while an index is being created. 2026, the beginning."""
    return (
        f"{_IN_USE}Can't change stream status when an index is being created. Table: {table} "
        f"Indexes: [{indexes}]"
    )


def invalid_stream_arn() -> str:
    """Not the ARN of a stream. Source: tests of an AWS SDK that run on the service."""
    return "Invalid StreamArn"


def stream_not_found(arn: str) -> str:
    """A stream that does not exist, or no longer. Source: reports of users."""
    return f"Requested resource not found: Stream: {arn} not found"


def shard_not_found() -> str:
    """A shard that does not exist, or no longer. Source: reports of users."""
    return "Requested resource not found: Shard does not exist"


def invalid_iterator() -> str:
    """A ShardIterator that this server did not issue. Source: DynamoDB Local."""
    return "Invalid ShardIterator"


def iterator_expired(created_ms: int, now_ms: int, age_ms_max: int) -> str:
    """ExpiredIteratorException. Source: the wording of Kinesis, which streams are built on."""
    return (
        f"Iterator expired. The iterator was created at time {in_short(created_ms)} while right "
        f"now it is {in_short(now_ms)} which is further in the future than the tolerated delay of "
        f"{age_ms_max} milliseconds."
    )


def trimmed() -> str:
    """TrimmedDataAccessException: the next records were trimmed. Source: reports of users."""
    return "The data you are trying to access has been trimmed"


def limit_too_high(most: int) -> str:
    """Limit beyond the maximum of an operation. Source: DynamoDB Local, of GetRecords."""
    return f"{_INVALID}Limit should be less than or equal to {most}"


def sequence_number_missing() -> str:
    """AT_ or AFTER_SEQUENCE_NUMBER without a sequence number. The text is our own."""
    return f"{_INVALID}The parameter SequenceNumber is required for this ShardIteratorType"


def sequence_number_not_allowed() -> str:
    """A sequence number with another type of iterator. The text is our own."""
    return f"{_INVALID}The parameter SequenceNumber is not allowed for this ShardIteratorType"


def sequence_number_of_other_shard() -> str:
    """A sequence number outside of the shard. Source: DynamoDB Local."""
    return "Invalid SequenceNumber for the shard"


def timestamp_missing() -> str:
    """AT_TIMESTAMP without a time. The text is our own."""
    return f"{_INVALID}The parameter Timestamp is required for this ShardIteratorType"


def timestamp_not_allowed() -> str:
    """A time with another type of iterator. The text is our own."""
    return f"{_INVALID}The parameter Timestamp is not allowed for this ShardIteratorType"


def timestamp_in_future() -> str:
    """AT_TIMESTAMP of a time in the future. The text is our own."""
    return f"{_INVALID}The parameter Timestamp must not be in the future"


def shard_filter_incomplete() -> str:
    """A ShardFilter without Type or ShardId. The text is our own."""
    return f"{_INVALID}ShardFilter must have both Type and ShardId"


def _during_change(refused: str, table: str, stream: str, operation: str) -> str:
    return f"{_IN_USE}{refused} Table: {table} Stream: {stream} Operation: {operation}"
