"""Servers in threads of this process: without the start that a process of its own needs."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import hashrange
from hashrange.access.identities.stored_credentials import Credentials
from hashrange.assembly.assemble import running
from hashrange.process import Server
from hashrange.settings.settings import Settings
from hashrange.settings.sources import load
from hashrange.testing_pages import ServerClock, ServerSnapshots
from tests.pace import seconds


class ServerThread:
    """A server in a thread of its own, until `close`."""

    def __init__(
        self, settings: Settings, credentials: Credentials | None = None, **options: Any
    ) -> None:
        """`options` are those of `running`."""
        self._credentials, self._options = credentials, options
        self._ready = threading.Event()
        # A daemon: a server that did not start must not hold up the end of the tests.
        self._thread = threading.Thread(
            target=asyncio.run, args=(self._run(settings),), daemon=True
        )
        self._thread.start()
        assert self._ready.wait(seconds(20)), "the server did not start"

    async def _run(self, settings: Settings) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with running(settings, self._credentials, **self._options) as self.endpoint:
                self._ready.set()
                await self._stop.wait()
        finally:
            self._ready.set()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(seconds(20))

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()


@dataclass(frozen=True)
class Served:
    """As `hashrange.process.Server`: what tests use of one."""

    endpoint: str

    @cached_property
    def clock(self) -> ServerClock:
        return ServerClock(self.endpoint)

    @cached_property
    def snapshots(self) -> ServerSnapshots:
        return ServerSnapshots(self.endpoint)


@contextlib.contextmanager
def served(*, memory: bool = True, **settings: Any) -> Iterator[Served | Server]:
    """A server with the arguments of `hashrange.start`, which tests/unit/test_process.py tests."""
    if "workers" in settings:  # which are processes in any case
        with hashrange.start(memory=memory, **settings) as server:
            yield server
        return
    chosen = {"port": 0, "memory": memory, "drain_seconds": 1, **settings}
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in chosen.items()
    }
    thread = ServerThread(load(texts, {}))
    try:
        yield Served(thread.endpoint)
    finally:
        thread.close()
