"""Regions of a simulated world: a disk each, and calls between them that the network loses."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.observe.figures import Figures
from hashrange.regions.peers.calls import MessageError, PeerAwayError, PeerRefusedError
from hashrange.settings.kinds import Namespaces
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageError
from tests.simulation.clients import Call
from tests.simulation.loop import passes
from tests.simulation.server import LostError, SimulatedServer
from tests.simulation.trace import Trace

NAMES = ("us-east-1", "us-east-2", "us-west-2")
_LOST = 0.02
_REPEATED = 0.02
_AWAY_SECONDS = 5.0


@dataclass
class Region:
    """The servers of a region, what they store, and what clients saw there."""

    name: str
    disk: DictEngine
    servers: list[SimulatedServer] = field(default_factory=list)
    history: list[Call] = field(default_factory=list)


class SimulatedCalls:
    """Calls between servers of regions: late, lost, repeated, or cut off for a while.

    Args:
        regions: all of the world.
        random: draws delays and losses.
        is_cut: whether the network loses most of what is sent now.
        fails: whether anything fails now.
        trace: of the world.
    """

    def __init__(
        self,
        regions: Mapping[str, Region],
        random: Random,
        *,
        is_cut: Callable[[], bool],
        fails: Callable[[], bool],
        trace: Trace,
    ) -> None:
        self._regions, self._random = regions, random
        self._is_cut, self._fails, self._trace = is_cut, fails, trace

    def figures(self) -> Figures:
        """None of its own."""
        return {}

    async def close(self) -> None:
        """Nothing is kept."""

    async def call(self, sender: str, receiver: str, verb: str, body: bytes) -> bytes:
        """As `Calls.call`."""
        await self._pass_network()
        if self._fails() and self._random.random() < _REPEATED:
            asyncio.create_task(self._repeat(sender, receiver, verb, body))  # noqa: RUF006 - as it falls
        answer = await self._answered(sender, receiver, verb, body)
        await self._pass_network()
        return answer

    async def _pass_network(self) -> None:
        await passes(self._random.random() * 0.03)
        if self._fails() and self._random.random() < (0.7 if self._is_cut() else _LOST):
            await passes(self._random.random() * _AWAY_SECONDS)
            raise PeerAwayError("the network has lost it")

    async def _answered(self, sender: str, receiver: str, verb: str, body: bytes) -> bytes:
        server = self._random.choice(self._regions[receiver].servers)
        if server.peers is None:
            raise PeerAwayError("the connection is refused")
        try:
            self._trace.add(verb, [sender.encode(), receiver.encode(), body])
            return await server.performed(server.peers.verbs[verb](sender, receiver, body))
        except MessageError as error:
            raise PeerRefusedError(str(error)) from error
        except (StorageError, LostError) as error:
            raise PeerAwayError("the server has failed") from error

    async def _repeat(self, sender: str, receiver: str, verb: str, body: bytes) -> None:
        """The network delivers a call once more, later; nobody hears the answer."""
        await passes(self._random.random() * _AWAY_SECONDS)
        try:
            await self._answered(sender, receiver, verb, body)
        except (PeerAwayError, PeerRefusedError):
            return


def settings_of(name: str, count: int, seed: int, **others: Any) -> Settings:
    """The settings of the servers of a region, of so many in the world; `others` are as given."""
    peers = ";".join(f"{each}=http://127.0.0.1:1" for each in NAMES[:count] if each != name)
    return Settings(
        memory=True,
        realism_seed=seed,
        regions=name if count > 1 else None,
        peer=peers or None,
        namespaces=Namespaces.SEPARATE if count > 1 else Namespaces.SHARED,
        **others,
    )
