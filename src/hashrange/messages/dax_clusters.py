"""Texts of the control plane of DAX.

Source of those without another source: ours. Few texts of the service are public.
"""

from hashrange.messages.text import Text

# UnknownOperationException.
unknown_operation = Text("Unknown operation: {name}")
# InternalFailure: the log has the cause.
internal = Text("The request failed for an unknown reason.")
# InvalidParameterValueException: a member is missing.
required = Text("{member} is required.")
# InvalidParameterValueException. Source: moto's tests, after the service.
cluster_name_invalid = Text("Cluster ID specified is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.")
# InvalidParameterValueException: the name of a cluster or group.
name_too_long = Text("{member} must have 1 to {chars} characters.")
# InvalidParameterValueException: the name of a parameter group or subnet group.
group_name_invalid = Text("{member} must begin with a letter and have only letters, digits, hyphens and dots.")
# InvalidParameterValueException of an ARN. Source: moto's tests, after the service.
arn_has_no = Text("{what}: {arn}")
# InvalidParameterValueException: no such role. Source: reports of users.
role_unusable = Text("No permission to assume role: {arn}")
# ClusterNotFoundFault. Source: moto's tests, after the service.
cluster_missing = Text("Cluster not found.")
# ClusterNotFoundFault of DescribeClusters. Source: moto's tests, after the service.
named_cluster_missing = Text("Cluster {name} not found.")
# ClusterAlreadyExistsFault.
cluster_exists = Text("Cluster {name} already exists.")


def cluster_state(name: str, status: str) -> str:
    """InvalidClusterStateFault. Source: reports of users, for `modifying`."""
    kinds = {"modifying": "modified", "creating": "created", "deleting": "deleted"}
    return f"Cluster {name} is being {kinds.get(status, status)}"


# InsufficientClusterCapacityFault: other servers could not give clients where nodes are.
no_room = Text("Several servers can have these tables, so clients must be told the address of the nodes: start each server with --host and an address that clients reach")
# ParameterGroupNotFoundFault, SubnetGroupNotFoundFault.
group_missing = Text("{kind} {name} not found.")
# ParameterGroupAlreadyExistsFault, SubnetGroupAlreadyExistsFault.
group_exists = Text("{kind} {name} already exists.")
# InvalidParameterGroupStateFault, SubnetGroupInUseFault.
group_used = Text("{kind} {name} is used by the cluster {cluster}.")
# InvalidParameterValueException: the default subnet group. Source: reports of users.
group_reserved = Text("{name} is reserved and cannot be modified.")
# InvalidParameterGroupStateFault: the default group is not changed or deleted.
group_fixed = Text("{kind} {name} is the default and cannot be changed.")


def quota(things: str, most: int) -> str:
    """The faults of quotas."""
    return f"More than {most} {things} are not possible."


# InvalidParameterValueException of a parameter.
parameter_unknown = Text("Parameter {name} is not known: query-ttl-millis and record-ttl-millis are.")


def parameter_value(name: str, value: str) -> str:
    """InvalidParameterValueException of the value of a parameter."""
    return f"The value {value} of {name} is not a number of milliseconds."


# InvalidParameterValueException of a value that is not one of a list or form.
value_invalid = Text("Invalid {member}: {value}")
# InvalidParameterValueException of a number of nodes.
replication_factor = Text("The replication factor must be {least} to {most}.")
# InvalidParameterValueException of IncreaseReplicationFactor.
not_increased = Text("NewReplicationFactor must be greater than the number of nodes.")
# InvalidParameterValueException of DecreaseReplicationFactor.
not_decreased = Text("NewReplicationFactor must be less than the number of nodes, and at least 1.")
# InvalidParameterCombinationException: one zone is needed for each new node.
zones_do_not_match = Text("AvailabilityZones must name one zone for each node.")
# InvalidParameterCombinationException of DecreaseReplicationFactor.
nodes_do_not_match = Text("NodeIdsToRemove must name as many nodes as are removed.")
# NodeNotFoundFault.
node_missing = Text("Node {name} not found.")
# InvalidParameterCombinationException: a member that hashrange does not act on.
unsupported = Text("hashrange does not support {member} of DAX clusters yet")
# InvalidParameterCombinationException: TLS without a certificate.
needs_tls = Text("ClusterEndpointEncryptionType TLS needs a server with --tls")
# InvalidARNFault: not the name or ARN of a cluster.
arn_invalid = Text("{arn} is not the ARN of a DAX cluster.")
# TagNotFoundFault.
tag_missing = Text("Tag {key} not found.")
# InvalidParameterValueException of a tag.
tag_invalid = Text("Keys of tags have 1 to {key_chars} characters, values 0 to {value_chars}.")
# InvalidParameterValueException of MaxResults. Source: the API's model.
page_size = Text("MaxResults must be {least} to {most}.")
# InvalidParameterValueException of NextToken.
token_invalid = Text("NextToken is not one of this operation.")
# InvalidParameterCombinationException of DescribeEvents.
times_exclude = Text("Duration and StartTime exclude each other; SourceName needs SourceType.")
# DeletionMessage of DeleteParameterGroup. Source: the examples of the AWS CLI.
parameter_group_deleted = Text("Parameter group {name} has been deleted.")
# DeletionMessage of DeleteSubnetGroup. Source: the examples of the AWS CLI.
subnet_group_deleted = Text("Subnet group {name} has been deleted.")
# The text of an event.
parameters_changed = Text("Parameter group {name} was changed.")
# The text of an event. Source: the examples of the AWS CLI.
cluster_created = Text("Cluster created.")
# The text of an event. Source: the examples of the AWS CLI.
cluster_deleted = Text("Cluster deleted.")
# The text of an event: a node listens.
node_started = Text("Node {node} was started.")
# The text of an event.
node_removed = Text("Node {node} was removed.")
# The text of an event: a node listened no more, and does again.
node_replaced = Text("Node {node} failed and was replaced.")
