"""Signature Version 4: checks the form of a request's signature, in the service's order.

Whether a signature is right is not checked here. The Authorization header up to the signature (its
*head*) is the same for all requests of a client on one day; parsed heads are cached.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.access.signatures.canonical import (
    ALGORITHM,
    ANONYMOUS_ACCOUNT,
    Identity,
    Scope,
    query_parameters,
)
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import (
    ACCESS_KEY_CHARS_MAX,
    REGION_CHARS_MAX,
    SIGNED_HEAD_BYTES_MAX,
    SIGNED_HEADS_BYTES_MAX,
    SIGNED_HEADS_MAX,
)
from hashrange.messages import access as messages

_SIGNATURE: Final = b"Signature="
_PARAMETERS: Final = ("Credential", "Signature", "SignedHeaders")
_QUERY_PARAMETERS: Final = ("Algorithm", "Credential", "Signature", "SignedHeaders", "Date")
_SCOPE_PARTS: Final = 5

_separator: Final = re.compile("[, ]")
_is_usual_head: Final = re.compile(
    rb"AWS4-HMAC-SHA256 Credential=([^,\s]+), ?SignedHeaders=([^,\s]+), ?"
).fullmatch
_is_usual_start: Final = re.compile(
    rb"AWS4-HMAC-SHA256 Credential=[^,\s]+, ?SignedHeaders=[^,\s]+, ?Signature"
).fullmatch
_is_time: Final = re.compile(r"[0-9]{8}T[0-9]{6}Z").fullmatch
_is_plain_signature: Final = re.compile(r"[0-9a-f]{64}").fullmatch
_is_region: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{REGION_CHARS_MAX}}}").fullmatch
_is_access_key: Final = re.compile(rf"[!-~]{{1,{ACCESS_KEY_CHARS_MAX}}}").fullmatch
_names_account: Final = re.compile(r"[0-9]{12}").fullmatch


class _Signing(msgspec.Struct, frozen=True):
    """The parts of a signature as sent; only `signed_headers` may be empty."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    time: str
    in_query: bool


def caller(headers: Mapping[bytes, bytes], query: bytes) -> Identity:
    """The identity that a request claims.

    Args:
        headers: by names in lower case.
        query: the target's query string, without the question mark.

    Raises:
        DynamoError: the signature is missing, incomplete or malformed.
    """
    authorization = headers.get(b"authorization")
    if authorization is not None and not query:
        end = authorization.rfind(_SIGNATURE)
        if 0 < end <= SIGNED_HEAD_BYTES_MAX:
            head = _cached_head(authorization[:end])
            time = headers.get(b"x-amz-date", b"").decode("latin-1")
            signature = authorization[end + len(_SIGNATURE) :].decode("latin-1")
            if head is not None and _is_time(time) and _is_plain_signature(signature):
                return Identity(head, time, signature)
    return _checked(_signing(headers, query, authorization))


def is_usual_start(text: bytes) -> bool:
    """Whether all Authorization headers that begin with `text` have the same scope.

    Args:
        text: the header up to the last equal sign, after which the signature follows.
    """
    return _is_usual_start(text) is not None


_heads: Final = BoundedCache[bytes, Scope](
    entries_max=SIGNED_HEADS_MAX,
    chars_max=SIGNED_HEADS_BYTES_MAX,
    entry_chars_max=SIGNED_HEAD_BYTES_MAX,
)


def _cached_head(text: bytes) -> Scope | None:
    """The scope in a head of the usual form; None if the slow path has to decide."""
    scope = _heads.get(text)
    if scope is None:
        scope = _usual_head(text)
        if scope is not None:
            _heads.keep(text, scope, len(text))
    return scope


def _usual_head(text: bytes) -> Scope | None:
    usual = _is_usual_head(text)
    if usual is None:
        return None
    credential, signed_headers = usual.groups()
    try:
        return _head(credential.decode("latin-1"), signed_headers.decode("latin-1"))
    except DynamoError:
        return None


