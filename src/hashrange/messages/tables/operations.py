"""Texts of the operations on tables, their tags, time to live and contributor insights.

Numbers: docs/internals/messages.md. Source of what is marked `2026`: measurements of the service by
users, October 2026.
"""

from typing import Final

from hashrange.messages.text import Text

_IN_USE: Final = "Attempt to change a resource which is still in use: "

# CreateTable and restores of a name that is taken. Verified.
table_exists = Text("Table already exists: {name}", 151)
# ResourceInUseException of CreateTable while a table of that name is being restored. 2026.
table_used = Text("Table is being used: {name}")


def table_busy(name: str, doing: str) -> str:
    """ResourceInUseException while a status is transient. Catalogue 152, verified for created."""
    return f"{_IN_USE}Table is being {doing}: {name}"


# ResourceInUseException of DeleteTable while the table is UPDATING. 2026.
delete_during_update = Text(_IN_USE + "Table: {name} is in the process of being updated.")
# ResourceNotFoundException of the control plane. Verified.
table_not_found = Text("Requested resource not found: Table: {name} not found", 153)
# ResourceNotFoundException of the data plane, which names nothing. Verified.
resource_not_found = Text("Requested resource not found", 154)
# ResourceNotFoundException of the tag operations. In the spelling of 2026.
arn_not_found = Text("Requested resource not found: ResourceArn: {arn} not found", 161)
# No TableName in a control-plane request. Verified.
name_required = Text("The parameter 'TableName' is required but was not present in the request", 5)


def nothing_to_update(*, names_consistency: bool = False) -> str:
    """UpdateTable without a change. Catalogue 133, in the wording of 2026.

    Some of the members are not in the published model.

    Args:
        names_consistency: the request has MultiRegionConsistency, which then is not in the text.
    """
    consistency = "" if names_consistency else "MultiRegionConsistency, "
    return f"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, {consistency}DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"


