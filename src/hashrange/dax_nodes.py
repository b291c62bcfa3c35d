"""The composition root of DAX clusters: what runs them, their ports, and their control plane."""

import socket
from collections.abc import Callable, Sequence
from ssl import SSLContext
from typing import Final

from hashrange.access import Access
from hashrange.dax_clusters.runner import ClusterRunner, RunningCluster
from hashrange.dax_clusters.store import DaxRows
from hashrange.dax_endpoint import DaxEndpoint, cache_bytes
from hashrange.parts import Parts
from hashrange.policies.decisions import Subject
from hashrange.server.addresses import bound
from hashrange.server.dax.clusters import NodeCluster
from hashrange.server.dax.listener import DaxListener
from hashrange.server.dax_clusters import DaxChoices, DaxClustersApi
from hashrange.server.http_limits import HttpLimits
from hashrange.setting_kinds import Namespaces

_DRAIN_SECONDS: Final = 1.0
"""How long a node that is stopped answers calls that have begun."""


class NodePort:
    """A port that listens.

    Attributes:
        port: its number.
    """

    def __init__(
        self, endpoint: DaxEndpoint, listener: DaxListener, sockets: Sequence[socket.socket]
    ) -> None:
        self._endpoint = endpoint
        self._listener = listener
        self._sockets = sockets
        self.port: int = sockets[0].getsockname()[1]

    @property
    def listens(self) -> bool:
        """Whether clients can connect."""
        return self._listener.listens

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
        role: Callable[[str], Subject | None],
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
        if cluster.parts is None:
            execute = self._endpoint.execution(cluster.caches)
            hits = self._endpoint.hits(cluster.caches)
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


def runner_of(
    parts: Parts,
    access: Access,
    endpoint: DaxEndpoint,
    *,
    limits: HttpLimits,
    ssl: Callable[[], SSLContext | None],
) -> ClusterRunner | None:
    """What runs the clusters of a server; None where several processes serve the data."""
    settings, clock = parts.settings, parts.store.clock
    if settings.workers is not None or parts.storage.is_shared:
        return None
    start = NodeStarter(
        endpoint, settings.host, limits, ssl=ssl, role=access.dax_role, now_ms=clock.now_ms
    )
    rows = DaxRows(parts.store.engine)
    return ClusterRunner(rows, start, clock, bytes_max=cache_bytes(settings))


def clusters_api(parts: Parts, access: Access, runner: ClusterRunner | None) -> DaxClustersApi:
    """The control plane of a server, with or without what runs its clusters."""
    settings = parts.settings
    choices = DaxChoices(
        separate=settings.namespaces == Namespaces.SEPARATE,
        has_tls=settings.tls_files is not None,
        role=access.dax_role,
        changed=None if runner is None else runner.wake,
    )
    return DaxClustersApi(parts.store, choices)
