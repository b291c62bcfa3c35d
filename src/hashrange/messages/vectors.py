"""Texts about vector indexes, the vectors of items, and searches.

Numbers are those of docs/internals/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

from typing import Final

from hashrange.messages.items.values import INVALID
from hashrange.messages.text import Text

_WRITE: Final = "One or more parameter values were invalid. "
_SEARCH: Final = "Invalid SearchConditionExpression: "

# A provisioned table, or a switch to PROVISIONED. Verified.
only_on_demand = Text(INVALID + "Vector indexes are only supported for PAY_PER_REQUEST tables", 170)
# Verified.
schema_undefined = Text(INVALID + "One element in SearchSchema is not defined in attribute definitions", 171)
# Verified.
dimensions_outside = Text(INVALID + "Number of dimensions must be between 1 and {most} inclusive.", 172)
# CreateTable. Verified.
too_many = Text(INVALID + "VectorIndex count exceeds the per-table limit of {most}", 173)
# LimitExceededException of UpdateTable. Verified.
limit_exceeded = Text("Subscriber limit exceeded: Number of vector secondary indexes exceeds per-table limit of {most}", 173)
# Verified.
other_dimensions = Text(INVALID + "Conflicting attribute definition for '{name}'. All VectorIndexes on the same vector attribute must use the same dimensions.", 174)
# Verified.
vector_defined = Text(INVALID + "Conflicting attribute definition for '{name}'. An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute.", 175)
# The vector attribute is a key attribute. Verified.
key_redefined = Text(INVALID + "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{{{existing}}}] New schema: VectorIndexSchema:[VectorAttribute: key{{{name}:L:{dimensions}}}]", 176)
# Two HASH elements. The text is our own.
too_many_hash = Text(INVALID + "SearchSchema must not have more than one HASH element")
# The text is our own.
too_many_filters = Text(INVALID + "SearchSchema must not have more than {most} INLINE_FILTER elements")
# The text is our own.
schema_twice = Text(INVALID + "Duplicate element in SearchSchema: {name}")
# The text is our own, in the words of global indexes.
no_update_kind = Text(INVALID + "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null")
# The text is our own, in the words of global indexes.
two_kinds = Text(INVALID + "Only one vector index action is allowed per VectorIndexUpdate object")
# The text is our own, in the words of global indexes.
no_updates = Text(INVALID + "List of VectorIndexUpdates is empty")
# A restore would make an index that its source has not. The text is our own.
not_in_source = Text(INVALID + "Vector index {index} does not match a vector index of the source table")

# Verified.
wrong_size = Text(_WRITE + "Invalid size for parameter {name}, Expected: {expected}, Actual: {actual} IndexName: {index}", 177)
# Verified.
element_not_number = Text(_WRITE + "Invalid type for parameter {name}[{position}], Expected: 32-bit floating point number, Actual: {actual}. IndexName: {index}", 178)
# Verified.
not_a_list = Text(_WRITE + "Invalid type for parameter {name}, Expected: 32-bit floating point number list IndexName: {index}", 179)
# Verified.
element_outside = Text(_WRITE + "Invalid value for parameter {name}[{position}], Value: {value} is outside valid range [-3.4028235E38, 3.4028235E38]. IndexName: {index}", 180)

# SerializationException; a position follows. Verified.
other_json = Text("invalid type: {found}, expected {expected}", 196)
# SerializationException; a position follows. Source: serde_json.
number_outside = Text("invalid value: {found}, expected {expected}")
# SerializationException; a position follows. Source: serde_json.
number_out_of_range = Text("number out of range")
# A position follows. Verified.
field_missing = Text("missing field `{name}`", 196)
# Behind a text about a body. Verified.
position = Text(" at line {line} column {column}", 196)
# Verified.
top_k_outside = Text("Provided TopK value '{value}' is out of valid range. The value must be between 1 and {most} inclusive", 182)
# No expression at all. Verified.
condition_missing = Text("SearchConditionExpression must be provided when SearchSchema has a HASH key", 184)
# An expression without the HASH attribute. Verified.
hash_missing = Text(_SEARCH + "SearchConditionExpression must have all HASH attributes in configured SearchSchema", 185)
# Another comparator than =. Verified.
comparator = Text("Invalid comparator used in SearchConditionExpression", 186)
# BETWEEN, IN, OR, NOT or a function. Verified.
operator = Text("Invalid operator used in SearchConditionExpression", 187)
# Verified.
not_in_schema = Text("SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid attribute: {name}", 188)
# Verified.
nested = Text(_SEARCH + "SearchConditionExpression cannot have conditions on nested attributes", 189)
# Verified.
condition_twice = Text(_SEARCH + "SearchConditionExpression must only contain one condition per attribute", 190)
# Verified.
other_type = Text("Type of '{name}' attribute in SearchConditionExpression ({actual}) does not match type in search schema ({expected})", 191)
# Verified.
invalid_vector = Text("Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute", 192)
# Verified.
other_size = Text("Input search vector dimension {actual} does not match vector index dimension {expected}", 193)
# Verified.
backfilling = Text("Cannot search backfilling vector index: {index}", 194)
# Query and Scan of a vector index. Verified.
not_searched = Text("{operation} operation not supported on this index type.", 195)
