"""Requests on destinations: the table, the stream and the precision that they name."""

from typing import cast

import msgspec

from hashrange.api.dynamodb.definitions.table_names import TableReference, existing_table
from hashrange.model.structures.dynamodb import (
    StreamingDestination,
    UpdateKinesisStreamingDestination,
)
from hashrange.model.table_features import Precision
from hashrange.wire.constraints import check
from hashrange.wire.rules import Form, Rows


class CheckedDestination(msgspec.Struct, frozen=True):
    """A table, a stream as it was sent, and the precision; None if none was sent."""

    table: TableReference
    stream_arn: str
    precision: Precision | None

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN of the table, as sent."""
        return self.table.table_names


def checked(
    request: StreamingDestination | UpdateKinesisStreamingDestination, rows: Rows
) -> CheckedDestination:
    """The members of a request. Raises ValidationException: one is invalid."""
    table = existing_table(request.table_name)
    check(request, rows, Form.MODEL)
    asked = (
        request.enable_kinesis_streaming_configuration
        if isinstance(request, StreamingDestination)
        else request.update_kinesis_streaming_configuration
    )
    precision = None if asked is None else asked.approximate_creation_date_time_precision
    assert request.stream_arn is not None, "required"
    # Its constraints were checked.
    return CheckedDestination(table, request.stream_arn, cast("Precision | None", precision))
