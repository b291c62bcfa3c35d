"""CreateCluster, DeleteCluster, DescribeClusters, UpdateCluster."""

import re
from typing import Final

import msgspec

from hashrange.api.aws_services.dax_clusters.context import (
    DaxContext,
    available,
    check_arn,
    check_description,
    cluster_name,
    existing,
    given,
    named,
    page_of,
)
from hashrange.api.aws_services.dax_clusters.descriptions import answer, described
from hashrange.api.aws_services.dax_clusters.nodes import added, check_room, counted, zones_of
from hashrange.api.aws_services.dax_clusters.parameter_groups import PARAMETER_GROUPS
from hashrange.api.aws_services.dax_clusters.service import DaxError, contradictory, invalid
from hashrange.api.aws_services.dax_clusters.store import (
    DEFAULT_PARAMETERS,
    DEFAULT_SUBNETS,
    StoredCluster,
)
from hashrange.api.aws_services.dax_clusters.subnet_groups import SUBNET_GROUPS
from hashrange.api.aws_services.dax_clusters.tags import merged
from hashrange.limits.dax import CLUSTER_NODES_MAX
from hashrange.messages import dax as messages
from hashrange.model.structures.dax import (
    ClusterAnswer,
    CreateCluster,
    DeleteCluster,
    DescribeClusters,
    DescribeClustersAnswer,
    UpdateCluster,
)
from hashrange.wire.service import ServiceOperation, by_name

_TOPIC_STATUSES: Final = ("active", "inactive")
_WINDOW: Final = "thu:23:30-fri:00:30"
_DAY: Final = "(mon|tue|wed|thu|fri|sat|sun)"
_WINDOWS: Final = re.compile(rf"{_DAY}:([01]\d|2[0-3]):[0-5]\d-{_DAY}:([01]\d|2[0-3]):[0-5]\d")
_LARGE: Final = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
NODE_TYPES: Final = frozenset(
    [
        *(f"dax.{kind}.{size}" for kind in ("t2", "t3") for size in ("small", "medium")),
        *(f"dax.r3.{size}" for size in _LARGE[:5]),
        *(f"dax.r4.{size}" for size in (*_LARGE[:5], _LARGE[6])),
        *(f"dax.{kind}.{size}" for kind in ("r5", "r7i") for size in (*_LARGE, "24xlarge")),
    ]
)
"""Names only: a node has the memory that the server is started with."""


async def create(request: CreateCluster, context: DaxContext) -> ClusterAnswer:
    """Create a cluster, whose nodes are then started."""
    role = given(request.iam_role_arn, "IamRoleArn")
    check_arn(role)
    name = cluster_name(request.cluster_name)
    nodes = given(request.replication_factor, "ReplicationFactor")
    _check(request, nodes, context)
    if request.cluster_endpoint_encryption_type == "TLS" and not context.has_tls:
        raise contradictory(messages.needs_tls())
    zones = zones_of(request.availability_zones, nodes, context.region)
    parameters = await PARAMETER_GROUPS.find(request.parameter_group_name, context)
    subnets = await SUBNET_GROUPS.find(request.subnet_group_name, context)
    context.check_role(role, name)
    own, others = await counted(context, name)
    check_room(context, own + nodes, others)
    made = StoredCluster(
        scope=context.scope,
        account=context.account,
        region=context.region,
        name=name,
        id=context.new_id(),
        node_type=given(request.node_type, "NodeType"),
        role=role,
        created_ms=context.now_ms,
        window=request.preferred_maintenance_window or _WINDOW,
        description=request.description,
        parameters=DEFAULT_PARAMETERS if parameters is None else parameters.name,
        subnets=DEFAULT_SUBNETS if subnets is None else subnets.name,
        uses_tls=request.cluster_endpoint_encryption_type == "TLS",
        keeps_encrypted=request.sse_specification is not None
        and request.sse_specification.enabled is True,
        topic=request.notification_topic_arn,
        tags=merged({}, request.tags or []),
    )
    made = added(made, zones, context.now_ms)

    def change(before: StoredCluster | None) -> StoredCluster:
        if before is not None:
            raise DaxError("ClusterAlreadyExistsFault", messages.cluster_exists(name))
        return made

    stored = await context.rows.clusters.change(context.scope, name, change)
    context.changed()
    return answer(stored, context)


