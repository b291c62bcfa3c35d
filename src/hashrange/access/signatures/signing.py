"""Signature Version 4: signing of requests. Pure; the time is an argument.

Source: IAM User Guide, "Create a signed AWS API request"; tests compare it with botocore.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_TERMINATOR: Final = "aws4_request"
_NEVER_SIGNED: Final = {"authorization", "content-length", "user-agent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The keys to sign with, and the region and service to sign for."""

    access_key: str
    secret_key: str
    session_token: str | None
    region: str
    service: str = "dynamodb"

    def __repr__(self) -> str:
        """Without the secrets, since tracebacks and logs contain it."""
        return f"Credentials(access_key={self.access_key!r}, region={self.region!r})"


def signed_headers(
    headers: Mapping[str, str],
    body: bytes,
    credentials: Credentials,
    now_ms: int,
    *,
    path: str = "/",
) -> dict[str, str]:
    """The headers of a POST, with X-Amz-Date and Authorization added.

    Args:
        headers: with Host; all are signed, except those that clients never sign.
        body: as sent.
        credentials: the keys to sign with.
        now_ms: milliseconds since the epoch; the service accepts a signature for some minutes.
        path: of letters and slashes.
    """
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    time, date = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers_sent = {**headers, "X-Amz-Date": time}
    if credentials.session_token is not None:
        headers_sent["X-Amz-Security-Token"] = credentials.session_token
    canonical_headers = {
        name.lower(): " ".join(value.split()) for name, value in headers_sent.items()
    }
    names = sorted(canonical_headers.keys() - _NEVER_SIGNED)
    signed_names = ";".join(names)
    lines = [f"{name}:{canonical_headers[name]}\n" for name in names]
    # The method, the path, and an empty query string.
    canonical = f"POST\n{path}\n\n{''.join(lines)}\n{signed_names}\n{sha256(body).hexdigest()}"
    scope = f"{date}/{credentials.region}/{credentials.service}/{_TERMINATOR}"
    text = f"{_ALGORITHM}\n{time}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
    signature = hmac.digest(_key(credentials, date), text.encode(), "sha256").hex()
    credential = f"Credential={credentials.access_key}/{scope}"
    headers_sent["Authorization"] = (
        f"{_ALGORITHM} {credential}, SignedHeaders={signed_names}, Signature={signature}"
    )
    return headers_sent


def _key(credentials: Credentials, date: str) -> bytes:
    key = f"AWS4{credentials.secret_key}".encode()
    for part in (date, credentials.region, credentials.service, _TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
