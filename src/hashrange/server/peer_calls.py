"""`POST /replication/v1`: calls of the servers of other regions; only with `--peer`."""

from collections.abc import Coroutine
from typing import Any, Final

from hashrange.peers.client import PATH
from hashrange.peers.door import Door, Refusal
from hashrange.peers.signing import CONTENT_TYPE, PROOF
from hashrange.server.exchange import Handler, Request, Response
from hashrange.server.responses import TEXT

_PATH: Final = PATH.encode()
_TYPE: Final = CONTENT_TYPE.encode()
_PROOF: Final = PROOF.encode()


def with_peer_calls(handler: Handler, door: Door) -> Handler:
    """A handler that adds the calls of peers to another handler."""

    def route(request: Request) -> Coroutine[Any, Any, Response]:
        if request.path == _PATH and request.method == b"POST":
            return called(request)
        return handler(request)

    async def called(request: Request) -> Response:
        body = request.body
        answer = await door.answer(request.headers, body, request.peer.address)
        if isinstance(answer, Refusal):
            return Response(answer.status, f"{answer.text}\n".encode(), TEXT)
        data, proof = answer
        headers = ((_PROOF, proof.encode()),) if proof else ()
        return Response(200, data, _TYPE, headers)

    return route
