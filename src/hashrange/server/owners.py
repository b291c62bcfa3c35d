"""The owners of requests, before their signatures are verified.

A claim counts only where it was right before: an access key from an address that has sent a right
signature with that key. So nobody spends the share of another principal by naming its key. From
the address of that principal itself, wrong signatures are answered slowly (`failed_signatures`).
"""

from typing import Final

from hashrange.access.signatures.sigv4 import caller as identity_of
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError
from hashrange.limits.access import KNOWN_OWNERS_MAX
from hashrange.server.peers import network_of
from hashrange.wire.exchange import Request

_CHARS_MAX: Final = 2048
"""Of an ARN, a key and an address."""


class Owners:
    """The principals of access keys, by key and address."""

    def __init__(self) -> None:
        self._principals = BoundedCache[tuple[str, str], str](
            entries_max=KNOWN_OWNERS_MAX,
            chars_max=KNOWN_OWNERS_MAX * _CHARS_MAX,
            entry_chars_max=_CHARS_MAX,
        )

    def note(self, request: Request, access_key: str, principal: str) -> None:
        """A request of a principal was verified."""
        key = (access_key, request.peer.address)
        if self._principals.get(key) != principal:
            self._principals.keep(key, principal, sum(map(len, key)) + len(principal))

    def owner(self, request: Request) -> str:
        """The principal whose share a request is of; that of its network if it is not known."""
        address = request.peer.address
        try:
            access_key = identity_of(request.headers, request.query).scope.access_key
        except DynamoError:
            return network_of(address)
        return self._principals.get((access_key, address)) or network_of(address)