# UpdateTable with the units that the table has. Verified.
throughput_unchanged = Text(
    "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: {read}. Requested ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for the table: {write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    134,
)
# KeySchema does not begin with a HASH key. Verified.
first_key_is_not_hash = Text("Invalid KeySchema: The first KeySchemaElement is not a HASH key type", 135)
# The second element of KeySchema is not a RANGE key. Verified.
second_key_is_not_range = Text("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type", 136)
# Fewer definitions than key attributes. Verified.
key_attribute_undefined = Text("Invalid KeySchema: Some index key attribute have no definition", 137)
# A key attribute without definition, among enough definitions. Verified. `keys` and `defined` are
# names in the order of the request.
key_attributes_undefined = Text("One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [{keys}], AttributeDefinitions: [{defined}]", 138)
# One attribute as partition and as sort key. Verified.
one_attribute_for_both_keys = Text("Both the Hash Key and the Range Key element in the KeySchema have the same name", 137)
# Definitions that no key uses. Verified.
attributes_do_not_match_keys = Text("One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions", 139)
# Units given with PAY_PER_REQUEST. Verified.
units_on_demand = Text("One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST", 147)
# CreateTable with PROVISIONED and without units. Verified.
units_missing = Text("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED", 147)
# UpdateTable to PROVISIONED without units. Verified.
throughput_missing = Text("One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode is PROVISIONED", 147)
# Units beyond CAPACITY_UNITS_MAX. Verified.
units_out_of_bounds = Text("Given value {units} for {member} is out of bounds", 148)
# DeleteTable of a protected table. Verified.
protected = Text("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.", 150)
# An empty list of secondary indexes. Verified.
no_indexes = Text("One or more parameter values were invalid: List of {member} is empty", 144)
# A parameter of DynamoDB that this server does not support.
not_supported = Text("hashrange does not support {what} yet")
# ServiceUnavailable, which clients retry: the table changed at each attempt.
table_keeps_changing = Text("The table is being changed. Please try again.")
# Two definitions of one attribute, whatever their types. 2026.
attribute_defined_twice = Text("Attribute Name is duplicated: {name}")
# An unknown class; checked after the model's constraints. 2026.
unknown_table_class = Text("Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].")
# LimitExceededException of a change of the class that has to wait. 2026.
too_many_class_changes = Text("Subscriber limit exceeded: Updates to TableClass are limited to {most} times in {days} day(s).")
# UpdateTable with a change that must be alone, and another. 2026.
only_change = Text("One or more parameter values were invalid: {what} must be the only operation in the request")
# UpdateTable with on-demand maxima and anything but a billing mode. 2026.
on_demand_with_other = Text("One or more parameter values were invalid: OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
# UpdateTable with a stream and with units. 2026.
stream_with_units = Text("One or more parameter values were invalid: You cannot modify stream status while updating table IOPS")
# ResourceInUseException: billing or units while they are being changed. 2026.
units_being_updated = Text(_IN_USE + "Table IOPS are currently being updated. Table: {name}")
# ResourceInUseException: the class while it is being changed, to `table_class`. 2026.
class_being_updated = Text(_IN_USE + "Can't update table class when a table class update is in progress. Table: {name} TableClassUpdateInProgress: {table_class}")
# ResourceInUseException: maxima while the billing mode is being changed. 2026.
on_demand_during_billing = Text(_IN_USE + "OnDemandThroughput cannot be updated while BillingMode update is in progress")
# ResourceInUseException: maxima while the class is being changed, to `table_class`. 2026.
on_demand_during_class = Text(_IN_USE + "OnDemandThroughput cannot be updated while TableClass update is in progress. TableClassUpdateInProgress: {table_class}")
# A key or type of encryption with Enabled false. 2026.
encryption_off_with = Text("One or more parameter values were invalid: {member} can not be specified if Enabled is false")
# KMSMasterKeyId without SSEType. 2026.
key_without_type = Text("One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is specified")
# A type of the model that the service refuses. 2026.
encryption_type_unsupported = Text("One or more parameter values were invalid: SSEType {sse_type} is not supported")


def encryption_not_supported() -> str:
    """A request for encryption, which this server does not have."""
    return f"{not_supported('SSESpecification')}: tables are not encrypted. The setting --encrypt encrypts all tables; --accept-encryption-requests accepts and describes it without encrypting"


def kms_key_not_found(arn: str, elsewhere: str | None = None) -> str:
    """KMSMasterKeyId names a key or an alias that does not exist, or of the region `elsewhere`.

    Source: reports of users that quote the service, 2023, and 2026; the end, with ids of requests,
    is left out.
    """
    what = f"Alias {arn} is not found." if ":alias/" in arn else f"Key '{arn}' does not exist"
    if elsewhere is not None:
        what = f"Invalid arn {elsewhere}"
    return f"KMS validation error: com.amazonaws.services.kms.model.NotFoundException: {what}"


# UpdateTable to the key that the table has, by its ARN. 2026.
encrypted_by_given_key = Text("One or more parameter values were invalid: Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key")
# ResourceInUseException: another key, while the encryption is being changed. 2026.
encryption_being_updated = Text(_IN_USE + "Server-Side Encryption is still being updated")


def too_many_encryption_changes(today: int, last: str, following: str, end: str) -> str:
    """LimitExceededException of a change that has to wait in a window that ends later. 2026.

    `last`, `following` and `end` are in ISO 8601.
    """
    return (
        "Subscriber limit exceeded: Encryption mode changes are limited in the 24h window ending "
        f"at {end}. After the first 4 change, each subsequent change in the same window "
        f"can be performed at most once every 21600 seconds. Number of updates today: {today}. "
        f"Last change at {last}. Next changes can be made at {following}."
    )


# UpdateTable to the service's own key, which the table has. 2026.
encrypted_by_default = Text("One or more parameter values were invalid: Table is already encrypted by default")


# Time to live is enabled on the same attribute. Verified.
already_enabled = Text("TimeToLive is already enabled", 165)
# Time to live is disabled, and is to be disabled. Verified.
already_disabled = Text("TimeToLive is already disabled", 165)
# Time to live is enabled on another attribute. From emulators and users.
other_attribute = Text("TimeToLive is active on a different AttributeName: current AttributeName is {current}", 165)
# A second change within 31 minutes. Verified.
changed_too_often = Text("Time to live has been modified multiple times within a fixed interval", 165)
# DescribeTimeToLive of a table that is CREATING or DELETING. Measured by users, 2026.
described_too_early = Text("Cannot describe time to live while table is in {status} state: Current table state is {status}")


# TagResource without tags. Verified.
no_tags = Text("Atleast one Tag needs to be provided as Input.", 163)
# UntagResource without keys. Verified.
no_tag_keys = Text("Atleast one Tag Key needs to be provided as Input.", 164)


def key_invalid(key: str | None) -> str:
    """A key that is absent, too short, too long or of other characters. 2026."""
    return f"The Tag Key provided is invalid, Key: {'null' if key is None else key}"


def value_invalid(value: str | None) -> str:
    """A value that is absent, too long or of other characters. 2026."""
    return f"The Tag Value provided is invalid, Value: {'null' if value is None else value}"


# A key that begins with `aws:`, in any case. 2026.
key_reserved = Text("Tag Key cannot be prefixed with aws:, Key: {key}")
# Two tags with the same key. 2026.
key_repeated = Text("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
# More than 50 tags, or more than 50 keys to remove. 2026.
too_many = Text("Number of Tags exceed the current limit for the provided ResourceArn")
# All tags of a resource, in bytes. 2026; that keys and values are added up is a guess.
too_large = Text("Tag set size {size} bytes is above max size limit of {most} bytes")


# ResourceNotFoundException: an index that is unknown, or local.
index_not_found = Text("Requested resource not found: Index: {index} not found for table: {table}")


def table_not_active() -> str:
    """UpdateContributorInsights of a table that is CREATING, or of one of its indexes."""
    return _invalid_state("TableStatus must be ACTIVE to enable ContributorInsights.")


def index_not_active() -> str:
    """UpdateContributorInsights of an index that is CREATING."""
    return _invalid_state("IndexStatus must be ACTIVE to enable ContributorInsights.")


def _invalid_state(reason: str) -> str:
    return f"Table or Index is not in a valid state to update Key Access Insights: {reason}"
