"""Bytes to typed requests.

The fast path is one call of a decoder that is bound to the request's type and checks the kinds of
all members in C. What it refuses is looked at again, slowly and exactly, by `wire.reading`.

Base64 is not checked on the fast path: whoever makes values canonical looks at each of them anyway.
"""

from typing import Any, Final, Generic, TypeVar

import msgspec

from hashrange.wire.depth import is_too_deep
from hashrange.wire.reading import Fraction, read, unreadable
from hashrange.wire.shapes import shape_of

R = TypeVar("R")

REFUSALS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What is raised for a body that the fast path does not take."""

_skim: Final = msgspec.json.Decoder(msgspec.Raw).decode
_untyped: Final = msgspec.json.Decoder(float_hook=Fraction).decode


class Decoder(Generic[R]):
    """The decoder of one request type; made once, used for every request.

    Attributes:
        decode_usual: as `decode`, of bodies that are too short to be deep; and it raises `REFUSALS`
            for what is to be looked at again.

    Args:
        request: a frozen Struct with every member of the operation's input shape, all optional
            with None as default, under the API's names.
    """

    __slots__ = ("_request", "decode_usual")

    def __init__(self, request: type[R]) -> None:
        self._request = request
        self.decode_usual = msgspec.json.Decoder(request).decode

    def decode(self, body: bytes) -> R:
        """The request in a body. Of duplicate members the last one counts.

        Raises:
            DynamoError: SerializationException, without text where the body is no JSON object.
        """
        if is_too_deep(body):
            raise unreadable()
        try:
            return self.decode_usual(body)
        except msgspec.ValidationError:
            return self.reread(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise unreadable() from error

    def reread(self, body: bytes) -> R:
        """As `decode`, slowly and exactly. Raises DynamoError."""
        try:
            data: Any = _untyped(body)
            if not isinstance(data, dict):
                raise unreadable()
            return msgspec.convert(read(data, shape_of(self._request)), self._request)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise unreadable() from error


def is_json(body: bytes) -> bool:
    """Whether a body can be read as JSON, whatever it says; an empty one or a deep one cannot.

    A body that cannot is refused before its target and its signature are; members of a wrong kind
    only after both.

    Source: captures of the service.
    """
    if is_too_deep(body):
        return False
    try:
        _skim(body)
        body.decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
