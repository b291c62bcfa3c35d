"""NextToken: the position at which the next page of a statement begins. Pure.

In base64: the digest of the request (16 bytes), the time of the answer (8), the number of a range
(2), the key after which the page begins there as JSON, or null, and an authentication code of these
(16): BLAKE2b, with the secret of the engine (`tables.catalog.secrets`) as its key. The digest binds
the token to the statement, its parameters, the table and the caller. A token contains nothing that
the answer does not show too; clients can neither change a token nor make one.
"""

from base64 import b64decode, b64encode
from hashlib import blake2b
from hmac import compare_digest
from typing import Final

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Constants
from hashrange.limits.requests import STATEMENT_NEXT_TOKEN_SECONDS
from hashrange.messages import partiql as messages
from hashrange.model.values import Item
from hashrange.tables.opened.open_table import OpenTable

_BINDING_BYTES: Final = 16
_TIME_BYTES: Final = 8
_RANGE_BYTES: Final = 2
_RANGE_AT: Final = _BINDING_BYTES + _TIME_BYTES
_KEY_AT: Final = _RANGE_AT + _RANGE_BYTES
_CODE_BYTES: Final = 16
_PERSON: Final = b"next token"
_VALID_MS: Final = STATEMENT_NEXT_TOKEN_SECONDS * 1000
_decode: Final = msgspec.json.Decoder(Item | None).decode


class Position(msgspec.Struct, frozen=True):
    """The range that a page begins in, and the item after which; None for all of the range."""

    number: int
    key: Item | None


def binding(text: str, constants: Constants, table: OpenTable, caller: Caller) -> bytes:
    """A digest of a request: a token is valid only for requests with the same digest."""
    parts = (text, constants, table.table.id, caller.account, caller.region)
    return blake2b(msgspec.json.encode(parts), digest_size=_BINDING_BYTES).digest()


def token_of(position: Position, bound: bytes, secret: bytes, now_ms: int) -> str:
    """The token in the form for clients."""
    data = b"".join(
        (
            bound,
            now_ms.to_bytes(_TIME_BYTES, "big"),
            position.number.to_bytes(_RANGE_BYTES, "big"),
            msgspec.json.encode(position.key),
        )
    )
    return b64encode(data + _code(data, secret)).decode()


def claimed_number(token: str) -> int:
    """The number of the range that a token claims, which nobody has verified; 0 if it has none."""
    try:
        data = b64decode(token[: -(-_KEY_AT // 3) * 4])
    except ValueError:
        return 0
    return int.from_bytes(data[_RANGE_AT:_KEY_AT], "big")


def position_of(token: str, bound: bytes, secret: bytes, now_ms: int) -> Position:
    """The position in a token.

    Raises ValidationException: the token was not made with this secret, is of another request, or
    is too old.
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
    if int.from_bytes(content[_BINDING_BYTES:_RANGE_AT], "big") + _VALID_MS <= now_ms:
        raise invalid(messages.next_token_expired())
    return Position(int.from_bytes(content[_RANGE_AT:_KEY_AT], "big"), _decode(content[_KEY_AT:]))


def _invalid() -> DynamoError:
    return invalid(messages.next_token_invalid())


def _code(data: bytes, secret: bytes) -> bytes:
    return blake2b(data, digest_size=_CODE_BYTES, key=secret, person=_PERSON).digest()
