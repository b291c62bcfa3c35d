"""The composition root of the DAX endpoint: its parts, connected.

What listens, and what answers calls, is imported when a port is opened, which few servers do.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Sequence
from ssl import SSLContext
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias
from weakref import WeakSet

import msgspec

from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller
from hashrange.assembly.parts import Parts
from hashrange.dax.cache.caches import Caches, Lifetimes, cache_figures
from hashrange.dax.call_counts import CallCounts
from hashrange.observe.figures import Figures
from hashrange.server.endpoint import Recorder as AuditRecorder
from hashrange.server.failed_signatures import pause
from hashrange.server.http_limits import HttpLimits
from hashrange.server.request_log import RequestLog
from hashrange.server.verified_heads import VerifiedHeads
from hashrange.settings.kinds import Auth, Namespaces
from hashrange.settings.settings import Settings
from hashrange.tables.catalog.catalog import Catalog

if TYPE_CHECKING:
    from hashrange.access.identities.stored_credentials import Credentials
    from hashrange.dax.protocol.calls import Execute
    from hashrange.dax.protocol.session import Received
    from hashrange.server.dax.callers import Verification
    from hashrange.server.dax.connection import Respond
    from hashrange.server.dax.execution import Refresher
    from hashrange.server.dax.facts import CallerFacts
    from hashrange.server.dax.hits import Hits
    from hashrange.server.dax.listener import DaxListener
    from hashrange.server.dax.service import Client, Cluster

_log: Final = logging.getLogger(__name__)


Adopt: TypeAlias = Callable[[socket.socket], Coroutine[Any, Any, None]]


class DaxShare(msgspec.Struct, frozen=True):
    """The share of DAX that a process serves.

    Attributes:
        sockets: bound, not listening, of `--dax-port`; empty for none.
        runs_clusters: it runs clusters.
        adopting: is given what serves connections of `--dax-port` that another process has
            accepted; None if there are none.
    """

    sockets: Sequence[socket.socket] = ()
    runs_clusters: bool = True
    adopting: Callable[[Adopt], None] | None = None


ALL_OF_DAX: Final = DaxShare()


class Clusters(Protocol):
    """The clusters of a server."""

    def figures(self) -> Figures:
        """Figures of those that run in this process."""

    def begin(self) -> None:
        """Run them from now on."""

    async def end(self) -> None:
        """Stop their nodes."""


class DaxEndpoint:
    """The endpoints of one process: its own, and those of clusters.

    Args:
        parts: those of the process.
        pipeline: executes requests.
        credentials: of callers; None with `--auth off`.
        verified: what verifies signatures; None with `--auth off`.
        request_log: logs slow calls.
    """

    def __init__(
        self,
        parts: Parts,
        pipeline: Pipeline,
        credentials: "Credentials | None",
        verified: VerifiedHeads | None,
        *,
        request_log: RequestLog,
    ) -> None:
        self._parts = parts
        self._pipeline = pipeline
        self._request_log = request_log
        self._audit: AuditRecorder | None = None
        self._verification = None if verified is None else _verification(credentials, verified)
        self._facts_of: Callable[[Caller], CallerFacts] | None = None
        self._is_separate = parts.settings.namespaces == Namespaces.SEPARATE
        self._is_scoped = self._is_separate or parts.settings.auth is Auth.REQUIRED
        self._listeners: set[DaxListener] = set()
        self._clusters: Clusters | None = None
        self._refreshers: WeakSet[Refresher] = WeakSet()
        self._caches = WeakSet[Caches[Any]]()
        self.counts = CallCounts()
        settings = parts.settings
        lifetimes = Lifetimes(settings.dax_record_ttl_ms, settings.dax_query_ttl_ms)
        self.caches = Caches[Any](cache_bytes(settings), lifetimes)
        """Of the endpoint of `--dax-port`."""

    def audit_with(self, recorder: AuditRecorder | None) -> None:
        """Set what makes the audit log, before `start`; None for no log."""
        self._audit = recorder

    async def start(
        self,
        share: DaxShare,
        limits: HttpLimits,
        ssl: SSLContext | None,
        clusters: Clusters | None = None,
    ) -> None:
        """Serve connections of `--dax-port`, and run clusters until `stop`. Raises OSError."""
        if clusters is not None:
            self._clusters = clusters
            clusters.begin()
        if not share.sockets and share.adopting is None:
            return
        execute, hits = self.execution(self.caches), self.hits(self.caches)
        listener = await self.listen(share.sockets, limits, ssl, execute=execute, hits=hits)
        if share.adopting is not None:
            share.adopting(listener.adopt)
        else:
            log_url(share.sockets, has_tls=ssl is not None)

    async def listen(
        self,
        sockets: Sequence[socket.socket],
        limits: HttpLimits,
        ssl: SSLContext | None,
        *,
        execute: "Execute",
        hits: "Hits | None" = None,
        cluster: "Cluster | None" = None,
    ) -> "DaxListener":
        """A listener on bound sockets, of this endpoint or of a node of a cluster."""
        from hashrange.server.dax.callers import Authorizer  # noqa: PLC0415 - see above
        from hashrange.server.dax.connection import DaxState  # noqa: PLC0415
        from hashrange.server.dax.listener import DaxListener  # noqa: PLC0415
        from hashrange.server.dax.recording import Recorder  # noqa: PLC0415
        from hashrange.server.dax.service import Service  # noqa: PLC0415

        parts, clock = self._parts, self._parts.store.clock
        authorizer = Authorizer(clock.now_ms, self._verification)
        service = Service(
            execute,
            facts_of=self._shared_facts_of(),
            authorizer=authorizer,
            recorder=Recorder(
                parts.metrics,
                clock.monotonic_ns,
                self._request_log,
                self._audit,
                dax=self.counts if cluster is None else cluster.calls,
            ),
            cluster=cluster,
            hits=None if authorizer.is_required else hits,
        )
        respond: Respond = service.respond
        if parts.storage.needs_tasks:
            respond = _in_tasks(respond)
        state = DaxState(
            respond, authorizer, limits, parts.metrics.traffic, at_hand=service.at_hand
        )
        listener = DaxListener(state, clock.monotonic_ns)
        await listener.start(sockets, ssl)
        self._listeners.add(listener)
        return listener

    def execution(self, caches: Caches[Any]) -> "Execute":
        """Executes calls with the pipeline, through caches."""
        from hashrange.dax.cached.rows import cached_rows, refresh_rows  # noqa: PLC0415 - see above
        from hashrange.server.dax.execution import (  # noqa: PLC0415
            Execution,
            PipelinePerformers,
            Refresher,
        )

        pipeline, clock = self._pipeline, self._parts.store.clock
        refreshing = refresh_rows(caches, clock.now_ms)
        refresher = Refresher(
            lambda caller: pipeline.performer("TransactGetItems", caller, refreshing)
        )
        self._refreshers.add(refresher)
        self._caches.add(caches)
        rows = cached_rows(caches, clock.now_ms, refresher.begin)
        performers = PipelinePerformers(pipeline, rows)
        return Execution(
            performers, self._shared_facts_of(), pause, monotonic_ns=clock.monotonic_ns
        )

    def hits(self, caches: Caches[Any]) -> "Hits":
        """Answers hits of caches."""
        from hashrange.server.dax.hits import Hits  # noqa: PLC0415 - see above

        return Hits(
            caches,
            self._pipeline,
            catalog_of=self._catalog_of,
            scope_of=self._scope_of,
            now_ms=self._parts.store.clock.now_ms,
        )

    def figures(self) -> Figures:
        """Figures of all caches and connections, for metrics."""
        caches = list(self._caches)
        return {
            **self.counts.figures(),
            **cache_figures(caches),
            "dax_connections": float(sum(each.connections for each in self._listeners)),
            **({"dax_nodes": 0.0} if self._clusters is None else self._clusters.figures()),
        }

    def _catalog_of(self, caller: Caller) -> Catalog:
        catalog = self._parts.catalog
        return catalog.within(caller.account, caller.region) if self._is_separate else catalog

    def _scope_of(self, caller: Caller) -> str:
        return caller.account if self._is_scoped else ""

    def _shared_facts_of(self) -> "Callable[[Caller], CallerFacts]":
        """Gives the facts of a caller; attribute lists are those of all endpoints."""
        from hashrange.server.dax.attribute_lists import AttributeLists  # noqa: PLC0415 - see above
        from hashrange.server.dax.facts import CallerFacts, CatalogSchemas  # noqa: PLC0415

        if self._facts_of is None:
            lists = AttributeLists(self._parts.store.engine)

            def facts_of(caller: Caller) -> CallerFacts:
                schemas = CatalogSchemas(self._catalog_of(caller))
                return CallerFacts(schemas, lists, self._scope_of(caller))

            self._facts_of = facts_of
        return self._facts_of

    def renew(self, ssl: SSLContext) -> None:
        """Use another context of TLS for new connections."""
        for each in list(self._listeners):
            each.renew(ssl)

    async def close(self, listener: "DaxListener", *, drain_seconds: float) -> None:
        """Stop one listener."""
        await listener.stop(drain_seconds=drain_seconds)
        self._listeners.discard(listener)

    async def stop(self, *, drain_seconds: float) -> None:
        """Answer the calls that have begun, for so long at most, and close all connections."""
        if self._clusters is not None:
            await self._clusters.end()
        stopping = [self.close(each, drain_seconds=drain_seconds) for each in list(self._listeners)]
        await asyncio.gather(*stopping)
        for refresher in list(self._refreshers):
            await refresher.end()


def _verification(credentials: "Credentials | None", verified: VerifiedHeads) -> "Verification":
    from hashrange.server.dax.callers import Verification  # noqa: PLC0415 - see above

    assert credentials is not None, "they are there if signatures are verified"
    return Verification(credentials, verified.authenticate, verified.failures)


def log_url(sockets: Sequence[socket.socket], *, has_tls: bool) -> None:
    """Log the URL of an endpoint, for operators."""
    host, port = sockets[0].getsockname()[:2]
    _log.info("clients of DAX can use %s://%s:%d", "daxs" if has_tls else "dax", host, port)


def cache_bytes(settings: Settings) -> int:
    """The bound of the caches of the endpoint, and of each cluster."""
    return settings.dax_cache_mb * 1024**2


def _in_tasks(respond: "Respond") -> "Respond":
    """Each call in a task, for engines that need one."""

    async def in_task(client: "Client", received: "Received") -> bytes:
        return await asyncio.get_running_loop().create_task(respond(client, received))

    return in_task
