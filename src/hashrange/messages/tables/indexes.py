"""Texts about the definitions of secondary indexes. Numbers: docs/messages.md.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from collections.abc import Sequence
from typing import Final

_INVALID: Final = "One or more parameter values were invalid: "


def keys_undefined(keys: Sequence[str], definitions: Sequence[str]) -> str:
    """An index key without definition. Catalogue 138, verified."""
    return (
        f"{_INVALID}Some index key attributes are not defined in AttributeDefinitions. "
        f"Keys: [{', '.join(keys)}], AttributeDefinitions: [{', '.join(definitions)}]"
    )


def local_needs_sort_key() -> str:
    """A local index of a table without sort key. Catalogue 142, verified."""
    return (
        f"{_INVALID}Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex"
    )


def no_sort_key(index: str) -> str:
    """A local index without sort key. Catalogue 143, verified."""
    return f"{_INVALID}Index KeySchema does not have a range key for index: {index}"


def other_partition_key(index: str, index_key: str, table_key: str) -> str:
    """A local index with a partition key of its own. Catalogue 143, verified."""
    return (
        f"{_INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for "
        f"index: {index}. index hash key: {index_key}, table hash key: {table_key}"
    )


def one_name_twice_in_key() -> str:
    """The same attribute twice in a key of several attributes. 2026."""
    return "The KeySchema contains multiple key attributes with the same name"


def too_many_key_attributes(role: str) -> str:
    """More than four HASH or RANGE attributes. 2026."""
    return f"{_INVALID}The KeySchema exceeds the maximum allowed number of {role} key attributes"


def hash_after_range() -> str:
    """A partition attribute after a sort attribute. 2026."""
    return f"{_INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema"


def duplicate_name(index: str) -> str:
    """Two indexes of one name. Catalogue 144, verified."""
    return f"{_INVALID}Duplicate index name: {index}"


def too_many_local(most: int) -> str:
    """CreateTable with too many local indexes. Catalogue 145, verified."""
    return f"{_INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {most}"


def too_many_global(most: int) -> str:
    """CreateTable with too many global indexes. Catalogue 145, verified."""
    return f"{_INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {most}"


def unknown_projection() -> str:
    """A projection without type. Catalogue 146, verified."""
    return f"{_INVALID}Unknown ProjectionType: null"


def non_key_of(projection_type: str) -> str:
    """NonKeyAttributes with another projection than INCLUDE. Catalogue 146, verified."""
    return f"{_INVALID}ProjectionType is {projection_type}, but NonKeyAttributes is specified"


def non_key_missing() -> str:
    """INCLUDE without NonKeyAttributes. Catalogue 146, verified."""
    return f"{_INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"


def non_key_twice(name: str) -> str:
    """An attribute that NonKeyAttributes has twice. 2026."""
    return f"{_INVALID}Duplicate element in NonKeyAttributes: {name}"


def projected_name_length(most: int) -> str:
    """A name in NonKeyAttributes that is empty or too long. Source: users of the service."""
    return (
        "Names of key attributes and attributes projected into an index must be between "
        f"1 and {most} characters"
    )


def too_many_non_key(most: int) -> str:
    """More included attributes over all indexes than allowed. The text is our own."""
    return f"{_INVALID}Number of projected non-key attributes exceeds the limit of {most} per table"


def throughput_on_demand(index: str) -> str:
    """Units of an index of an on-demand table. Catalogue 147, verified."""
    return (
        f"{_INVALID}ProvisionedThroughput should not be specified for index: {index} when "
        "BillingMode is PAY_PER_REQUEST"
    )


def throughput_missing(index: str) -> str:
    """CreateTable: an index of a provisioned table without units. 2026."""
    return f"{_INVALID}ProvisionedThroughput is not specified for index: {index}"


def units_out_of_bounds(units: int, member: str, index: str) -> str:
    """Units beyond CAPACITY_UNITS_MAX. Catalogue 148, verified."""
    return f"Given value {units} for {member} is out of bounds for index {index}"


def definitions_unused(definitions: Sequence[str], used: Sequence[str]) -> str:
    """A definition that no key uses; checked before all else about indexes. 2026."""
    return (
        f"{_INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
        f"[{', '.join(definitions)}], keys used: [{', '.join(used)}]"
    )


def delete_during_index_creation() -> str:
    """DeleteTable while an index is made, changed or deleted. ResourceInUseException, verified."""
    return (
        "Attempt to change a resource which is still in use: "
        "Cannot delete table while indexes are being created, updated, or deleted."
    )
