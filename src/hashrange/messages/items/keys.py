"""Texts about keys of tables and of indexes.

"Catalogue n" is the number in docs/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

from typing import Final

from hashrange.messages.items.values import INVALID, NOT_VALID

_EMPTY_STRING: Final = (
    "The AttributeValue for a key attribute cannot contain an empty string value."
)
_EMPTY_BINARY: Final = (
    "The AttributeValue for a key attribute cannot contain an empty binary value."
)


def key_schema_mismatch() -> str:
    """A key with missing, further or wrongly typed attributes. Source: catalogue 50, verified."""
    return "The provided key element does not match the schema"


def key_missing(name: str) -> str:
    """An item without a key attribute. Source: catalogue 51, verified."""
    return INVALID + f"Missing the key {name} in the item"


def key_type_mismatch(name: str, expected: str, actual: str) -> str:
    """An item whose key attribute has another type. Source: catalogue 52, verified."""
    return INVALID + f"Type mismatch for key {name} expected: {expected} actual: {actual}"


def key_empty_string(name: str) -> str:
    """Source: catalogue 54, verified."""
    return NOT_VALID + f"{_EMPTY_STRING} Key: {name}"


def key_empty_binary(name: str) -> str:
    """Source: catalogue 54, verified."""
    return NOT_VALID + f"{_EMPTY_BINARY} Key: {name}"


def partition_key_too_large() -> str:
    """Without a space before the figure. Source: catalogue 55 and 63, verified."""
    return INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"


def sort_key_too_large() -> str:
    """A sort key of a table or an index. Source: catalogue 56 and 63, verified."""
    return INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"


def index_key_type_mismatch(name: str, expected: str, actual: str, index: str) -> str:
    """A value of a wrong type for an index key, known from the request.

    Source: catalogue 57, verified.
    """
    return (
        INVALID + f"Type mismatch for Index Key {name} "
        f"Expected: {expected} Actual: {actual} IndexName: {index}"
    )


def index_key_empty_string(name: str, index: str) -> str:
    """A put. Source: catalogue 58, verified."""
    return NOT_VALID + _index_key_not_supported(_EMPTY_STRING, name, index)


def index_key_empty_binary(name: str, index: str) -> str:
    """A put. Source: catalogue 58, verified."""
    return NOT_VALID + _index_key_not_supported(_EMPTY_BINARY, name, index)


def _index_key_not_supported(why: str, name: str, index: str) -> str:
    return (
        f"A value specified for a secondary index key is not supported. {why} "
        f"IndexName: {index}, IndexKey: {name}"
    )


def index_key_updated_to_empty_string() -> str:
    """An update. Source: catalogue 59, verified."""
    return NOT_VALID + _index_key_updated(_EMPTY_STRING)


def index_key_updated_to_empty_binary() -> str:
    """An update. Source: catalogue 59, by analogy with the string."""
    return NOT_VALID + _index_key_updated(_EMPTY_BINARY)


def _index_key_updated(why: str) -> str:
    return (
        "The update expression attempted to update a secondary index key "
        f"to a value that is not supported. {why}"
    )


def index_key_updated_to_other_type() -> str:
    """An update to a value whose type depends on the item. Source: catalogue 60, verified."""
    return "The update expression attempted to update the secondary index key to unsupported type"


def index_key_updated_beyond_size() -> str:
    """An update to more than 2,048 or 1,024 bytes. Source: catalogue 61 and 63, documentation."""
    return (
        "The update expression attempted to update the secondary index key "
        "beyond allowed size limits"
    )
