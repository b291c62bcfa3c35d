"""Saves the data of a server under names, and puts the server back to them: `hashrange snapshot`.

A load drops everything that this process has derived from the data; the other processes of the
server are notified by their supervisor.
"""

import asyncio
from functools import partial

from hashrange.api.dax_clusters.store import DaxRows
from hashrange.assembly.parts import Parts, forget, made_ready
from hashrange.assembly.restarted_services import RestartedServices
from hashrange.settings.kinds import Auth, Namespaces
from hashrange.settings.settings import Settings
from hashrange.storage.engine import Engine
from hashrange.storage.saved_states import SavedState, SavedStates, StateAction, StateError
from hashrange.tables.catalog.catalog import check_namespaces


def refusal_of(settings: Settings) -> str | None:
    """Why a server saves and loads no snapshots; None if it does. `--testing` has SQLite."""
    if settings.auth is not Auth.OFF:
        return (
            "snapshots need --auth off: a load would also put users, keys and policies back, and "
            "this path checks no signature"
        )
    if settings.audit is not None:
        return "snapshots need a server without --audit: a load would put its anchors back"
    if settings.dax_port is not None:
        return (
            "snapshots need a server without --dax-port: its clients keep the numbers of attribute "
            "lists, which would mean others after a load"
        )
    return None


async def _has_clusters(parts: Parts) -> bool:
    """Whether there are clusters, whose clients and caches know the data that a load replaces."""
    async for _ in DaxRows(parts.storage.engine).clusters.all(None):
        return True
    return False


class StateKeeper:
    """The saved states of a server, in the process that writes.

    Args:
        parts: those of the process.
        background: its background tasks, which end before a load and begin again afterwards.
    """

    def __init__(self, parts: Parts, background: RestartedServices) -> None:
        self._parts = parts
        self._background = background
        self._turn = asyncio.Lock()

    async def perform(self, action: StateAction, name: str) -> list[SavedState]:
        """Do one thing; returns the states afterwards. Raises StateError, StorageError.

        One at a time. A client that goes away does not end a load.
        """
        states = self._parts.storage.states
        refusal = refusal_of(self._parts.settings)
        if refusal is None and await _has_clusters(self._parts):
            refusal = "snapshots need a server without DAX clusters, as without --dax-port"
        if refusal is not None:
            raise StateError(refusal)
        assert states is not None, "of SQLite, in the process that writes"
        async with self._turn:
            match action:
                case StateAction.SAVE:
                    states.save(name)
                case StateAction.LOAD:
                    await asyncio.shield(
                        self._background.without(partial(self._load, states, name))
                    )
                case StateAction.DELETE:
                    states.delete(name)
                case StateAction.LIST:
                    pass
            return states.all()

    async def _load(self, states: SavedStates, name: str) -> None:
        parts = self._parts

        async def check(engine: Engine) -> None:
            separate = parts.settings.namespaces == Namespaces.SEPARATE
            await check_namespaces(engine, separate=separate)

        await states.load(name, check)
        # Before the first request can read it: nothing has suspended since.
        await forget(parts, parts.store.clock.now_ms())
        await made_ready(parts)
