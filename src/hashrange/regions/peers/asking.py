"""Asks the server of another region for its table, while a request waits."""

import asyncio
from typing import Final, TypeVar

from hashrange.regions.peers.calls import Calls, MessageError, PeerError, packed, unpacked
from hashrange.regions.peers.messages import (
    ASK,
    WITNESS,
    Found,
    TableQuery,
    Witnessing,
    WitnessOrder,
)

ASK_SECONDS_MAX: Final = 2.0
"""A server that has not answered by then is not waited for."""


M = TypeVar("M")


class Asking:
    """Asks the servers of other regions.

    Args:
        calls: to them.
        seconds_max: how long an answer is waited for.
    """

    def __init__(self, calls: Calls, seconds_max: float = ASK_SECONDS_MAX) -> None:
        self._calls = calls
        self._seconds_max = seconds_max

    async def table(self, query: TableQuery, *, sender: str, receiver: str) -> Found | None:
        """The table in a region; None if its server does not answer.

        Args:
            query: names the table.
            sender: the region that asks, one of this server.
            receiver: the region that is asked, one of another server.
        """
        return await self._answer(ASK, query, Found, sender=sender, receiver=receiver)

    async def witness(
        self, order: WitnessOrder, *, sender: str, receiver: str
    ) -> Witnessing | None:
        """Send the state of a group to the region of its witness; None without an answer."""
        return await self._answer(WITNESS, order, Witnessing, sender=sender, receiver=receiver)

    async def _answer(
        self, verb: str, message: object, kind: type[M], *, sender: str, receiver: str
    ) -> M | None:
        call = self._calls.call(sender, receiver, verb, packed(message))
        # A task of its own, since the handlers of requests run in none.
        task = asyncio.ensure_future(call)
        try:
            await asyncio.wait([task], timeout=self._seconds_max)
        finally:
            task.cancel()
        if not task.done():
            return None
        try:
            return unpacked(task.result(), kind)
        except (PeerError, MessageError):
            return None
