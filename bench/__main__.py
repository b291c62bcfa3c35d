"""`make bench`: the server under load, compared with its HTTP server answering a constant.

Only the ratio of the two can be compared between machines, not the rates. Rates of puts can be
compared only if the fsync times of the reports are similar. If the constant answer costs more than
on a quiet machine, the benchmark stops.
"""

import dataclasses
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click

from bench import asking, bodies, client, dax, quiet, rows, server, signed, tls
from bench.asking import Answer, Sent, asker
from bench.footprint import footprint
from bench.report import circumstances, table

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "bench" / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One row of the table."""

    row: str
    requests_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float | None
    """Server CPU time a request, user and system."""
    failed: int


@click.command()
@click.option("--seconds", default=5.0, show_default=True, help="Load a row and server.")
@click.option("--runs", default=1, show_default=True, help="Runs a row; their median counts.")
@click.option("--connections", default=32, show_default=True)
@click.option("--durability", type=click.Choice(["full", "relaxed"]), default="full")
@click.option("--memory", is_flag=True, help="Measure the server without a disk.")
@click.option("--own-client", is_flag=True, help="Not wrk, even if the machine has it.")
@quiet.option
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    help="Where the results are put, and the data meanwhile: on the disk to be measured.",
)
def bench(
    directory: Path, *, own_client: bool, memory: bool, durability: str, **shape: float
) -> None:
    """Measure put, get, update and query of 250-byte items."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        kept = ["--memory"] if memory else ["--data", f"{folder}/data", "--durability", durability]
        wrk = client.wrk_path() is not None and not own_client
        measured = _measure(Path(folder), kept, shape, wrk=wrk)
    report = {**circumstances(wrk=wrk), **measured}
    click.echo(table(report))
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{report['commit']}.json"
    (directory / name).write_text(json.dumps(report, indent=2) + "\n")
    click.echo(f"\n{directory / name}")
    if any(figures["failed"] for row in report["rows"] for figures in row.values()):
        raise click.ClickException("some requests failed: the figures say nothing")


def _measure(
    folder: Path, kept: list[str], shape: dict[str, float], *, wrk: bool
) -> dict[str, object]:
    serve = ["-m", "hashrange", "serve", "--port", "0", "--log-level", "warning", *kept]
    with (
        server.started(["-m", "bench.constant", "--port", "0"]) as constant,
        server.started(serve) as measured,
        server.started(["-m", "bench.signed", "--port", "0"]) as guarded,
    ):
        report: dict[str, object] = {
            "footprint": dataclasses.asdict(footprint(measured)),
            "fsync_ms_p50": server.fsync_ms_p50(folder),
            "seconds": shape["seconds"],
            "runs": shape["runs"],
            "connections": shape["connections"],
            "item_bytes": bodies.ITEM_BYTES,
            "kept": kept[0] if kept == ["--memory"] else kept[-1],
            "rows": [],
        }
        rows.prepare_stream(asker(measured.port))
        rows.prepare_recovery(asker(measured.port))
        pair = (constant, measured)
        report["rows"] += _rows(pair, rows.ROWS, shape, folder, wrk=wrk)
        if kept[0] == "--data":
            with server.started([*serve, *_encrypted(folder)]) as encrypted:
                pair = (constant, encrypted)
                report["rows"] += _rows(pair, rows.ENCRYPTED_ROWS, shape, folder, wrk=wrk)
        with server.started([*serve, *_throttled(folder, kept)]) as throttled:
            pair = (constant, throttled)
            report["rows"] += _rows(pair, rows.THROTTLED_ROWS, shape, folder, wrk=wrk, warm=True)
        report["rows"] += _signed_rows(guarded, constant, shape, folder, wrk=wrk)
        report["rows"].append(_tls_row(constant, shape, folder, wrk=wrk))
        report["rows"].append(_dax_row(constant, shape, folder, wrk=wrk))
    return report


def _encrypted(folder: Path) -> list[str]:
    key = folder / "key"
    key.write_text(os.urandom(32).hex())
    return ["--data", f"{folder}/encrypted", "--encrypt", "--encryption-key-file", str(key)]


def _throttled(folder: Path, kept: list[str]) -> list[str]:
    """The options of a server that throttles; the data are in a directory of their own."""
    options = ["--throttle", "on"]
    return options if kept == ["--memory"] else [*options, "--data", f"{folder}/throttled"]


def _rows(
    pair: tuple[server.Server, server.Server],
    measured: Sequence[rows.Row],
    shape: dict[str, float],
    folder: Path,
    *,
    wrk: bool,
    warm: bool = False,
) -> list[dict[str, dict[str, object]]]:
    """The figures of each row, of the constant answer and of a server, in turn."""
    constant, target = pair
    ask = asker(target.port)
    rows.prepare(ask, warm=warm)
    figures = []
    for row in measured:
        rows.prove(ask, row)
        pairs = [
            side_by_side(
                partial(_loaded, constant, row, shape, folder, wrk=wrk),
                partial(_loaded, target, row, shape, folder, wrk=wrk),
                shape,
            )
            for _ in range(int(shape["runs"]))
        ]
        rows.prove(ask, row)
        figures.append(_median(pairs))
    return figures


