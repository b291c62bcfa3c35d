"""Sessions of the console: signed cookies that name an access key, and never hold its secret.

Each request looks the key up again, so a key that was deleted ends its sessions at once. All
processes of a server, and all servers of a database, know the sessions of each other.

Browsers have one jar of cookies for all ports of a host: another server there can read a cookie, or
plant that of a session of its own. So a request also needs the proof of its session, which pages
keep in the storage of their origin, to which the port belongs.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits.server import (
    CONSOLE_COOKIE_CHARS_MAX,
    CONSOLE_IDLE_SECONDS_MAX,
    CONSOLE_RENEWAL_SECONDS_MIN,
    CONSOLE_SESSION_SECONDS_MAX,
    CONSOLE_SIGN_OUT_CHARS_MAX,
    CONSOLE_SIGN_OUTS_MAX,
)
from hashrange.messages import server as messages
from hashrange.wire.exchange import Request

_PURPOSE: Final = b"sessions of the console"
_OF_PROOFS: Final = b"proofs of sessions of the console"
_PROOF_HEADER: Final = b"x-console-proof"
_COOKIE: Final = "hashrange_console"
_MS: Final = 1000


class Session(msgspec.Struct, frozen=True, array_like=True):
    """The content of a cookie.

    Attributes:
        id: random.
        access_key: that of the sign-in.
        token: the session token of temporary credentials; None for a user's key.
        from_ms: the time of the sign-in.
        seen_ms: the time of a recent request.
    """

    id: str
    access_key: str
    token: str | None
    from_ms: int
    seen_ms: int


_decode: Final = msgspec.json.Decoder(Session).decode


class Sessions:
    """Makes and reads cookies.

    Args:
        secret: that of the engine.
        now_ms: the clock.
        new_id: draws ids.
    """

    def __init__(
        self, secret: Callable[[], bytes], now_ms: Callable[[], int], new_id: Callable[[], str]
    ) -> None:
        self._secret = secret
        self._now_ms = now_ms
        self._new_id = new_id
        self._signed_out = BoundedCache[str, bool](
            entries_max=CONSOLE_SIGN_OUTS_MAX,
            chars_max=CONSOLE_SIGN_OUTS_MAX * CONSOLE_SIGN_OUT_CHARS_MAX,
            entry_chars_max=CONSOLE_SIGN_OUT_CHARS_MAX,
        )

    def begun(self, request: Request, access_key: str, token: str | None) -> tuple[bytes, str]:
        """The cookie of a new session, and its proof.

        Raises ValidationException if the cookie is too long.
        """
        now_ms = self._now_ms()
        session = Session(self._new_id(), access_key, token, now_ms, now_ms)
        cookie = self._cookie(request, self._text(session), CONSOLE_SESSION_SECONDS_MAX)
        if len(cookie) > CONSOLE_COOKIE_CHARS_MAX:
            raise DynamoError(Fault.VALIDATION, messages.session_too_long())
        return cookie, self._proof(session)

    def read(self, request: Request) -> Session:
        """The session of a request. Raises DynamoError if there is none any more."""
        proof = request.headers.get(_PROOF_HEADER, b"")
        proven = (
            each
            for each in self._sessions(request)
            if hmac.compare_digest(proof, self._proof(each).encode())
        )
        session = next(proven, None)
        if session is None or self._signed_out.get(session.id):
            raise DynamoError(Fault.MISSING_AUTHENTICATION_TOKEN, messages.not_signed_in())
        now_ms = self._now_ms()
        idle_ms, whole_ms = CONSOLE_IDLE_SECONDS_MAX * _MS, CONSOLE_SESSION_SECONDS_MAX * _MS
        if now_ms - session.seen_ms > idle_ms or now_ms - session.from_ms > whole_ms:
            minutes, hours = CONSOLE_IDLE_SECONDS_MAX // 60, CONSOLE_SESSION_SECONDS_MAX // 3600
            raise DynamoError(Fault.EXPIRED_TOKEN, messages.session_ended(minutes, hours))
        return session

    def renewed(self, request: Request, session: Session) -> bytes | None:
        """The cookie that moves the idle time on; None if the last one is fresh."""
        now_ms = self._now_ms()
        if now_ms - session.seen_ms < CONSOLE_RENEWAL_SECONDS_MIN * _MS:
            return None
        left_s = CONSOLE_SESSION_SECONDS_MAX - (now_ms - session.from_ms) // _MS
        text = self._text(msgspec.structs.replace(session, seen_ms=now_ms))
        return self._cookie(request, text, left_s)

    def ended(self, request: Request) -> bytes:
        """The cookie that removes the one of a request, whose session is refused from now on."""
        for session in self._sessions(request):
            self._signed_out.keep(session.id, True, len(session.id))  # noqa: FBT003 - a value
        return self._cookie(request, "", 0)

    def _text(self, session: Session) -> str:
        said = urlsafe_b64encode(msgspec.json.encode(session))
        return f"{said.decode()}.{self._signature(said)}"

    def _sessions(self, request: Request) -> list[Session]:
        """All sessions of a request: each path can have a cookie of the name."""
        wanted = _name(request)
        found = [self._session(text) for name, text in _cookies(request) if name == wanted]
        return [each for each in found if each is not None]

    def _session(self, text: str) -> Session | None:
        said, _, signature = text.partition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(said.encode()).encode()):
            return None
        return _decode(urlsafe_b64decode(said))

    def _signature(self, said: bytes) -> str:
        return self._digest(_PURPOSE, said)

    def _proof(self, session: Session) -> str:
        return self._digest(_OF_PROOFS, session.id.encode())

    def _digest(self, purpose: bytes, said: bytes) -> str:
        key = hmac.digest(self._secret(), purpose, "sha256")
        return hmac.digest(key, said, "sha256").hex()

    def _cookie(self, request: Request, text: str, seconds: int) -> bytes:
        safe = "; Secure" if request.peer.is_secure else ""
        attributes = f"Path=/_console/; Max-Age={seconds}; HttpOnly; SameSite=Strict{safe}"
        return f"{_name(request)}={text}; {attributes}".encode("latin-1")


def _name(request: Request) -> str:
    """The name of the cookie. Browsers keep one jar for all ports of a host."""
    port = request.headers.get(b"host", b"").rpartition(b":")[2].decode("latin-1")
    return f"{_COOKIE}_{port}" if port.isdecimal() else _COOKIE


def _cookies(request: Request) -> list[tuple[str, str]]:
    pairs = request.headers.get(b"cookie", b"").decode("latin-1").replace(",", ";").split(";")
    return [(name.strip(), text) for name, _, text in (pair.partition("=") for pair in pairs)]