def _head(credential: str, signed_headers: str) -> Scope:
    """The scope of a credential. Raises DynamoError: the first fault in the service's order."""
    signed = tuple(signed_headers.lower().split(";"))
    # The client of JavaScript signs that name of HTTP/2 in place of the header.
    if "host" not in signed and ":authority" not in signed:
        raise DynamoError(Fault.INVALID_SIGNATURE, messages.host_not_signed())
    parts = credential.rstrip("/").split("/")
    if len(parts) != _SCOPE_PARTS:
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, messages.credential_elements(credential))
    access_key, date, region, service, terminator = parts
    if _is_region(region) is None:
        raise DynamoError(Fault.INVALID_SIGNATURE, messages.region_scope(region))
    if _is_access_key(access_key) is None:
        raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.token_invalid())
    return Scope(
        access_key=access_key,
        account=access_key if _names_account(access_key) else ANONYMOUS_ACCOUNT,
        region=region,
        service=service,
        date=date,
        terminator=terminator,
        signed_headers=signed,
    )


def _signing(headers: Mapping[bytes, bytes], query: bytes, authorization: bytes | None) -> _Signing:
    """The signature as sent, with all of its parts."""
    parameters = query_parameters(query)
    in_query = "X-Amz-Algorithm" in parameters
    if authorization is None:
        if not in_query:
            raise DynamoError(Fault.MISSING_AUTHENTICATION_TOKEN, messages.missing_token())
        return _query_signing(parameters)
    if in_query:
        raise DynamoError(Fault.INVALID_SIGNATURE, messages.found_both())
    header = authorization.decode("latin-1")
    if not header.strip().startswith("AWS4-"):
        raise DynamoError(Fault.MISSING_AUTHENTICATION_TOKEN, messages.missing_token())
    time = headers.get(b"x-amz-date") or headers.get(b"date", b"")
    return _header_signing(header, time.decode("latin-1"))


def _query_signing(parameters: Mapping[str, str]) -> _Signing:
    missing = [
        messages.query_requires(f"X-Amz-{name}")
        for name in _QUERY_PARAMETERS
        if not parameters.get(f"X-Amz-{name}")
    ]
    if missing:
        text = "".join(missing) + messages.query_echo()
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, text)
    return _Signing(
        algorithm=parameters["X-Amz-Algorithm"],
        credential=parameters["X-Amz-Credential"],
        signed_headers=parameters["X-Amz-SignedHeaders"],
        signature=parameters["X-Amz-Signature"],
        time=parameters["X-Amz-Date"],
        in_query=True,
    )


def _header_signing(header: str, time: str) -> _Signing:
    algorithm, *pairs = _separator.split(header.strip())
    parameters: dict[str, str] = {}
    for pair in filter(None, pairs):
        name, equal, value = pair.partition("=")
        if not equal:
            raise DynamoError(Fault.INCOMPLETE_SIGNATURE, messages.no_pair(pair, header))
        parameters[name] = value
    missing = [
        messages.header_requires(name)
        for name in _PARAMETERS
        # `SignedHeaders=` without a value is another error, which `_head` raises.
        if not parameters.get(name) and not (name == "SignedHeaders" and name in parameters)
    ]
    if not time:
        missing.append(messages.header_requires_date())
    if missing:
        text = "".join(missing) + messages.header_echo(header)
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, text)
    return _Signing(
        algorithm=algorithm,
        credential=parameters["Credential"],
        signed_headers=parameters["SignedHeaders"],
        signature=parameters["Signature"],
        time=time,
        in_query=False,
    )


def _checked(signing: _Signing) -> Identity:
    if _is_time(signing.time) is None:
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, messages.date_format(signing.time))
    if signing.algorithm != ALGORITHM:
        text = messages.unsupported_algorithm(signing.algorithm)
        raise DynamoError(Fault.INCOMPLETE_SIGNATURE, text)
    head = _head(signing.credential, signing.signed_headers)
    return Identity(head, signing.time, signing.signature, signing.in_query)
