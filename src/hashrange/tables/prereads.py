"""What is read of items before they are written, while an index is being built."""

from collections.abc import Sequence
from typing import Any

from hashrange.tables.images import image_from
from hashrange.tables.indexes import entry_keys_building
from hashrange.tables.write_plans import WritePlan


def entries_building(
    writes: Sequence[WritePlan[Any]], values: Sequence[bytes | None]
) -> list[tuple[bytes, ...]]:
    """The keys of the entries that each item can have in indexes that are being built."""
    return [
        entry_keys_building(
            write.table.table,
            None if value is None else image_from(value),
            write.table.key_bytes_max,
        )
        for write, value in zip(writes, values, strict=True)
    ]
