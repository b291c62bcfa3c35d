"""Texts about destinations of tables: Kinesis data streams that get their changes.

Source, without another one: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

_STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "

# EnableKinesisStreamingDestination of a table with a destination that gets changes, whatever its stream.
already_enabled = Text(_STATE + "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.")
# DisableKinesisStreamingDestination of a destination in another state, or of none.
not_active = Text(_STATE + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.")
# UpdateKinesisStreamingDestination of a destination in another state.
not_updatable = Text(_STATE + "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: {table}, kdsArn: {stream}")
# UpdateKinesisStreamingDestination of a stream that was never a destination of the table.
no_destination = Text(_STATE + "No streaming destination with streamArn: {stream} found for table with tableName: {table}")
# UpdateKinesisStreamingDestination without a precision.
nothing_to_update = Text("Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values")
# UpdateKinesisStreamingDestination with the precision that the destination has.
same_precision = Text("Invalid Request: Precision is already set to the desired value of {precision} for tableId: {table_id}, kdsArn: {stream}")
# DisableKinesisStreamingDestination with a precision.
configuration_of_disabled = Text("Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
# LimitExceededException: the precision was changed too often within a day. The text is our own.
too_many_updates = Text("Subscriber limit exceeded: The precision of a streaming destination can be changed {most} times within 24 hours: TableName: {table}, kdsArn: {stream}")
# DestinationStatusDescription: the stream does not exist, is being created, or is no stream.
no_permission = Text("User does not have a permission to use kinesis stream")
# DestinationStatusDescription: the stream is of another region.
other_region = Text("The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current region")
# DestinationStatusDescription: the stream is of another account.
stream_inactive = Text("The kinesis Arn used to enable kinesis replication belongs to a stream which is not in Active state")
# DestinationStatusDescription: the server of the stream does not answer, or its keys cannot be read. The text is our own.
no_answer = Text("The endpoint of the stream cannot be reached: {reason}")
# DestinationStatusDescription: the server of the stream has answered with an error. The text is our own.
refused = Text("The endpoint of the stream answers: {error}")
# DestinationStatusDescription: no setting names the server of the stream any more. The text is our own.
no_endpoint = Text("No endpoint of the stream is configured")
