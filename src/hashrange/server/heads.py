"""Parses the head of a request: operation, caller and content type of the answer.

A client's requests within a second share all headers but the signature, which is not checked, so
parsed heads are cached without it. A head that does not have the form that SDKs send is parsed each
time.
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
from hashrange.messages.requests.http import operation_not_supported
from hashrange.observe.counts import OperationCounts
from hashrange.observe.metrics import Metrics
from hashrange.operations.pipeline.operation import Caller
from hashrange.operations.pipeline.pipeline import Performer, Pipeline
from hashrange.operations.registry import OPERATIONS
from hashrange.server.apis import Api
from hashrange.server.exchange import Request, Response
from hashrange.server.hosts import ANY_HOST, Hosts
from hashrange.wire.answers import JSON_1_0, content_type
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.reading import unreadable
from hashrange.wire.targets import operation_of, target_of

UNKNOWN: Final = "unknown"
"""The name of all operations that the API does not have, in metrics and logs."""
NOBODY: Final = Caller("", "", "")
"""The caller of a refused head."""

significant_headers: Final = itemgetter(b"content-type", b"x-amz-target", b"host", b"x-amz-date")
"""The headers, beside Authorization, that decide what a head says. KeyError if one is missing."""

HeadKey: TypeAlias = tuple[tuple[bytes, ...], bytes, bool, bytes, int]
"""Everything that a head is parsed from.

The values of `significant_headers`; the Authorization header up to the last equal sign; whether
only letters and digits follow, as in a signature; the query string; and the epoch of the pipeline's
policies when `perform` was looked up.
"""


class Head(msgspec.Struct, frozen=True):
    """A parsed head.

    Attributes:
        operation: its name.
        answer_type: the content type of the answer.
        counts: those of the operation's requests.
        caller: account, region and host.
        decode: decodes a body too short to be nested deeply. Raises msgspec's exceptions for
            bodies that `reread` may accept, DynamoError if the head itself is refused.
        reread: decodes any body. Raises DynamoError only.
        perform: executes the decoded request.
    """

    operation: str
    answer_type: bytes
    counts: OperationCounts
    caller: Caller
    decode: Callable[[bytes], Any]
    reread: Callable[[bytes], Any]
    perform: Performer


class HeadReader:
    """Parses the heads of all requests of a server.

    Args:
        pipeline: executes requests.
        metrics: counts requests.
        hosts: the names of the server; requests to other names are refused.

    Attributes:
        cache: parsed heads that have the form that SDKs send.
    """

    def __init__(self, pipeline: Pipeline, metrics: Metrics, hosts: Hosts = ANY_HOST) -> None:
        self.cache: BoundedCache[HeadKey, Head] = BoundedCache(
            entries_max=REQUEST_HEADS_MAX,
            chars_max=REQUEST_HEADS_BYTES_MAX,
            entry_chars_max=REQUEST_HEAD_BYTES_MAX,
        )
        self._pipeline = pipeline
        self._metrics = metrics
        self._hosts = hosts

    def read(self, request: Request, key: HeadKey | None) -> Head | None:
        """Parse the head of a request, and cache it under its key if that is safe.

        Args:
            request: the request.
            key: None if a significant header is missing.

        Returns:
            None if the service does not know the content type.
        """
        headers = request.headers
        host = headers.get(b"host", b"")
        answer_type = content_type(headers.get(b"content-type"), has_body=bool(request.body))
        if (refusal := self._hosts.refusal(host)) is not None:
            counts = self._metrics.of(UNKNOWN)
            return _refused(refusal, UNKNOWN, answer_type or JSON_1_0, counts)
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
        caller = Caller(scope.account, scope.region, host.decode("latin-1"))
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
            self.cache.keep(key, head, sum(map(len, texts)) + len(start))
        return head

    async def serve(self, api: Api, request: Request) -> Response:
        """Answer a request of another API, unless its host or its signature is refused."""
        host = request.headers.get(b"host", b"")
        if (refusal := self._hosts.refusal(host)) is not None:
            return api.refuse(refusal)
        try:
            scope = caller_of(request.headers, request.query).scope
        except DynamoError as error:
            return api.refuse(error)
        caller = Caller(scope.account, scope.region, host.decode("latin-1"))
        return await api.respond(request, caller)

    def _without_route(self, target: bytes, answer_type: bytes) -> Head:
        """The head of an operation that is not built, or that the API does not have.

        Operations that are not built are counted by name, since the API has few; all others
        are counted as `UNKNOWN`.
        """
        unbuilt = operation_of(target)
        name = UNKNOWN if unbuilt is None else unbuilt.operation
        text = None if unbuilt is None else operation_not_supported(name)
        error = DynamoError(Fault.UNKNOWN_OPERATION, text)
        return _refused(error, name, answer_type, self._metrics.of(name))


def _may_be_kept(key: HeadKey) -> bool:
    """Whether a parsed head holds for every body and every signature."""
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
    """A head that refuses each request when its body is decoded."""
    refuse = partial(_refuse, error)
    return Head(operation, answer_type, counts, NOBODY, refuse, refuse, _never)


def _refuse(error: DynamoError, body: bytes) -> NoReturn:
    # DynamoDB refuses a body that is not JSON before the target and the caller, but an empty body
    # after them.
    raise error if not body or is_json(body) else unreadable()


async def _never(_request: object) -> object:
    raise AssertionError("a refused request is not executed")


_ROUTES: Final[dict[bytes, tuple[str, Decoder[Any]]]] = {
    target_of(name): (name, Decoder(operation.request)) for name, operation in OPERATIONS.items()
}
