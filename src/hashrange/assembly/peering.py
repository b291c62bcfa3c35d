"""The composition root of what connects a server to those of other regions."""

import ssl
from pathlib import Path

import msgspec

from hashrange.clock import Clock
from hashrange.regions.peers.client import HttpCalls
from hashrange.regions.peers.endpoint import PeerEndpoint
from hashrange.regions.peers.signing import SECRET_CHARS_MIN
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageOpenError

_SECRET_BYTES_MAX = 4096


class Peering(msgspec.Struct, frozen=True):
    """The client of calls to other servers, and the endpoint for theirs.

    Attributes:
        calls: sends.
        endpoint: answers calls; `endpoint.verbs` are the handlers.
    """

    calls: HttpCalls
    endpoint: PeerEndpoint


def peering_of(settings: Settings, clock: Clock) -> Peering | None:
    """The connection to the peers of the settings; None without peers.

    Raises StorageOpenError: the file of the key or of certificates cannot be used.
    """
    if not settings.peers:
        return None
    places = {each.region: each for each in settings.peers}
    secret = None if settings.peer_key_file is None else _secret(settings.peer_key_file)
    context = None
    if any(each.is_secure for each in settings.peers):
        context = _context(settings.peer_ca)
    return Peering(
        HttpCalls(places, secret, context, clock.now_ms),
        PeerEndpoint(settings.own_regions, places, secret, clock.now_ms),
    )


def _secret(path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(_SECRET_BYTES_MAX + 1).decode("ascii").strip()
    except OSError as error:
        raise StorageOpenError(f"--peer-key-file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StorageOpenError(f"--peer-key-file {path}: not ASCII") from error
    if not SECRET_CHARS_MIN <= len(text) <= _SECRET_BYTES_MAX:
        raise StorageOpenError(
            f"--peer-key-file {path}: {SECRET_CHARS_MIN} to {_SECRET_BYTES_MAX} characters"
        )
    return text


def _context(issuers: Path | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=None if issuers is None else str(issuers))
    except (OSError, ssl.SSLError) as error:
        raise StorageOpenError(f"--peer-ca {issuers}: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
