"""A whole server without sockets: requests, background tasks, and a clock that drifts."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, TypeVar

from bench.asking import Sent, encoded
from bench.in_process import received
from bench.signed import ADMINISTRATOR
from hashrange.access.signatures.signing import Credentials
from hashrange.assembly.access import access_of
from hashrange.assembly.assemble import pipeline_of, verified_heads
from hashrange.assembly.background_services import BackgroundServices
from hashrange.assembly.engines.kind import Opened
from hashrange.assembly.parts import made_ready, parts_of
from hashrange.assembly.peering import CountedCalls
from hashrange.regions.peers.endpoint import PeerEndpoint
from hashrange.server.endpoint import Endpoint
from hashrange.server.heads import HeadReader
from hashrange.server.request_log import RequestLog
from hashrange.settings.kinds import Auth
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageError, StorageOpenError
from tests.simulation.disk import FaultyEngine
from tests.simulation.loop import passes
from tests.simulation.trace import Trace
from tests.simulation.users import USERS, signature

T = TypeVar("T")

EPOCH_MS = 1_800_000_000_000


class DriftingClock:
    """The clock of one machine: faster or slower than the world's, and ahead of it or behind."""

    def __init__(self, random: Random, time: Callable[[], float], offset_ms: int) -> None:
        self._random, self._time = random, time
        self._rate = random.uniform(0.999, 1.001)
        self.offset_ms = offset_ms

    def now_ms(self) -> int:
        return EPOCH_MS + self.offset_ms + int(self._time() * self._rate * 1000)

    def monotonic_ns(self) -> int:
        return int(self._time() * self._rate * 1_000_000_000)

    def new_uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def random_bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)


class LostError(Exception):
    """No answer: the server ended, or the connection was cut."""


class SimulatedServer:
    """One process: it starts, answers, and ends at any moment as by kill -9.

    Args:
        open_engine: the storage as a process of this machine sees it, each time that it starts.
        clock: that of its machine.
        settings: those of an operator.
        region: the one that its clients name.
        is_shared: other servers use the same data.
        calls: to servers of other regions.
        trace: of the world.

    Attributes:
        peers: the endpoint of calls of other servers, while it is up.
    """

    peers: PeerEndpoint | None = None

    def __init__(
        self,
        open_engine: Callable[[], FaultyEngine],
        clock: DriftingClock,
        settings: Settings,
        *,
        region: str,
        is_shared: bool,
        calls: CountedCalls,
        trace: Trace,
    ) -> None:
        self._open_engine, self._settings, self._is_shared = open_engine, settings, is_shared
        self._region, self._calls = region.encode(), calls
        self.clock, self._trace = clock, trace
        self._life: asyncio.Task[None] | None = None
        self._up = asyncio.Event()
        self._endpoint: Endpoint | None = None
        self._engine: FaultyEngine | None = None
        self._requests: set[asyncio.Task[Any]] = set()

    @property
    def is_up(self) -> bool:
        """Whether it answers."""
        return self._endpoint is not None

    async def start(self) -> None:
        """Start, unless it starts already; again, if the storage fails meanwhile."""
        if self._life is None:
            self._up = asyncio.Event()
            self._life = asyncio.create_task(self._live(self._up))
        waiting = asyncio.create_task(self._up.wait())
        await asyncio.wait({self._life, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._life.done() and not self._life.cancelled() and (error := self._life.exception()):
            raise error

    async def _live(self, up: asyncio.Event) -> None:
        while True:
            try:
                await self._run(up)
            except (StorageError, StorageOpenError):
                await passes(1)

    async def _run(self, up: asyncio.Event) -> None:
        engine = self._engine = self._open_engine()
        opened = Opened(engine=engine, figures=dict, needs_tasks=True, is_shared=self._is_shared)
        parts = parts_of(self._settings, opened, self.clock, self._calls)
        await made_ready(parts)
        given = None if self._settings.auth is Auth.OFF else USERS
        async with access_of(parts, given) as access:
            background = await BackgroundServices.of(
                parts,
                [],
                arrived=lambda: 0,
                watch_seconds=1.0 if self._is_shared else None,
            )
            pipeline, _ = pipeline_of(parts, access)
            log = RequestLog(lambda: b"0" * 52, self.clock.monotonic_ns, 0)
            heads = HeadReader(pipeline, parts.metrics, verified=verified_heads(parts, access))
            self._endpoint = Endpoint(
                pipeline, self.clock, parts.metrics, request_log=log, heads=heads
            )
            self.peers = None if parts.peering is None else parts.peering.endpoint
            background.begin()
            up.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._endpoint = self.peers = None
                with contextlib.suppress(asyncio.CancelledError):
                    await background.end()

    def kill(self) -> None:
        """End at once: what was not answered never is; what the disk has, it has."""
        self._endpoint = self.peers = None
        if self._engine is not None:
            self._engine.is_cut_off = True
        doomed = [*self._requests, *([self._life] if self._life else [])]
        for task in doomed:
            task.cancel()
        self._requests.clear()
        self._life = None

    async def ask(
        self, target: str, body: dict[str, Any], keys: Credentials = ADMINISTRATOR
    ) -> tuple[int, dict[str, Any]]:
        """Status and body of an answer; `keys` sign the request. Raises LostError."""
        if self._endpoint is None:
            raise LostError
        request = received(Sent(target, encoded(body)))
        if self._settings.auth is Auth.OFF:
            named = request.headers[b"authorization"].replace(b"us-east-1", self._region)
            request.headers[b"authorization"] = named
        else:
            request.headers.update(signature(target, body, keys, self.clock.now_ms()))
        self._trace.add(target, [self._region, request.body])
        response = await self.performed(self._endpoint.respond(request))
        self._trace.add(f"{target} {response.status}", [self._region, response.body])
        return response.status, json.loads(response.body or b"{}")

    async def performed(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work of this process gives; the work ends with it. Raises LostError."""
        task = asyncio.create_task(work)
        self._requests.add(task)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise LostError from None
            raise
        finally:
            self._requests.discard(task)
