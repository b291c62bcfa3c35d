"""The composition root of DAX clusters: what runs them, their ports, and their control plane."""

import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from ssl import SSLContext
from typing import TYPE_CHECKING, Final

from hashrange.api.apis import Api
from hashrange.api.aws_services.dax_clusters.service import DAX
from hashrange.api.aws_services.dax_clusters.store import DaxRows
from hashrange.assembly.access import Access
from hashrange.assembly.dax_endpoint import DaxEndpoint, cache_bytes
from hashrange.assembly.parts import Parts
from hashrange.background.leader import Leader
from hashrange.dax.cluster_runner import ClusterRunner, RunningCluster
from hashrange.observe.figures import Figures
from hashrange.server.addresses import bound
from hashrange.server.http_limits import HttpLimits
from hashrange.settings.kinds import Namespaces
from hashrange.settings.webhooks import webhooks_of

if TYPE_CHECKING:
    from hashrange.access.policies.decisions import Subject
    from hashrange.server.dax.listener import DaxListener

_DRAIN_SECONDS: Final = 1.0
"""How long a node that is stopped answers calls that have begun."""


class NodePort:
    """A port that listens.

    Attributes:
        port: its number.
    """

    def __init__(
        self, endpoint: DaxEndpoint, listener: "DaxListener", sockets: Sequence[socket.socket]
    ) -> None:
        self._endpoint = endpoint
        self._listener = listener
        self._sockets = sockets
        self.port: int = sockets[0].getsockname()[1]

    @property
    def listens(self) -> bool:
        """Whether clients can connect."""
        return self._listener.listens

    @property
    def connections(self) -> int:
        """How many are open."""
        return self._listener.connections

    async def stop(self) -> None:
        """Close the port and its connections."""
        await self._endpoint.close(self._listener, drain_seconds=_DRAIN_SECONDS)
        for each in self._sockets:
            each.close()


class NodeStarter:
    """Opens the ports of clusters.

    Args:
        endpoint: of the process.
        host: that the server listens on.
        limits: of the connections of each port.
        ssl: of a server with TLS; clusters choose whether they use it.
        role: the subject of a role, by ARN; None if clusters cannot assume it.
        now_ms: the time, for conditions of policies.
    """

    def __init__(
        self,
        endpoint: DaxEndpoint,
        host: str,
        limits: HttpLimits,
        *,
        ssl: Callable[[], SSLContext | None],
        role: "Callable[[str], Subject | None]",
        now_ms: Callable[[], int],
    ) -> None:
        self._endpoint = endpoint
        self._host = host
        self._limits = limits
        self._ssl = ssl
        self._role = role
        self._now_ms = now_ms

    async def __call__(self, cluster: RunningCluster, port: int) -> NodePort:
        """Listen on a port, or on a free one if it is 0. Raises OSError."""
        from hashrange.server.dax.clusters import NodeCluster  # noqa: PLC0415 - few servers do

        if cluster.parts is None:
            execute = self._endpoint.execution(cluster.caches)
            hits = self._endpoint.hits(cluster.caches)
            cluster.calls.whole = self._endpoint.counts
            cluster.parts = (execute, hits, NodeCluster(cluster, self._role, self._now_ms))
        execute, hits, node = cluster.parts
        sockets = await bound(self._host, port)
        try:
            listener = await self._endpoint.listen(
                sockets,
                self._limits,
                self._ssl() if cluster.stored.uses_tls else None,
                execute=execute,
                hits=hits,
                cluster=node,
            )
        except BaseException:
            for each in sockets:
                each.close()
            raise
        return NodePort(self._endpoint, listener, sockets)


class LedClusters:
    """The clusters, which one of all servers runs on the same tables.

    Args:
        leader: runs them while this server leads.
        runner: of the clusters.
    """

    def __init__(self, leader: Leader, runner: ClusterRunner) -> None:
        self._leader = leader
        self._runner = runner

    def figures(self) -> Figures:
        """Figures of those that run in this process."""
        return self._runner.figures()

    def wake(self) -> None:
        """Rows have changed; another server that leads finds that by itself."""
        self._runner.wake()

    def begin(self) -> None:
        """Run the clusters whenever this server leads."""
        self._leader.begin([self._runner])

    async def end(self) -> None:
        """Stop the nodes, and let another server lead."""
        await self._leader.end()


def clusters_of(
    parts: Parts,
    access: Access,
    endpoint: DaxEndpoint,
    *,
    limits: HttpLimits,
    ssl: Callable[[], SSLContext | None],
) -> LedClusters | None:
    """The clusters of a server; None if it cannot run any."""
    if not _can_run(parts):
        return None
    settings, clock, engine = parts.settings, parts.store.clock, parts.store.engine
    shared = parts.storage.is_shared
    start = NodeStarter(
        endpoint, settings.host, limits, ssl=ssl, role=access.dax_role, now_ms=clock.now_ms
    )
    sessions = parts.storage.sessions
    leader = Leader(engine, clock, "dax", is_shared=shared, sessions=sessions)
    runner = ClusterRunner(
        DaxRows(engine),
        start,
        clock,
        bytes_max=cache_bytes(settings),
        host=settings.host if shared else None,
        fences=leader.fences,
    )
    return LedClusters(leader, runner)


def clusters_api(parts: Parts, access: Access, clusters: LedClusters | None) -> Api:
    """The control plane of a server; `clusters` is None if they run elsewhere, or nowhere."""
    from hashrange.api.aws_services.dax_clusters.backend import DaxChoices, DaxClusters  # noqa: PLC0415 - few
    from hashrange.api.service_api import ServiceApi  # noqa: PLC0415
    from hashrange.api.steps.service_authorization import Authorizer  # noqa: PLC0415

    settings, authorizer = parts.settings, Authorizer(parts.store.clock.now_ms)
    choices = DaxChoices(
        separate=settings.namespaces == Namespaces.SEPARATE,
        has_tls=settings.tls_files is not None,
        role=access.dax_role,
        role_tags=access.role_tags,
        can_run=_can_run(parts),
        changed=_ignore if clusters is None else clusters.wake,
        topics=webhooks_of(settings.alarm_webhook),
    )
    backend = DaxClusters(parts.store, choices, authorizer)
    return ServiceApi(DAX, backend, authorizer, parts.store.clock.new_uuid)


def _can_run(parts: Parts) -> bool:
    """Whether clients can learn where nodes are.

    One server knows that from the request. Of several servers the one that is asked may not have
    the nodes, and an address that stands for all of its host's does not say where they are.
    """
    if not parts.storage.is_shared:
        return True
    try:
        return not ip_address(parts.settings.host).is_unspecified
    except ValueError:  # a name
        return True


def _ignore() -> None:
    return None
