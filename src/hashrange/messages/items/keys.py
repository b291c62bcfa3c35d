"""Texts about keys of tables and of indexes.

Numbers are those of docs/internals/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

from typing import Final

from hashrange.messages.items.values import INVALID, NOT_VALID
from hashrange.messages.text import Text

_EMPTY_STRING: Final = "The AttributeValue for a key attribute cannot contain an empty string value."
_EMPTY_BINARY: Final = "The AttributeValue for a key attribute cannot contain an empty binary value."

# A key with missing, further or wrongly typed attributes. Verified.
key_schema_mismatch = Text("The provided key element does not match the schema", 50)
# An item without a key attribute. Verified.
key_missing = Text(INVALID + "Missing the key {name} in the item", 51)
# An item whose key attribute has another type. Verified.
key_type_mismatch = Text(INVALID + "Type mismatch for key {name} expected: {expected} actual: {actual}", 52)
# Verified.
key_empty_string = Text(NOT_VALID + _EMPTY_STRING + " Key: {name}", 54)
# Verified.
key_empty_binary = Text(NOT_VALID + _EMPTY_BINARY + " Key: {name}", 54)
# Without a space before the figure. Verified.
partition_key_too_large = Text(INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes", 55, 63)
# A sort key of a table or an index. Verified.
sort_key_too_large = Text(INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes", 56, 63)
# A value of a wrong type for an index key, known from the request. Verified.
index_key_type_mismatch = Text(INVALID + "Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}", 57)


def index_key_empty_string(name: str, index: str) -> str:
    """A put. Source: catalogue 58, verified."""
    return NOT_VALID + _index_key_not_supported(_EMPTY_STRING, name, index)


def index_key_empty_binary(name: str, index: str) -> str:
    """A put. Source: catalogue 58, verified."""
    return NOT_VALID + _index_key_not_supported(_EMPTY_BINARY, name, index)


def _index_key_not_supported(why: str, name: str, index: str) -> str:
    return f"A value specified for a secondary index key is not supported. {why} IndexName: {index}, IndexKey: {name}"


def index_key_updated_to_empty_string() -> str:
    """An update. Source: catalogue 59, verified."""
    return NOT_VALID + _index_key_updated(_EMPTY_STRING)


def index_key_updated_to_empty_binary() -> str:
    """An update. Source: catalogue 59, by analogy with the string."""
    return NOT_VALID + _index_key_updated(_EMPTY_BINARY)


def _index_key_updated(why: str) -> str:
    return f"The update expression attempted to update a secondary index key to a value that is not supported. {why}"


# An update to a value whose type depends on the item. Verified.
index_key_updated_to_other_type = Text("The update expression attempted to update the secondary index key to unsupported type", 60)
# An update to more than 2,048 or 1,024 bytes. Documentation.
index_key_updated_beyond_size = Text("The update expression attempted to update the secondary index key beyond allowed size limits", 61, 63)
