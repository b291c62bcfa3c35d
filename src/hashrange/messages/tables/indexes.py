"""Texts about secondary indexes: definitions and updates. Numbers: docs/internals/messages.md.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from collections.abc import Sequence
from typing import Final

from hashrange.messages.text import Text

_INVALID: Final = "One or more parameter values were invalid: "

# An index key without definition. Verified.
keys_undefined = Text(_INVALID + "Some index key attributes are not defined in AttributeDefinitions. Keys: [{keys}], AttributeDefinitions: [{definitions}]", 138)
# A local index of a table without sort key. Verified.
local_needs_sort_key = Text(_INVALID + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex", 142)
# A local index without sort key. Verified.
no_sort_key = Text(_INVALID + "Index KeySchema does not have a range key for index: {index}", 143)
# A local index with a partition key of its own. Verified.
other_partition_key = Text(_INVALID + "Index KeySchema does not have the same leading hash key as table KeySchema for index: {index}. index hash key: {index_key}, table hash key: {table_key}", 143)
# The same attribute twice in a key of several attributes. 2026.
one_name_twice_in_key = Text("The KeySchema contains multiple key attributes with the same name")
# More than four HASH or RANGE attributes. 2026.
too_many_key_attributes = Text(_INVALID + "The KeySchema exceeds the maximum allowed number of {role} key attributes")
# A partition attribute after a sort attribute. 2026.
hash_after_range = Text(_INVALID + "All HASH key attributes must precede RANGE key attributes in the KeySchema")
# Two indexes of one name. Verified.
duplicate_name = Text(_INVALID + "Duplicate index name: {index}", 144)
# CreateTable with too many local indexes. Verified.
too_many_local = Text(_INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of {most}", 145)
# CreateTable with too many global indexes. Verified.
too_many_global = Text(_INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of {most}", 145)
# A projection without type. Verified.
unknown_projection = Text(_INVALID + "Unknown ProjectionType: null", 146)
# NonKeyAttributes with another projection than INCLUDE. Verified.
non_key_of = Text(_INVALID + "ProjectionType is {projection_type}, but NonKeyAttributes is specified", 146)
# INCLUDE without NonKeyAttributes. Verified.
non_key_missing = Text(_INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified", 146)
# An attribute that NonKeyAttributes has twice. 2026.
non_key_twice = Text(_INVALID + "Duplicate element in NonKeyAttributes: {name}")
# A name in NonKeyAttributes that is empty or too long. Source: users of the service.
projected_name_length = Text("Names of key attributes and attributes projected into an index must be between 1 and {most} characters")
# More included attributes over all indexes than allowed. The text is our own.
too_many_non_key = Text(_INVALID + "Number of projected non-key attributes exceeds the limit of {most} per table")
# Units of an index of an on-demand table. Verified.
throughput_on_demand = Text(_INVALID + "ProvisionedThroughput should not be specified for index: {index} when BillingMode is PAY_PER_REQUEST", 147)
# CreateTable: an index of a provisioned table without units. 2026.
throughput_missing = Text(_INVALID + "ProvisionedThroughput is not specified for index: {index}")
# Units beyond CAPACITY_UNITS_MAX. Verified.
units_out_of_bounds = Text("Given value {units} for {member} is out of bounds for index {index}", 148)
# A definition that no key uses; checked before all else about indexes. 2026.
definitions_unused = Text(_INVALID + "Some AttributeDefinitions are not used. AttributeDefinitions: [{definitions}], keys used: [{used}]")
# DeleteTable while an index is made, changed or deleted. ResourceInUseException, verified.
delete_during_index_creation = Text("Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.")


_LIMIT: Final = "Subscriber limit exceeded: "
_IN_USE: Final = "Attempt to change a resource which is still in use: "

# An empty list of updates beside another change. 2026.
no_updates = Text(_INVALID + "List of GlobalSecondaryIndexUpdates is empty")
# An entry of GlobalSecondaryIndexUpdates without an action. Verified.
no_update_kind = Text(_INVALID + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null", 155)
# An entry with two actions. 2026.
two_kinds = Text(_INVALID + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
# Two updates of one index. Verified.
two_updates = Text(_INVALID + "Only one global secondary index update per index is allowed simultaneously. Index: {index}", 155)
# A new index without AttributeDefinitions. 2026.
definitions_missing = Text(_INVALID + "AttributeDefinitions is not specified for index: {index}")


def attributes_redefined(existing: Sequence[tuple[str, str, str]], new: Sequence[tuple[str, str, str]]) -> str:
    """A key of a new index whose attribute is a key of another type. Catalogue 160, verified.

    Args:
        existing: name, type and role of each attribute of the existing key.
        new: the same of the new key.
    """
    return f"{_INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: {_schema(existing)} New schema: {_schema(new)}"


def _schema(key: Sequence[tuple[str, str, str]]) -> str:
    return f"Schema:[SchemaElement: key{{{', '.join(':'.join(each) for each in key)}}}]"


# An index is created or deleted in the same request as a change of units. 2026.
with_units = Text(_INVALID + "You cannot create or delete index while updating table IOPS")
# An index is created or deleted in the same request as a change of the stream. 2026.
with_stream = Text(_INVALID + "You cannot create or delete index while changing stream status")
# An index is created in the same request as a change of WarmThroughput. 2026.
create_with_warm = Text(_INVALID + "Create global secondary index cannot be specified when updating WarmThroughput")
# UpdateTable creates an index that exists. 2026; verified of vector indexes.
index_exists = Text("Attempting to create an index which already exists", 157)
# ResourceNotFoundException of UpdateTable. 2026.
index_not_found = Text("Requested resource not found: Index {index} for table {table}")
# UpdateTable would `update` or `delete` a local index. 2026.
not_global = Text("Cannot {doing} an index that is not a GlobalSecondaryIndex: {index}")
# LimitExceededException: an index is being created or deleted. Verified.
one_online_index = Text(_LIMIT + "Only 1 online index can be created or deleted simultaneously per table", 141)
# LimitExceededException of UpdateTable; CreateTable has another text. 2026.
global_limit_exceeded = Text(_LIMIT + "Number of global secondary indexes exceeds per-table limit of {most}")
# A switch to PROVISIONED without the units of an index. Verified.
throughput_of_switch_missing = Text(_INVALID + "ProvisionedThroughput must be specified for index: {index}", 147)
# An index of a provisioned table is created or changed without units. 2026.
units_missing = Text(_INVALID + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index}")
# An index of an on-demand table is created with units. 2026.
units_on_demand = Text(_INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {index} when BillingMode is PAY_PER_REQUEST")
# Units of an index of an on-demand table. In the wording of 2026.
only_updates_on_demand = Text(_INVALID + "The only Updates for index: {index} when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput", 156)
# UpdateTable with the units that the index has. 2026; its end is that of tables.
throughput_unchanged = Text(
    "The provisioned throughput for the index {index} will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for index {index}: {read}. Requested ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for index {index}: {write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
)
# ResourceInUseException: the index is being `updated` or `deleted`. 2026.
index_busy = Text(_IN_USE + "Index is being {doing}. Table: {table} Index: {index}")
# ResourceInUseException: the index is being created. Of vector indexes.
create_during_creation = Text(_IN_USE + "Index is being created.  Table: {table} Index: {index}", 157)
# ResourceInUseException: resources for the index are being allocated. 2026.
update_before_backfilling = Text(_IN_USE + "Index is being created but is not backfilling yet.  Table: {table} Index: {index}")
# ResourceInUseException: resources for the index are being allocated. Verified.
delete_before_backfilling = Text(_IN_USE + "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: {table} Index: {index}")
# ResourceInUseException: the table's units, while an index is `created` or `deleted`. 2026.
units_during = Text(_IN_USE + "Can't change table IOPS when an index is being {doing}. Table: {table} Indexes: [{indexes}]")
# ResourceInUseException: the table's maxima, during index `creation` or `deletion`. 2026.
limits_during = Text(_IN_USE + "OnDemandThroughput cannot be updated while index {doing} is in progress for indexes: [{indexes}]")
# ResourceInUseException: an index, while the table's units are changing. 2026.
during_units = Text(_IN_USE + "Can't create or delete indexes while table IOPS are being updated. Table: {table}")
# ResourceInUseException: an index, while the table's class is changing. 2026.
during_class = Text(_IN_USE + "Can't create or delete an index when a table class update is in progress.")
