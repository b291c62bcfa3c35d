"""Texts about parameters that preceded expressions.

Numbers are those of docs/internals/messages.md; *verified* texts were measured against the service
by users or stand in its documentation. `syntax.styles_mixed` refuses such a parameter beside an
expression.
"""

from hashrange.messages.items.values import INVALID
from hashrange.messages.text import Text

# Expected

# Verified.
value_and_list = Text(INVALID + "Value and AttributeValueList cannot be used together for Attribute: {attribute}", 210)
# Verified.
exists_and_operator = Text(INVALID + "Exists and ComparisonOperator cannot be used together for Attribute: {attribute}", 211)
# Neither Value nor AttributeValueList. Verified.
operator_without_values = Text(INVALID + "Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {attribute}", 212)
# Verified.
list_without_operator = Text(INVALID + "AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}", 213)
# Exists true, and no Value. Verified.
exists_without_value = Text(INVALID + "Value must be provided when Exists is true for Attribute: {attribute}", 214)
# An empty entry. Verified.
nothing_expected = Text(INVALID + "Value must be provided when Exists is null for Attribute: {attribute}", 214)
# A Value for an attribute that must not exist. Verified.
value_of_nothing = Text(INVALID + "Value cannot be used when Exists is false for Attribute: {attribute}", 215)


# Comparison operators and their arguments

# Verified.
argument_count = Text(INVALID + "Invalid number of argument(s) for the {operator} ComparisonOperator", 216)
# Verified.
argument_types_differ = Text(INVALID + "AttributeValues inside AttributeValueList must be of same type", 217)
# Verified.
bounds_reversed = Text("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound", 218)
# `kind` is a type's code. Verified.
argument_type = Text(INVALID + "ComparisonOperator {operator} is not valid for {kind} AttributeValue type", 219)


# AttributeUpdates

# Verified.
action_without_value = Text(INVALID + "Only DELETE action is allowed when no attribute value is specified", 220)
# DELETE with a value is for sets only. Verified.
delete_type = Text(INVALID + "DELETE action with value is not supported for the type {kind}", 221)
# ADD is for numbers, sets and lists. Verified.
add_type = Text(INVALID + "ADD action is not supported for the type {kind}", 222)


# KeyConditions

# Verified.
key_condition_count = Text("Conditions can be of length 1 or 2 only", 223)
# NE, IN, NULL and the like on a key attribute. Verified.
operator_not_indexable = Text("Attempted conditional constraint is not an indexable operation", 224)


# QueryFilter, AttributesToGet, ConditionalOperator

# A key attribute in a QueryFilter. Verified.
filter_on_key = Text("QueryFilter can only contain non-primary key attributes: Primary key attribute: {name}", 121)
# Verified.
attribute_named_twice = Text(INVALID + "Duplicate value in attribute name: {name}", 225)
# ConditionalOperator with one condition. Verified.
operator_of_one_condition = Text("ConditionalOperator can only be used when Filter or Expected has two or more elements", 226)
# ConditionalOperator without conditions. Public tests that were run against the service.
operator_of_no_condition = Text("ConditionalOperator cannot be used without Filter or Expected", 227)
# QueryFilter or ScanFilter: a limit of our own, as high as that of expressions.
too_many_conditions = Text("hashrange does not support filters of more than {most} conditions")
# ScanFilter: a limit of our own on the arguments of all conditions.
too_many_arguments = Text("hashrange does not support filters with more than {most} arguments")
