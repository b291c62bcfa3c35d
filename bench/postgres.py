"""`python -m bench.postgres --url … --old TREE`: costs on PostgreSQL, beside another build.

Both builds serve one database, in schemas of their own, and are loaded in turns. The CPU time of a
request is that of the server and of all processes of PostgreSQL, which must run on this machine.
All figures are medians of the rounds; ratios are taken within a round, so that what other programs
take from the machine concerns both. Several servers of a build show what it costs that the others
write the same items. The schemas stay.
"""

import asyncio
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import asyncpg
import click
import msgspec

from bench import client, rows, server
from bench.asking import asker

ROWS: Final = (
    rows.PUT, rows.UPDATE, rows.GET, rows.QUERY, rows.PUT_STREAMED, rows.PUT_BOTH,
    rows.BATCH_WRITE, rows.TRANSACT,
)  # fmt: skip
_WARM_SECONDS: Final = 2.0
_HEAD: Final = (
    "row                    µs old   µs new   cheaper   servers   PostgreSQL   WAL bytes old   new"
)
_LINE: Final = (
    "{row:22}{old:>7.0f}{new:>9.0f}{cheaper:>10.2f}{servers:>10.2f}{database:>13.2f}"
    "{old_wal:>16.0f}{new_wal:>6.0f}"
)
_COUNTS: Final = "SELECT pg_backend_pid() AS pid, pg_current_wal_insert_lsn() - '0/0' AS wal"


class Build(msgspec.Struct, frozen=True):
    """The servers of one build, and their database."""

    url: str
    fleet: Sequence[server.Server]


class Cost(msgspec.Struct, frozen=True):
    """Of a request: microseconds of CPU of the servers and of PostgreSQL, and bytes of WAL."""

    servers: float
    database: float
    wal: float

    @property
    def cpu(self) -> float:
        """Of servers and database."""
        return self.servers + self.database


@click.command()
@click.option("--url", required=True, help="Of a database on this machine that may be filled.")
@click.option("--old", type=click.Path(exists=True, path_type=Path), help="Source tree of a build.")
@click.option("--seconds", default=4.0, show_default=True, help="Load of each build in a round.")
@click.option("--rounds", default=3, show_default=True, help="Of each row.")
@click.option("--connections", default=32, show_default=True, help="Of each load.")
@click.option("--servers", default=1, show_default=True, help="Of each build, all loaded.")
@click.option("--workloads", default="", help="Rows whose names contain this.")
def main(url: str, old: Path, workloads: str, servers: int, **shape: float) -> None:
    """Print CPU time of a request of two builds, and the ratios old / new."""
    if client.wrk_path() is None:
        raise click.ClickException("wrk is not installed, and nothing else is fast enough")
    trees = (old, Path(__file__).parents[1])
    with contextlib.ExitStack() as stack:
        schema = f"{'&' if '?' in url else '?'}schema=bench_{time.time_ns() // 10**9}"
        builds = [
            Build(url, _begun(f"{url}{schema}_{at}", tree, servers, stack))
            for at, tree in enumerate(trees)
        ]
        click.echo(_HEAD)
        for row in (each for each in ROWS if workloads in each.name):
            click.echo(_line(row, _rounds(builds, row, **shape)))


def _begun(
    engine: str, tree: Path, servers: int, stack: contextlib.ExitStack
) -> list[server.Server]:
    command = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "error"]
    command += ["--engine", engine]
    path = {"PYTHONPATH": str(tree / "src")}
    fleet = [stack.enter_context(server.started(command, path)) for _ in range(servers)]
    ask = asker(fleet[0].port)
    rows.prepare(ask)
    rows.prepare_stream(ask)
    rows.prepare_indexes(ask)
    return fleet


def _rounds(
    builds: Sequence[Build],
    row: rows.Row,
    *,
    seconds: float,
    rounds: int,
    connections: int,
) -> list[list[Cost]]:
    for build in builds:
        _cost(build, row, min(seconds, _WARM_SECONDS), connections)
    return [[_cost(build, row, seconds, connections) for build in builds] for _ in range(rounds)]


def _cost(build: Build, row: rows.Row, seconds: float, connections: int) -> Cost:
    servers, database, wal = _spent(build)
    requests = _loaded(build.fleet, row, seconds, connections)
    servers_after, database_after, wal_after = _spent(build)
    return Cost(
        servers=(servers_after - servers) / requests * 1e6,
        database=(database_after - database) / requests * 1e6,
        wal=(wal_after - wal) / requests,
    )


def _loaded(fleet: Sequence[server.Server], row: rows.Row, seconds: float, connections: int) -> int:
    """Load all servers at the same time; the number of requests."""
    sent = rows.requests(row)

    async def all_at_once(folder: Path) -> list[client.Answered]:
        loads = []
        for number, each in enumerate(fleet):
            (own := folder / str(number)).mkdir()
            # Each server begins at another key.
            start = number * len(sent) // len(fleet)
            load = client.Load(
                port=each.port,
                requests=[*sent[start:], *sent[:start]],
                seconds=seconds,
                connections=connections,
            )
            loads.append(asyncio.to_thread(client.run_wrk, load, own))
        return await asyncio.gather(*loads)

    with tempfile.TemporaryDirectory() as folder:
        answered = asyncio.run(all_at_once(Path(folder)))
    if failed := sum(each.failed for each in answered):
        raise click.ClickException(f"{failed} requests failed: the figures say nothing")
    return sum(each.requests for each in answered)


def _spent(build: Build) -> tuple[float, float, float]:
    """Seconds of CPU of the servers and of PostgreSQL, and bytes of WAL, so far."""

    async def looked() -> tuple[float, float]:
        connection = await asyncpg.connect(build.url)
        try:
            row = await connection.fetchrow(_COUNTS)
            return _database_seconds(row["pid"]), float(row["wal"])
        finally:
            await connection.close()

    servers = sum(server.cpu_seconds(each.pid) or 0.0 for each in build.fleet)
    return servers, *asyncio.run(looked())


def _database_seconds(backend: int) -> float:
    """CPU time of the server of a backend, processes that have ended included."""
    postmaster = int(_stat(backend)[1])
    ended = sum(map(int, _stat(postmaster)[13:15])) / os.sysconf("SC_CLK_TCK")
    return ended + (server.cpu_seconds(postmaster) or 0.0)


def _stat(pid: int) -> list[str]:
    """The fields behind the name: state, parent, …"""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _line(row: rows.Row, found: Sequence[Sequence[Cost]]) -> str:
    old, new = ([pair[at] for pair in found] for at in range(2))

    def ratio(name: str) -> float:
        return statistics.median(
            getattr(one, name) / getattr(two, name) for one, two in zip(old, new, strict=True)
        )

    def median(costs: Sequence[Cost], name: str) -> float:
        return statistics.median(getattr(each, name) for each in costs)

    return _LINE.format(
        row=row.name,
        old=median(old, "cpu"),
        new=median(new, "cpu"),
        cheaper=ratio("cpu"),
        servers=ratio("servers"),
        database=ratio("database"),
        old_wal=median(old, "wal"),
        new_wal=median(new, "wal"),
    )


if __name__ == "__main__":
    main()
