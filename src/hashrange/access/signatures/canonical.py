"""Signature Version 4: whose request it is, and what is signed of it, as text.

Source: IAM User Guide, "Create a signed AWS API request". Paths are encoded twice, as for all
services but S3.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl, quote, unquote_to_bytes

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import QUERY_FIELDS_MAX
from hashrange.messages import access as messages

ANONYMOUS_ACCOUNT: Final = "000000000000"
"""The account of access keys that are not account numbers; that of `settings.kinds`."""


class Scope(msgspec.Struct, frozen=True):
    """The credential scope of a signature; it is the same for all requests of a client on one day.

    Attributes:
        access_key: printable ASCII.
        account: twelve digits.
        region: letters, digits, `.`, `-` and `_`, so that it can be part of an ARN.
        service: as sent.
        date: as sent.
        terminator: as sent.
        signed_headers: names in lower case, in the order as sent.
    """

    access_key: str
    account: str
    region: str
    service: str
    date: str
    terminator: str
    signed_headers: tuple[str, ...]


class Identity(msgspec.Struct, frozen=True):
    """The parts of a request's signature, which has not been verified.

    Attributes:
        scope: the credential scope.
        time: when the request was signed, YYYYMMDD'T'HHMMSS'Z'.
        signature: as sent.
        in_query: whether the signature is in the query string and not in a header.
    """

    scope: Scope
    time: str
    signature: str
    in_query: bool = False


ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SIGNATURE: Final = "X-Amz-Signature"
_PLAIN: Final = "-_.~"
"""Characters that are never encoded, beside letters and digits."""


class Received(msgspec.Struct, frozen=True):
    """A request as it was received.

    Attributes:
        method: as sent.
        path: as sent, without the query.
        query: as sent, without the question mark.
        headers: by names in lower case; values of a repeated name are joined by commas.
        body: the bytes as sent, before any Content-Encoding is undone.
    """

    method: bytes
    path: bytes
    query: bytes
    headers: Mapping[bytes, bytes]
    body: bytes


def as_sent(text: str) -> bytes:
    """The bytes of a text of a header; a query may hold characters that no header has."""
    return text.encode("latin-1", "backslashreplace")


def canonical_path(path: bytes) -> str:
    """The path without empty and dot segments, encoded once more."""
    segments: list[bytes] = []
    for segment in path.split(b"/"):
        if segment == b"..":
            del segments[-1:]
        elif segment not in {b"", b"."}:
            segments.append(segment)
    is_folder = bool(segments) and path.endswith((b"/", b"/.", b"/.."))
    return quote(b"/" + b"/".join(segments) + b"/" * is_folder, safe=f"/{_PLAIN}")


def query_parameters(query: bytes) -> dict[str, str]:
    """The parameters of a query string; of equal names the last counts.

    Raises:
        DynamoError: it has more than the parameters of any signature, which take long to read.
    """
    try:
        pairs = parse_qsl(
            query.decode("latin-1"), keep_blank_values=True, max_num_fields=QUERY_FIELDS_MAX
        )
    except ValueError as error:
        text = messages.query_too_long(QUERY_FIELDS_MAX)
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, text) from error
    return dict(pairs)


def canonical_query(query: bytes, *, without: str | None = None) -> str:
    """The parameters in the order of their names and values, in one encoding.

    Args:
        query: as sent.
        without: the name of a parameter that is left out.
    """
    pairs: list[tuple[str, str]] = []
    for part in filter(None, query.split(b"&")):
        name, _, value = (_encoded(each) for each in part.partition(b"="))
        if name != without:
            pairs.append((name, value))
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def _encoded(text: bytes) -> str:
    return quote(unquote_to_bytes(text.replace(b"+", b" ")), safe=_PLAIN)


_SENT_AS: Final = {b":authority": b"host"}
"""The headers in which requests of HTTP/2 have what is signed by another name."""


def canonical_headers(headers: Mapping[bytes, bytes], names: Iterable[bytes]) -> bytes:
    """A line for each signed header, with runs of spaces collapsed; empty if it was not sent."""
    return b"".join(
        [
            b"%b:%b\n" % (name, b" ".join(headers.get(_SENT_AS.get(name, name), b"").split()))
            for name in names
        ]
    )


def canonical_start(received: Received, identity: Identity) -> bytes:
    """The canonical request up to the headers."""
    path, query = "/", ""
    if received.path != b"/":
        path = canonical_path(received.path)
    if received.query:
        query = canonical_query(received.query, without=_SIGNATURE if identity.in_query else None)
    return b"%b\n%b\n%b\n" % (received.method, path.encode(), query.encode())


def canonical_end(names: Iterable[bytes]) -> bytes:
    """The canonical request from behind the headers to the hash of the body."""
    return b"\n%b\n" % b";".join(names)


def canonical_request(received: Received, identity: Identity) -> bytes:
    """The text whose hash is signed; the hash of the body is always that of the bytes as sent."""
    names = [as_sent(name) for name in identity.scope.signed_headers]
    return b"".join(
        (
            canonical_start(received, identity),
            canonical_headers(received.headers, names),
            canonical_end(names),
            sha256(received.body).hexdigest().encode(),
        )
    )


def text_start(identity: Identity) -> str:
    """The string to sign up to the hash of the canonical request."""
    scope = identity.scope
    place = f"{scope.date}/{scope.region}/{scope.service}/{scope.terminator}"
    return f"{ALGORITHM}\n{identity.time}\n{place}\n"
