"""The caller of a request: as its signature claims, or as its signature proves.

The server verifies signatures with `--auth required`; then a caller has a subject and a connection.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from hashrange.access.signatures.canonical import (
    ANONYMOUS_ACCOUNT,
    Identity,
    Received,
    query_parameters,
)
from hashrange.access.signatures.sigv4 import caller as identity_of
from hashrange.access.signatures.verification import (
    HeadVerifier,
    SigningKeys,
    check_signature,
    checked_window,
)
from hashrange.access.signatures.windows import Window
from hashrange.api.steps.operation import Caller, Connection
from hashrange.errors import DynamoError, Fault
from hashrange.messages import access as messages
from hashrange.server.owners import Owners
from hashrange.server.request_rates import Budget, RequestRates
from hashrange.wire.exchange import Request

if TYPE_CHECKING:
    from hashrange.access.identities.stored_credentials import Credential, Credentials

TOKEN_HEADER: Final = b"x-amz-security-token"
_TOKEN_PARAMETER: Final = "X-Amz-Security-Token"  # noqa: S105 - a name
AGENT_HEADER: Final = b"user-agent"

CONSTANT_HEADERS: Final = frozenset(
    (b"content-type", b"host", b"x-amz-target", b"x-amz-date", TOKEN_HEADER, AGENT_HEADER)
)
"""Headers that are the same in all requests that one `HeadVerifier` verifies."""


class Authenticated(msgspec.Struct, frozen=True):
    """The caller of a request.

    Attributes:
        caller: the caller.
        verifier: verifies further requests of the same head; None if signatures are not verified.
        budget: of the caller's requests; None if they are not limited.
    """

    caller: Caller
    verifier: HeadVerifier | None = None
    budget: Budget | None = None


Authenticate: TypeAlias = Callable[[Request, str | None], Authenticated]
"""The caller of a request that must be signed for a service, None for any.

Raises DynamoError if the signature is refused.
"""


def claimed(request: Request, _service: str | None) -> Authenticated:
    """The caller that a request claims; only the form of its signature is checked."""
    scope = identity_of(request.headers, request.query).scope
    return Authenticated(Caller(scope.account, scope.region, _host(request)))


class SignatureCheck:
    """Authenticates requests by their signatures.

    Args:
        credentials: finds the secret keys.
        now_ms: the clock.
        rates: limits the requests of each principal.

    Attributes:
        owners: the principals of keys, as they were verified.
    """

    def __init__(
        self, credentials: "Credentials", now_ms: Callable[[], int], rates: RequestRates
    ) -> None:
        self._credentials = credentials
        self._now_ms = now_ms
        self._rates = rates
        self._signing_keys = SigningKeys()
        self.owners = Owners()

    def __call__(self, request: Request, service: str | None) -> Authenticated:
        """The caller of a request; raises DynamoError as `Authenticate` does."""
        identity, window, credential = self.claim(request, service)
        received = received_of(request)
        key = self._signing_keys.key(credential.secret_key, identity.scope)
        verifier = HeadVerifier(
            received, identity, key=key, window=window, constant=CONSTANT_HEADERS
        )
        check_signature(received, identity, verifier)
        principal = credential.subject.principal
        name = principal.issuer or principal.arn
        self.owners.note(request, identity.scope.access_key, name)
        budget = self._rates.budget(name)
        if budget is not None:
            budget.spend()
        return Authenticated(_caller(request, identity, credential), verifier, budget)

    def claim(self, request: Request, service: str | None) -> "tuple[Identity, Window, Credential]":
        """The claim of a head; raises DynamoError if no body has a right signature with it."""
        identity = identity_of(request.headers, request.query)
        now_ms = self._now_ms()
        window = checked_window(received_of(request), identity, service, now_ms)
        token = _session_token(request, identity)
        credential = self._credentials.find(identity.scope.access_key, token)
        if credential.expires_ms is not None:
            if now_ms >= credential.expires_ms:
                raise DynamoError(Fault.EXPIRED_TOKEN, messages.token_expired())
            until_ms = min(window.until_ms, credential.expires_ms - 1)
            window = msgspec.structs.replace(window, until_ms=until_ms)
        return identity, window, credential


def received_of(request: Request) -> Received:
    """The request as it was signed."""
    return Received(request.method, request.path, request.query, request.headers, request.body)


def _caller(request: Request, identity: Identity, credential: "Credential") -> Caller:
    agent = request.headers.get(AGENT_HEADER)
    connection = Connection(
        source_ip=request.peer.address,
        is_secure=request.peer.is_secure,
        user_agent=None if agent is None else agent.decode("latin-1"),
        access_key=credential.access_key,
    )
    account = credential.subject.principal.account or ANONYMOUS_ACCOUNT
    region = identity.scope.region
    return Caller(account, region, _host(request), credential.subject, connection)


def _host(request: Request) -> str:
    return request.headers.get(b"host", b"").decode("latin-1")


def _session_token(request: Request, identity: Identity) -> str | None:
    token = request.headers.get(TOKEN_HEADER)
    if identity.in_query:
        parameters = query_parameters(request.query)
        return parameters.get(_TOKEN_PARAMETER)
    return None if token is None else token.decode("latin-1")
