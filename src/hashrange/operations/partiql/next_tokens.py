"""NextToken: the position at which the next page of a statement begins. Pure.

In base64: what the token is bound to (16 bytes), the number of the range that was read last (2),
the LastEvaluatedKey as JSON, and a checksum (8). It is bound to the statement, its parameters, the
table and the caller. Nothing in it is secret, and a token that somebody made up leads only to items
that the statement reads anyway, for the key must lie in one of its ranges.
"""

from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Constants
from hashrange.messages.partiql import statements as messages
from hashrange.model.canonical import canonical_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.operations.pipeline.operation import Caller
from hashrange.tables.opened import OpenTable

_BINDING_BYTES: Final = 16
_RANGE_BYTES: Final = 2
_CHECKSUM_BYTES: Final = 8
_PERSON: Final = b"next token"
_decode: Final = msgspec.json.Decoder(Item).decode


class Place(msgspec.Struct, frozen=True):
    """The range, and the item in it, after which a page begins."""

    number: int
    key: Item


def binding(text: str, constants: Constants, table: OpenTable, caller: Caller) -> bytes:
    """A digest of a request: a token is valid only for requests with the same digest."""
    parts = (text, constants, table.table.id, caller.account, caller.region)
    return blake2b(msgspec.json.encode(parts), digest_size=_BINDING_BYTES).digest()


def token_of(place: Place, bound: bytes) -> str:
    """The token in the form for clients."""
    data = bound + place.number.to_bytes(_RANGE_BYTES, "big") + msgspec.json.encode(place.key)
    return b64encode(data + _checksum(data)).decode()


def place_of(token: str, bound: bytes) -> Place:
    """The position in a token.

    Raises ValidationException: none of ours, or one of another request.
    """
    try:
        data = b64decode(token.encode("ascii"), validate=True)
    except ValueError as error:  # also of text that is not ASCII, and of lone surrogates
        raise _invalid() from error
    content, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if len(content) <= _BINDING_BYTES + _RANGE_BYTES or checksum != _checksum(content):
        raise _invalid()
    if content[:_BINDING_BYTES] != bound:
        raise invalid(messages.next_token_of_another())
    end = _BINDING_BYTES + _RANGE_BYTES
    try:
        key = _decode(content[end:])
        canonical_item(key, Wording.OLDER)
    except (msgspec.DecodeError, DynamoError, RecursionError) as error:
        raise _invalid() from error
    return Place(int.from_bytes(content[_BINDING_BYTES:end], "big"), key)


def _invalid() -> DynamoError:
    return invalid(messages.next_token_invalid())


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM_BYTES, person=_PERSON).digest()
