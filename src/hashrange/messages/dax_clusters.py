"""Texts of the control plane of DAX.

Source of those without another source: ours. Few texts of the service are public.
"""


def unknown_operation(name: str) -> str:
    """UnknownOperationException."""
    return f"Unknown operation: {name}"


def internal() -> str:
    """InternalFailure: the log has the cause."""
    return "The request failed for an unknown reason."


def required(member: str) -> str:
    """InvalidParameterValueException: a member is missing."""
    return f"{member} is required."


def cluster_name_invalid() -> str:
    """InvalidParameterValueException. Source: moto's tests, after the service."""
    return (
        "Cluster ID specified is not a valid identifier. Identifiers must begin with a letter; "
        "must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or "
        "contain two consecutive hyphens."
    )


def name_too_long(member: str, chars: int) -> str:
    """InvalidParameterValueException: the name of a cluster or group."""
    return f"{member} must have 1 to {chars} characters."


def group_name_invalid(member: str) -> str:
    """InvalidParameterValueException: the name of a parameter group or subnet group."""
    return f"{member} must begin with a letter and have only letters, digits, hyphens and dots."


def arn_has_no(what: str, arn: str) -> str:
    """InvalidParameterValueException of an ARN. Source: moto's tests, after the service."""
    return f"{what}: {arn}"


def role_unusable(arn: str) -> str:
    """InvalidParameterValueException: no such role. Source: reports of users."""
    return f"No permission to assume role: {arn}"


def cluster_missing() -> str:
    """ClusterNotFoundFault. Source: moto's tests, after the service."""
    return "Cluster not found."


def named_cluster_missing(name: str) -> str:
    """ClusterNotFoundFault of DescribeClusters. Source: moto's tests, after the service."""
    return f"Cluster {name} not found."


def cluster_exists(name: str) -> str:
    """ClusterAlreadyExistsFault."""
    return f"Cluster {name} already exists."


def cluster_state(name: str, status: str) -> str:
    """InvalidClusterStateFault. Source: reports of users, for `modifying`."""
    kinds = {"modifying": "modified", "creating": "created", "deleting": "deleted"}
    return f"Cluster {name} is being {kinds.get(status, status)}"


def no_room() -> str:
    """InsufficientClusterCapacityFault: other servers could not tell clients where nodes are."""
    return (
        "Several servers can have these tables, so clients must be told the address of the nodes: "
        "start each server with --host and an address that clients reach"
    )


def group_missing(kind: str, name: str) -> str:
    """ParameterGroupNotFoundFault, SubnetGroupNotFoundFault."""
    return f"{kind} {name} not found."


def group_exists(kind: str, name: str) -> str:
    """ParameterGroupAlreadyExistsFault, SubnetGroupAlreadyExistsFault."""
    return f"{kind} {name} already exists."


def group_used(kind: str, name: str, cluster: str) -> str:
    """InvalidParameterGroupStateFault, SubnetGroupInUseFault."""
    return f"{kind} {name} is used by the cluster {cluster}."


def group_reserved(name: str) -> str:
    """InvalidParameterValueException: the default subnet group. Source: reports of users."""
    return f"{name} is reserved and cannot be modified."


def group_fixed(kind: str, name: str) -> str:
    """InvalidParameterGroupStateFault: the default group is not changed or deleted."""
    return f"{kind} {name} is the default and cannot be changed."


def quota(things: str, most: int) -> str:
    """The faults of quotas."""
    return f"More than {most} {things} are not possible."


def parameter_unknown(name: str) -> str:
    """InvalidParameterValueException of a parameter."""
    return f"Parameter {name} is not known: query-ttl-millis and record-ttl-millis are."


def parameter_value(name: str, value: str) -> str:
    """InvalidParameterValueException of the value of a parameter."""
    return f"The value {value} of {name} is not a number of milliseconds."


def value_invalid(member: str, value: str) -> str:
    """InvalidParameterValueException of a value that is not one of a list or form."""
    return f"Invalid {member}: {value}"


def replication_factor(least: int, most: int) -> str:
    """InvalidParameterValueException of a number of nodes."""
    return f"The replication factor must be {least} to {most}."


def not_increased() -> str:
    """InvalidParameterValueException of IncreaseReplicationFactor."""
    return "NewReplicationFactor must be greater than the number of nodes."


def not_decreased() -> str:
    """InvalidParameterValueException of DecreaseReplicationFactor."""
    return "NewReplicationFactor must be less than the number of nodes, and at least 1."


def zones_do_not_match() -> str:
    """InvalidParameterCombinationException: one zone is needed for each new node."""
    return "AvailabilityZones must name one zone for each node."


def nodes_do_not_match() -> str:
    """InvalidParameterCombinationException of DecreaseReplicationFactor."""
    return "NodeIdsToRemove must name as many nodes as are removed."


def node_missing(name: str) -> str:
    """NodeNotFoundFault."""
    return f"Node {name} not found."


def unsupported(member: str) -> str:
    """InvalidParameterCombinationException: a member that hashrange does not act on."""
    return f"hashrange does not support {member} of DAX clusters yet"


def needs_tls() -> str:
    """InvalidParameterCombinationException: TLS without a certificate."""
    return "ClusterEndpointEncryptionType TLS needs a server with --tls"


def arn_invalid(arn: str) -> str:
    """InvalidARNFault: not the name or ARN of a cluster."""
    return f"{arn} is not the ARN of a DAX cluster."


def tag_missing(key: str) -> str:
    """TagNotFoundFault."""
    return f"Tag {key} not found."


def tag_invalid(key_chars: int, value_chars: int) -> str:
    """InvalidParameterValueException of a tag."""
    return f"Keys of tags have 1 to {key_chars} characters, values 0 to {value_chars}."


def page_size(least: int, most: int) -> str:
    """InvalidParameterValueException of MaxResults. Source: the API's model."""
    return f"MaxResults must be {least} to {most}."


def token_invalid() -> str:
    """InvalidParameterValueException of NextToken."""
    return "NextToken is not one of this operation."


def times_exclude() -> str:
    """InvalidParameterCombinationException of DescribeEvents."""
    return "Duration and StartTime exclude each other; SourceName needs SourceType."


def parameter_group_deleted(name: str) -> str:
    """DeletionMessage of DeleteParameterGroup. Source: the examples of the AWS CLI."""
    return f"Parameter group {name} has been deleted."


def subnet_group_deleted(name: str) -> str:
    """DeletionMessage of DeleteSubnetGroup. Source: the examples of the AWS CLI."""
    return f"Subnet group {name} has been deleted."


def parameters_changed(name: str) -> str:
    """The text of an event."""
    return f"Parameter group {name} was changed."


def cluster_created() -> str:
    """The text of an event. Source: the examples of the AWS CLI."""
    return "Cluster created."


def cluster_deleted() -> str:
    """The text of an event. Source: the examples of the AWS CLI."""
    return "Cluster deleted."


def node_started(node: str) -> str:
    """The text of an event: a node listens."""
    return f"Node {node} was started."


def node_removed(node: str) -> str:
    """The text of an event."""
    return f"Node {node} was removed."


def node_replaced(node: str) -> str:
    """The text of an event: a node listened no more, and does again."""
    return f"Node {node} failed and was replaced."
