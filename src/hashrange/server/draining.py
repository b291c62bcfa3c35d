"""The beginning of an endpoint's end, in which no request that a client has sent meets a reset.

A connection that looks idle may have a request on its way: in the socket's buffer, or in a client
that does not know yet that the server stops. So connections are closed with their next answer, and
those on which nothing comes for a while are closed without.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from hashrange.limits.server import DRAIN_IDLE_SECONDS_MAX
from hashrange.server.endpoint_state import EndpointState

_SHARE: Final = 4
"""Idle connections get this part of the time that open requests have."""
_TURNS: Final = 3
"""Turns of the loop after which everything that had arrived is read, on all event loops."""


async def begin_drain(
    state: EndpointState, close_sockets: Callable[[], None], drain_seconds: float
) -> asyncio.TimerHandle:
    """Have all connections closed, each with an answer or after some time without requests.

    Args:
        state: of the endpoint.
        close_sockets: ends listening. Connections that wait to be accepted are accepted before.
        drain_seconds: how long open requests may take.

    Returns:
        The timer of idle connections, to be cancelled when all connections are closed.
    """
    state.is_draining = True
    for connection in list(state.connections):
        connection.drain()
    for _ in range(_TURNS):
        await asyncio.sleep(0)
    close_sockets()
    seconds = min(drain_seconds / _SHARE, DRAIN_IDLE_SECONDS_MAX)
    return asyncio.get_running_loop().call_later(seconds, _leave, state, _TURNS)


def _leave(state: EndpointState, turns: int) -> None:
    if turns:
        asyncio.get_running_loop().call_soon(_leave, state, turns - 1)
        return
    for connection in list(state.connections):
        connection.leave()
