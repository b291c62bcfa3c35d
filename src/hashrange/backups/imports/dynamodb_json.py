"""DYNAMODB_JSON: an object for each item, as exports write them. Pure.

After a record that is no such object the rest of the file is skipped, as on the service
(measured by ScyllaDB's tests).
"""

from typing import Final

import msgspec

from hashrange.backups.imports.lines import Refused
from hashrange.errors import DynamoError
from hashrange.messages.tables import backups as messages
from hashrange.model.values import AttributeValue
from hashrange.wire.codec import DECODE_ERRORS, Decoder
from hashrange.wire.depth import DEEP_BYTES_MIN


class Line(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A line; other members are ignored. Those beside the item are of bulk operations."""

    item: dict[str, AttributeValue] | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


_decoder: Final = Decoder(Line)
_usual: Final = _decoder.decode_usual


def line_of(data: bytes) -> Line:
    """The members of a line. Raises Refused."""
    try:
        line = _usual(data) if len(data) < DEEP_BYTES_MIN else _decoder.decode(data)
    except DECODE_ERRORS:
        line = _reread(data)
    except DynamoError as error:
        raise _refused(error) from error
    if line.item is None:
        raise Refused(messages.record_without_item(), ends_object=True)
    return line


def _reread(data: bytes) -> Line:
    """A line as the service converts it. Raises Refused."""
    try:
        return _decoder.decode(data)
    except DynamoError as error:
        raise _refused(error) from error


def _refused(error: DynamoError) -> Refused:
    if error.message is None:
        return Refused(messages.unreadable_record(), ends_object=True)
    return Refused(error.message)
