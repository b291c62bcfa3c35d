"""Addresses of clients, and how many connections each has."""

import asyncio
from ipaddress import IPv6Address, ip_address
from typing import Final

from hashrange.limits.server import HTTP_REFUSALS_PER_ADDRESS_MAX
from hashrange.wire.exchange import NO_PEER, Peer

_MAPPED: Final = "::ffff:"
"""The prefix of an address of IPv4 on a socket of IPv6."""
_HOST_BITS: Final = 64
"""Of an IPv6 address: one client usually has all addresses of a network of this size."""


def peer_of(transport: asyncio.BaseTransport) -> Peer:
    """The other end of a connection."""
    name = transport.get_extra_info("peername")
    if not isinstance(name, tuple):
        return NO_PEER
    address = str(name[0]).partition("%")[0]
    if address.startswith(_MAPPED) and "." in address:
        address = address.removeprefix(_MAPPED)
    return Peer(address, transport.get_extra_info("sslcontext") is not None)


def network_of(address: str) -> str:
    """The unit of limits by address: an address of IPv4, or a network of IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(IPv6Address(int(parsed) >> _HOST_BITS << _HOST_BITS))


class AddressCounts:
    """Counts connections by address; an address without connections is forgotten.

    Args:
        connections_max: of one address; None for no limit, and then nothing is counted.
    """

    def __init__(self, connections_max: int | None) -> None:
        self._max = connections_max
        self._counts: dict[str, int] = {}

    def add(self, address: str) -> None:
        """Count a new connection."""
        if self._max is not None:
            network = network_of(address)
            self._counts[network] = self._counts.get(network, 0) + 1

    def remove(self, address: str) -> None:
        """Count a connection that has ended."""
        if self._max is None:
            return
        network = network_of(address)
        left = self._counts.pop(network) - 1
        if left:
            self._counts[network] = left

    def is_over(self, address: str) -> bool:
        """Whether the address has more connections than its maximum."""
        return self._exceeds(address, 0)

    def is_flooding(self, address: str) -> bool:
        """Whether it has so many that they are not even refused with an answer."""
        return self._exceeds(address, HTTP_REFUSALS_PER_ADDRESS_MAX)

    def _exceeds(self, address: str, more: int) -> bool:
        if self._max is None:
            return False
        return self._counts.get(network_of(address), 0) > self._max + more
