"""Removes the log of a member of a group that has ended."""

from functools import partial
from typing import Final

from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.keys.consensus_keys import consensus_range

_PAGE_ROWS: Final = 200
_PAGE_BYTES: Final = 1024 * 1024


async def clear_log(engine: Engine, number: int, fences: Fences) -> None:
    """Remove all rows of a member that has stopped, page by page.

    Args:
        engine: has them.
        number: of the table or of the witness.
        fences: of the writes.
    """
    start, end = consensus_range(number)
    while page := await engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES):
        gone = [key for key, _ in page]
        await engine.write(gone, partial(_without, gone), fences=fences)


def _without(gone: list[bytes], _stored: list[bytes | None]) -> Changes[None]:
    return Changes(answer=None, deletes=gone)
