"""Sends operations to the upstream: signed, within a time limit, again where that is safe."""

import asyncio
from ssl import SSLContext
from typing import Any, Final
from urllib.parse import SplitResult

import msgspec

from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.clock import Clock
from hashrange.dax.upstream.connection import UnansweredError, UpstreamConnection
from hashrange.dax.upstream.credentials import CredentialsSource
from hashrange.dax.upstream.pool import Pool
from hashrange.dax.upstream.refusals import UpstreamError, no_answer, refusal_of, unreachable
from hashrange.limits.dax import (
    UPSTREAM_CONNECT_SECONDS_MAX,
    UPSTREAM_REQUEST_SECONDS_MAX,
    UPSTREAM_RETRY_SECONDS_FIRST,
    UPSTREAM_TRIES_MAX,
)
from hashrange.observe.figures import Figures
from hashrange.wire.exchange import target_of

_OK: Final = 200
_PORTS: Final = {"http": 80, "https": 443}
_RANDOM_BYTES: Final = 4
_CONTENT_TYPE: Final = "application/x-amz-json-1.0"


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A request.

    Attributes:
        operation: its name in the API.
        body: the request, as JSON.
        is_repeatable: it may be sent again if its answer was lost.
        actions: of a transaction; 0 for other operations.
    """

    operation: str
    body: bytes
    is_repeatable: bool
    actions: int = 0


class Client:
    """A client of the upstream, for one event loop.

    Args:
        parts: of the upstream's URL: scheme, host and port.
        credentials: where those come from that requests are signed with.
        clock: time, and randomness of pauses.
        ssl: verifies the certificate of an upstream with HTTPS; None for HTTP.
        seconds_max: of one operation, all attempts included.

    Attributes:
        url: of the upstream.
        sent: requests that were sent, each attempt by itself.
        retried: those of them that were sent again.
        unanswered: attempts without an answer.
        failure: why the last attempt has no answer; None if it has one.
    """

    def __init__(
        self,
        parts: SplitResult,
        credentials: CredentialsSource,
        clock: Clock,
        ssl: SSLContext | None,
        *,
        seconds_max: float = UPSTREAM_REQUEST_SECONDS_MAX,
    ) -> None:
        assert parts.hostname is not None, "the URL was checked"
        self.url = f"{parts.scheme}://{parts.netloc}"
        self.sent = self.retried = self.unanswered = 0
        self._host, self._authority = parts.hostname, parts.netloc
        self._port = parts.port or _PORTS[parts.scheme]
        self._credentials = credentials
        self._clock = clock
        self._ssl = ssl
        self._seconds_max = seconds_max
        self.failure: str | None = None
        self._pool = Pool(self._connect, clock.monotonic_ns)
        self._tasks: set[asyncio.Task[bytes]] = set()

    async def call(self, sent: Sent) -> bytes:
        """The body of the answer to an operation. It may run outside of tasks.

        Raises:
            UpstreamError: the upstream refuses, or does not answer.
            DynamoError: too many requests wait.
        """
        task = asyncio.get_running_loop().create_task(self._call(sent))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await task

    async def close(self) -> None:
        """End all requests, and close all connections."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._pool.close()

    def sweep(self) -> None:
        """Close idle connections; to be called now and then."""
        self._pool.sweep()

    def figures(self) -> Figures:
        """Figures for metrics."""
        return {
            "dax_upstream_requests_total": float(self.sent),
            "dax_upstream_retries_total": float(self.retried),
            "dax_upstream_unanswered_total": float(self.unanswered),
            "dax_upstream_waiting": float(self._pool.waiting),
            "dax_upstream_connections": float(self._pool.in_use),
        }

    async def _call(self, sent: Sent) -> bytes:
        error: UpstreamError | None = None
        has_sent, is_lost = Flag(), False
        try:
            async with asyncio.timeout(self._seconds_max):
                for tries in range(UPSTREAM_TRIES_MAX):
                    if tries:
                        self.retried += 1
                        await asyncio.sleep(self._pause_seconds(tries))
                    try:
                        return await self._attempt(sent, has_sent)
                    except UpstreamError as refusal:
                        error = refusal
                        if not refusal.may_pass:
                            # It says nothing of what attempts before it have done.
                            refusal.is_unchanged = refusal.is_unchanged and not is_lost
                            raise
                        is_lost = has_sent.is_set
                        if has_sent.is_set and not sent.is_repeatable:
                            raise
        except TimeoutError:
            timed_out = no_answer if has_sent.is_set else unreachable
            raise self._failed(timed_out(self.url, "no answer in time")) from None
        assert error is not None, "it was tried"
        if error.is_unchanged and has_sent.is_set:
            # Not this attempt, but one before it may have made the write.
            error = no_answer(self.url, error.reason)
        raise error

    async def _attempt(self, sent: Sent, has_sent: "Flag") -> bytes:
        """The answer; if the credentials are refused and there are others, with those."""
        first = self._credentials.current
        try:
            return await self._once(sent, has_sent, first)
        except UpstreamError as refusal:
            if not refusal.is_of_credentials or not await self._credentials.renewed(first):
                raise
            if not sent.is_repeatable:
                # What was sent has done nothing, and an attempt before it was not sent.
                has_sent.is_set = False
        self.retried += 1
        return await self._once(sent, has_sent, self._credentials.current)

    async def _once(self, sent: Sent, has_sent: "Flag", credentials: Credentials) -> bytes:
        try:
            async with self._pool.acquire() as connection:
                request = self._signed(sent, credentials)
                has_sent.is_set = True
                self.sent += 1
                answer = await connection.send(request)
        except UnansweredError as error:
            raise self._failed(no_answer(self.url, str(error))) from error
        except OSError as error:
            raise self._failed(unreachable(self.url, _reason(error))) from error
        self.failure = None
        if answer.status != _OK or not answer.body.startswith(b"{"):
            raise refusal_of(self.url, answer, sent.actions)
        return answer.body

    def _failed(self, error: UpstreamError) -> UpstreamError:
        self.unanswered += 1
        self.failure = error.message
        return error

    async def _connect(self) -> UpstreamConnection:
        """A new connection. Raises OSError."""
        loop = asyncio.get_running_loop()
        host = self._host
        try:
            async with asyncio.timeout(UPSTREAM_CONNECT_SECONDS_MAX):
                _, protocol = await loop.create_connection(
                    UpstreamConnection, host, self._port, ssl=self._ssl
                )
        except TimeoutError as error:
            raise OSError("no connection in time") from error
        return protocol

    def _signed(self, request: Sent, credentials: Credentials) -> bytes:
        """The bytes of a request; signed for each attempt, since signatures are of their time."""
        headers = {
            "Host": self._authority,
            "Content-Type": _CONTENT_TYPE,
            "X-Amz-Target": target_of(request.operation).decode(),
        }
        body = request.body
        sent = signed_headers(headers, body, credentials, self._clock.now_ms())
        sent["Content-Length"] = str(len(body))
        head = "".join([f"{name}: {value}\r\n" for name, value in sent.items()])
        return f"POST / HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body

    def _pause_seconds(self, tries: int) -> float:
        """A random pause up to a bound that doubles, so that clients of one failure spread out."""
        share = int.from_bytes(self._clock.random_bytes(_RANDOM_BYTES)) / 256.0**_RANDOM_BYTES
        return share * UPSTREAM_RETRY_SECONDS_FIRST * 2.0 ** (tries - 1)


class Flag:
    """Whether something has happened."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    verified: Any = getattr(error, "verify_message", None)
    return verified or error.strerror or str(error) or type(error).__name__
