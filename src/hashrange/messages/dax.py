"""Texts of the DAX endpoint, of the operations on its clusters, and of `hashrange dax`.

Those of the endpoint and of `hashrange dax` are our own: clients show them beside the codes of DAX.
Those of clusters without another source are ours too: few texts of the service are public.
"""

from hashrange.messages.text import Text

# The tree of an expression is not one of the protocol's. Our own.
expression_unreadable = Text("The request is not valid: an expression cannot be read")
# The bytes of an item are not those of its attribute list. Our own.
item_unreadable = Text("The request is not valid: an item cannot be read")
# A client knows an attribute list of other data. Our own.
attribute_list_unknown = Text("The attribute list {list_id} is not known here: the client has it from other data. Create the client again")
# Our own bound; attribute names that are values, such as times, need a list each.
attribute_lists_full = Text("There are {lists_max} attribute lists, which is the maximum: an item with other attribute names can be written with the API of DynamoDB only")
# A parameter is of another type than the protocol's. Our own.
parameter_unreadable = Text("The request is not valid: a parameter is of a wrong type")
# The protocol's clients do not send it. Our own.
method_unknown = Text("The method {method} is not supported")
# The connection has no valid signature; clients sign again. Our own.
authentication_required = Text("The connection is not authorized, or not any more")
# A defect or a failure of the storage. Our own; the log has the reason.
failed = Text("Internal server error")
# Clients of DAX cannot receive unprocessed puts. Our own.
batch_throttled = Text("Some of the writes of the batch were throttled for two seconds; others of them were written. Try the batch again")


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
# InvalidParameterValueException: a NotificationTopicArn that leads nowhere. Ours.
no_webhook = Text("No --alarm-webhook has the ARN {arn}")
# InvalidParameterCombinationException: NotificationTopicStatus of a cluster without a topic. Ours.
no_topic_of_cluster = Text("NotificationTopicStatus needs a cluster with a NotificationTopicArn")
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


# No connection could be made: the request was not sent. InternalServerError.
unreachable = Text("The upstream {url} cannot be reached: {reason}")
# The request was sent: a write may have been made. InternalServerError.
no_answer = Text("The upstream {url} has not answered: {reason}. A write may have been made")
# The answer is none of the API's. InternalServerError.
not_dynamodb = Text("The upstream {url} does not speak DynamoDB: it answers {status}")
# DescribeTable of the upstream does not have the key of a table. InternalServerError.
undescribed = Text("The upstream does not describe the key of the table {table}")
# The upstream does not accept the keys of this endpoint. AccessDeniedException.
refused_credentials = Text("The upstream does not accept the credentials of this endpoint: {text}")
# The upstream has refused with a code that operations on items do not have.
unknown_refusal = Text("{code}: {text}")
# The queue for connections to the upstream is full. ThrottlingException.
too_many_waiting = Text("Too many requests wait for the upstream")
