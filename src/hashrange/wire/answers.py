"""Encodes typed answers and faults; the tables that a request names."""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.limits.requests import TRANSACTION_ACTIONS_MAX
from hashrange.wire.codec import DECODE_ERRORS

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


NAMES_MAX: Final = 5
"""Names that are logged for one body."""
_HARMLESS: Final = re.compile(r"[\w.:/-]{1,1024}", re.ASCII).fullmatch


class _Named(msgspec.Struct, rename="pascal"):
    table_name: str | None = None


class _Body(msgspec.Struct, rename="pascal"):
    table_name: str | None = None
    request_items: dict[str, msgspec.Raw] | None = None
    transact_items: list[dict[str, _Named]] | None = None


_decode: Final = msgspec.json.Decoder(_Body).decode


def named_tables(body: bytes) -> str:
    """Names or ARNs as they were sent, joined by commas; empty for a malformed body.

    Texts that are not names are left out, since they could contain line breaks.
    """
    try:
        found = _decode(body)
    except DECODE_ERRORS:
        return ""
    names = [found.table_name, *(found.request_items or ())]
    for entry in (found.transact_items or [])[:TRANSACTION_ACTIONS_MAX]:
        names += [action.table_name for action in entry.values()]
    kept = dict.fromkeys(name for name in names if name is not None and _HARMLESS(name))
    return ",".join([*kept][:NAMES_MAX])
