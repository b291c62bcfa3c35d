"""Checks of members that the operations of the streams API share."""

from typing import Final

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import STREAM_ARN_CHARS_MAX
from hashrange.messages.tables import streams as messages
from hashrange.messages.tables.operations import arn_not_found
from hashrange.tables.streams.finding import stream_name
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.rules import Form, Rows

_STREAM_ARN: Final = rows(required("stream_arn"), length("stream_arn", None, STREAM_ARN_CHARS_MAX))


def check_stream_request(request: object, stream_arn: str | None, constraints: Rows) -> str:
    """Check a request against the model's constraints; returns its StreamArn.

    Raises ValidationException, with a text of its own for an ARN that is not of a stream.
    """
    check_constraints(request, _STREAM_ARN, Form.MODEL)
    assert stream_arn is not None
    stream_name(stream_arn)
    check_constraints(request, constraints, Form.MODEL)
    return stream_arn


def limit_of(limit: int | None, most: int) -> int:
    """The size of a page. Raises ValidationException beyond `most`, which the model lacks."""
    if limit is None:
        return most
    if limit > most:
        raise invalid(messages.limit_too_high(most))
    return limit


def no_such_stream(arn: str) -> DynamoError:
    """The ResourceNotFoundException of the operations on streams, which names the stream."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.stream_not_found(arn))


def no_such_arn(arn: str) -> DynamoError:
    """The ResourceNotFoundException that names a resource by its ARN."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, arn_not_found(arn))
