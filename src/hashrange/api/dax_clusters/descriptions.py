"""Clusters as answers describe them."""

from typing import Any, Final

import msgspec

from hashrange.api.dax_clusters.context import DaxContext
from hashrange.api.dax_clusters.store import StoredCluster, StoredNode

_IN_SYNC: Final = "in-sync"


class Endpoint(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """Where a cluster or a node is reached; without an address while it does not listen."""

    port: int
    address: str | None = None
    url: str | None = msgspec.field(default=None, name="URL")


class Node(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A node."""

    node_id: str
    endpoint: Endpoint
    node_create_time: float
    availability_zone: str
    node_status: str
    parameter_group_status: str = _IN_SYNC


class Cluster(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """A cluster; `nodes` once they were started."""

    cluster_name: str
    description: str | None = None
    cluster_arn: str
    total_nodes: int
    active_nodes: int | None = None
    node_type: str
    status: str
    cluster_discovery_endpoint: Endpoint
    node_ids_to_remove: list[str] | None = None
    nodes: list[Node] | None = None
    preferred_maintenance_window: str
    subnet_group: str
    security_groups: list[Any]
    iam_role_arn: str
    parameter_group: dict[str, Any]
    sse_description: dict[str, str] = msgspec.field(name="SSEDescription")
    cluster_endpoint_encryption_type: str
    network_type: str


class ClusterAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer of operations on one cluster."""

    cluster: Cluster


def described(cluster: StoredCluster, context: DaxContext) -> Cluster:
    """A cluster as answers have it; where no cluster runs, none is ever available."""
    if not context.can_run and cluster.status != "deleting":
        cluster = msgspec.structs.replace(cluster, status="creating")
    leaving = [each.id for each in cluster.nodes if each.status == "deleting"]
    shows_nodes = cluster.status != "creating"
    host = cluster.host or context.host
    return Cluster(
        cluster_name=cluster.name,
        description=cluster.description,
        cluster_arn=cluster.arn,
        total_nodes=len(cluster.nodes),
        active_nodes=sum(each.status == "available" for each in cluster.nodes),
        node_type=cluster.node_type,
        status=cluster.status,
        cluster_discovery_endpoint=_discovery(cluster, host),
        node_ids_to_remove=leaving or None,
        nodes=[_node(each, host) for each in cluster.nodes] if shows_nodes else None,
        preferred_maintenance_window=cluster.window,
        subnet_group=cluster.subnets,
        security_groups=[],
        iam_role_arn=cluster.role,
        parameter_group={
            "ParameterGroupName": cluster.parameters,
            "ParameterApplyStatus": _IN_SYNC,
            "NodeIdsToReboot": [],
        },
        sse_description={"Status": "ENABLED" if cluster.keeps_encrypted else "DISABLED"},
        cluster_endpoint_encryption_type="TLS" if cluster.uses_tls else "NONE",
        network_type="ipv4",
    )


def answer(cluster: StoredCluster | None, context: DaxContext) -> ClusterAnswer:
    """The answer of an operation that changed a cluster."""
    assert cluster is not None, "it was changed, not removed"
    return ClusterAnswer(described(cluster, context))


def _discovery(cluster: StoredCluster, host: str) -> Endpoint:
    if cluster.status == "creating":
        return Endpoint(cluster.port)
    scheme = "daxs" if cluster.uses_tls else "dax"
    return Endpoint(cluster.port, host, f"{scheme}://{host}:{cluster.port}")


def _node(node: StoredNode, host: str) -> Node:
    return Node(
        node_id=node.id,
        endpoint=Endpoint(node.port, host) if node.port else Endpoint(0),
        node_create_time=node.created_ms / 1000,
        availability_zone=node.zone,
        node_status=node.status,
    )
