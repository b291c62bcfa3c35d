"""Reads ranges in pages, while they are written.

New rows may come behind the last page faster than pages are read, so nothing that works through a
range ends with an empty page: it ends with a page that is not full, or at an end that was noted.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from hashrange.storage.engine import Engine, Pair
from hashrange.tables.keys.key_ranges import Range

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
        for pair in page:
            yield pair
        if not is_full(page, rows=rows, bytes_max=_PAGE_BYTES):
            return
        start = page[-1][0] + b"\x00"


def is_full(page: Sequence[Pair], *, rows: int, bytes_max: int) -> bool:
    """Whether a page that was read with these bounds may have ended before its range did."""
    return len(page) >= rows or sum([len(value) for _, value in page]) >= bytes_max


async def end_of(engine: Engine, keys: Range) -> bytes:
    """Behind the last key of a range that there is now; the start of the range if it is empty."""
    start, end = keys
    last = await engine.scan(start, end, limit=1, bytes_max=1, reverse=True)
    return last[0][0] + b"\x00" if last else start
