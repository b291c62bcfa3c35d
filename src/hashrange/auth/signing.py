"""Signature Version 4: signing a request of one's own. Pure; the time is an argument.

Source: IAM User Guide, "Create a signed AWS API request"; tests compare it with botocore.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SERVICE: Final = "dynamodb"
_TERMINATOR: Final = "aws4_request"
_NEVER_SIGNED: Final = {"authorization", "content-length", "user-agent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Who signs, and for which region."""

    access_key: str
    secret_key: str
    session_token: str | None
    region: str

    def __repr__(self) -> str:
        """Without the secrets: tracebacks and logs show it."""
        return f"Credentials(access_key={self.access_key!r}, region={self.region!r})"


def signed_headers(
    headers: Mapping[str, str], body: bytes, credentials: Credentials, now_ms: int
) -> dict[str, str]:
    """The headers of a POST to the root of a host, with its signature.

    Args:
        headers: with Host; all that are given are signed.
        body: as it is sent.
        credentials: of whom.
        now_ms: the service takes a signature for some minutes.
    """
    at = datetime.fromtimestamp(now_ms / 1000, UTC)
    time, date = at.strftime("%Y%m%dT%H%M%SZ"), at.strftime("%Y%m%d")
    sent = {**headers, "X-Amz-Date": time}
    if credentials.session_token is not None:
        sent["X-Amz-Security-Token"] = credentials.session_token
    lower = {name.lower(): " ".join(value.split()) for name, value in sent.items()}
    names = sorted(lower.keys() - _NEVER_SIGNED)
    listed = ";".join(names)
    lines = [f"{name}:{lower[name]}\n" for name in names]
    # A method, a path, and a query string that is empty.
    canonical = f"POST\n/\n\n{''.join(lines)}\n{listed}\n{sha256(body).hexdigest()}"
    scope = f"{date}/{credentials.region}/{_SERVICE}/{_TERMINATOR}"
    text = f"{_ALGORITHM}\n{time}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
    signature = hmac.digest(_key(credentials, date), text.encode(), "sha256").hex()
    credential = f"Credential={credentials.access_key}/{scope}"
    sent["Authorization"] = (
        f"{_ALGORITHM} {credential}, SignedHeaders={listed}, Signature={signature}"
    )
    return sent


def _key(credentials: Credentials, date: str) -> bytes:
    key = f"AWS4{credentials.secret_key}".encode()
    for part in (date, credentials.region, _SERVICE, _TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
