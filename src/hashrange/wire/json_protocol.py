"""The protocols JSON 1.0 and 1.1 of AWS, of services beside DynamoDB. Pure."""

from typing import Any, ClassVar, Final

import msgspec

from hashrange.errors import ApiError
from hashrange.wire.answers import encode
from hashrange.wire.codec import Decoder
from hashrange.wire.exchange import Headers, Request
from hashrange.wire.service import ROOT, AnyServiceOperation

JSON_1_1: Final = b"application/x-amz-json-1.1"
_DECODERS: Final[dict[type[Any], Decoder[Any]]] = {}


class JsonProtocol(msgspec.Struct, frozen=True, kw_only=True):
    """See `hashrange.wire.service.ServiceProtocol`.

    Attributes:
        target: what precedes the last dot of X-Amz-Target.
        text_member: the member of errors that has the text.
        content_type: of requests and answers.
    """

    target: bytes
    text_member: str = "message"
    content_type: bytes = JSON_1_1
    answer_headers: ClassVar[Headers] = ()
    path: ClassVar[bytes] = ROOT
    sends_request_id: ClassVar[bool] = False

    @property
    def answer_type(self) -> bytes:
        """The content type of answers."""
        return self.content_type

    def call(self, request: Request) -> tuple[str, bytes]:
        """The operation after the last dot of the target, and the body."""
        target = request.headers[b"x-amz-target"]
        return target.rpartition(b".")[2].decode("latin-1"), request.body or b"{}"

    def read(self, _name: str, operation: AnyServiceOperation, payload: bytes) -> Any:
        """The request. Raises DynamoError: SerializationException."""
        return _decoder(operation.request).decode(payload)

    def answer(self, _name: str, answer: object, _request_id: str) -> bytes:
        """The body of an answer."""
        return b"{}" if answer is None else encode(answer)

    def refusal(self, error: ApiError, _request_id: str) -> bytes:
        """The body of a refusal."""
        text = {} if error.text is None else {self.text_member: error.text}
        return encode({"__type": error.name, **text, **error.members})


def _decoder(request: type[Any]) -> Decoder[Any]:
    found = _DECODERS.get(request)
    if found is None:
        found = _DECODERS[request] = Decoder(request)
    return found
