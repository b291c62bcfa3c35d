"""Texts of replicas of global tables.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from collections.abc import Sequence


def only_replicas() -> str:
    """ReplicaUpdates beside another change."""
    return (
        "One or more parameter values were invalid: "
        "Replica modification must be the only operation in the request"
    )


def no_action() -> str:
    """An update of a replica without Create, Update or Delete, or without a change."""
    return "There are no actions specified in the Replica Update Action of the request."


def several_actions() -> str:
    """Several replicas to create or to delete in one request."""
    return "Update table operation with more than one create or delete replica actions not allowed"


def several_kinds() -> str:
    """A replica to create beside one to delete."""
    return "Update table operation with more than one type of replica actions not allowed."


def local_region() -> str:
    """A replica in the region of the request."""
    return (
        "Cannot add or delete the local region through ReplicaUpdates. "
        "Use CreateTable, DeleteTable, or UpdateTable as required."
    )


def region_not_supported(region: str, regions: Sequence[str]) -> str:
    """A replica in a region that does not exist, or that this server does not have."""
    return (
        f"Region {region} is not supported. The latest version of global tables are only supported "
        f"in the following regions: [{', '.join(regions)}]"
    )


def already_tables(name: str) -> str:
    """A replica in a region that has a table of that name, as a replica or not."""
    return (
        f"Failed to create a the new replica of table with name: \u2018{name}\u2019 because one or "
        "more replicas already existed as tables."
    )


def not_replicas(region: str) -> str:
    """A replica to delete that does not exist."""
    return (
        "Update global table operation failed because one or more replicas were not part of the "
        f"global table. Please retry the request without these replicas: [{region}]."
    )


def being_added(name: str, region: str) -> str:
    """ReplicaUpdates of a replica whose items are still being copied."""
    return (
        "Create/Update/Delete of replica is not allowed while the replica is being added to table "
        f"with name: \u2018{name}\u2019 in region: \u2018{region}\u2019."
    )


def in_use() -> str:
    """ResourceInUseException while a replica is being created or deleted."""
    return "The resource which you are attempting to change is in use."


def not_authorized(regions: Sequence[str]) -> str:
    """A replica to add, change or delete while a resource policy denies replication.

    A text of this server.
    """
    return (
        "Create/Update/Delete of replica is not allowed while a resource-based policy denies "
        f"replication to AWSServiceRoleForDynamoDBReplication in regions: [{', '.join(regions)}]"
    )


def write_capacity() -> str:
    """A replica of a provisioned table."""
    return "Table write capacity should either be Pay-Per-Request or AutoScaled."


def index_capacity() -> str:
    """A replica of a provisioned table with an index whose write units are not scaled."""
    return "GSI write capacity should either be Pay-Per-Request or AutoScaled."


def units_on_demand() -> str:
    """Units for a replica of an on-demand table."""
    return (
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )


def maximum_of_provisioned() -> str:
    """A maximum for a replica of a provisioned table."""
    return (
        "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode "
        "is PROVISIONED"
    )


def too_many_class_changes(region: str, most: int, days: int) -> str:
    """LimitExceededException: a change of the class that another replica has to wait with."""
    return (
        f"Limit exceeded for replica in {region}. Updates to TableClass are limited to {most} "
        f"times in {days} day(s)"
    )


def protected(name: str, region: str) -> str:
    """A replica to delete, by UpdateTable or DeleteTable, that is protected against deletion."""
    return (
        f"Cannot delete table {name} in region {region} because it has deletion protection "
        "enabled. Disable deletion protection first."
    )


def stream_needed() -> str:
    """The stream of a replica is to be disabled."""
    return (
        "One or more parameter values were invalid: "
        "Disabling Stream is not allowed for a Global Table replica."
    )


def key_needed() -> str:
    """A replica without a key of KMS although others have one, or with one although they have none.

    Source: reports of users of the service, 2022.
    """
    return (
        "One or more parameter values were invalid: KMSMasterKeyId must be specified for each "
        "replica."
    )


def kinds_of_keys() -> str:
    """A replica with the key of the service in KMS, although others have keys of customers."""
    return (
        "One or more parameter values were invalid: All replica keys must either be Customer "
        "Managed CMK or AWS Managed CMK."
    )


def key_by_replica_updates() -> str:
    """SSESpecification with a key, for a replica. Source: a report of a user, 2021."""
    return (
        "Invalid operation: Customer Managed CMKs on Global Table Version 2019.11.21 replicas "
        "cannot be updated through SSESpecification parameter and can only be updated through "
        "ReplicaUpdates parameter"
    )


def index_twice(name: str) -> str:
    """Two overrides for one index. A text of this server."""
    return f"One or more parameter values were invalid: Duplicate index name: {name}"


def regions_needed() -> str:
    """Replicas on a server that has no regions. A text of this server."""
    return (
        "This server has no regions for replicas: start it with --regions, for example "
        "--regions us-east-1,eu-west-1"
    )


def of_accounts() -> str:
    """ReplicaUpdates of a table whose replicas are of several accounts. A text of this server."""
    return (
        "One or more parameter values were invalid: ReplicaUpdates is not supported for a global "
        "table whose replicas are of several accounts. Use CreateTable with GlobalTableSourceArn "
        "and DeleteTable in the account of the replica."
    )


def settings_mode(mode: str) -> str:
    """GlobalTableSettingsReplicationMode of a table of one region that it cannot have."""
    return (
        f"Value '{mode}' at 'GlobalTableSettingsReplicationMode' failed to satisfy constraint: "
        "Only ENABLED and DISABLED settings replication are supported for a Regional Table."
    )


def settings_mode_of_replica() -> str:
    """GlobalTableSettingsReplicationMode of a table with replicas. A text of this server."""
    return (
        "One or more parameter values were invalid: GlobalTableSettingsReplicationMode can be "
        "changed for a Regional Table only"
    )


def settings_mode_needed() -> str:
    """GlobalTableSourceArn without ENABLED. A text of this server."""
    return (
        "One or more parameter values were invalid: GlobalTableSettingsReplicationMode must be "
        "ENABLED when GlobalTableSourceArn is specified"
    )


def copied_from_source(member: str) -> str:
    """A member that a replica in another account has from its source. A text of this server."""
    return (
        f"One or more parameter values were invalid: {member} cannot be specified with "
        "GlobalTableSourceArn, since the settings of the source table are replicated"
    )


def source_name(name: str) -> str:
    """A table with another name than its source. A text of this server."""
    return (
        "One or more parameter values were invalid: TableName must be that of the table in "
        f"GlobalTableSourceArn: {name}"
    )


def account_has_replica(account: str) -> str:
    """A second replica in an account. A text of this server."""
    return (
        "One or more parameter values were invalid: Each replica of a multi-account global table "
        f"must be in an account of its own, and account {account} has one"
    )


def region_has_replica(region: str) -> str:
    """A second replica in a region. A text of this server."""
    return (
        "One or more parameter values were invalid: Each replica of a global table must be in a "
        f"region of its own, and region {region} has one"
    )


def source_without_settings(arn: str) -> str:
    """A source that does not replicate its settings. A text of this server."""
    return (
        "One or more parameter values were invalid: GlobalTableSettingsReplicationMode of the "
        f"source table must be ENABLED: {arn}"
    )


def source_of_one_account(arn: str) -> str:
    """A source with replicas in its own account. A text of this server."""
    return (
        "One or more parameter values were invalid: The source table has replicas in its own "
        f"account, and cannot be the source of a multi-account global table: {arn}"
    )


def source_elsewhere(region: str) -> str:
    """A source in a region that another server holds. A text of this server."""
    return (
        "One or more parameter values were invalid: hashrange supports GlobalTableSourceArn of "
        f"tables on the same server only; another server holds region {region}"
    )
