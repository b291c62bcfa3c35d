"""Starts and stops what the rows of clusters say, and writes into them what came of it.

A cluster has caches, an endpoint that gives clients the nodes, and an endpoint for each node. Of
several servers on the same tables one runs all clusters, for their nodes share the caches: it
carries the term of its lease as a fence, and another one finds in the rows which ports to open.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import msgspec

from hashrange.api.aws_services.dax_clusters.store import (
    DaxRows,
    StoredCluster,
    StoredEvent,
    StoredNode,
)
from hashrange.clock import Clock
from hashrange.dax.cache.caches import Caches, Lifetimes
from hashrange.dax.call_counts import CallCounts
from hashrange.messages import dax as messages
from hashrange.observe.figures import Figure, Figures, labelled
from hashrange.storage.engine import NO_FENCES, Fences, StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.leases import NotLeadingError

LOOK_SECONDS: Final = 1.0
"""How often the runner looks whether a node has died."""
LEAVING_SECONDS: Final = 10.0
"""How long a node that was removed goes on: clients ask for the nodes every four seconds."""
_NS_PER_S: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


class Endpoint(Protocol):
    """One port on which clients of a cluster are answered.

    Attributes:
        port: that it listens on.
        listens: it has not died.
    """

    @property
    def port(self) -> int:
        """The port."""

    @property
    def listens(self) -> bool:
        """Whether clients can connect."""

    @property
    def connections(self) -> int:
        """How many are open."""

    async def stop(self) -> None:
        """Close the port and its connections."""


class ListeningNode(msgspec.Struct, frozen=True):
    """A node that clients can use; the first of a cluster is its leader."""

    number: int
    port: int
    zone: str


class RunningCluster:
    """A cluster whose nodes are there.

    Attributes:
        stored: its row, as it was last seen.
        caches: of all nodes.
        calls: those that all nodes have answered.
        nodes: those that listen, in the order of their ids.
        discovery: the endpoint that lists the nodes.
        endpoints: those of the nodes, by id.
        leaving: those of nodes that were removed, and when they close, in monotonic nanoseconds.
        parts: free for `Start`: what the endpoints share.
    """

    def __init__(self, stored: StoredCluster, bytes_max: int) -> None:
        self.stored = stored
        self.caches = Caches[bytes](bytes_max)
        self.calls = CallCounts()
        self.nodes: Sequence[ListeningNode] = ()
        self.discovery: Endpoint | None = None
        self.endpoints: dict[str, Endpoint] = {}
        self.leaving: list[tuple[int, Endpoint]] = []
        self.parts: Any = None

    @property
    def all_endpoints(self) -> Sequence[Endpoint]:
        """The endpoints that are open."""
        found = [*self.endpoints.values(), *(each for _, each in self.leaving)]
        return found if self.discovery is None else [*found, self.discovery]

    def figures(self) -> Figures:
        """Its figures for metrics."""
        stored, caches, entries = self.stored, self.caches, self.caches.entries
        labels = (stored.account, stored.region, stored.name)
        size, room = float(entries.size), entries.bytes_max
        connections = sum(each.connections for each in self.all_endpoints)
        found = {
            labelled("dax_cluster_cache_bytes", *labels): size,
            labelled("dax_cluster_cache_memory_percent", *labels): 100 * size / room if room else 0,
            labelled("dax_cluster_evicted_bytes_total", *labels): float(entries.evicted_bytes),
            labelled("dax_cluster_connections", *labels): float(connections),
        }
        for kind, uses in caches.uses.items():
            found[labelled("dax_cluster_cache_hits_total", *labels, kind)] = float(uses.hits)
            found[labelled("dax_cluster_cache_misses_total", *labels, kind)] = float(uses.misses)
        return {**found, **self.calls.of_cluster(*labels)}


class Start(Protocol):
    """Opens ports."""

    async def __call__(self, cluster: RunningCluster, port: int) -> Endpoint:
        """Listen on a port, or on a free one if it is 0. Raises OSError."""


class ClusterRunner:
    """A background task.

    Attributes:
        running: the clusters of this server, by scope and name.

    Args:
        rows: of the clusters.
        start: opens ports.
        clock: the time of events.
        bytes_max: the bound of the caches of one cluster.
        host: of the ports, if other servers give clients of them; None if there are none.
        fences: of writes; raises NotLeadingError.
    """

    def __init__(
        self,
        rows: DaxRows,
        start: Start,
        clock: Clock,
        *,
        bytes_max: int,
        host: str | None = None,
        fences: Callable[[], Fences] = lambda: NO_FENCES,
    ) -> None:
        self.running: dict[tuple[str, str], RunningCluster] = {}
        self._rows = rows
        self._start = start
        self._clock = clock
        self._bytes_max = bytes_max
        self._host = host
        self._fences = fences
        self._changed = asyncio.Event()

    @property
    def nodes(self) -> int:
        """How many nodes listen."""
        return sum(len(cluster.nodes) for cluster in self.running.values())

    def figures(self) -> Figures:
        """Figures of the clusters for metrics."""
        found: dict[str, Figure] = {"dax_nodes": float(self.nodes)}
        for cluster in self.running.values():
            found.update(cluster.figures())
        return found

    def wake(self) -> None:
        """Rows have changed."""
        self._changed.set()

    async def run(self) -> None:
        """Work until it is cancelled; then nothing listens any more."""
        failures = Failures(_log, "looking at the clusters of DAX")
        try:
            while True:
                self._changed.clear()
                with failures.suppressed(StorageError, StaleFenceError, NotLeadingError):
                    await self.reconcile()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), LOOK_SECONDS)
        finally:
            await asyncio.shield(self.close())

    async def close(self) -> None:
        """Stop everything, and leave the rows as they are."""
        await asyncio.gather(*[self._stop(place) for place in list(self.running)])

    async def reconcile(self) -> None:
        """Do once what the rows say."""
        stored = [each async for each in self._rows.clusters.all(None)]
        known = {(each.scope, each.name): each.id for each in stored}
        for place, cluster in list(self.running.items()):
            if known.get(place) != cluster.stored.id:
                await self._stop(place)
        for each in stored:
            if each.status == "deleting":
                await self._stop((each.scope, each.name))
                await self._remove(each)
            else:
                await self._reconcile_cluster(each)

    async def _reconcile_cluster(self, stored: StoredCluster) -> None:
        place = (stored.scope, stored.name)
        cluster = self.running.get(place)
        if cluster is None:
            cluster = self.running[place] = RunningCluster(stored, self._bytes_max)
        cluster.stored = stored
        cluster.caches.lifetimes = await self._lifetimes(stored)
        events: list[str] = []
        try:
            if cluster.discovery is None or not cluster.discovery.listens:
                cluster.discovery = await self._open(cluster, stored.port)
            for node in stored.nodes:
                await self._reconcile_node(cluster, node, events)
        except OSError as error:
            _log.warning("the cluster %s cannot listen: %s", stored.name, error)
            return
        await self._close_left(cluster)
        cluster.nodes = [
            ListeningNode(node.number, cluster.endpoints[node.id].port, node.zone)
            for node in stored.nodes
            if node.id in cluster.endpoints
        ]
        at = (self._host, cluster.discovery.port)

        def change(before: StoredCluster | None) -> StoredCluster | None:
            return before if before is None else reconciled(before, stored, cluster, at)

        fences = self._fences()
        await self._rows.clusters.change(stored.scope, stored.name, change, fences=fences)
        if stored.status == "creating":
            events.append(messages.cluster_created())
        for text in events:
            await self._note(stored, text)

    async def _reconcile_node(
        self, cluster: RunningCluster, node: StoredNode, events: list[str]
    ) -> None:
        endpoint = cluster.endpoints.get(node.id)
        if node.status == "deleting":
            events.append(messages.node_removed(node.id))
            if endpoint is not None:
                del cluster.endpoints[node.id]
                end_ns = self._clock.monotonic_ns() + int(LEAVING_SECONDS * _NS_PER_S)
                cluster.leaving.append((end_ns, endpoint))
            return
        if node.status == "rebooting" and endpoint is not None:
            del cluster.endpoints[node.id]
            await endpoint.stop()
            endpoint = None
        if endpoint is not None and endpoint.listens:
            return
        cluster.endpoints[node.id] = await self._open(cluster, node.port)
        if endpoint is not None:
            await endpoint.stop()
            events.append(messages.node_replaced(node.id))
        elif node.status != "available":
            events.append(messages.node_started(node.id))

    async def _close_left(self, cluster: RunningCluster) -> None:
        now_ns = self._clock.monotonic_ns()
        over = [endpoint for end_ns, endpoint in cluster.leaving if end_ns <= now_ns]
        cluster.leaving = [each for each in cluster.leaving if each[0] > now_ns]
        for endpoint in over:
            await endpoint.stop()

    async def _open(self, cluster: RunningCluster, port: int) -> Endpoint:
        """Listen on the port that was there before, so that clients find it, or on a free one."""
        try:
            return await self._start(cluster, port)
        except OSError:
            if not port:
                raise
            return await self._start(cluster, 0)

    async def _lifetimes(self, stored: StoredCluster) -> Lifetimes:
        group = await self._rows.parameters.get(stored.scope, stored.parameters)
        if group is None:
            return Lifetimes()
        return Lifetimes(group.record_ttl_ms, group.query_ttl_ms)

    async def _stop(self, place: tuple[str, str]) -> None:
        cluster = self.running.pop(place, None)
        if cluster is None:
            return
        cluster.nodes = ()
        await asyncio.gather(*[each.stop() for each in cluster.all_endpoints])

    async def _remove(self, stored: StoredCluster) -> None:
        def change(before: StoredCluster | None) -> StoredCluster | None:
            return None if before is not None and before.id == stored.id else before

        fences = self._fences()
        await self._rows.clusters.change(stored.scope, stored.name, change, fences=fences)
        await self._note(stored, messages.cluster_deleted())

    async def _note(self, stored: StoredCluster, text: str) -> None:
        now_ms = self._clock.now_ms()
        event = StoredEvent(source=stored.name, type="CLUSTER", text=text, at_ms=now_ms)
        topic = None if stored.is_silent else stored.topic
        await self._rows.note(stored.scope, event, topic)


def reconciled(
    before: StoredCluster, seen: StoredCluster, cluster: RunningCluster, at: tuple[str | None, int]
) -> StoredCluster:
    """The row after a round that saw another; what has changed meanwhile waits for the next.

    `at` is the host and the port of the endpoint that gives clients the nodes.
    """
    if before.id != seen.id or before.status == "deleting":
        return before
    statuses = {node.id: node.status for node in seen.nodes}
    nodes: list[StoredNode] = []
    for node in before.nodes:
        if statuses.get(node.id) != node.status:
            nodes.append(node)
        elif node.status != "deleting":
            endpoint = cluster.endpoints[node.id]
            nodes.append(msgspec.structs.replace(node, status="available", port=endpoint.port))
    status = before.status
    if all(node.status == "available" for node in nodes):
        status = "available"
    host, port = at
    return msgspec.structs.replace(before, nodes=tuple(nodes), host=host, port=port, status=status)
