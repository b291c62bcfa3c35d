"""`python -m bench.servers --url postgresql://…`: one, two, three servers on one database.

Each server has a load of its own, all at the same time; the results are the sum of the rates, and
the servers' CPU time per request. If servers, database and load share the cores, the sum says more
about the machine than about the servers. The tables stay, in schemas of their own.
"""

import contextlib
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import click

from bench import client, rows, server
from bench.asking import asker

MEASURED: Final = (rows.PUT, rows.GET, rows.UPDATE)
_LINE: Final = "{count:>7}  {row:18}{rate:>12,.0f}{p50:>9.2f}{p99:>9.2f}{cpu:>9}"
_HEAD: Final = "servers  row                 requests/s   p50 ms   p99 ms   CPU µs"


@click.command()
@click.option("--url", required=True, help="Of a database that may be filled.")
@click.option("--seconds", default=5.0, show_default=True, help="Load a row.")
@click.option("--connections", default=16, show_default=True, help="Of each load.")
@click.option("--servers", "counts", type=int, multiple=True, default=(1, 2, 3), show_default=True)
def main(url: str, seconds: float, connections: int, counts: tuple[int, ...]) -> None:
    """Print requests a second of several servers together."""
    if client.wrk_path() is None:
        raise click.ClickException("wrk is not installed, and nothing else is fast enough")
    click.echo(_HEAD)
    schema = f"{'&' if '?' in url else '?'}schema=bench_{time.time_ns() // 10**9}"
    for count in counts:
        command = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "error"]
        command += ["--engine", f"{url}{schema}_{count}"]
        with contextlib.ExitStack() as stack:
            fleet = [stack.enter_context(server.started(command)) for _ in range(count)]
            rows.prepare(asker(fleet[0].port))
            for row in MEASURED:
                click.echo(_LINE.format(count=count, **_measured(fleet, row, seconds, connections)))


def _measured(
    fleet: list[server.Server], row: rows.Row, seconds: float, connections: int
) -> dict[str, object]:
    before = _cpu_seconds(fleet)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(fleet)) as pool:
        folders = [Path(folder) / str(number) for number in range(len(fleet))]
        for each in folders:
            each.mkdir()
        loads = [
            client.Load(
                port=each.port,
                requests=rows.requests(row),
                seconds=seconds,
                connections=connections,
            )
            for each in fleet
        ]
        answered = list(pool.map(client.run_wrk, loads, folders))
    after = _cpu_seconds(fleet)
    requests = sum(each.requests for each in answered)
    if failed := sum(each.failed for each in answered):
        raise click.ClickException(f"{failed} requests failed: the figures say nothing")
    return {
        "row": row.name,
        "rate": sum(each.requests / each.seconds for each in answered),
        "p50": max(each.p50_us for each in answered) / 1000,
        "p99": max(each.p99_us for each in answered) / 1000,
        "cpu": "" if before is None else f"{(after - before) / requests * 1e6:.0f}",
    }


def _cpu_seconds(fleet: list[server.Server]) -> float | None:
    spent = [server.cpu_seconds(each.pid) for each in fleet]
    return None if None in spent else sum(spent)


if __name__ == "__main__":
    main()
