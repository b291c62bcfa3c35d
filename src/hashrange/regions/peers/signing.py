"""Signatures of calls between servers and of their answers. Pure; the time is an argument.

A call is signed with Signature Version 4, whose key is the secret that the servers share. An answer
has a proof: a code made with the secret from the signature of the call and the answer. A call that
is sent again within some minutes is accepted again: calls may arrive twice anyway.
"""

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

import msgspec

from hashrange.access.signatures.signing import Credentials, signed_headers

SECRET_CHARS_MIN: Final = 32
WINDOW_MS: Final = 5 * 60 * 1000
"""By how much the time of a signature may differ from the clock of the receiver."""
CONTENT_TYPE: Final = "application/x-hashrange-call"
PROOF: Final = "X-Hashrange-Proof"
_SERVICE: Final = "hashrange-replication"
_NAMES: Final = ("Host", "Content-Type", "X-Hashrange-Verb", "X-Hashrange-From", "X-Hashrange-To")


class Call(msgspec.Struct, frozen=True):
    """The signed parts of a call beside its body."""

    host: str
    sender: str
    receiver: str
    verb: str


def headers_of(call: Call, body: bytes, secret: str | None, now_ms: int) -> dict[str, str]:
    """The headers of a call; without a signature if there is no secret."""
    values = (call.host, CONTENT_TYPE, call.verb, call.sender, call.receiver)
    headers = dict(zip(_NAMES, values, strict=True))
    if secret is None:
        return headers
    keys = Credentials(
        access_key="peer",
        secret_key=secret,
        session_token=None,
        region=call.receiver,
        service=_SERVICE,
    )
    return signed_headers(headers, body, keys, now_ms)


def call_of(headers: Mapping[bytes, bytes]) -> Call:
    """The call that headers claim. Names are in lower case."""
    host, _, verb, sender, receiver = (
        headers.get(name.lower().encode(), b"").decode("latin-1") for name in _NAMES
    )
    return Call(host, sender, receiver, verb)


def refusal(headers: Mapping[bytes, bytes], body: bytes, secret: str, now_ms: int) -> str | None:
    """Why a call is refused: its signature is not made with the secret; None if it is."""
    try:
        sent = datetime.strptime(headers.get(b"x-amz-date", b"").decode(), "%Y%m%dT%H%M%SZ")  # noqa: DTZ007 - in UTC
    except ValueError:
        return "the call is not signed"
    sent_ms = int(sent.replace(tzinfo=UTC).timestamp() * 1000)
    expected = headers_of(call_of(headers), body, secret, sent_ms)["Authorization"]
    given = headers.get(b"authorization", b"")
    if not hmac.compare_digest(expected.encode("latin-1", "replace"), given):
        return "the signature is not made with the key of this server"
    if abs(now_ms - sent_ms) > WINDOW_MS:
        return "the clocks of the servers differ by more than five minutes"
    return None


def proof(authorization: str, answer: bytes, secret: str) -> str:
    """The code of an answer to the call with a signature."""
    text = f"{authorization}\n{sha256(answer).hexdigest()}"
    return hmac.digest(secret.encode(), text.encode("latin-1", "replace"), "sha256").hex()
