"""Encodes typed answers and faults, and chooses their content type."""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.errors import DynamoError

JSON: Final = b"application/json"
JSON_1_0: Final = b"application/x-amz-json-1.0"

_encoder: Final = msgspec.json.Encoder()

encode: Final[Callable[[object], bytes]] = _encoder.encode
"""Encode an answer.

Answers are Structs with `omit_defaults`, so that absent members are not sent; stored items are
`msgspec.Raw` members and are copied as they are.
"""


def encode_error(error: DynamoError) -> bytes:
    """The body of a fault: its name, its text in the member of that fault, further members."""
    body: dict[str, object] = {"__type": error.fault.wire_name}
    if error.message is not None:
        body[error.fault.message_member] = error.message
    if error.members is not None:
        body.update(error.members)
    return _encoder.encode(body)


def content_type(request: bytes | None, *, has_body: bool) -> bytes | None:
    """Content type of the answer to a request.

    Args:
        request: the request's Content-Type, None if it has none.
        has_body: a request without body needs no content type.

    Returns:
        None for an unknown content type (404).

    Source: captures of the service; parameters after a semicolon are ignored.
    """
    if request == JSON_1_0:
        return JSON_1_0
    essence = (request or b"").partition(b";")[0].strip()
    if essence == JSON_1_0:
        return JSON_1_0
    return JSON if essence == JSON or not has_body else None
