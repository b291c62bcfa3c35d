"""Texts of the operations on tables. Numbers: docs/messages.md.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from collections.abc import Sequence
from typing import Final

_IN_USE: Final = "Attempt to change a resource which is still in use: "


def table_exists(name: str) -> str:
    """CreateTable and restores of a name that is taken. Catalogue 151, verified, and 281."""
    return f"Table already exists: {name}"


def table_used(name: str) -> str:
    """ResourceInUseException of CreateTable while a table of that name is being restored. 2026."""
    return f"Table is being used: {name}"


def table_busy(name: str, doing: str) -> str:
    """ResourceInUseException while a status is transient. Catalogue 152, verified for created."""
    return f"{_IN_USE}Table is being {doing}: {name}"


def delete_during_update(name: str) -> str:
    """ResourceInUseException of DeleteTable while the table is UPDATING. 2026."""
    return f"{_IN_USE}Table: {name} is in the process of being updated."


def table_not_found(name: str) -> str:
    """ResourceNotFoundException of the control plane. Catalogue 153, verified."""
    return f"Requested resource not found: Table: {name} not found"


def resource_not_found() -> str:
    """ResourceNotFoundException of the data plane, which names nothing. Catalogue 154, verified."""
    return "Requested resource not found"


def arn_not_found(arn: str) -> str:
    """ResourceNotFoundException of the tag operations. Catalogue 161, in the spelling of 2026."""
    return f"Requested resource not found: ResourceArn: {arn} not found"


def name_required() -> str:
    """No TableName in a control-plane request. Catalogue 5, verified."""
    return "The parameter 'TableName' is required but was not present in the request"


def nothing_to_update(*, names_consistency: bool = False) -> str:
    """UpdateTable without a change. Catalogue 133, in the wording of 2026.

    Some of the members are not in the published model.

    Args:
        names_consistency: the request has MultiRegionConsistency, which then is not in the text.
    """
    consistency = "" if names_consistency else "MultiRegionConsistency, "
    return (
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
        "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
        f"ReplicaTransitRoleArn, {consistency}DeletionProtectionEnabled, "
        "OnDemandThroughput, WarmThroughput or TableClass is required"
    )


def throughput_unchanged(read: int, write: int) -> str:
    """UpdateTable with the units that the table has. Catalogue 134, verified."""
    return (
        "The provisioned throughput for the table will not change. The requested value equals the "
        f"current value. Current ReadCapacityUnits provisioned for the table: {read}. Requested "
        f"ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for the table: "
        f"{write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer "
        "Guide for current limits and how to request higher limits."
    )


def first_key_is_not_hash() -> str:
    """KeySchema does not begin with a HASH key. Catalogue 135, verified."""
    return "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"


def second_key_is_not_range() -> str:
    """The second element of KeySchema is not a RANGE key. Catalogue 136, verified."""
    return "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"


def key_attribute_undefined() -> str:
    """Fewer definitions than key attributes. Catalogue 137, verified."""
    return "Invalid KeySchema: Some index key attribute have no definition"


def key_attributes_undefined(keys: Sequence[str], defined: Sequence[str]) -> str:
    """A key attribute without definition, among enough definitions. Catalogue 138, verified.

    `keys` and `defined` are names in the order of the request.
    """
    return (
        "One or more parameter values were invalid: Some index key attributes are not defined in "
        f"AttributeDefinitions. Keys: [{', '.join(keys)}], "
        f"AttributeDefinitions: [{', '.join(defined)}]"
    )


def one_attribute_for_both_keys() -> str:
    """One attribute as partition and as sort key. Catalogue 137, verified."""
    return "Both the Hash Key and the Range Key element in the KeySchema have the same name"


def attributes_do_not_match_keys() -> str:
    """Definitions that no key uses. Catalogue 139, verified."""
    return (
        "One or more parameter values were invalid: Number of attributes in KeySchema does not "
        "exactly match number of attributes defined in AttributeDefinitions"
    )


def units_on_demand() -> str:
    """Units given with PAY_PER_REQUEST. Catalogue 147, verified."""
    return (
        "One or more parameter values were invalid: Neither ReadCapacityUnits nor "
        "WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
    )


def units_missing() -> str:
    """CreateTable with PROVISIONED and without units. Catalogue 147, verified."""
    return (
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must "
        "both be specified when BillingMode is PROVISIONED"
    )


def throughput_missing() -> str:
    """UpdateTable to PROVISIONED without units. Catalogue 147, verified."""
    return (
        "One or more parameter values were invalid: ProvisionedThroughput must be specified when "
        "BillingMode is PROVISIONED"
    )


def units_out_of_bounds(units: int, member: str) -> str:
    """Units beyond CAPACITY_UNITS_MAX. Catalogue 148, verified."""
    return f"Given value {units} for {member} is out of bounds"


def protected() -> str:
    """DeleteTable of a protected table. Catalogue 150, verified."""
    return (
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first."
    )


def no_indexes(member: str) -> str:
    """An empty list of secondary indexes. Catalogue 144, verified."""
    return f"One or more parameter values were invalid: List of {member} is empty"


def not_supported(what: str) -> str:
    """A parameter of DynamoDB that this server does not support."""
    return f"hashrange does not support {what} yet"


def table_keeps_changing() -> str:
    """ServiceUnavailable, which clients retry: the table changed at each attempt."""
    return "The table is being changed. Please try again."


def attribute_defined_twice(name: str) -> str:
    """Two definitions of one attribute, whatever their types. 2026."""
    return f"Attribute Name is duplicated: {name}"


def unknown_table_class() -> str:
    """An unknown class; checked after the model's constraints. 2026."""
    return (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
    )


