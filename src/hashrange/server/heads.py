"""Parses the head of a request: operation, caller and content type of the answer.

A client's requests within a second share all headers but the signature. If signatures are not
verified, parsed heads are cached without it; if they are, see `verified_heads`. A head that does
not have the form that SDKs send is parsed each time.
"""

from typing import Final, TypeAlias

from hashrange.access.signatures.sigv4 import is_usual_start
from hashrange.api.apis import Api
from hashrange.api.dynamodb.registry import DYNAMODB, OPERATIONS, decoder_of
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits.server import (
    REQUEST_HEAD_BYTES_MAX,
    REQUEST_HEADS_BYTES_MAX,
    REQUEST_HEADS_MAX,
)
from hashrange.messages.server import operation_not_supported
from hashrange.model.operations import OperationFacts
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.server.callers import claimed
from hashrange.server.hosts import ANY_HOST, Hosts
from hashrange.server.verified_heads import NOBODY, Head, VerifiedHeads, has_usual_type, refused
from hashrange.wire.answers import JSON_1_0, content_type
from hashrange.wire.exchange import Request, Response, operation_of

UNKNOWN: Final = "unknown"
"""The name of all operations that the API does not have, in metrics and logs."""

HeadKey: TypeAlias = tuple[tuple[bytes, ...], bytes, bool, bytes, int]
"""Everything that a head is parsed from.

The values of `significant_headers`; the Authorization header up to the last equal sign; whether
only letters and digits follow, as in a signature; the query string; and the epoch of the pipeline's
policies when `perform` was looked up.
"""


class HeadReader:
    """Parses the heads of all requests of a server.

    Args:
        pipeline: executes requests.
        metrics: counts requests.
        hosts: the names of the server; requests to other names are refused.
        verified: heads of verified requests; None if signatures are not verified.

    Attributes:
        cache: parsed heads that have the form that SDKs send; empty if signatures are verified.
        verified: as above.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        metrics: Metrics,
        hosts: Hosts = ANY_HOST,
        *,
        verified: VerifiedHeads | None = None,
    ) -> None:
        self.cache: BoundedCache[HeadKey, Head] = BoundedCache(
            entries_max=REQUEST_HEADS_MAX,
            chars_max=REQUEST_HEADS_BYTES_MAX,
            entry_chars_max=REQUEST_HEAD_BYTES_MAX,
        )
        self._pipeline = pipeline
        self._metrics = metrics
        self._hosts = hosts
        self.verified = verified
        self._authenticate = claimed if verified is None else verified.authenticate

    def read(self, request: Request, key: HeadKey | None) -> Head | None:
        """Parse the head of a request, and cache it under its key if that is safe.

        Args:
            request: the request.
            key: None if a significant header is missing, or if signatures are verified.

        Returns:
            None if the service does not know the content type.
        """
        head = self._read(request, key)
        if self.verified is not None and head is not None and head.caller is NOBODY:
            # Nothing of a body is parsed before its signature holds.
            request.forget_body()
        return head

    def _read(self, request: Request, key: HeadKey | None) -> Head | None:
        headers = request.headers
        host = headers.get(b"host", b"")
        answer_type = content_type(headers.get(b"content-type"), has_body=bool(request.body))
        if (refusal := self._hosts.refusal(host)) is not None:
            counts = self._metrics.of(UNKNOWN)
            return refused(refusal, UNKNOWN, answer_type or JSON_1_0, counts)
        if answer_type is None:
            return None
        facts = operation_of(headers.get(b"x-amz-target"))
        if facts is None or facts.name not in OPERATIONS:
            return self._unsupported(facts, answer_type)
        operation = facts.name
        decoder, counts = decoder_of(operation), self._metrics.of(operation)
        try:
            authenticated = self._authenticate(request, DYNAMODB.name)
        except DynamoError as error:
            return refused(error, operation, answer_type, counts)
        caller = authenticated.caller
        head = Head(
            operation=operation,
            answer_type=answer_type,
            counts=counts,
            caller=caller,
            decode=decoder.decode_usual,
            reread=decoder.decode,
            perform=self._pipeline.performer(operation, caller),
            latencies=self._metrics.on_tables(operation, caller.account, caller.region),
        )
        if self.verified is not None:
            self.verified.keep(request, self._pipeline.epoch, head, authenticated)
        elif key is not None and _may_be_kept(key):
            texts, start, *_ = key
            self.cache.keep(key, head, sum(map(len, texts)) + len(start))
        return head

    async def admit(self, api: Api, request: Request) -> Caller | Response:
        """The caller of a request of another API, or the refusal of its host or signature."""
        host = request.headers.get(b"host", b"")
        if (refusal := self._hosts.refusal(host)) is not None:
            return api.refuse(request, refusal)
        try:
            authenticated = self._authenticate(request, api.name)
        except DynamoError as error:
            await self.slow(request, error)
            return api.refuse(request, error)
        if request.decompress is not None and (answer := request.decompress(request)) is not None:
            return answer
        return authenticated.caller

    def is_refused_early(self, request: Request, service: str) -> bool:
        """Whether a request is refused whatever its body is, since no signature can be right."""
        if self.verified is None:
            return False
        try:
            self.verified.authenticate.claim(request, service)
        except DynamoError:
            return True
        return False

    async def slow(self, request: Request, error: DynamoError) -> int:
        """Delay the answer to a failed signature, if signatures are verified.

        Returns:
            The nanoseconds of the delay.
        """
        if self.verified is None:
            return 0
        return await self.verified.failures.slow(request, error.fault)

    def figures(self) -> Figures:
        """Refused signatures; nothing if signatures are not verified."""
        return {} if self.verified is None else self.verified.failures.figures()

    def _unsupported(self, unbuilt: OperationFacts | None, answer_type: bytes) -> Head:
        """The head of an operation that is not built, or that the API does not have.

        Operations that are not built are counted by name, since the API has few; all others
        are counted as `UNKNOWN`.
        """
        name = UNKNOWN if unbuilt is None else unbuilt.name
        text = None if unbuilt is None else operation_not_supported(name)
        error = DynamoError(Fault.UNKNOWN_OPERATION, text)
        return refused(error, name, answer_type, self._metrics.of(name))


def _may_be_kept(key: HeadKey) -> bool:
    """Whether a parsed head holds for every body and every signature."""
    headers, start, is_plain, query, _ = key
    return is_plain and not query and is_usual_start(start) and has_usual_type(headers)
