"""IncreaseReplicationFactor, DecreaseReplicationFactor, RebootNode."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Final

import msgspec

from hashrange.api.aws_services.dax_clusters.context import (
    DaxContext,
    available,
    cluster_name,
    given,
)
from hashrange.api.aws_services.dax_clusters.descriptions import answer
from hashrange.api.aws_services.dax_clusters.service import DaxError, contradictory, invalid
from hashrange.api.aws_services.dax_clusters.store import StoredCluster, StoredNode
from hashrange.limits.dax import (
    ACCOUNT_NODES_MAX,
    CLUSTER_NODES_MAX,
    SERVER_NODES_MAX,
)
from hashrange.messages import dax as messages
from hashrange.model.structures.dax import (
    ClusterAnswer,
    DecreaseReplicationFactor,
    IncreaseReplicationFactor,
    RebootNode,
)
from hashrange.wire.service import ServiceOperation, by_name


def zones_of(named: Sequence[str] | None, nodes: int, region: str) -> list[str]:
    """The zones of new nodes: those named, one for each; else in turn those of the region."""
    if named is None:
        return [f"{region}{'abc'[number % 3]}" for number in range(nodes)]
    if len(named) != nodes:
        raise contradictory(messages.zones_do_not_match())
    for zone in named:
        if not zone.startswith(region) or len(zone) != len(region) + 1:
            raise invalid(messages.value_invalid("AvailabilityZone", zone[:100]))
    return list(named)


def added(cluster: StoredCluster, zones: Sequence[str], now_ms: int) -> StoredCluster:
    """The cluster with new nodes, which have the first letters that are free."""
    taken = {each.id for each in cluster.nodes}
    names = [f"{cluster.name}-{letter}" for letter in ascii_lowercase]
    free = (name for name in names if name not in taken)
    new = tuple(
        StoredNode(id=next(free), number=cluster.numbers + place, zone=zone, created_ms=now_ms)
        for place, zone in enumerate(zones, 1)
    )
    return msgspec.structs.replace(
        cluster, nodes=(*cluster.nodes, *new), numbers=cluster.numbers + len(new)
    )


async def counted(context: DaxContext, name: str) -> tuple[int, int]:
    """The nodes of the caller's clusters but for that of a name, and those of all others."""
    own = others = 0
    async for each in context.rows.clusters.all(None):
        if each.scope != context.scope:
            others += len(each.nodes)
        elif each.name != name:
            own += len(each.nodes)
    return own, others


def check_room(context: DaxContext, own: int, others: int) -> None:
    """Refuse more nodes than an account may have, or than the server runs.

    Raises NodeQuotaForCustomerExceededFault, InsufficientClusterCapacityFault.

    Args:
        context: of the request.
        own: nodes of the caller, with the new ones.
        others: nodes of other accounts and regions.
    """
    if not context.can_run:
        raise DaxError("InsufficientClusterCapacityFault", messages.no_room())
    if own > ACCOUNT_NODES_MAX:
        text = messages.quota("nodes", ACCOUNT_NODES_MAX)
        raise DaxError("NodeQuotaForCustomerExceededFault", text)
    if own + others > SERVER_NODES_MAX:
        text = messages.quota("nodes of all accounts", SERVER_NODES_MAX)
        raise DaxError("InsufficientClusterCapacityFault", text)


async def increase(request: IncreaseReplicationFactor, context: DaxContext) -> ClusterAnswer:
    """Add nodes."""
    name = cluster_name(request.cluster_name)
    nodes = given(request.new_replication_factor, "NewReplicationFactor")
    if nodes > CLUSTER_NODES_MAX:
        text = messages.quota("nodes of a cluster", CLUSTER_NODES_MAX)
        raise DaxError("NodeQuotaForClusterExceededFault", text)
    rows, scope = context.rows, context.scope
    own, others = await counted(context, name)

    def change(before: StoredCluster | None) -> StoredCluster:
        cluster = available(before)
        more = nodes - len(cluster.nodes)
        if more < 1:
            raise invalid(messages.not_increased())
        check_room(context, own + nodes, others)
        zones = zones_of(request.availability_zones, more, context.region)
        changed = msgspec.structs.replace(cluster, status="modifying")
        return added(changed, zones, context.now_ms)

    stored = await rows.clusters.change(scope, name, change)
    context.changed()
    return answer(stored, context)


async def decrease(request: DecreaseReplicationFactor, context: DaxContext) -> ClusterAnswer:
    """Remove nodes: those named, or of zones, or the last ones."""
    name = cluster_name(request.cluster_name)
    nodes = given(request.new_replication_factor, "NewReplicationFactor")

    def change(before: StoredCluster | None) -> StoredCluster:
        cluster = available(before)
        if not 0 < nodes < len(cluster.nodes):
            raise invalid(messages.not_decreased())
        leaving = _leaving(request, cluster, len(cluster.nodes) - nodes)
        return msgspec.structs.replace(
            cluster,
            status="modifying",
            nodes=tuple(
                msgspec.structs.replace(each, status="deleting") if each.id in leaving else each
                for each in cluster.nodes
            ),
        )

    stored = await context.rows.clusters.change(context.scope, name, change)
    context.changed()
    return answer(stored, context)


def _leaving(
    request: DecreaseReplicationFactor, cluster: StoredCluster, count: int
) -> frozenset[str]:
    """The ids of the nodes to remove."""
    named, zones = request.node_ids_to_remove, request.availability_zones
    if named:
        known = {each.id for each in cluster.nodes}
        for each in named:
            if each not in known:
                raise DaxError("NodeNotFoundFault", messages.node_missing(each[:100]))
        if len(set(named)) != count:
            raise contradictory(messages.nodes_do_not_match())
        return frozenset(named)
    if not zones:
        return frozenset(each.id for each in cluster.nodes[-count:])
    if len(zones) != count:
        raise contradictory(messages.zones_do_not_match())
    left = list(reversed(cluster.nodes))
    found = []
    for zone in zones:
        node = next((each for each in left if each.zone == zone), None)
        if node is None:
            raise contradictory(messages.zones_do_not_match())
        left.remove(node)
        found.append(node.id)
    return frozenset(found)


async def reboot(request: RebootNode, context: DaxContext) -> ClusterAnswer:
    """Stop a node and start it again; its clients lose their connections, not what is cached."""
    name = cluster_name(request.cluster_name)
    node_id = given(request.node_id, "NodeId")

    def change(before: StoredCluster | None) -> StoredCluster:
        cluster = available(before)
        if node_id not in {each.id for each in cluster.nodes}:
            raise DaxError("NodeNotFoundFault", messages.node_missing(node_id[:100]))
        return msgspec.structs.replace(
            cluster,
            nodes=tuple(
                msgspec.structs.replace(each, status="rebooting") if each.id == node_id else each
                for each in cluster.nodes
            ),
        )

    stored = await context.rows.clusters.change(context.scope, name, change)
    context.changed()
    return answer(stored, context)


OPERATIONS: Final = by_name(
    ServiceOperation(request=DecreaseReplicationFactor, run=decrease),
    ServiceOperation(request=IncreaseReplicationFactor, run=increase),
    ServiceOperation(request=RebootNode, run=reboot),
)
