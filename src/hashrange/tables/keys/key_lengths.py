"""The longest keys of valid items."""

from typing import Final

from hashrange.limits.requests import SORT_KEY_BYTES_MAX
from hashrange.limits.tables import GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX
from hashrange.model.values import AttributeValue
from hashrange.tables.keys.keyspace import index_entry_key, index_partition_prefix

_SORT_ATTRIBUTES_MAX: Final = GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX


def longest_key_bytes() -> int:
    """The length of the longest key: an entry in a global index with the longest sort attributes.

    Partition attributes are hashed, and keys of the system are shorter.
    """
    value: AttributeValue = {"S": "x" * SORT_KEY_BYTES_MAX}
    prefix = index_partition_prefix(1, 1, [value], [value] * _SORT_ATTRIBUTES_MAX)
    return len(index_entry_key(prefix, [value]))
