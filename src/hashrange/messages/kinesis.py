"""Texts of Kinesis Data Streams.

Source of those that do not say otherwise: the tests of kinesalite, which were recorded from the
service.
"""

from hashrange.messages.text import Text

# ResourceNotFoundException.
no_stream = Text("Stream {name} under account {account} not found.")
# ResourceInUseException of a new stream.
stream_exists = Text("Stream {name} under account {account} already exists.")
# ResourceInUseException of a change.
not_active = Text("Stream {name} under account {account} not ACTIVE, instead in state {status}")
# ResourceInUseException of DeleteStream. Source: ours.
has_consumers = Text("Stream {name} under account {account} has registered consumers: set EnforceConsumerDeletion to delete them as well.")
# ResourceNotFoundException of an id that is none of a shard.
no_shard_id = Text("Could not find shard {shard} in stream {name} under account {account}.")
# ResourceNotFoundException of a shard that is not there, or no longer.
no_shard = Text("Shard {shard} in stream {name} under account {account} does not exist")
# InvalidArgumentException without the name of a stream. Source: ours.
stream_missing = Text("Either StreamName or StreamARN must be specified.")
# InvalidArgumentException of a name and an ARN of two streams. Source: ours.
streams_differ = Text("StreamName and StreamARN must be of the same stream.")
# ValidationException of a member that is not built. Source: ours.
unbuilt_member = Text("hashrange does not support {member} yet")
# UnknownOperationException of an operation that is not built. Source: ours.
unknown_operation = Text("hashrange does not support {operation} yet")
# UnknownOperationException of SubscribeToShard. Source: ours.
no_subscriptions = Text("hashrange does not support SubscribeToShard: read shards with GetRecords (with the Kinesis Client Library, the retrieval mode POLLING)")
# InternalFailureException. Source: API model.
internal = Text("The request processing has failed because of an unknown error, exception, or failure.")
# InvalidArgumentException of a mode and a number of shards. Source: ours.
shard_count_missing = Text("ShardCount must be specified for a stream in the mode PROVISIONED.")
# Likewise.
shard_count_not_allowed = Text("ShardCount cannot be specified for a stream in the mode ON_DEMAND.")
# LimitExceededException of on-demand streams. Source: ours.
too_many_on_demand = Text("This request would exceed the limit of {most} on-demand streams for the account {account}.")


def too_many_shards(account: str, region: str, count: int, *, most: int, more: int) -> str:
    """LimitExceededException."""
    return f"This request would exceed the shard limit for the account {account} in {region}. Current shard count for the account: {count}. Limit: {most}. Number of additional shards that would have resulted from this request: {more}. Refer to the AWS Service Limits page (http://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html) for current limits and how to request higher limits."


# LimitExceededException of shards that are kept. Source: ours.
too_many_kept = Text("Stream {name} under account {account} has had too many shards within its retention period. Limit: {most}.")
# LimitExceededException of UpdateShardCount.
more_than_double = Text("UpdateShardCount cannot scale up over double your current open shard count. Current open shard count: {count}, Target shard count: {target}")
# Likewise.
less_than_half = Text("UpdateShardCount cannot scale down below half your current open shard count. Current open shard count: {count}, Target shard count: {target}")
# LimitExceededException of UpdateShardCount. Source: ours.
too_many_resizes = Text("UpdateShardCount can be called {most} times within 24 hours for a stream.")
# LimitExceededException of UpdateStreamMode. Source: ours.
too_many_switches = Text("The mode of a stream can be changed {most} times within 24 hours.")
# ValidationException of a change of shards. Source: ours.
is_on_demand = Text("The shards of stream {name} under account {account} cannot be changed: its mode is ON_DEMAND.")
# InvalidArgumentException of MergeShards.
not_adjacent = Text("Shards {shard} and {other} in stream {name} under account {account} are not an adjacent pair of shards eligible for merging")
# ResourceInUseException of MergeShards and SplitShard.
shard_closed = Text("Shard {shard} in stream {name} under account {account} has already been merged or split, and thus is not eligible for merging or splitting.")


def split_outside(hash_key: str, shard: str, name: str, account: str, *, first: str, last: str) -> str:
    """InvalidArgumentException of SplitShard."""
    return f"NewStartingHashKey {hash_key} used in SplitShard() on shard {shard} in stream {name} under account {account} is not both greater than one plus the shard's StartingHashKey {first} and less than the shard's EndingHashKey {last}."


