"""Removes records of Kinesis data streams that are older than their retention, and deleted streams.

What is left to do is read from the rows, so work that a stop or a crash interrupts goes on at the
next start. Without streams a sweep reads two empty ranges.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.background.tasks import Pacer
from hashrange.storage.engine import Engine, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.keys.kinesis_keys import deleted_range, streams_range

LOOK_SECONDS: Final = 60.0
"""Records stay longer than their retention by as much, but are not shown."""

_log: Final = logging.getLogger(__name__)


class KinesisTrimmer:
    """A background task that deletes old records and the rows of deleted streams.

    Args:
        engine: holds them.
        kept_ms: `Store.kept_ms`.
        pacer: gives turns, one for each page.
    """

    def __init__(self, engine: Engine, kept_ms: Callable[[], int], *, pacer: Pacer) -> None:
        self._engine = engine
        self._kept_ms = kept_ms
        self._pacer = pacer

    async def run(self) -> None:
        """Sweep in intervals until it is cancelled."""
        failures = Failures(_log, "trimming Kinesis streams")
        while True:
            with failures.suppressed(StorageError):
                await self.drain()
            await asyncio.sleep(LOOK_SECONDS)

    async def drain(self) -> None:
        """Delete all that is due by now. Raises StorageError."""
        if await self._is_empty():
            return
        from hashrange.tables.kinesis.rows import StreamRows  # noqa: PLC0415 - few servers have streams
        from hashrange.tables.kinesis.trimming import forget_shards, trim_page  # noqa: PLC0415

        rows, now_ms = StreamRows(self._engine), self._kept_ms()
        async for opened in rows.all(None):
            stream = opened.stream
            horizon_ms = stream.horizon_ms(now_ms)
            for shard in stream.shards:
                more = True
                while more:
                    async with self._pacer.turn():
                        more = await trim_page(rows, stream.number, shard.number, horizon_ms)
            await forget_shards(rows, opened, now_ms)
        for number in await rows.deleted():
            more = True
            while more:
                async with self._pacer.turn():
                    more = await rows.clear_page(number)

    async def _is_empty(self) -> bool:
        for start, end in (streams_range(None), deleted_range()):
            if await self._engine.scan(start, end, limit=1, bytes_max=1):
                return False
        return True
