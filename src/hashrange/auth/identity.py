"""Who a request says it is from, and what it takes to verify that."""

from typing import Final

import msgspec

ANONYMOUS_ACCOUNT: Final = "000000000000"
"""The account of access keys that name none."""


class Scope(msgspec.Struct, frozen=True):
    """Who signs for what: the same in all requests of a client on one day.

    Attributes:
        access_key: printable ASCII.
        account: twelve digits.
        region: letters, digits, `.`, `-` and `_`, so that it can stand in an ARN.
        service: as signed for; as sent.
        date: of the credential scope; as sent.
        terminator: of the credential scope; as sent.
        signed_headers: in lower case, in the order as signed.
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
        scope: who signs for what.
        time: of signing, YYYYMMDD'T'HHMMSS'Z'.
        signature: as sent.
        in_query: the signature stands in the query string and not in a header.
    """

    scope: Scope
    time: str
    signature: str
    in_query: bool = False
