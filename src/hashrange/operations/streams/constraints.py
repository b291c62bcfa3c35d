"""What the operations of the streams API check of their members."""

from typing import Final

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import STREAM_ARN_CHARS_MAX, STREAM_ARN_CHARS_MIN
from hashrange.messages.tables import streams as messages
from hashrange.messages.tables.operations import arn_not_found
from hashrange.streams.finding import stream_name
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.rules import Form, Rows

_STREAM_ARN: Final = rows(required("stream_arn"), length("stream_arn", None, STREAM_ARN_CHARS_MAX))
START_ARN: Final = length("exclusive_start_stream_arn", STREAM_ARN_CHARS_MIN, STREAM_ARN_CHARS_MAX)


def check_stream_request(request: object, stream_arn: str | None, constraints: Rows) -> str:
    """The StreamArn of a request that keeps the model's constraints.

    What is no ARN of a stream is told in words of its own, however long it is.
    """
    check_constraints(request, _STREAM_ARN, Form.MODEL)
    assert stream_arn is not None
    stream_name(stream_arn)
    check_constraints(request, constraints, Form.MODEL)
    return stream_arn


def limit_of(limit: int | None, most: int) -> int:
    """How many the caller wants at most; the model has no upper bound, the service has one."""
    if limit is None:
        return most
    if limit > most:
        raise invalid(messages.limit_too_high(most))
    return limit


def no_such_stream(arn: str) -> DynamoError:
    """The ResourceNotFoundException of the operations on streams, which names the stream."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.stream_not_found(arn))


def no_such_arn(arn: str) -> DynamoError:
    """The ResourceNotFoundException that names any resource."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, arn_not_found(arn))