def _signed_rows(
    guarded: server.Server,
    constant: server.Server,
    shape: dict[str, float],
    folder: Path,
    *,
    wrk: bool,
) -> Iterator[dict[str, dict[str, object]]]:
    """Gets whose signatures are verified, and which policies allow; without a disk.

    One policy allows everything, the other one what has certain partition keys.
    """

    def ask(target: str, body: Answer) -> Answer:
        return asking.ask(guarded.port, target, body, partial(signed.sign, guarded.port))

    rows.prepare(ask)
    rows.prove(ask, rows.GET)
    for name, keys in (("get, signed", signed.ADMINISTRATOR), ("get, LeadingKeys", signed.TENANT)):
        row = dataclasses.replace(rows.GET, name=name)
        pairs = []
        for _ in range(int(shape["runs"])):
            sent = signed.all_signed(guarded.port, rows.requests(row), keys)
            pair = side_by_side(
                partial(_loaded, constant, row, shape, folder, wrk=wrk),
                partial(_loaded, guarded, row, shape, folder, wrk=wrk, sent=sent),
                shape,
            )
            pairs.append(pair)
        yield _median(pairs)


def _tls_row(
    constant: server.Server, shape: dict[str, float], folder: Path, *, wrk: bool
) -> dict[str, dict[str, object]]:
    """A get over TLS; without a disk."""
    row = dataclasses.replace(rows.GET, name="get, TLS")
    with tls.served(folder, over_tls=True) as secured:
        rows.prepare(secured.ask)
        rows.prove(secured.ask, row)
        pairs = [
            side_by_side(
                partial(_loaded, constant, row, shape, folder, wrk=wrk),
                partial(_loaded, secured, row, shape, folder, wrk=wrk),
                shape,
            )
            for _ in range(int(shape["runs"]))
        ]
    return _median(pairs)


def _dax_row(
    constant: server.Server, shape: dict[str, float], folder: Path, *, wrk: bool
) -> dict[str, dict[str, object]]:
    """A get that DAX has cached, over its protocol; its client is always our own."""
    row = dataclasses.replace(rows.GET, name="get, DAX hit")
    with dax.served() as cached:
        rows.prepare(asker(cached.port))
        run = partial(dax.run, cached.dax_port, shape["seconds"], int(shape["connections"]))
        pairs = [
            side_by_side(
                partial(_loaded, constant, row, shape, folder, wrk=wrk),
                partial(_measured, row.name, cached.pid, run),
                shape,
            )
            for _ in range(int(shape["runs"]))
        ]
    return _median(pairs)


def side_by_side(
    constant: Callable[[], Figures], measured: Callable[[], Figures], shape: dict[str, float]
) -> dict[str, Figures]:
    """Figures of both, in turn, taken while the constant answer was cheap before and after.

    Raises ClickException if the machine was not quiet for so long in any try.
    """
    found: list[float | None] = []
    most = shape["constant_us_max"]
    for _ in range(quiet.TRIES):
        found.append((reference := constant()).cpu_us)
        if not quiet.is_quiet(found[-1], most):
            continue
        figures = measured()
        found[-1] = constant().cpu_us
        if quiet.is_quiet(found[-1], most):
            return {"constant": reference, "hashrange": figures}
    raise quiet.busy(found, most)


def _loaded(
    target: server.Server | tls.Served,
    row: rows.Row,
    shape: dict[str, float],
    folder: Path,
    *,
    wrk: bool,
    sent: tuple[Sequence[Sent], str] | None = None,
) -> Figures:
    requests, signed_at = (rows.requests(row), "") if sent is None else sent
    load = client.Load(
        port=target.port,
        requests=requests,
        signed_at=signed_at,
        seconds=shape["seconds"],
        connections=int(shape["connections"]),
        ssl=target.context if isinstance(target, tls.Served) else None,
    )
    run = partial(client.run_wrk, load, folder) if wrk else partial(client.run_own, load)
    return _measured(row.name, target.pid, run)


def _measured(name: str, pid: int, run: Callable[[], client.Answered]) -> Figures:
    before = server.cpu_seconds(pid)
    answered = run()
    after = server.cpu_seconds(pid)
    used = None if before is None else (after - before) / answered.requests * 1e6
    return Figures(
        row=name,
        requests_per_second=answered.requests / answered.seconds,
        p50_ms=answered.p50_us / 1000,
        p99_ms=answered.p99_us / 1000,
        cpu_us=used,
        failed=answered.failed,
    )


def _median(pairs: list[dict[str, Figures]]) -> dict[str, dict[str, object]]:
    middle = {}
    for name in ("constant", "hashrange"):
        runs = sorted((pair[name] for pair in pairs), key=lambda run: run.requests_per_second)
        middle[name] = dataclasses.asdict(runs[len(runs) // 2])
        middle[name]["failed"] = sum(run.failed for run in runs)
    ratios = [
        pair["hashrange"].requests_per_second / pair["constant"].requests_per_second
        for pair in pairs
    ]
    middle["hashrange"]["ratio"] = statistics.median(ratios)
    return middle


if __name__ == "__main__":
    bench()
