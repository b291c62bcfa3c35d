"""What the head of a request says: which operation, for whom, and in what type it is answered.

The requests that a client sends within a second have a few heads between them, which differ in the
signature alone, and nothing is made of that. So what was read of a head is looked up as a whole; a
head that is not of the form that SDKs send is read anew each time.
"""

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from hashrange.auth.sigv4 import caller as caller_of
from hashrange.auth.sigv4 import is_usual_start
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits import REQUEST_HEAD_BYTES_MAX, REQUEST_HEADS_BYTES_MAX, REQUEST_HEADS_MAX
from hashrange.messages.http import operation_not_supported
from hashrange.observe.counts import OperationCounts
from hashrange.observe.metrics import Metrics
from hashrange.operations.pipeline.operation import Caller
from hashrange.operations.pipeline.pipeline import Performer, Pipeline
from hashrange.operations.registry import OPERATIONS
from hashrange.server.exchange import Request
from hashrange.wire.answers import content_type
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.reading import unreadable
from hashrange.wire.targets import operation_of, target_of

UNKNOWN: Final = "unknown"
"""The name of all operations that the API does not have."""
NOBODY: Final = Caller("", "", "")

telling: Final = itemgetter(b"content-type", b"x-amz-target", b"host", b"x-amz-date")
"""The headers that tell something beside the signature. Raises KeyError if one is missing."""

HeadKey: TypeAlias = tuple[tuple[bytes, ...], bytes, bool, bytes, int]
"""All that a head is read from: the headers of `telling`; the Authorization header up to the last
equal sign; whether letters and digits alone follow, as in a signature; the query string; and the
epoch of the policies that `perform` was made under.
"""


class Head(msgspec.Struct, frozen=True):
    """What a head says.

    Attributes:
        operation: its name.
        answer_type: the content type of the answer.
        counts: of requests of this operation.
        caller: who calls.
        decode: the request in a body too short to be deep. Raises msgspec's exceptions for what
            `reread` may read, and DynamoError where the head itself is refused.
        reread: the request in any body, exactly.
        perform: carries it out.
    """

    operation: str
    answer_type: bytes
    counts: OperationCounts
    caller: Caller
    decode: Callable[[bytes], Any]
    reread: Callable[[bytes], Any]
    perform: Performer


class Heads:
    """Reads the heads of all requests of a server.

    Attributes:
        known: heads that were read, as far as they are remembered.
    """

    def __init__(self, pipeline: Pipeline, metrics: Metrics) -> None:
        self.known: BoundedCache[HeadKey, Head] = BoundedCache(
            entries_max=REQUEST_HEADS_MAX,
            chars_max=REQUEST_HEADS_BYTES_MAX,
            entry_chars_max=REQUEST_HEAD_BYTES_MAX,
        )
        self._pipeline = pipeline
        self._metrics = metrics

    def read(self, request: Request, key: HeadKey | None) -> Head | None:
        """The head of a request; None where the endpoint does not know its content type.

        Args:
            request: whole.
            key: of its head; None if there is none.
        """
        headers = request.headers
        answer_type = content_type(headers.get(b"content-type"), has_body=bool(request.body))
        if answer_type is None:
            return None
        target = headers.get(b"x-amz-target", b"")
        route = _ROUTES.get(target)
        if route is None:
            return self._without_route(target, answer_type)
        operation, decoder = route
        counts = self._metrics.of(operation)
        try:
            scope = caller_of(headers, request.query).scope
        except DynamoError as error:
            return _refused(error, operation, answer_type, counts)
        host = headers.get(b"host", b"").decode("latin-1")
        caller = Caller(scope.account, scope.region, host)
        head = Head(
            operation=operation,
            answer_type=answer_type,
            counts=counts,
            caller=caller,
            decode=decoder.decode_usual,
            reread=decoder.decode,
            perform=self._pipeline.performer(operation, caller),
        )
        if key is not None and _may_be_kept(key):
            texts, start, *_ = key
            self.known.keep(key, head, sum(map(len, texts)) + len(start))
        return head

    def _without_route(self, target: bytes, answer_type: bytes) -> Head:
        """The head of an operation that is not built, or that the API does not have.

        Those that are not built have names, of which there are no more than the API has.
        """
        unbuilt = operation_of(target)
        name = UNKNOWN if unbuilt is None else unbuilt.operation
        text = None if unbuilt is None else operation_not_supported(name)
        error = DynamoError(Fault.UNKNOWN_OPERATION, text)
        return _refused(error, name, answer_type, self._metrics.of(name))


def _may_be_kept(key: HeadKey) -> bool:
    """Whether a head that was read says the same of every body, and behind every signature."""
    headers, start, is_plain, query, _ = key
    return (
        is_plain
        and not query
        and is_usual_start(start)
        and content_type(headers[0], has_body=True) is not None
    )


def _refused(
    error: DynamoError, operation: str, answer_type: bytes, counts: OperationCounts
) -> Head:
    """A head whose requests are refused when they are decoded."""
    refuse = partial(_refuse, error)
    return Head(operation, answer_type, counts, NOBODY, refuse, refuse, _never)


def _refuse(error: DynamoError, body: bytes) -> NoReturn:
    # A body that is no JSON is told before the target and the caller, one that is not there after.
    raise error if not body or is_json(body) else unreadable()


async def _never(_request: object) -> object:
    raise AssertionError("it was refused")


_ROUTES: Final[dict[bytes, tuple[str, Decoder[Any]]]] = {
    target_of(name): (name, Decoder(operation.request)) for name, operation in OPERATIONS.items()
}
