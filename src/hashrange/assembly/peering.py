"""The composition root of what connects a server to those of other regions."""

import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import msgspec

from hashrange.api.dynamodb.replicas.keys import ReplicaEncryption
from hashrange.background.witness_orders import witness_verbs
from hashrange.clock import Clock
from hashrange.observe.figures import Figures
from hashrange.regions.peers.asking import Asking
from hashrange.regions.peers.calls import Calls
from hashrange.regions.peers.client import PATH, HttpCalls
from hashrange.regions.peers.endpoint import PeerEndpoint, Refusal
from hashrange.regions.peers.receiving import Receiver
from hashrange.regions.peers.signing import CONTENT_TYPE, PROOF, SECRET_CHARS_MIN
from hashrange.server.responses import TEXT
from hashrange.server.routes import POST, Audience, Route
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.witnesses import Witnesses
from hashrange.tables.writing.store import Store
from hashrange.wire.exchange import Handler, Request, Response

_SECRET_BYTES_MAX = 4096


class CountedCalls(Calls, Protocol):
    """Calls that a server reports in its metrics, and ends when it stops."""

    def figures(self) -> Figures:
        """Figures for metrics."""

    async def close(self) -> None:
        """Close the connections that are kept."""


class Peering(msgspec.Struct, frozen=True):
    """The client of calls to other servers, and the endpoint for theirs.

    Attributes:
        calls: sends.
        endpoint: answers calls; `endpoint.verbs` are the handlers.
    """

    calls: CountedCalls
    endpoint: PeerEndpoint

    @property
    def asking(self) -> Asking:
        """Asks the servers while a request waits."""
        return Asking(self.calls)

    def receive(
        self,
        store: Store,
        catalog: Catalog,
        witnesses: Witnesses,
        *,
        settings: Settings,
        encryption: ReplicaEncryption,
    ) -> None:
        """Answer what other servers send to the tables of this one."""
        receiver = Receiver(
            store,
            catalog,
            regions=settings.own_regions,
            shards=settings.stream_shards,
            new_id=store.clock.new_uuid,
            encryption=encryption,
        )
        self.endpoint.verbs.update(receiver.verbs | witness_verbs(witnesses))


def peering_of(settings: Settings, clock: Clock, calls: CountedCalls | None = None) -> Peering:
    """The connection to the peers of the settings, by HTTP unless other calls are given.

    Raises StorageOpenError: the file of the key or of certificates cannot be used.
    """
    places = {each.region: each for each in settings.peers}
    secret = None if settings.peer_key_file is None else _secret(settings.peer_key_file)
    context = None
    if any(each.is_secure for each in settings.peers):
        context = _context(settings.peer_ca)
    return Peering(
        calls or HttpCalls(places, secret, context, clock.now_ms),
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


_TYPE: Final = CONTENT_TYPE.encode()
_PROOF: Final = PROOF.encode()


def peer_pages(endpoint: PeerEndpoint) -> Sequence[Route[Handler]]:
    """The page that answers calls."""

    async def called(request: Request) -> Response:
        answer = await endpoint.answer(request.headers, request.body, request.peer.address)
        if isinstance(answer, Refusal):
            return Response(answer.status, f"{answer.text}\n".encode(), TEXT)
        data, proof = answer
        headers = ((_PROOF, proof.encode()),) if proof else ()
        return Response(200, data, _TYPE, headers)

    return (Route(POST, PATH.encode(), called, Audience.PEERS),)
