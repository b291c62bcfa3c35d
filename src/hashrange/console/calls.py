"""Requests of the console's pages to the APIs of this endpoint, signed here, or of another.

The endpoint verifies the signature, asks the policies and writes the audit log as it does for SDKs.
"""

import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from hashrange.access.identities.stored_credentials import Credentials
from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.signatures.signing import Credentials as Keys
from hashrange.access.signatures.signing import signed_headers
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.clock import Clock
from hashrange.console.sessions import Session
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.access import ACCESS_KEY_CHARS_MAX, FORM_BYTES_MAX, FORM_FIELDS_MAX
from hashrange.limits.server import CONSOLE_ENDPOINT_SECONDS_MAX
from hashrange.messages import server as messages
from hashrange.messages.server import operation_not_supported
from hashrange.model.operations import OPERATION_FACTS, Items, is_read_only
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Request, Response, operation_of
from hashrange.wire.service import FORM

if TYPE_CHECKING:
    from hashrange.dax.upstream.client import Client

ENDPOINT_HEADER: Final = b"x-console-endpoint"
REGION: Final = "us-east-1"
_REGION_HEADER: Final = b"x-console-region"
_ACCOUNT_HEADER: Final = b"x-console-account"
_SERVICE_HEADER: Final = b"x-console-service"
_CONSOLE: Final = "console"
"""The keys that requests are signed with where signatures are not verified."""
_KEPT: Final = (b"host", b"content-type", b"x-amz-target", b"accept-encoding")

_is_region: Final = re.compile(r"[a-z0-9-]{1,63}").fullmatch
_is_account: Final = re.compile(r"[0-9]{12}").fullmatch
_is_service: Final = re.compile(r"[a-z0-9-]{1,40}").fullmatch
_reads: Final = re.compile(r"\s*SELECT\b", re.IGNORECASE).match
_decode: Final = msgspec.json.Decoder(dict[str, object]).decode


class Calls:
    """Signs requests as the principal of a session and performs them.

    Args:
        respond: the endpoint of the server.
        credentials: of the server's users; None if signatures are not verified.
        now_ms: the clock.
        service_of: the service that a request must be signed for, if its target says it.
    """

    def __init__(
        self,
        respond: Callable[[Request], Awaitable[Response]],
        credentials: Credentials | None,
        now_ms: Callable[[], int],
        service_of: Callable[[Request], str | None],
    ) -> None:
        self._respond = respond
        self._service_of = service_of
        self._credentials = credentials
        self._now_ms = now_ms

    async def perform(self, request: Request, session: Session | None) -> Response:
        """Perform the request of a page. Raises DynamoError: it cannot be signed."""
        return await self._respond(self.signed(request, session))

    def signed(self, request: Request, session: Session | None) -> Request:
        """The request as an SDK would send it. Raises DynamoError: the key is no longer valid."""
        if session is None or self._credentials is None:
            account = _checked(request, _ACCOUNT_HEADER, _CONSOLE, _is_account)
            return self.signed_with(request, account, _CONSOLE, None)
        key = self._credentials.find(session.access_key, session.token)
        return self.signed_with(request, key.access_key, key.secret_key, session.token)

    def signed_with(
        self, request: Request, access_key: str, secret_key: str, token: str | None
    ) -> Request:
        """The request, signed with keys that may be wrong."""
        service = self._service_of(request) or _checked(
            request, _SERVICE_HEADER, "dynamodb", _is_service
        )
        keys = Keys(
            access_key=access_key[:ACCESS_KEY_CHARS_MAX],
            secret_key=secret_key,
            session_token=token,
            region=_checked(request, _REGION_HEADER, REGION, _is_region),
            service=service,
        )
        found = request.headers
        texts = {name.decode(): found[name].decode("latin-1") for name in _KEPT if name in found}
        sent = signed_headers(texts, request.body, keys, self._now_ms())
        # A key with other characters is nobody's, as the question marks in its place are.
        headers = {
            name.lower().encode(): text.encode("latin-1", "replace") for name, text in sent.items()
        }
        if b"user-agent" in found:
            headers[b"user-agent"] = found[b"user-agent"]
        return Request(b"POST", b"/", b"", headers, request.body, request.peer)


