"""Requests on destinations: the table, the stream and the precision that they name."""

from typing import cast

import msgspec

from hashrange.api.dynamodb.definitions.table_names import TableReference
from hashrange.model.table_features import Precision


class CheckedDestination(msgspec.Struct, frozen=True):
    """A table, a stream as it was sent, and the precision; None if none was sent."""

    table: TableReference
    stream_arn: str
    precision: Precision | None

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN of the table, as sent."""
        return self.table.table_names


def precision_in(text: str | None) -> Precision | None:
    """The precision of a member whose constraints were checked."""
    return cast("Precision | None", text)
