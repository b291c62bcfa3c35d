"""Heads of verified requests: only the signature of each further request is verified.

What such a head is parsed from is in its key, and so is all that its caller has of the request. A
head of another epoch is not found: a revoked key is refused at once.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from hashrange.access.identities.stored_credentials import Credentials
from hashrange.access.signatures.sigv4 import is_usual_start
from hashrange.access.signatures.verification import HeadVerifier
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError
from hashrange.limits.access import VERIFIED_HEAD_BYTES_MAX, VERIFIED_HEADS_BYTES_MAX
from hashrange.limits.server import REQUEST_HEADS_MAX
from hashrange.server.callers import (
    AGENT_HEADER,
    TOKEN_HEADER,
    Authenticated,
    SignatureCheck,
)
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.head import Head, has_usual_type, refused, significant_headers
from hashrange.server.request_rates import Budget
from hashrange.wire.exchange import Peer, Request

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
        credentials: Credentials,
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
