"""The protocol CBOR 1.1 of AWS, which SDKs for Java speak with Kinesis by default. Pure.

It is JSON 1.1 in another encoding: blobs are byte strings, and times are integers of milliseconds
behind tag 1. Source: the protocol's encoder and decoder in the AWS SDK for Java 2.
"""

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, ClassVar, Final

import msgspec

from hashrange.errors import ApiError
from hashrange.limits.requests import CBOR_REQUEST_ITEMS_MAX
from hashrange.wire.cbor import encoding
from hashrange.wire.cbor.reader import TAG, IncompleteError, MalformedError, Tagged, read_item
from hashrange.wire.cbor.scanner import Scanner
from hashrange.wire.exchange import Headers, Request
from hashrange.wire.reading import unreadable
from hashrange.wire.service import ROOT, AnyServiceOperation

CBOR_1_1: Final = b"application/x-amz-cbor-1.1"
TIME: Final = 1
"""The tag of a time."""
_MS: Final = 1000
_FALSE, _TRUE = b"\xf4", b"\xf5"


class CborProtocol(msgspec.Struct, frozen=True, kw_only=True):
    """See `hashrange.wire.service.ServiceProtocol`.

    Attributes:
        target: what precedes the last dot of X-Amz-Target.
    """

    target: bytes
    text_member: ClassVar[str] = "message"
    content_type: ClassVar[bytes] = CBOR_1_1
    answer_type: ClassVar[bytes] = CBOR_1_1
    answer_headers: ClassVar[Headers] = ()
    path: ClassVar[bytes] = ROOT
    sends_request_id: ClassVar[bool] = False

    def call(self, request: Request) -> tuple[str, bytes]:
        """The operation after the last dot of the target, and the body."""
        target = request.headers[b"x-amz-target"]
        return target.rpartition(b".")[2].decode("latin-1"), request.body or encoding.EMPTY_MAP

    def read(self, _name: str, operation: AnyServiceOperation, payload: bytes) -> Any:
        """The request. Raises DynamoError: SerializationException."""
        return decoded(payload, operation.request, CBOR_REQUEST_ITEMS_MAX, units_per_second=_MS)

    def answer(self, _name: str, answer: object, _request_id: str) -> bytes:
        """The body of an answer. Its floats are times, in seconds."""
        return encoded(msgspec.to_builtins(answer, builtin_types=(bytes,)))

    def refusal(self, error: ApiError, _request_id: str) -> bytes:
        """The body of a refusal."""
        text = {} if error.text is None else {self.text_member: error.text}
        return encoded({"__type": error.name, **text, **error.members})


def decoded(payload: bytes, request: type[Any], items_max: int, *, units_per_second: int) -> Any:
    """A request of the bytes of one item. Raises DynamoError: SerializationException.

    Args:
        payload: the bytes.
        request: the Struct.
        items_max: more items, with those that they contain, are refused.
        units_per_second: of times.
    """
    try:
        return msgspec.convert(
            item_of(payload, items_max, units_per_second=units_per_second),
            request,
            builtin_types=(bytes,),
        )
    except (MalformedError, msgspec.ValidationError) as error:
        raise unreadable() from error


def item_of(payload: bytes, items_max: int, *, units_per_second: int) -> Any:
    """The one item of the bytes, with times in seconds. Raises MalformedError."""
    try:
        if Scanner(0, 1, items_max).find_end(payload) != len(payload):
            raise MalformedError("the body is not one item")
        item, _ = read_item(payload, 0)
    except IncompleteError as error:
        raise MalformedError("the body is not whole") from error
    return _timed(item, units_per_second)


def _timed(item: Any, units: int) -> Any:
    """An item with times in seconds."""
    match item:
        case dict():
            return {key: _timed(value, units) for key, value in item.items()}
        case list():
            return [_timed(value, units) for value in item]
        case Tagged(number=number, item=int() | float() as time) if number == TIME:
            return float(time) if units == 1 else time / units
        case Tagged():
            raise MalformedError("a tag has no meaning")
        case _:
            return item


def encoded(value: Any) -> bytes:
    """A value of builtin types."""
    return _ENCODERS[type(value)](value)


def _boolean(value: bool) -> bytes:  # noqa: FBT001 - a value of the answer
    return _TRUE if value else _FALSE


def _time(seconds: float) -> bytes:
    return encoding.head(TAG, TIME) + encoding.encode_integer(round(seconds * _MS))


def _map(members: dict[str, Any]) -> bytes:
    return encoding.mapping((encoding.text(key), encoded(each)) for key, each in members.items())


_ENCODERS: Final[Mapping[type[Any], Callable[[Any], bytes]]] = {
    NoneType: lambda _: encoding.NULL,
    bool: _boolean,
    int: encoding.encode_integer,
    float: _time,
    str: encoding.text,
    bytes: encoding.byte_string,
    list: lambda items: encoding.array(map(encoded, items)),
    dict: _map,
}
