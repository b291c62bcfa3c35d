"""Texts of global tables: replicas, strong tables, and the operations of the version of 2017.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

# ReplicaUpdates beside another change.
only_replicas = Text("One or more parameter values were invalid: Replica modification must be the only operation in the request")
# An update of a replica without Create, Update or Delete, or without a change.
no_action = Text("There are no actions specified in the Replica Update Action of the request.")
# Several replicas to create or to delete in one request.
several_actions = Text("Update table operation with more than one create or delete replica actions not allowed")
# A replica to create beside one to delete.
several_kinds = Text("Update table operation with more than one type of replica actions not allowed.")
# A replica in the region of the request.
local_region = Text("Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.")
# A replica in a region that does not exist, or that this server does not have.
region_not_supported = Text("Region {region} is not supported. The latest version of global tables are only supported in the following regions: [{regions}]")
# A replica in a region that has a table of that name, as a replica or not.
already_tables = Text("Failed to create a the new replica of table with name: ‘{name}’ because one or more replicas already existed as tables.")
# A replica to delete that does not exist.
not_replicas = Text("Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [{region}].")
# ReplicaUpdates of a replica whose items are still being copied.
being_added = Text("Create/Update/Delete of replica is not allowed while the replica is being added to table with name: ‘{name}’ in region: ‘{region}’.")
# ResourceInUseException while a replica is being created or deleted.
in_use = Text("The resource which you are attempting to change is in use.")
# A replica to add, change or delete while a resource policy denies replication. A text of this
# server.
not_authorized = Text("Create/Update/Delete of replica is not allowed while a resource-based policy denies replication to AWSServiceRoleForDynamoDBReplication in regions: [{regions}]")
# A replica of a provisioned table.
write_capacity = Text("Table write capacity should either be Pay-Per-Request or AutoScaled.")
# A replica of a provisioned table with an index whose write units are not scaled.
index_capacity = Text("GSI write capacity should either be Pay-Per-Request or AutoScaled.")
# Units for a replica of an on-demand table.
units_on_demand = Text("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
# A maximum for a replica of a provisioned table.
maximum_of_provisioned = Text("MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED")
# LimitExceededException: a change of the class that another replica has to wait with.
too_many_class_changes = Text("Limit exceeded for replica in {region}. Updates to TableClass are limited to {most} times in {days} day(s)")
# A replica to delete, by UpdateTable or DeleteTable, that is protected against deletion.
protected = Text("Cannot delete table {name} in region {region} because it has deletion protection enabled. Disable deletion protection first.")
# The stream of a replica is to be disabled.
stream_needed = Text("One or more parameter values were invalid: Disabling Stream is not allowed for a Global Table replica.")
# A replica without a key of KMS although others have one, or with one although they have none.
# Source: reports of users of the service, 2022.
key_needed = Text("One or more parameter values were invalid: KMSMasterKeyId must be specified for each replica.")
# A replica with the key of the service in KMS, although others have keys of customers.
kinds_of_keys = Text("One or more parameter values were invalid: All replica keys must either be Customer Managed CMK or AWS Managed CMK.")
# SSESpecification with a key, for a replica. Source: a report of a user, 2021.
key_by_replica_updates = Text("Invalid operation: Customer Managed CMKs on Global Table Version 2019.11.21 replicas cannot be updated through SSESpecification parameter and can only be updated through ReplicaUpdates parameter")
# Disassociate beside another replica update. A text of this server, as are the four below.
only_disassociation = Text("One or more parameter values were invalid: Disassociate must be the only replica update in the request")
# Disassociate of a replica in another region than that of the request.
disassociation_elsewhere = Text("One or more parameter values were invalid: Only the local replica can be disassociated. Send the request to the region of the replica, or name region {region}.")
# Disassociate of a strong table.
strong_disassociation = Text("Disassociate is not supported for global tables with MultiRegionConsistency set to STRONG.")
# Disassociate of a replica that is protected from it.
disassociation_protected = Text("Cannot disassociate table {name} in region {region} because it has disassociation protection enabled. Disable disassociation protection first.")
# DisassociationProtectionEnabled for a table of one region, or a strong table.
no_disassociation_protection = Text("One or more parameter values were invalid: DisassociationProtectionEnabled is supported for replicas of a global table with multi-Region eventual consistency only")
# Two overrides for one index. A text of this server.
index_twice = Text("One or more parameter values were invalid: Duplicate index name: {name}")
# Replicas on a server that has no regions. A text of this server.
regions_needed = Text("This server has no regions for replicas: start it with --regions, for example --regions us-east-1,eu-west-1")
# ReplicaUpdates of a table whose replicas are of several accounts. A text of this server.
of_accounts = Text("One or more parameter values were invalid: ReplicaUpdates is not supported for a global table whose replicas are of several accounts. Use CreateTable with GlobalTableSourceArn and DeleteTable in the account of the replica.")
# GlobalTableSettingsReplicationMode of a table of one region that it cannot have.
settings_mode = Text("Value '{mode}' at 'GlobalTableSettingsReplicationMode' failed to satisfy constraint: Only ENABLED and DISABLED settings replication are supported for a Regional Table.")
# GlobalTableSettingsReplicationMode of a table with replicas. A text of this server.
settings_mode_of_replica = Text("One or more parameter values were invalid: GlobalTableSettingsReplicationMode can be changed for a Regional Table only")
# GlobalTableSourceArn without ENABLED. A text of this server.
settings_mode_needed = Text("One or more parameter values were invalid: GlobalTableSettingsReplicationMode must be ENABLED when GlobalTableSourceArn is specified")
# A member that a replica in another account has from its source. A text of this server.
copied_from_source = Text("One or more parameter values were invalid: {member} cannot be specified with GlobalTableSourceArn, since the settings of the source table are replicated")
# A table with another name than its source. A text of this server.
source_name = Text("One or more parameter values were invalid: TableName must be that of the table in GlobalTableSourceArn: {name}")
# A second replica in an account. A text of this server.
account_has_replica = Text("One or more parameter values were invalid: Each replica of a multi-account global table must be in an account of its own, and account {account} has one")
# A second replica in a region. A text of this server.
region_has_replica = Text("One or more parameter values were invalid: Each replica of a global table must be in a region of its own, and region {region} has one")
# A source that does not replicate its settings. A text of this server.
source_without_settings = Text("One or more parameter values were invalid: GlobalTableSettingsReplicationMode of the source table must be ENABLED: {arn}")
# A source with replicas in its own account. A text of this server.
source_of_one_account = Text("One or more parameter values were invalid: The source table has replicas in its own account, and cannot be the source of a multi-account global table: {arn}")
# A source in a region that another server holds. A text of this server.
source_elsewhere = Text("One or more parameter values were invalid: hashrange supports GlobalTableSourceArn of tables on the same server only; another server holds region {region}")


# CreateGlobalTable and UpdateGlobalTable.
global_table_version = Text("One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).")
# CreateGlobalTable without its list, UpdateGlobalTable with nothing to do. Source: captures of the
# service, September 2026, as of all texts below but the last two.
parameters_invalid = Text("One or more parameter values were invalid")


def prefixed(text: str) -> str:
    """A violation that the service finds after it has checked the constraints of its model."""
    return f"{parameters_invalid()}: {text}"


# CreateGlobalTable with a name that is too short or too long.
name_length = Text("TableName must be at least 3 characters long and at most 255 characters long")


def no_replicas() -> str:
    """CreateGlobalTable with an empty list."""
    return prefixed("Global table must have atleast one replica")


def two_actions() -> str:
    """UpdateGlobalTable that creates and deletes in one structure."""
    return prefixed("A ReplicaUpdate structure cannot contain both a create replica action and a delete replica action")


# GlobalTableNotFoundException of DescribeGlobalTableSettings and its update.
global_table_not_found = Text("Global table with name: '{name}' does not exist.")


def described_global_table_not_found(name: str) -> str:
    """GlobalTableNotFoundException of DescribeGlobalTable and UpdateGlobalTable."""
    return f"Global table not found: {global_table_not_found(name)}"


# Replicas or witnesses of a strong table beside another change.
only_members = Text("Requests that modify replicas or witnesses must not also modify other fields")
# MultiRegionConsistency STRONG without two other members.
replica_count = Text("Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.")
# A member in a region that strong tables cannot have, or that this server does not have.
regions_not_supported = Text("Unsupported Region(s) specified for global tables with MultiRegionConsistency set to STRONG: [{regions}].")
# A witness in the region of a replica.
region_twice = Text("Cannot target multiple regions with the same action")
# A witness in the region of the request.
local_witness = Text("Cannot add a witness in the same region as an existing replica when creating a global table with MultiRegionConsistency set to STRONG.")
# A witness to create without MultiRegionConsistency STRONG.
witness_without_strong = Text("MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.")
# An update of a witness without Create or Delete. A text of this server.
no_witness_action = Text("There are no actions specified in the Global Table Witness Update of the request.")
# MultiRegionConsistency beside another action than Create.
only_create = Text("Only Replica Create actions are supported when MultiRegionConsistency parameter is provided.")
# MultiRegionConsistency for a table that has replicas.
existing_global_table = Text("MultiRegionConsistency parameter is unsupported on existing global table")
# A replica to add to a strong table.
no_more_replicas = Text("Cannot add replicas to a global table with strong MultiRegionConsistency")
# Replicas to delete without the witness.
all_witnesses = Text("Update table delete operation does not include all witnesses.")
# A witness to delete that does not exist. The beginning is that of the text of replicas.
not_witnesses = Text("Update global table operation failed because one or more witnesses were not part of the global table. Please retry the request without these witnesses: [{region}].")
# One of three replicas to delete, by UpdateTable or DeleteTable.
only_one_replica = Text("Deletion of only one table replica is not supported for global tables with MultiRegionConsistency set to STRONG.")


def not_empty() -> str:
    """A table with items is to become strong. A text of this server."""
    return _not_for_strong("The table must be empty")


def with_local_index() -> str:
    """A table with a local index is to become strong. A text of this server."""
    return _not_for_strong("Local secondary indexes are not supported")


def with_expiry() -> str:
    """A table with time to live is to become strong, or a strong one to have it.

    A text of this server.
    """
    return _not_for_strong("Time to Live is not supported")


# A transaction on a strong table. A text of this server.
in_transaction = Text("Transactions are not supported for global tables with MultiRegionConsistency set to STRONG.")
# A table is to become strong on a server of several processes. A text of this server.
with_workers = Text("hashrange does not support strong tables on a server with --workers")


def _not_for_strong(what: str) -> str:
    return f"One or more parameter values were invalid: {what} for global tables with MultiRegionConsistency set to STRONG"
