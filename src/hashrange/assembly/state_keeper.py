"""Saves the data of a server under names, and puts the server back to them: `hashrange snapshot`.

A load drops everything that this process has derived from the data, and its background services are
made anew; the other processes of the server are notified by their supervisor.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Self

from hashrange.api.aws_services.dax_clusters.store import DaxRows
from hashrange.assembly.background_services import BackgroundServices
from hashrange.assembly.parts import Parts, forget, made_ready
from hashrange.observe.figures import Figures
from hashrange.observe.snapshot import JobState
from hashrange.settings.kinds import Auth, Namespaces
from hashrange.settings.settings import Settings
from hashrange.storage.engine import Engine
from hashrange.storage.saved_states import SavedState, SavedStates, StateAction, StateError
from hashrange.tables.catalog.catalog import check_namespaces


class RestartedServices:
    """The background services of a server, made anew when its data are put back to another state.

    What tasks remember of the data ends with them.

    Args:
        make: makes the services.
        first: made by it.
    """

    def __init__(
        self, make: Callable[[], Awaitable[BackgroundServices]], first: BackgroundServices
    ) -> None:
        self._make = make
        self._services = first

    @classmethod
    async def of(cls, make: Callable[[], Awaitable[BackgroundServices]]) -> Self:
        """Make the first services."""
        return cls(make, await make())

    def figures(self) -> Figures:
        """As of `BackgroundServices`; counts begin anew with the services."""
        return self._services.figures()

    def jobs(self) -> Sequence[JobState]:
        """As of `BackgroundServices`."""
        return self._services.jobs()

    async def move(self, by_ms: int | None, settles: bool) -> None:  # noqa: FBT001 - see `TimeShift`
        """Move the clock: `TimeShift.move`."""
        await self._services.move(by_ms, settles)

    def begin(self) -> None:
        """As of `BackgroundServices`."""
        self._services.begin()

    async def end(self) -> None:
        """As of `BackgroundServices`."""
        await self._services.end()

    async def without(self, change: Callable[[], Awaitable[None]]) -> None:
        """Change the data while no task runs; then begin with new ones. Raises as `change`."""
        await self._services.end()
        try:
            await change()
            self._services = await self._make()
        finally:
            self._services.begin()


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
