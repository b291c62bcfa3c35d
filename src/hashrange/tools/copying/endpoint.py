"""A server as a place: signed requests over HTTP, with retries of those that may be repeated."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit
from zlib import crc32

import msgspec

from hashrange.access.signatures.canonical import ANONYMOUS_ACCOUNT
from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.api.steps.operation import Caller
from hashrange.clock import Clock
from hashrange.tools.copying.connections import Connections
from hashrange.tools.copying.place import CopyError, Pause, RefusedError, TableRef, ask
from hashrange.wire.exchange import target_of

ENDPOINTS: Final = ("http://", "https://")
TRIES_MAX: Final = 10
"""Attempts of one request; the delays between them are up to a minute and a half in all."""
PAUSE_SECONDS_FIRST: Final = 0.05
PAUSE_SECONDS_MAX: Final = 20.0
_DOUBLINGS_MAX: Final = 16
"""More of them are beyond `PAUSE_SECONDS_MAX`."""
_OK: Final = 200
_SERVER_ERRORS: Final = 500
RANDOM_BYTES: Final = 4
_OF_AWS: Final = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")
THROTTLED: Final = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    }
)
"""Codes of errors of requests that the server may accept later."""
_WITHOUT_ANSWER: Final = frozenset(("TagResource", "UntagResource"))
_SENT_ONCE: Final = {
    *("CreateTable", "DeleteTable", "UpdateTable", "UpdateTimeToLive"),
    "ExecuteStatement",
}
"""Operations that are not retried after a lost response: a second attempt could be refused, or
change an item twice."""
_UNKNOWN_CALLER: Final = {
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "IncompleteSignatureException",
    "MissingAuthenticationTokenException",
    "ExpiredTokenException",
    "AccessDeniedException",
}


class Api(msgspec.Struct, frozen=True):
    """An API of JSON at an endpoint.

    Attributes:
        content_type: of its requests.
        prefix: of X-Amz-Target; None for DynamoDB, whose operations belong to two services.
    """

    content_type: str
    prefix: str | None = None

    def target(self, operation: str) -> str:
        """The header X-Amz-Target of an operation."""
        if self.prefix is None:
            return target_of(operation).decode()
        return f"{self.prefix}.{operation}"


DYNAMODB: Final = Api("application/x-amz-json-1.0")


class NoApiError(CopyError):
    """An endpoint answers, but not as the API does."""


class Retries(msgspec.Struct, frozen=True):
    """Which requests are sent again by `Endpoint.call`.

    Attributes:
        throttled: throttled requests; if not, the caller gets the RefusedError and decides.
        sent_once: more operations that are not sent again after a lost response.
    """

    throttled: bool = True
    sent_once: frozenset[str] = frozenset()


_RETRIES: Final = Retries()


class _Error(msgspec.Struct, frozen=True):
    """The body of an error; the text is in `message` or `Message`."""

    kind: str = msgspec.field(name="__type", default="")
    small: str | None = msgspec.field(name="message", default=None)
    large: str | None = msgspec.field(name="Message", default=None)


class Endpoint:
    """A server that speaks the API, through a number of connections.

    Attributes:
        shown: scheme, host and port.
        is_live: True, since other clients may write.
        is_canonical: False, since servers store items in forms of their own.
        master_key_id: None; a key of KMS belongs to an account.
        separate: False, since one set of credentials sees one set of tables.
        api: the API that is spoken; DynamoDB's unless it is set.
    """

    is_live: Final = True
    is_canonical: Final = False
    master_key_id: Final = None
    separate: Final = False

    def __init__(
        self,
        parts: SplitResult,
        credentials: Credentials,
        clock: Clock,
        *,
        connections: int,
        pause: Pause,
        retries: Retries = _RETRIES,
    ) -> None:
        assert parts.hostname is not None, "`endpoint_parts` has checked it"
        self.shown = f"{parts.scheme}://{parts.netloc}"
        self._address = parts.netloc
        self._connections = Connections(parts.scheme, parts.hostname, parts.port)
        self._credentials = credentials
        self._clock = clock
        self._pause = pause
        self.api = DYNAMODB
        self._retries_throttled = retries.throttled
        self._sent_once = _SENT_ONCE | retries.sent_once
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="endpoint")
        self._has_answered = False

    async def tables(self) -> list[TableRef]:
        """All tables that the credentials can list, in the server's order. Raises CopyError."""
        caller = self.named("").caller
        names: list[str] = []
        request: dict[str, Any] = {}
        while True:
            answer = await ask(self, caller, "ListTables", request)
            if "TableNames" not in answer:
                raise self._not_dynamodb(_OK)
            names += answer["TableNames"]
            if "LastEvaluatedTableName" not in answer:
                return [TableRef(name, caller) for name in names]
            request = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}

    def named(self, name: str) -> TableRef:
        """A reference to a table of that name, which need not exist."""
        return TableRef(name, Caller(ANONYMOUS_ACCOUNT, self._credentials.region, self._address))

    async def call(self, caller: Caller, operation: str, body: bytes) -> bytes:  # noqa: ARG002 - the signature says who calls
        """The body of the response, after up to `TRIES_MAX` attempts.

        Connection errors are retried only after a first response, so that a wrong address fails at
        once. Raises CopyError, RefusedError.
        """
        loop = asyncio.get_running_loop()
        fault: CopyError | None = None
        for tries in range(TRIES_MAX):
            if tries:
                await self._pause(self._retry_delay_seconds(tries))
            try:
                return await loop.run_in_executor(self._threads, self._post, operation, body)
            except (OSError, HTTPException) as error:
                fault = CopyError(f"{self.shown} does not answer: {_reason(error)}")
                if not self._has_answered or operation in self._sent_once:
                    raise fault from error
            except RetryableError as error:
                fault = error.fault
        assert fault is not None, "it was tried"
        raise fault

    def _retry_delay_seconds(self, tries: int) -> float:
        return retry_delay_seconds(tries, self._clock.random_bytes(RANDOM_BYTES))

    def _post(self, operation: str, body: bytes) -> bytes:
        """Send one request and read its response; runs in a thread of the pool."""
        if operation in self._sent_once:
            # The server may have closed idle connections, and this request is not retried.
            self._connections.close_idle()
        connection = self._connections.take()
        headers = {
            "Host": self._address,
            "Content-Type": self.api.content_type,
            "X-Amz-Target": self.api.target(operation),
        }
        signed = signed_headers(headers, body, self._credentials, self._clock.now_ms())
        try:
            connection.request("POST", "/", body, signed)
            response = connection.getresponse()
            answer = response.read()
        except BaseException:
            self._connections.discard(connection)
            raise
        self._connections.keep(connection)
        checksum = response.getheader("x-amz-crc32")
        if checksum is not None and checksum != str(crc32(answer)):
            raise RetryableError(CopyError(f"{self.shown}: an answer was damaged on its way"))
        if response.status != _OK:
            raise self._refusal(operation, response.status, answer)
        is_empty = not answer and (self.api is not DYNAMODB or operation in _WITHOUT_ANSWER)
        if not is_empty and not answer.startswith(b"{"):
            raise self._not_dynamodb(response.status)
        self._has_answered = True
        return answer

    def _refusal(self, operation: str, status: int, answer: bytes) -> Exception:
        try:
            error = msgspec.json.decode(answer, type=_Error)
        except (msgspec.DecodeError, UnicodeDecodeError):
            error = _Error()
        code = error.kind.rpartition("#")[2].partition(":")[0]
        if not code and status < _SERVER_ERRORS:
            return self._not_dynamodb(status)
        text = error.small or error.large or f"it answers {status}"
        if code in _UNKNOWN_CALLER:
            text = f"{text} {self._credentials_text()}"
        refusal = RefusedError(self.shown, operation, code, text)
        if code in THROTTLED:
            return RetryableError(refusal) if self._retries_throttled else refusal
        if status >= _SERVER_ERRORS and operation not in self._sent_once:
            return RetryableError(refusal)
        return refusal

    def _not_dynamodb(self, status: int) -> CopyError:
        name = "DynamoDB" if self.api.prefix is None else self.api.prefix
        return NoApiError(f"{self.shown} does not speak {name}: it answers {status}")

    def _credentials_text(self) -> str:
        credentials = self._credentials
        return f"(signed with the access key {credentials.access_key} for {credentials.region})"

    async def drain(self) -> None:
        """Does nothing: a server does its background work by itself."""

    def close(self) -> None:
        """Close all connections, also those that wait for a response or are not made yet."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connections.close()


class RetryableError(Exception):
    """The request failed, but may succeed if it is retried."""

    def __init__(self, fault: CopyError) -> None:
        super().__init__(str(fault))
        self.fault = fault


def retry_delay_seconds(tries: int, drawn: bytes) -> float:
    """A random delay up to a bound that doubles, so that throttled requests spread out.

    Args:
        tries: how often the request was sent.
        drawn: `RANDOM_BYTES` random bytes.
    """
    share = int.from_bytes(drawn) / 256.0**RANDOM_BYTES
    return share * min(PAUSE_SECONDS_MAX, PAUSE_SECONDS_FIRST * 2.0 ** min(tries, _DOUBLINGS_MAX))


def endpoint_parts(url: str) -> SplitResult:
    """The parts of an endpoint's URL. Raises ValueError with a text for the operator."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise ValueError(f"{url!r} is not a URL: {error}") from error
    if host is None or port == 0 or "@" in parts.netloc:
        raise ValueError(f"{url!r} is not a URL like http://127.0.0.1:8000")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(f"{url!r} has more than a host and a port: an endpoint has no path")
    return parts


