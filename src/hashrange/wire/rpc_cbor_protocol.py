"""Smithy's protocol RPC v2 CBOR. Pure.

The path names the operation. Times are seconds behind tag 1. Source: the specification of the
protocol, `smithy.protocols#rpcv2Cbor`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import msgspec

from hashrange.errors import ApiError
from hashrange.wire.cbor import encoding
from hashrange.wire.cbor.reader import TAG
from hashrange.wire.cbor_protocol import TIME, decoded, encoded
from hashrange.wire.exchange import Headers, Request
from hashrange.wire.member_types import Scalar
from hashrange.wire.service import AnyServiceOperation
from hashrange.wire.typed_answers import written

CBOR: Final = b"application/cbor"


class RpcCborProtocol(msgspec.Struct, frozen=True, kw_only=True):
    """See `hashrange.wire.service.ServiceProtocol`.

    Attributes:
        path: of requests, before the name of the operation.
        namespace: of the errors' names.
        items_max: CBOR items of a request.
    """

    path: bytes
    namespace: str
    items_max: int
    content_type: ClassVar[bytes] = CBOR
    answer_type: ClassVar[bytes] = CBOR
    answer_headers: ClassVar[Headers] = ((b"smithy-protocol", b"rpc-v2-cbor"),)
    target: ClassVar[bytes | None] = None
    sends_request_id: ClassVar[bool] = False

    def call(self, request: Request) -> tuple[str, bytes]:
        """The operation at the end of the path, and the body."""
        name = request.path.removeprefix(self.path).decode("latin-1")
        return name, request.body or encoding.EMPTY_MAP

    def read(self, _name: str, operation: AnyServiceOperation, payload: bytes) -> Any:
        """The request. Raises DynamoError: SerializationException."""
        return decoded(payload, operation.request, self.items_max, units_per_second=1)

    def answer(self, _name: str, answer: msgspec.Struct | None, _request_id: str) -> bytes:
        """The body of an answer; empty for an operation that returns nothing."""
        return b"" if answer is None else _joined(written(answer, _scalar))

    def refusal(self, error: ApiError, _request_id: str) -> bytes:
        """The body of a refusal."""
        text = {} if error.text is None else {"message": error.text}
        return encoded({"__type": f"{self.namespace}#{error.name}", **text, **error.members})


def _scalar(value: Any, kind: Scalar) -> bytes:
    match kind:
        case Scalar.DATE:
            return encoding.head(TAG, TIME) + encoding.double(value)
        case Scalar.DOUBLE:
            return encoding.double(value)
        case _:
            return encoded(value)


def _joined(value: Any) -> bytes:
    """Written members as one item."""
    if isinstance(value, Mapping):
        return encoding.mapping(
            (encoding.text(name), _joined(each)) for name, each in value.items()
        )
    if isinstance(value, list):
        return encoding.array(map(_joined, value))
    assert isinstance(value, bytes), "written by _scalar"
    return value
