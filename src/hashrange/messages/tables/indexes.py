"""Texts about the definitions of secondary indexes. Numbers: docs/internals/messages.md.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

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