def too_many_class_changes(most: int, days: int) -> str:
    """LimitExceededException of a change of the class that has to wait. 2026."""
    return (
        f"Subscriber limit exceeded: Updates to TableClass are limited to {most} times in {days} "
        "day(s)."
    )


def only_change(what: str) -> str:
    """UpdateTable with a change that must be alone, and another. 2026."""
    return (
        f"One or more parameter values were invalid: {what} must be the only operation in the "
        "request"
    )


def on_demand_with_other() -> str:
    """UpdateTable with on-demand maxima and anything but a billing mode. 2026."""
    return (
        "One or more parameter values were invalid: OnDemandThroughput can only be combined with "
        "BillingMode in an UpdateTable request"
    )


def stream_with_units() -> str:
    """UpdateTable with a stream and with units. 2026."""
    return (
        "One or more parameter values were invalid: You cannot modify stream status while updating "
        "table IOPS"
    )


def units_being_updated(name: str) -> str:
    """ResourceInUseException: billing or units while they are being changed. 2026."""
    return f"{_IN_USE}Table IOPS are currently being updated. Table: {name}"


def class_being_updated(name: str, table_class: str) -> str:
    """ResourceInUseException: the class while it is being changed, to `table_class`. 2026."""
    return (
        f"{_IN_USE}Can't update table class when a table class update is in progress. Table: "
        f"{name} TableClassUpdateInProgress: {table_class}"
    )


def on_demand_during_billing() -> str:
    """ResourceInUseException: maxima while the billing mode is being changed. 2026."""
    return f"{_IN_USE}OnDemandThroughput cannot be updated while BillingMode update is in progress"


def on_demand_during_class(table_class: str) -> str:
    """ResourceInUseException: maxima while the class is being changed, to `table_class`. 2026."""
    return (
        f"{_IN_USE}OnDemandThroughput cannot be updated while TableClass update is in progress. "
        f"TableClassUpdateInProgress: {table_class}"
    )


def encryption_off_with(member: str) -> str:
    """A key or type of encryption with Enabled false. 2026."""
    return (
        f"One or more parameter values were invalid: {member} can not be specified if Enabled is "
        "false"
    )


def key_without_type() -> str:
    """KMSMasterKeyId without SSEType. 2026."""
    return (
        "One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is "
        "specified"
    )


def encryption_type_unsupported(sse_type: str) -> str:
    """A type of the model that the service refuses. 2026."""
    return f"One or more parameter values were invalid: SSEType {sse_type} is not supported"


def encryption_not_supported() -> str:
    """A request for encryption, which this server does not have."""
    return (
        f"{not_supported('SSESpecification')}: tables are not encrypted. The setting --encrypt "
        "encrypts all tables; --accept-encryption-requests accepts and describes it without "
        "encrypting"
    )


def kms_key_not_found(arn: str, elsewhere: str | None = None) -> str:
    """KMSMasterKeyId names a key or an alias that does not exist, or of the region `elsewhere`.

    Source: reports of users that quote the service, 2023, and 2026; the end, with ids of requests,
    is left out.
    """
    what = f"Alias {arn} is not found." if ":alias/" in arn else f"Key '{arn}' does not exist"
    if elsewhere is not None:
        what = f"Invalid arn {elsewhere}"
    return f"KMS validation error: com.amazonaws.services.kms.model.NotFoundException: {what}"


def encrypted_by_given_key() -> str:
    """UpdateTable to the key that the table has, by its ARN. 2026."""
    return (
        "One or more parameter values were invalid: Table is already encrypted with given "
        "KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key"
    )


def encryption_being_updated() -> str:
    """ResourceInUseException: another key, while the encryption is being changed. 2026."""
    return f"{_IN_USE}Server-Side Encryption is still being updated"


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


def encrypted_by_default() -> str:
    """UpdateTable to the service's own key, which the table has. 2026."""
    return "One or more parameter values were invalid: Table is already encrypted by default"
