"""Signature Version 4: whether a signature is that of a secret key. Pure; the time is an argument.

The checks stand in the service's order: the target is signed, the time, the scope; then, once the
secret key is found, the signature. Source of the order: captures of the service.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from hashrange.access.signatures.canonical import (
    Identity,
    Received,
    Scope,
    as_sent,
    canonical_end,
    canonical_headers,
    canonical_request,
    canonical_start,
    text_start,
)
from hashrange.access.signatures.windows import Window, window_of
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import (
    SIGNING_KEY_CHARS_MAX,
    SIGNING_KEYS_CHARS_MAX,
    SIGNING_KEYS_MAX,
)
from hashrange.messages import access as messages

_BLOCK_BYTES: Final = 64
"""Of SHA-256, as HMAC fills its keys."""
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))
_TERMINATOR: Final = "aws4_request"
_DATE_CHARS: Final = 8
_TARGET: Final = b"x-amz-target"


def checked_window(
    received: Received, identity: Identity, service: str | None, now_ms: int
) -> Window:
    """The window of a signature whose time and scope are right.

    Args:
        received: the request.
        identity: that it claims.
        service: the service that it must be signed for; None for any.
        now_ms: milliseconds since the epoch.

    Raises:
        DynamoError: the first fault in the service's order.
    """
    scope = identity.scope
    if _TARGET in received.headers and _TARGET.decode() not in scope.signed_headers:
        raise DynamoError(Fault.INVALID_SIGNATURE, messages.target_not_signed())
    window = window_of(identity, received.query)
    window.check(now_ms)
    texts = []
    if service is not None and scope.service != service:
        texts.append(messages.service_scope(service))
    if scope.terminator != _TERMINATOR:
        texts.append(messages.terminator_scope(_TERMINATOR, scope.terminator))
    if scope.date != identity.time[:_DATE_CHARS]:
        date = identity.time[:_DATE_CHARS]
        texts.append(messages.date_scope(scope.date, date, identity.time))
    if texts:
        raise DynamoError(Fault.INVALID_SIGNATURE, "".join(texts))
    return window


class SigningKeys:
    """Derives signing keys, and keeps them: a key is the same for a region and a day."""

    def __init__(self) -> None:
        self._keys = BoundedCache[tuple[str, str, str, str, str], bytes](
            entries_max=SIGNING_KEYS_MAX,
            chars_max=SIGNING_KEYS_CHARS_MAX,
            entry_chars_max=SIGNING_KEY_CHARS_MAX,
        )

    def key(self, secret_key: str, scope: Scope) -> bytes:
        """The signing key of a secret key in a scope whose terminator was checked."""
        parts = (secret_key, scope.date, scope.region, scope.service, scope.terminator)
        found = self._keys.get(parts)
        if found is None:
            found = f"AWS4{secret_key}".encode()
            for part in parts[1:]:
                found = hmac.digest(found, as_sent(part), "sha256")
            self._keys.keep(parts, found, sum(map(len, parts)))
        return found


class HeadVerifier:
    """Verifies requests that share a head: only their bodies and signatures differ.

    Args:
        received: a request with this head.
        identity: that it claims.
        key: the signing key.
        window: when its signature is valid.
        constant: the headers that are the same in all requests to be verified.

    Attributes:
        from_ms: milliseconds since the epoch; before it, no request may be verified.
        until_ms: milliseconds since the epoch; after it, no request may be verified.
    """

    __slots__ = ("_end", "_inner", "_names", "_outer", "_shared", "from_ms", "until_ms")

    def __init__(
        self,
        received: Received,
        identity: Identity,
        *,
        key: bytes,
        window: Window,
        constant: frozenset[bytes],
    ) -> None:
        self.from_ms = window.from_ms
        self.until_ms = window.until_ms
        # HMAC whose key is prepared once (RFC 2104, section 4): `hmac.digest` prepares it at each
        # call, and takes more than twice as long.
        assert len(key) <= _BLOCK_BYTES, "a longer key would be hashed"
        block = key.ljust(_BLOCK_BYTES, b"\0")
        self._inner = sha256(block.translate(_INNER) + as_sent(text_start(identity)))
        self._outer = sha256(block.translate(_OUTER))
        names = [as_sent(name) for name in identity.scope.signed_headers]
        self._end = canonical_end(names)
        start = canonical_start(received, identity)
        if constant.issuperset(names):
            start += canonical_headers(received.headers, names) + self._end
            names = []
        self._names = names
        self._shared = sha256(start)

    def accepts(self, headers: Mapping[bytes, bytes], body: bytes, signature: bytes) -> bool:
        """Whether a request was signed with the key.

        Args:
            headers: by names in lower case.
            body: as sent.
            signature: as sent.
        """
        canonical = self._shared.copy()
        if self._names:
            canonical.update(canonical_headers(headers, self._names) + self._end)
        canonical.update(sha256(body).hexdigest().encode())
        inner, made = self._inner.copy(), self._outer.copy()
        inner.update(canonical.hexdigest().encode())
        made.update(inner.digest())
        return hmac.compare_digest(made.hexdigest().encode(), signature)


def check_signature(received: Received, identity: Identity, verifier: HeadVerifier) -> None:
    """Raise DynamoError unless the request has the signature that its verifier expects."""
    if verifier.accepts(received.headers, received.body, as_sent(identity.signature)):
        return
    canonical = canonical_request(received, identity)
    text = text_start(identity) + sha256(canonical).hexdigest()
    message = messages.mismatch(canonical.decode("latin-1"), text)
    raise DynamoError(Fault.INVALID_SIGNATURE, message)
