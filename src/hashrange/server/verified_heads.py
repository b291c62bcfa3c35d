"""Heads of requests: parsed once, and, of verified requests, only the signature is verified again.

What a verified head is parsed from is in its key, and so is all that its caller has of the request.
A head of another epoch is not found: a revoked key is refused at once.
"""

from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

import msgspec

from hashrange.access.signatures.sigv4 import is_usual_start
from hashrange.access.signatures.verification import HeadVerifier
from hashrange.api.steps.operation import Caller, Performer
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError
from hashrange.limits.access import VERIFIED_HEAD_BYTES_MAX, VERIFIED_HEADS_BYTES_MAX
from hashrange.limits.server import REQUEST_HEADS_MAX
from hashrange.model.structures.members import Tables
from hashrange.observe.counts import OperationCounts
from hashrange.observe.metrics import TABLE_FAULTS
from hashrange.server.callers import (
    AGENT_HEADER,
    TOKEN_HEADER,
    Authenticated,
    SignatureCheck,
)
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.request_rates import Budget
from hashrange.wire.answers import content_type
from hashrange.wire.codec import is_json
from hashrange.wire.exchange import Peer, Request
from hashrange.wire.reading import unreadable

NOBODY: Final = Caller("", "", "")
"""The caller of a refused head."""

significant_headers: Final = itemgetter(b"content-type", b"x-amz-target", b"host", b"x-amz-date")
"""The headers, beside Authorization, that decide what a head says. KeyError if one is missing."""


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
        latencies: counts of the operation's requests by `table_name`.
    """

    operation: str
    answer_type: bytes
    counts: OperationCounts
    caller: Caller
    decode: Callable[[bytes], Any]
    reread: Callable[[bytes], Any]
    perform: Performer
    latencies: Mapping[Tables, OperationCounts] = MappingProxyType({})

    def fail(self, code: str, typed: object) -> None:
        """Count the fault of a request, by its table too if it says something of that table."""
        self.counts.fail(code)
        table = getattr(typed, "table_name", None) if code in TABLE_FAULTS else None
        if table is not None:
            self.latencies[table].fail(code)


def has_usual_type(significant: tuple[bytes, ...]) -> bool:
    """Whether the content type, the first of the significant headers, fits every body."""
    return content_type(significant[0], has_body=True) is not None


def refused(
    error: DynamoError, operation: str, answer_type: bytes, counts: OperationCounts
) -> Head:
    """A head that refuses each request when its body is decoded."""
    refuse = partial(_refuse, error.as_value())
    return Head(operation, answer_type, counts, NOBODY, refuse, refuse, _never)


def _refuse(error: DynamoError, body: bytes) -> NoReturn:
    # DynamoDB refuses a body that is not JSON before the target and the caller, but an empty body
    # after them.
    if body and not is_json(body):
        raise unreadable()
    # Another one: with the calls that it passes, the kept one would refer to the head that has it.
    raise DynamoError(error.fault, error.message, members=error.members)


async def _never(_request: object) -> object:
    raise AssertionError("a refused request is not executed")


if TYPE_CHECKING:
    from hashrange.access.identities.stored_credentials import Credentials

_Key: TypeAlias = tuple[tuple[bytes, ...], bytes, bytes, bytes | None, bytes | None, Peer, int, int]
"""The significant headers; Authorization up to the last equal sign; the query string; the session
token; the user agent; the peer; the epochs of pipeline and credentials."""


class _VerifiedHead(msgspec.Struct, frozen=True):
    head: Head
    verifier: HeadVerifier
    budget: Budget | None


class VerifiedHeads:
    """The heads of requests whose signatures were verified.

    Args:
        credentials: whose epoch is part of the keys.
        now_ms: the clock.
        authenticate: verifies the requests whose heads are not known.
        failures: delays answers to failed signatures.

    Attributes:
        authenticate: as above.
        failures: as above.
    """

    def __init__(
        self,
        credentials: "Credentials",
        now_ms: Callable[[], int],
        *,
        authenticate: SignatureCheck,
        failures: FailedSignatures,
    ) -> None:
        self.authenticate = authenticate
        self.failures = failures
        self._credentials = credentials
        self._now_ms = now_ms
        self._cache = BoundedCache[_Key, _VerifiedHead](
            entries_max=REQUEST_HEADS_MAX,
            chars_max=VERIFIED_HEADS_BYTES_MAX,
            entry_chars_max=VERIFIED_HEAD_BYTES_MAX,
        )
        self._entries = self._cache.entries

    def known(self, request: Request, epoch: int) -> Head:
        """The head of a request whose signature is right.

        Args:
            request: the request.
            epoch: of the pipeline's policies.

        Raises:
            KeyError: the head is not known, or the signature is not right now; `authenticate`
                decides.
        """
        headers = request.headers
        start, _, signature = headers[b"authorization"].rpartition(b"=")
        known = self._entries[
            (
                significant_headers(headers),
                start,
                request.query,
                headers.get(TOKEN_HEADER),
                headers.get(AGENT_HEADER),
                request.peer,
                epoch,
                self._credentials.epoch,
            )
        ]
        verifier = known.verifier
        if not verifier.from_ms <= self._now_ms() <= verifier.until_ms:
            raise KeyError(start)
        if not verifier.accepts(headers, request.body, signature):
            raise KeyError(start)
        if known.budget is not None:
            try:
                known.budget.spend()
            except DynamoError as error:
                request.forget_body()
                head = known.head
                return refused(error, head.operation, head.answer_type, head.counts)
        return known.head

    def keep(self, request: Request, epoch: int, head: Head, authenticated: Authenticated) -> None:
        """Keep the head of an authenticated request, if it has the form that SDKs send."""
        headers = request.headers
        try:
            significant = significant_headers(headers)
            start = headers[b"authorization"].rpartition(b"=")[0]
        except KeyError:
            return
        if request.query or not is_usual_start(start) or not has_usual_type(significant):
            return
        assert authenticated.verifier is not None, "signatures are verified"
        token, agent = headers.get(TOKEN_HEADER), headers.get(AGENT_HEADER)
        key = (
            significant,
            start,
            request.query,
            token,
            agent,
            request.peer,
            epoch,
            self._credentials.epoch,
        )
        known = _VerifiedHead(head, authenticated.verifier, authenticated.budget)
        texts = (*significant, start, token or b"", agent or b"")
        self._cache.keep(key, known, sum(map(len, texts)))
