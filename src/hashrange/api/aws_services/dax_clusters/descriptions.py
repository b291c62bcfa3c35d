"""Clusters as answers describe them."""

from typing import Final

import msgspec

from hashrange.api.aws_services.dax_clusters.context import DaxContext
from hashrange.api.aws_services.dax_clusters.store import StoredCluster, StoredNode
from hashrange.model.structures.dax import (
    Cluster,
    ClusterAnswer,
    Endpoint,
    Node,
    NotificationConfiguration,
    ParameterGroupStatus,
    SSEDescription,
)

_IN_SYNC: Final = "in-sync"


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
        notification_configuration=_notifications(cluster),
        subnet_group=cluster.subnets,
        security_groups=[],
        iam_role_arn=cluster.role,
        parameter_group=ParameterGroupStatus(cluster.parameters, _IN_SYNC, []),
        sse_description=SSEDescription("ENABLED" if cluster.keeps_encrypted else "DISABLED"),
        cluster_endpoint_encryption_type="TLS" if cluster.uses_tls else "NONE",
        network_type="ipv4",
    )


def answer(cluster: StoredCluster | None, context: DaxContext) -> ClusterAnswer:
    """The answer of an operation that changed a cluster."""
    assert cluster is not None, "it was changed, not removed"
    return ClusterAnswer(described(cluster, context))


def _notifications(cluster: StoredCluster) -> NotificationConfiguration | None:
    if cluster.topic is None:
        return None
    return NotificationConfiguration(
        topic_arn=cluster.topic, topic_status="inactive" if cluster.is_silent else "active"
    )


def _discovery(cluster: StoredCluster, host: str) -> Endpoint:
    if cluster.status == "creating":
        return Endpoint(port=cluster.port)
    scheme = "daxs" if cluster.uses_tls else "dax"
    url = f"{scheme}://{host}:{cluster.port}"
    return Endpoint(port=cluster.port, address=host, url=url)


def _node(node: StoredNode, host: str) -> Node:
    return Node(
        node_id=node.id,
        endpoint=Endpoint(port=node.port, address=host if node.port else None),
        node_create_time=node.created_ms / 1000,
        availability_zone=node.zone,
        node_status=node.status,
        parameter_group_status=_IN_SYNC,
    )
