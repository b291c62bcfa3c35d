"""`POST /replication/v1`: calls of the servers of other regions; only with `--peer`."""

from collections.abc import Sequence
from typing import Final

from hashrange.regions.peers.client import PATH
from hashrange.regions.peers.endpoint import PeerEndpoint, Refusal
from hashrange.regions.peers.signing import CONTENT_TYPE, PROOF
from hashrange.server.responses import TEXT
from hashrange.server.routes import POST, Audience, Route
from hashrange.wire.exchange import Handler, Request, Response

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
