"""The identity that a request claims, with everything that a verification would need."""

from typing import Final

import msgspec

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
