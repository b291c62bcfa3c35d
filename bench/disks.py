"""`python -m bench.disks`: readers and writers on slow disks, each against the same server.

A preloaded library makes a disk slow: it sleeps before each sync of the server. Writers should
hardly slow readers, and should share the cost of a sync.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from bench import client, rows, server
from bench.asking import asker
from bench.slow_syncs import SlowSyncs

SYNCS_MS: Final = (0, 1, 3)
CONNECTIONS: Final = 32
SECONDS: Final = 4.0
ROUNDS: Final = 3


def main() -> None:
    """Print rates of readers alone, writers alone, and of both together."""
    with tempfile.TemporaryDirectory() as folder:
        syncs = SlowSyncs(Path(folder))
        for sync_ms in SYNCS_MS:
            data = f"{folder}/data-{sync_ms}"
            command = ["-m", "hashrange", "serve", "--port", "0", "--data", data]
            with server.started(command, syncs.environment(sync_ms)) as started:
                rows.prepare(asker(started.port))
                for _ in range(ROUNDS):
                    sys.stdout.write(f"{sync_ms} ms: {_round(started.port)}\n")
                    sys.stdout.flush()


def _round(port: int) -> str:
    reads = _rate(port, "get")
    writes = _rate(port, "put")
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(_load, port, name) for name in ("get", "put")]
        read, wrote = (each.result() for each in both)
    share = read.requests / read.seconds / reads
    return (
        f"{reads:,.0f} reads/s alone, {writes:,.0f} writes/s alone; together "
        f"{read.requests / read.seconds:,.0f} ({share:.0%}; p99 {read.p99_us / 1000:.1f} ms) and "
        f"{wrote.requests / wrote.seconds:,.0f} (p99 {wrote.p99_us / 1000:.1f} ms)"
    )


def _rate(port: int, name: str) -> float:
    answered = _load(port, name)
    return answered.requests / answered.seconds


def _load(port: int, name: str) -> client.Answered:
    row = next(row for row in rows.ROWS if row.name == name)
    load = client.Load(
        port=port,
        requests=rows.requests(row),
        seconds=SECONDS,
        connections=CONNECTIONS,
    )
    if client.wrk_path() is None:
        return client.run_own(load)
    with tempfile.TemporaryDirectory() as folder:
        return client.run_wrk(load, Path(folder))


if __name__ == "__main__":
    main()
