"""The operations of the API by name."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from hashrange.dax_clusters import (
    clusters,
    events,
    nodes,
    parameter_groups,
    subnet_groups,
    tags,
)
from hashrange.dax_clusters.situation import DaxSituation
from hashrange.wire.codec import Decoder

_Run = Callable[[Any, DaxSituation], Awaitable[object]]


class Verb(msgspec.Struct, frozen=True):
    """An operation: the decoder of its request, and what it does. `run` raises DaxError."""

    decoder: Decoder[Any]
    run: _Run


def _verb(request: type[Any], run: _Run) -> Verb:
    return Verb(Decoder(request), run)


VERBS: Final[Mapping[str, Verb]] = {
    "CreateCluster": _verb(clusters.CreateCluster, clusters.create),
    "CreateParameterGroup": _verb(parameter_groups.CreateParameterGroup, parameter_groups.create),
    "CreateSubnetGroup": _verb(subnet_groups.CreateSubnetGroup, subnet_groups.create),
    "DecreaseReplicationFactor": _verb(nodes.DecreaseReplicationFactor, nodes.decrease),
    "DeleteCluster": _verb(clusters.DeleteCluster, clusters.delete),
    "DeleteParameterGroup": _verb(parameter_groups.DeleteParameterGroup, parameter_groups.delete),
    "DeleteSubnetGroup": _verb(subnet_groups.DeleteSubnetGroup, subnet_groups.delete),
    "DescribeClusters": _verb(clusters.DescribeClusters, clusters.describe),
    "DescribeDefaultParameters": _verb(
        parameter_groups.DescribeDefaultParameters, parameter_groups.describe_defaults
    ),
    "DescribeEvents": _verb(events.DescribeEvents, events.describe),
    "DescribeParameterGroups": _verb(
        parameter_groups.DescribeParameterGroups, parameter_groups.describe
    ),
    "DescribeParameters": _verb(
        parameter_groups.DescribeParameters, parameter_groups.describe_parameters
    ),
    "DescribeSubnetGroups": _verb(subnet_groups.DescribeSubnetGroups, subnet_groups.describe),
    "IncreaseReplicationFactor": _verb(nodes.IncreaseReplicationFactor, nodes.increase),
    "ListTags": _verb(tags.ListTags, tags.tags_of),
    "RebootNode": _verb(nodes.RebootNode, nodes.reboot),
    "TagResource": _verb(tags.TagResource, tags.tag),
    "UntagResource": _verb(tags.UntagResource, tags.untag),
    "UpdateCluster": _verb(clusters.UpdateCluster, clusters.update),
    "UpdateParameterGroup": _verb(parameter_groups.UpdateParameterGroup, parameter_groups.update),
    "UpdateSubnetGroup": _verb(subnet_groups.UpdateSubnetGroup, subnet_groups.update),
}
