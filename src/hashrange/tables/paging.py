"""Iterates over all pairs of a range, reading them in pages."""

from collections.abc import AsyncIterator
from typing import Final

from hashrange.storage.engine import Engine, Pair
from hashrange.tables.key_ranges import Range

_PAGE_ROWS: Final = 5000
_PAGE_BYTES: Final = 4 * 1024 * 1024


async def pairs(engine: Engine, keys: Range, *, rows: int = _PAGE_ROWS) -> AsyncIterator[Pair]:
    """The pairs of a range in order; each page is consistent, the whole is not.

    Args:
        engine: holds them.
        keys: the range.
        rows: the most of a page.
    """
    start, end = keys
    while True:
        page = await engine.scan(start, end, limit=rows, bytes_max=_PAGE_BYTES)
        if not page:
            return
        for pair in page:
            yield pair
        start = page[-1][0] + b"\x00"
