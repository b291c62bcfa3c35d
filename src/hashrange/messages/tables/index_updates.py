"""Texts of changes to the global secondary indexes of an existing table.

Numbers: docs/messages.md. Source of what is marked `2026`: measurements of the service by users,
October 2026.
"""

from collections.abc import Sequence
from typing import Final

_INVALID: Final = "One or more parameter values were invalid: "
_LIMIT: Final = "Subscriber limit exceeded: "
_IN_USE: Final = "Attempt to change a resource which is still in use: "


def no_updates() -> str:
    """An empty list of updates beside another change. 2026."""
    return f"{_INVALID}List of GlobalSecondaryIndexUpdates is empty"


def no_update_kind() -> str:
    """An entry of GlobalSecondaryIndexUpdates without an action. Catalogue 155, verified."""
    return (
        f"{_INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null"
    )


def two_kinds() -> str:
    """An entry with two actions. 2026."""
    return (
        f"{_INVALID}Only one global secondary index action is allowed per "
        "GlobalSecondaryIndexUpdate object"
    )


def two_updates(index: str) -> str:
    """Two updates of one index. Catalogue 155, verified."""
    return (
        f"{_INVALID}Only one global secondary index update per index is allowed simultaneously. "
        f"Index: {index}"
    )


def definitions_missing(index: str) -> str:
    """A new index without AttributeDefinitions. 2026."""
    return f"{_INVALID}AttributeDefinitions is not specified for index: {index}"


def attributes_redefined(
    existing: Sequence[tuple[str, str, str]], new: Sequence[tuple[str, str, str]]
) -> str:
    """A key of a new index whose attribute is a key of another type. Catalogue 160, verified.

    Args:
        existing: name, type and role of each attribute of the existing key.
        new: the same of the new key.
    """
    return (
        f"{_INVALID}Attributes cannot be redefined. Please check that your attribute has the same "
        f"type as previously defined. Existing schema: {_schema(existing)} "
        f"New schema: {_schema(new)}"
    )


def _schema(key: Sequence[tuple[str, str, str]]) -> str:
    return f"Schema:[SchemaElement: key{{{', '.join(':'.join(each) for each in key)}}}]"


def with_units() -> str:
    """An index is created or deleted in the same request as a change of units. 2026."""
    return f"{_INVALID}You cannot create or delete index while updating table IOPS"


def with_stream() -> str:
    """An index is created or deleted in the same request as a change of the stream. 2026."""
    return f"{_INVALID}You cannot create or delete index while changing stream status"


def create_with_warm() -> str:
    """An index is created in the same request as a change of WarmThroughput. 2026."""
    return (
        f"{_INVALID}Create global secondary index cannot be specified when updating WarmThroughput"
    )


def index_exists() -> str:
    """UpdateTable creates an index that exists. 2026; catalogue 157, verified of vector indexes."""
    return "Attempting to create an index which already exists"


def index_not_found(index: str, table: str) -> str:
    """ResourceNotFoundException of UpdateTable. 2026."""
    return f"Requested resource not found: Index {index} for table {table}"


def not_global(doing: str, index: str) -> str:
    """UpdateTable would `update` or `delete` a local index. 2026."""
    return f"Cannot {doing} an index that is not a GlobalSecondaryIndex: {index}"


def one_online_index() -> str:
    """LimitExceededException: an index is being created or deleted. Catalogue 141, verified."""
    return f"{_LIMIT}Only 1 online index can be created or deleted simultaneously per table"


def too_many_global(most: int) -> str:
    """LimitExceededException of UpdateTable; CreateTable has another text. 2026."""
    return f"{_LIMIT}Number of global secondary indexes exceeds per-table limit of {most}"


def throughput_missing(index: str) -> str:
    """A switch to PROVISIONED without the units of an index. Catalogue 147, verified."""
    return f"{_INVALID}ProvisionedThroughput must be specified for index: {index}"


def units_missing(index: str) -> str:
    """An index of a provisioned table is created or changed without units. 2026."""
    return (
        f"{_INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: "
        f"{index}"
    )


def units_on_demand(index: str) -> str:
    """An index of an on-demand table is created with units. 2026."""
    return (
        f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
        f"{index} when BillingMode is PAY_PER_REQUEST"
    )


def only_updates_on_demand(index: str) -> str:
    """Units of an index of an on-demand table. Catalogue 156, in the wording of 2026."""
    return (
        f"{_INVALID}The only Updates for index: {index} when TableThroughputMode is "
        "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
    )


def throughput_unchanged(index: str, read: int, write: int) -> str:
    """UpdateTable with the units that the index has. 2026; its end is that of tables."""
    return (
        f"The provisioned throughput for the index {index} will not change. The requested value "
        f"equals the current value. Current ReadCapacityUnits provisioned for index {index}: "
        f"{read}. Requested ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for "
        f"index {index}: {write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon "
        "DynamoDB Developer Guide for current limits and how to request higher limits."
    )


def index_busy(doing: str, table: str, index: str) -> str:
    """ResourceInUseException: the index is being `updated` or `deleted`. 2026."""
    return f"{_IN_USE}Index is being {doing}. Table: {table} Index: {index}"


def create_during_creation(table: str, index: str) -> str:
    """ResourceInUseException: the index is being created. Catalogue 157, of vector indexes."""
    return f"{_IN_USE}Index is being created.  Table: {table} Index: {index}"


def update_before_backfilling(table: str, index: str) -> str:
    """ResourceInUseException: resources for the index are being allocated. 2026."""
    return (
        f"{_IN_USE}Index is being created but is not backfilling yet.  Table: {table} "
        f"Index: {index}"
    )


def delete_before_backfilling(table: str, index: str) -> str:
    """ResourceInUseException: resources for the index are being allocated. Verified."""
    return (
        f"{_IN_USE}Index creation is in resource allocation phase. Retry deletion during "
        f"backfilling phase or when the index is active. Table: {table} Index: {index}"
    )


def units_during(doing: str, table: str, indexes: str) -> str:
    """ResourceInUseException: the table's units, while an index is `created` or `deleted`. 2026."""
    return (
        f"{_IN_USE}Can't change table IOPS when an index is being {doing}. Table: {table} "
        f"Indexes: [{indexes}]"
    )


def limits_during(doing: str, indexes: str) -> str:
    """ResourceInUseException: the table's maxima, during index `creation` or `deletion`. 2026."""
    return (
        f"{_IN_USE}OnDemandThroughput cannot be updated while index {doing} is in progress for "
        f"indexes: [{indexes}]"
    )


def during_units(table: str) -> str:
    """ResourceInUseException: an index, while the table's units are changing. 2026."""
    return (
        f"{_IN_USE}Can't create or delete indexes while table IOPS are being updated. "
        f"Table: {table}"
    )


def during_class() -> str:
    """ResourceInUseException: an index, while the table's class is changing. 2026."""
    return f"{_IN_USE}Can't create or delete an index when a table class update is in progress."
