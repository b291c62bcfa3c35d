"""`python -m bench.series`: what the time series of the metrics cost beside requests.

Counts grow for each of some tables, by puts, gets and queries, as under a constant load; after each
minute the process stores their growth, and moves what is old to coarser resolutions. Printed is the
CPU time of that, for a minute of a server: 60 seconds of a processor are its full load.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import click

from hashrange.background.metric_keeper import MetricKeeper
from hashrange.background.tasks import Pacer
from hashrange.observe.metrics import Metrics
from hashrange.server.metric_recorder import MINUTE_MS, MetricRecorder
from hashrange.storage.engine import NO_FENCES
from hashrange.storage.sqlite.engine import SqliteEngine

_OPERATIONS: Final = ("PutItem", "GetItem", "Query")
_BEGIN_MS: Final = 1_767_225_600_000
_LATENCIES_NS: Final = (80_000, 400_000, 3_000_000, 12_000_000)


class _Server:
    """Counts, and what stores them."""

    def __init__(self, engine: SqliteEngine, tables: int) -> None:
        self._metrics = Metrics()
        self._tables = [f"table-{number}" for number in range(tables)]
        self._now_ms = _BEGIN_MS
        self._recorder = MetricRecorder(engine, self._metrics, self.now_ms, b"bench")
        pacer = Pacer(lambda: 0, lambda: 0)
        self._keeper = MetricKeeper(
            engine, self.now_ms, lambda: NO_FENCES, pacer=pacer, separate=False
        )

    def now_ms(self) -> int:
        return self._now_ms

    async def minute(self) -> float:
        """CPU seconds of what a minute needs, in all threads."""
        for table in self._tables:
            for name in _OPERATIONS:
                units = self._metrics.consumed(name)[table]
                units.read_units += 5
                units.write_units += 5
                units.items += 7
                counts = self._metrics.on_tables(name, "", "")[table]
                for each in _LATENCIES_NS:
                    counts.add(each)
        began = time.process_time()
        await self._recorder.record(self._now_ms)
        self._now_ms += MINUTE_MS
        await self._keeper.drain()
        return time.process_time() - began


async def _measured(folder: Path, tables: int, minutes: int) -> float:
    clock = {"monotonic_ns": time.monotonic_ns, "now_ms": lambda: _BEGIN_MS}
    engine = SqliteEngine.open(folder / str(tables), **clock)
    try:
        server = _Server(engine, tables)
        await server.minute()  # imports, and new metrics
        return sum([await server.minute() for _ in range(minutes)]) / minutes
    finally:
        engine.close()


@click.command()
@click.option("--minutes", default=30, show_default=True, help="That are measured.")
def main(minutes: int) -> None:
    """Print the CPU time of a minute, by the number of tables that are used in it."""
    with tempfile.TemporaryDirectory() as folder:
        for tables in (1, 10, 100, 1000):
            spent = asyncio.run(_measured(Path(folder), tables, minutes))
            sys.stdout.write(
                f"{tables:>5} tables: {spent * 1000:8.1f} ms a minute, {spent / 0.6:6.3f} %\n"
            )


if __name__ == "__main__":
    main()