# InvalidArgumentException of a retention period.
retention_too_short = Text("Minimum allowed retention period is {least} hours. Requested retention period ({hours} hours) is too short.")
# Likewise.
retention_too_long = Text("Maximum allowed retention period is {most} hours. Requested retention period ({hours} hours) is too long.")
# InvalidArgumentException of IncreaseStreamRetentionPeriod.
retention_not_increased = Text("Requested retention period ({hours} hours) for stream {name} can not be shorter than existing retention period ({existing} hours). Use DecreaseRetentionPeriod API.")
# InvalidArgumentException of DecreaseStreamRetentionPeriod.
retention_not_decreased = Text("Requested retention period ({hours} hours) for stream {name} can not be longer than existing retention period ({existing} hours). Use IncreaseRetentionPeriod API.")
# InvalidArgumentException of a record's hash key.
hash_key_invalid = Text("Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified value was {value}")


def record_too_large(member: str, size: int, most: int) -> str:
    """ValidationException of a record's data."""
    return f"1 validation error detected: Value 'java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]' at '{member}' failed to satisfy constraint: Member must have length less than or equal to {most}"


# InvalidArgumentException of PutRecords. Source: the wording of the service in reports of users.
records_too_large = Text("Records size exceeds {most_mb} MB limit")
# ProvisionedThroughputExceededException, also of one record of PutRecords.
rate_exceeded = Text("Rate exceeded for shard {shard} in stream {name} under account {account}.")


def iterator_type(kind: str, *, has_number: bool) -> str:
    """InvalidArgumentException of GetShardIterator."""
    specified = "also a" if has_number else "no"
    return f"Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified {kind} and {specified} StartingSequenceNumber."


# InvalidArgumentException of AT_TIMESTAMP without a time. Source: ours.
timestamp_missing = Text("Must specify Timestamp for the iterator type AT_TIMESTAMP.")
# InvalidArgumentException of a time in the future.
timestamp_in_future = Text("The timestampInMillis parameter cannot be greater than the currentTimestampInMillis. timestampInMillis: {time_ms}, currentTimestampInMillis: {now_ms}")
# InvalidArgumentException of a sequence number of another shard.
number_of_other_shard = Text("Invalid StartingSequenceNumber. It encodes {encoded}, while it was used in a call to a shard with {shard}")
# InvalidArgumentException of a sequence number that no record has had.
number_invalid = Text("StartingSequenceNumber {number} used in GetShardIterator on shard {shard} in stream {name} under account {account} is invalid.")
# InvalidArgumentException of a sequence number of another stream, perhaps of the same name.
number_of_other_stream = Text("StartingSequenceNumber {number} used in GetShardIterator on shard {shard} in stream {name} under account {account} is invalid because it did not come from this stream.")
# InvalidArgumentException of GetRecords.
iterator_invalid = Text("Invalid ShardIterator.")
# InvalidArgumentException of ListShards.
token_or_stream = Text("Either NextToken or StreamName should be provided.")
# InvalidArgumentException of a list.
token_with_others = Text("NextToken and StreamName cannot be provided together.")
# InvalidArgumentException of NextToken. Source: ours.
token_invalid = Text("Invalid NextToken.")
# ExpiredNextTokenException. Source: ours.
token_expired = Text("NextToken has expired.")
# InvalidArgumentException of ShardFilter. Source: ours.
filter_incomplete = Text("ShardFilter of the type {kind} needs {member}.")
# InvalidArgumentException of tags. Source: the wording of the service, with its limit of today.
too_many_tags = Text("Failed to add tags to stream {name} under account {account} because a given stream cannot have more than {most} tags associated with it.")
# InvalidArgumentException of tags. Source: ours; the bounds are those of the API's model.
tag_invalid = Text("Tag keys have 1 to {key_chars_max} characters and do not begin with aws:, tag values have up to {value_chars_max}")
# ResourceNotFoundException of a consumer. Source: ours.
no_consumer = Text("Consumer {consumer} of stream {name} under account {account} not found.")
# ResourceInUseException of RegisterStreamConsumer. Source: ours.
consumer_exists = Text("Consumer {consumer} of stream {name} under account {account} already exists.")
# LimitExceededException of RegisterStreamConsumer. Source: ours.
too_many_consumers = Text("Stream {name} under account {account} cannot have more than {most} registered consumers.")
# InvalidArgumentException of a request that names no consumer. Source: ours.
consumer_missing = Text("Either ConsumerARN, or StreamARN and ConsumerName must be specified.")
# LimitExceededException of a stream that others keep changing. Source: ours.
keeps_changing = Text("Stream {name} under account {account} is being changed by other requests. Try again.")