async def delete(request: DeleteCluster, context: DaxContext) -> ClusterAnswer:
    """Delete a cluster, whose nodes are then stopped."""

    def change(before: StoredCluster | None) -> StoredCluster:
        cluster = existing(before)
        if cluster.status == "deleting":
            text = messages.cluster_state(cluster.name, cluster.status)
            raise DaxError("InvalidClusterStateFault", text)
        return msgspec.structs.replace(cluster, status="deleting")

    name = cluster_name(request.cluster_name)
    stored = await context.rows.clusters.change(context.scope, name, change)
    context.changed()
    return answer(stored, context)


async def describe(request: DescribeClusters, context: DaxContext) -> DescribeClustersAnswer:
    """Describe named clusters, or all."""
    found: list[StoredCluster] = []
    names = named(request.cluster_names, "ClusterNames")
    if names:
        for each in names:
            name = cluster_name(each)
            cluster = await context.rows.clusters.get(context.scope, name)
            if cluster is None:
                raise DaxError("ClusterNotFoundFault", messages.named_cluster_missing(name))
            found.append(cluster)
    else:
        found = [each async for each in context.rows.clusters.all(context.scope)]
    page, token = page_of(found, request.max_results, request.next_token)
    return DescribeClustersAnswer(
        clusters=[described(each, context) for each in page], next_token=token
    )


async def update(request: UpdateCluster, context: DaxContext) -> ClusterAnswer:
    """Change what is given of a cluster; times to live hold for what is cached from now on."""
    name = cluster_name(request.cluster_name)
    _refuse_unsupported(request)
    _check_topic(request.notification_topic_arn, context)
    status = request.notification_topic_status
    if status not in {None, *_TOPIC_STATUSES}:
        raise invalid(messages.value_invalid("NotificationTopicStatus", str(status)[:100]))
    _check_window(request.preferred_maintenance_window)
    check_description(request.description)
    changes: dict[str, str | bool] = {}
    if request.parameter_group_name is not None:
        group = await PARAMETER_GROUPS.find(request.parameter_group_name, context)
        changes["parameters"] = DEFAULT_PARAMETERS if group is None else group.name
    if request.description is not None:
        changes["description"] = request.description
    if request.preferred_maintenance_window is not None:
        changes["window"] = request.preferred_maintenance_window
    if request.notification_topic_arn is not None:
        changes["topic"] = request.notification_topic_arn
    if status is not None:
        changes["is_silent"] = status == "inactive"

    def change(before: StoredCluster | None) -> StoredCluster:
        after = msgspec.structs.replace(available(before), **changes)
        if status is not None and after.topic is None:
            raise contradictory(messages.no_topic_of_cluster())
        return after

    stored = await context.rows.clusters.change(context.scope, name, change)
    context.changed()
    return answer(stored, context)


def _check(request: CreateCluster, nodes: int, context: DaxContext) -> None:
    """Refuse values that are wrong whatever is stored."""
    node_type = given(request.node_type, "NodeType")
    if node_type not in NODE_TYPES:
        raise invalid(messages.value_invalid("NodeType", node_type[:100]))
    if nodes < 1:
        raise invalid(messages.replication_factor(1, CLUSTER_NODES_MAX))
    if nodes > CLUSTER_NODES_MAX:
        text = messages.quota("nodes of a cluster", CLUSTER_NODES_MAX)
        raise DaxError("NodeQuotaForClusterExceededFault", text)
    _refuse_unsupported(request)
    _check_topic(request.notification_topic_arn, context)
    check_description(request.description)
    _check_window(request.preferred_maintenance_window)
    encryption = request.cluster_endpoint_encryption_type
    if encryption not in {None, "NONE", "TLS"}:
        text = messages.value_invalid("ClusterEndpointEncryptionType", str(encryption)[:100])
        raise invalid(text)
    if request.network_type not in {None, "ipv4"}:
        raise contradictory(messages.unsupported(f"NetworkType {str(request.network_type)[:100]}"))


def _check_window(window: str | None) -> None:
    if window is not None and _WINDOWS.fullmatch(window) is None:
        raise invalid(messages.value_invalid("PreferredMaintenanceWindow", window[:100]))


def _refuse_unsupported(request: CreateCluster | UpdateCluster) -> None:
    """There are no networks to secure here."""
    if request.security_group_ids:
        raise contradictory(messages.unsupported("SecurityGroupIds"))


def _check_topic(arn: str | None, context: DaxContext) -> None:
    """Refuse a topic that has no webhook. Raises DaxError."""
    if arn is not None and arn not in context.topics:
        raise invalid(messages.no_webhook(arn[:100]))


OPERATIONS: Final = by_name(
    ServiceOperation(request=CreateCluster, run=create),
    ServiceOperation(request=DeleteCluster, run=delete),
    ServiceOperation(request=DescribeClusters, run=describe),
    ServiceOperation(request=UpdateCluster, run=update),
)
