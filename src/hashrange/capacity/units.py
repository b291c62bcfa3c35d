"""Capacity units of one item or one page, exactly as DynamoDB counts them.

Source: Developer Guide, "Read and write capacity unit consumption".
"""

from hashrange.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def read_units(item_bytes: int, *, consistent: bool) -> float:
    """Units of reading `item_bytes` at once: half of a strong read where it may be stale.

    A missing item, or an empty page, costs as much as the smallest item.
    """
    units = -(-item_bytes // READ_UNIT_BYTES) or 1
    return float(units) if consistent else units / 2


def write_units(item_bytes: int) -> float:
    """Units of writing an item whose larger image has `item_bytes`; at least 1."""
    return float(-(-item_bytes // WRITE_UNIT_BYTES) or 1)
