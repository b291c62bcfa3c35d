"""NextToken: the position at which the next page of a statement begins. Pure.

In base64: the digest of the request (16 bytes), the number of the range that was read last (2), the
LastEvaluatedKey as JSON, and an authentication code of these (16): BLAKE2b, with the secret of the
engine (`tables.secrets`) as its key. The digest binds the token to the statement, its parameters,
the table and the caller. A token contains nothing that the answer does not show too; clients can
neither change a token nor make one.
"""

from base64 import b64decode, b64encode
from hashlib import blake2b
from hmac import compare_digest
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Constants
from hashrange.messages.partiql import statements as messages
from hashrange.model.values import Item
from hashrange.operations.pipeline.operation import Caller
from hashrange.tables.opened import OpenTable

_BINDING_BYTES: Final = 16
_RANGE_BYTES: Final = 2
_CODE_BYTES: Final = 16
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


def token_of(place: Place, bound: bytes, secret: bytes) -> str:
    """The token in the form for clients."""
    data = bound + place.number.to_bytes(_RANGE_BYTES, "big") + msgspec.json.encode(place.key)
    return b64encode(data + _code(data, secret)).decode()


def place_of(token: str, bound: bytes, secret: bytes) -> Place:
    """The position in a token.

    Raises ValidationException: the token was not made with this secret, or is of another request.
    """
    try:
        encoded = token.encode("ascii")
        data = b64decode(encoded, validate=True)
    except ValueError as error:  # also of text that is not ASCII, and of lone surrogates
        raise _invalid() from error
    content, code = data[:-_CODE_BYTES], data[-_CODE_BYTES:]
    # The decoder ignores the unused bits of the last character.
    if not compare_digest(code, _code(content, secret)) or b64encode(data) != encoded:
        raise _invalid()
    if content[:_BINDING_BYTES] != bound:
        raise invalid(messages.next_token_of_another())
    end = _BINDING_BYTES + _RANGE_BYTES
    return Place(int.from_bytes(content[_BINDING_BYTES:end], "big"), _decode(content[end:]))


def _invalid() -> DynamoError:
    return invalid(messages.next_token_invalid())


def _code(data: bytes, secret: bytes) -> bytes:
    return blake2b(data, digest_size=_CODE_BYTES, key=secret, person=_PERSON).digest()
