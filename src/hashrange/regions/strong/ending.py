"""Ends tasks."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

_AGAIN_SECONDS: Final = 1.0


async def ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they have ended, whatever they raise.

    Again and again: `asyncio.wait_for` can swallow a cancellation before Python 3.12.
    """
    left = set(tasks)
    while left:
        for each in left:
            each.cancel()
        done, left = await asyncio.wait(left, timeout=_AGAIN_SECONDS)
        for each in done:
            if not each.cancelled():
                each.exception()
