"""How long the keys of legal items get."""

from typing import Final

from hashrange.limits import GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.values import AttributeValue
from hashrange.tables.keyspace import index_entry_key, index_partition_prefix

_SORT_ATTRIBUTES_MAX: Final = GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX


def longest_key_bytes() -> int:
    """Of the entry of an item in a global index whose sort attributes are all as long as they get.

    Partition attributes are hashed, and a key of the system is shorter.
    """
    value: AttributeValue = {"S": "x" * SORT_KEY_BYTES_MAX}
    prefix = index_partition_prefix(1, 1, [value], [value] * _SORT_ATTRIBUTES_MAX)
    return len(index_entry_key(prefix, [value]))
