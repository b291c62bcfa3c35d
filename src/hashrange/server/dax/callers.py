"""The caller of a connection: from the signature that its client sends.

The signature is that of a POST to the host `dax.amazonaws.com` for the service `dax`, without a
body; the client sends the text that it has signed. It is checked as a signature of HTTP is.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from hashrange.access.identities.stored_credentials import Credentials
from hashrange.api.steps.operation import Caller
from hashrange.dax.protocol.faults import unauthorized
from hashrange.errors import DynamoError, Fault
from hashrange.limits.dax import DAX_AUTHORIZED_SECONDS
from hashrange.messages.dax import parameter_unreadable
from hashrange.server.callers import Authenticate, claimed
from hashrange.server.failed_signatures import FailedSignatures
from hashrange.server.request_rates import Budget
from hashrange.wire.exchange import Peer, Request

_SERVICE: Final = "dax"
_HOSTS: Final = (b"dax.amazonaws.com", b"https://dax.amazonaws.com")
"""As Python and JavaScript sign it, and as Go does."""
_LINES: Final = 4
_NEVER_MS: Final = 1 << 62
_MS_PER_S: Final = 1000


class Authorization(msgspec.Struct, frozen=True):
    """The caller of a connection.

    Attributes:
        caller: the caller.
        from_ms: milliseconds since the epoch; a clock that was set back is before that.
        until_ms: the same; then the client must sign again.
        epoch: of the credentials, when the signature was checked.
        requests: what the client has sent, as a request of HTTP for each host, to be checked again.
        budget: of the caller's requests; None if they are not limited.
    """

    caller: Caller
    from_ms: int
    until_ms: int
    epoch: int
    requests: Sequence[Request]
    budget: Budget | None


class Verification(msgspec.Struct, frozen=True):
    """The verification of signatures, with `--auth required`."""

    credentials: Credentials
    authenticate: Authenticate
    failures: FailedSignatures


class Authorizer:
    """Checks the signatures of connections.

    Args:
        now_ms: the clock.
        verification: what verifies signatures; None if they are not verified.
    """

    def __init__(self, now_ms: Callable[[], int], verification: Verification | None) -> None:
        self._now_ms = now_ms
        self._verification = verification

    @property
    def is_required(self) -> bool:
        """Whether signatures are verified."""
        return self._verification is not None

    def authorize(self, arguments: Sequence[Any], peer: Peer) -> Authorization:
        """The caller of a connection. Raises DynamoError if the signature is refused."""
        return self._checked(_requests(arguments, peer))

    def current(self, authorization: Authorization | None) -> Authorization:
        """The authorization of a call; another one if users or policies have changed.

        Raises DynamoError if there is none, if it is too old or not valid any more, or if the
        caller makes too many requests.
        """
        verification = self._verification
        if authorization is None:
            raise unauthorized()
        if verification is None:
            return authorization
        if not authorization.from_ms <= self._now_ms() <= authorization.until_ms:
            raise unauthorized()
        if authorization.epoch != verification.credentials.epoch:
            authorization = self._checked(authorization.requests)
        if authorization.budget is not None:
            authorization.budget.spend()
        return authorization

    async def slow(self, peer: Peer, fault: Fault) -> None:
        """Delay the answer to a failed signature, if signatures are verified."""
        if self._verification is not None:
            request = Request(b"POST", b"/", b"", {}, b"", peer=peer)
            await self._verification.failures.slow(request, fault)

    def _checked(self, requests: Sequence[Request]) -> Authorization:
        verification = self._verification
        if verification is None:
            caller = claimed(requests[0], _SERVICE).caller
            return Authorization(caller, 0, _NEVER_MS, 0, requests, None)
        epoch = verification.credentials.epoch
        try:
            found = verification.authenticate(requests[0], _SERVICE)
        except DynamoError as error:
            if error.fault is not Fault.INVALID_SIGNATURE:
                raise
            found = verification.authenticate(requests[1], _SERVICE)
        assert found.verifier is not None, "signatures are verified"
        until_ms = self._now_ms() + DAX_AUTHORIZED_SECONDS * _MS_PER_S
        until_ms = min(found.verifier.until_ms, until_ms)
        from_ms = found.verifier.from_ms
        return Authorization(found.caller, from_ms, until_ms, epoch, requests, found.budget)


def _requests(arguments: Sequence[Any], peer: Peer) -> list[Request]:
    """The requests that a client may have signed. Raises DynamoError."""
    match arguments:
        case [
            str() as access_key,
            str() as signature,
            bytes() as signed,
            str() | None as token,
            str() | None as agent,
        ]:
            lines = signed.decode("latin-1").split("\n")
            if len(lines) != _LINES:
                raise _incomplete()
            algorithm, time, scope, _ = lines
            credential = f"Credential={access_key}/{scope}"
            names = "SignedHeaders=host;x-amz-date"
            text = f"{algorithm} {credential}, {names}, Signature={signature}"
            headers = {
                b"x-amz-date": time.encode("latin-1"),
                b"authorization": text.encode("latin-1", "replace"),
            }
            if token is not None:
                headers[b"x-amz-security-token"] = token.encode("latin-1", "replace")
            if agent is not None:
                headers[b"user-agent"] = agent.encode("latin-1", "replace")
            return [
                Request(b"POST", b"/", b"", {**headers, b"host": host}, b"", peer=peer)
                for host in _HOSTS
            ]
        case _:
            raise _incomplete()


def _incomplete() -> DynamoError:
    """Arguments that make no signature; it counts as one that failed."""
    return DynamoError(Fault.INCOMPLETE_SIGNATURE, parameter_unreadable())