def refusal_of_write(request: Request) -> DynamoError | None:
    """The error of a request that may write, for a console that only reads."""
    name = operation_name(request)
    if is_read_only(name) or _only_selects(name, request.body):
        return None
    return DynamoError(Fault.ACCESS_DENIED, messages.read_only(name))


def operation_name(request: Request) -> str:
    """The operation of a request, in JSON or in a form."""
    target = request.headers.get(b"x-amz-target")
    if target is not None:
        return target.rpartition(b".")[2].decode("latin-1")
    if not request.headers.get(b"content-type", b"").startswith(FORM):
        return ""
    if len(request.body) > FORM_BYTES_MAX or request.body.count(b"&") >= FORM_FIELDS_MAX:
        return ""
    # An API of forms takes the last action that is named, so all must be the same.
    actions = {text for name, text in parse_qsl(request.body.decode("latin-1")) if name == "Action"}
    return actions.pop() if len(actions) == 1 else ""


def _only_selects(name: str, body: bytes) -> bool:
    """Whether a request has statements of PartiQL, which only read."""
    facts = OPERATION_FACTS.get(name)
    if facts is None or not facts.statements:
        return False
    try:
        read = _decode(body)
    except DECODE_ERRORS:
        return False
    rows = [read] if facts.items is Items.ONE else read.get(facts.statements)
    if not isinstance(rows, list) or not rows:
        return False
    texts = [each.get("Statement") if isinstance(each, dict) else None for each in rows]
    return all(isinstance(text, str) and _reads(text) for text in texts)


def _checked(
    request: Request, header: bytes, default: str, is_right: Callable[[str], object]
) -> str:
    text = request.headers.get(header, b"").decode("latin-1")
    if text and not is_right(text):
        raise invalid(messages.malformed_scope(), bare=True)
    return text or default


_ACTION: Final = "hashrange:UseConsoleEndpoint"


class OtherEndpoints:
    """Performs requests on the endpoints of `--console-endpoint`.

    Args:
        urls: by name.
        keys: those of the server's environment.
        clock: time, and randomness of pauses.
    """

    def __init__(self, urls: Mapping[str, str], keys: Keys, clock: Clock) -> None:
        self.urls = urls
        self._keys = keys
        self._clock = clock
        self._clients: dict[str, Client] = {}
        self._authorizer = Authorizer(clock.now_ms)

    async def perform(self, name: str, request: Request, caller: Caller) -> Response:
        """The answer of an endpoint to the request of a page.

        Raises:
            DynamoError: there is no such endpoint, the caller may not use it, it refuses or does
                not answer.
        """
        if name not in self.urls:
            raise invalid(messages.no_such_endpoint(name), bare=True)
        requirement = Requirement(_ACTION, GovernedResource("*", caller.account))
        if self._authorizer.refusal(requirement, caller) is not None:
            raise DynamoError(Fault.ACCESS_DENIED, messages.endpoint_denied())
        operation = operation_name(request)
        if operation_of(request.headers.get(b"x-amz-target")) is None:
            raise DynamoError(Fault.UNKNOWN_OPERATION, operation_not_supported(operation))
        from hashrange.dax.upstream.client import Sent  # noqa: PLC0415 - as in _client

        reads = is_read_only(operation)
        sent = Sent(operation=operation, body=request.body, is_repeatable=reads)
        return Response(200, await self._client(name).call(sent))

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.close()

    def _client(self, name: str) -> "Client":
        from hashrange.dax.upstream.client import Client  # noqa: PLC0415 - few have others
        from hashrange.dax.upstream.credentials import FixedCredentials  # noqa: PLC0415

        client = self._clients.get(name)
        if client is None:
            parts = urlsplit(self.urls[name])
            context = ssl.create_default_context() if parts.scheme == "https" else None
            credentials, seconds = FixedCredentials(self._keys), CONSOLE_ENDPOINT_SECONDS_MAX
            client = Client(parts, credentials, self._clock, context, seconds_max=seconds)
            self._clients[name] = client
        return client