def region_of(url: str) -> str | None:
    """The region in the host name of an AWS endpoint; None for other hosts.

    The names are `dynamodb.REGION.amazonaws.com` and `ACCOUNT.ddb.REGION.amazonaws.com`.
    """
    host = urlsplit(url).hostname or ""
    if not host.endswith(_OF_AWS):
        return None
    labels = host.split(".")
    for label, following in itertools.pairwise(labels):
        if label in {"dynamodb", "dynamodb-fips", "ddb"}:
            return following
    return None


@contextlib.asynccontextmanager
async def connected(
    url: str,
    credentials: Credentials,
    clock: Clock,
    *,
    connections: int,
    api: Api = DYNAMODB,
    retries: Retries = _RETRIES,
) -> AsyncIterator[Endpoint]:
    """An endpoint, whose connections are closed at the end."""
    endpoint = Endpoint(
        endpoint_parts(url),
        credentials,
        clock,
        connections=connections,
        pause=asyncio.sleep,
        retries=retries,
    )
    endpoint.api = api
    try:
        yield endpoint
    finally:
        endpoint.close()


def _reason(error: Exception) -> str:
    match error:
        case ConnectionRefusedError():
            return "connection refused"
        case TimeoutError():
            return "no answer in time"
        case HTTPException():
            return "its answer is not HTTP"
        case _:
            return getattr(error, "strerror", None) or str(error) or type(error).__name__
