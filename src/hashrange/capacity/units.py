"""Capacity units of one item or one page, exactly as DynamoDB counts them.

Source: Developer Guide, "Read and write capacity unit consumption".
"""

from collections.abc import Iterable
from typing import Final

from hashrange.limits.tables import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def read_units(item_bytes: int, *, consistent: bool) -> float:
    """Units of one read of `item_bytes`; an eventually consistent read costs half.

    A missing item, or an empty page, costs as much as the smallest item.
    """
    units = -(-item_bytes // READ_UNIT_BYTES) or 1
    return float(units) if consistent else units / 2


def units_of_reads(sizes: Iterable[int], *, consistent: bool) -> float:
    """Units of reading several items one by one; `sizes` are bytes, 0 for a missing item."""
    units = sum([-(-size // READ_UNIT_BYTES) or 1 for size in sizes])
    return float(units) if consistent else units / 2


def write_units(item_bytes: int) -> float:
    """Units of writing an item; `item_bytes` is the larger of its sizes before and after."""
    return float(-(-item_bytes // WRITE_UNIT_BYTES) or 1)


LEAST_READ_UNITS: Final = {
    consistent: read_units(0, consistent=consistent) for consistent in (False, True)
}
"""Units of reading a missing item or an empty page, by whether the read is consistent."""
