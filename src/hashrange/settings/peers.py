"""Rules of the setting that names the servers of other regions: `REGION=URL`."""

from typing import Final
from urllib.parse import urlsplit

import msgspec

from hashrange.settings.rules import is_region

PEER_SEPARATOR: Final = ";"
PEER_FORM: Final = "REGION=URL"
_PEERS_MAX: Final = 20
_PORTS: Final = {"http": 80, "https": 443}


class PeerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The server that holds a region.

    Attributes:
        region: of its replicas.
        host: a name or an IP address, without brackets.
        port: the port of its API.
        is_secure: HTTPS.
    """

    region: str
    host: str
    port: int
    is_secure: bool

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, by a loopback address."""
        return self.host in {"localhost", "::1"} or self.host.startswith("127.")

    @property
    def authority(self) -> str:
        """Host and port, as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def peer_addresses(text: str) -> tuple[PeerAddress, ...]:
    """The peers in a text. Raises ValueError, whose text says what is expected."""
    found = tuple(map(_address, filter(None, map(str.strip, text.split(PEER_SEPARATOR)))))
    if not 0 < len(found) <= _PEERS_MAX:
        raise ValueError(f"one to {_PEERS_MAX} peers")
    if len({each.region for each in found}) < len(found):
        raise ValueError("each region once")
    return found


def _address(text: str) -> PeerAddress:
    region, _, url = text.partition("=")
    if not is_region(region):
        raise ValueError(f"{PEER_FORM}, where REGION is such as eu-west-1")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"a URL behind {region}=: {error}") from error
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        raise ValueError(f"{region}=http://HOST:PORT or {region}=https://HOST:PORT")
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError(f"the URL of {region} without a path")
    port = _PORTS[parts.scheme] if port is None else port
    return PeerAddress(region=region, host=host, port=port, is_secure=parts.scheme == "https")
