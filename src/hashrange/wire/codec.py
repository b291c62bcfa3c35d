"""Decodes the bodies of requests.

The fast path is one call of a decoder for the request type, which checks the types of all members
in C. A body that it refuses is read again by `wire.reading`, slowly, for the exact error or for a
lenient conversion.

Base64 is checked when values are made canonical, which visits each of them anyway. The service
refuses malformed base64 while it decodes, before all other checks: so the values of a request that
is about to be refused are checked first.
"""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, assert_never

import msgspec

from hashrange.model.binary import may_hold_binaries, walk_binaries
from hashrange.wire.depth import is_too_deep
from hashrange.wire.member_types import (
    VALUE,
    ListOf,
    MapOf,
    MemberType,
    Scalar,
    Structure,
    structure_of,
)
from hashrange.wire.reading import Fraction, read, unreadable

R = TypeVar("R")

DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of decoders for bytes that are no JSON, no UTF-8, of other types, or too deep."""

_skim: Final = msgspec.json.Decoder(msgspec.Raw).decode
_untyped: Final = msgspec.json.Decoder(float_hook=Fraction).decode


class Decoder(Generic[R]):
    """The decoder of a request type, made once for all requests.

    Attributes:
        decode_usual: the fast path, for bodies too short to be too deep. Raises `DECODE_ERRORS` for
            bodies that `reread` must read.

    Args:
        request: a frozen Struct with every member of the operation's input, all optional with None
            as default, under the API's names.
    """

    __slots__ = ("_request", "decode_usual")

    def __init__(self, request: type[R]) -> None:
        self._request = request
        self.decode_usual: Callable[[bytes], R] = msgspec.json.Decoder(request).decode

    def decode(self, body: bytes) -> R:
        """Decode a body. Of duplicate members the last counts.

        Raises:
            DynamoError: SerializationException, without a text if the body is not a JSON object.
        """
        if is_too_deep(body):
            raise unreadable()
        try:
            return self.decode_usual(body)
        except msgspec.ValidationError:
            return self.reread(body)
        except DECODE_ERRORS as error:
            raise unreadable() from error

    def reread(self, body: bytes) -> R:
        """Decode a body in Python, with DynamoDB's conversions and errors. Raises DynamoError."""
        try:
            data: Any = _untyped(body)
            if not isinstance(data, dict):
                raise unreadable()
            return msgspec.convert(read(data, structure_of(self._request)), self._request)
        except DECODE_ERRORS as error:
            raise unreadable() from error


def is_json(body: bytes) -> bool:
    """Whether a body is JSON of a permitted depth; an empty body is not.

    A body that is not JSON is refused before an unknown target or a malformed signature, a member
    of a wrong type after both.

    Source: captures of the service.
    """
    if is_too_deep(body):
        return False
    try:
        _skim(body)
        body.decode()
    except DECODE_ERRORS:
        return False
    return True


def check_binaries(request: object) -> None:
    """Refuse the first malformed base64 within a Struct, in the order of its members.

    Raises:
        DynamoError: SerializationException.
    """
    if not may_hold_binaries(request):
        return
    # Not recursive: values may be as deep as JSON_DEPTH_MAX.
    rest: list[tuple[Any, MemberType]] = [(request, structure_of(type(request)))]
    while rest:
        data, member_type = rest.pop()
        if data is None:
            continue
        if member_type is VALUE:
            walk_binaries(data)
            continue
        match member_type:
            case Scalar():
                continue
            case ListOf(element=element):
                rest += [(each, element) for each in reversed(data)]
            case MapOf(value=value):
                rest += [(each, value) for each in reversed(data.values())]
            case Structure(members=members, attributes=attributes):
                parts = [(getattr(data, attributes[name]), each) for name, each in members.items()]
                rest += reversed(parts)
            case _:
                assert_never(member_type)
