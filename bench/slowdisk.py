"""`python -m bench.slowdisk`: the same puts on disks whose syncs take 2, 10 and 50 ms longer.

Prints for each disk the server's CPU time a put, the puts for each sync, the latency of reads at a
fixed rate beside the puts, and the CPU time of a server that waits. At the end a sync hangs: reads
go on, `/readyz` and the log say why writes wait, and the writes are answered when it ends.
"""

import re
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import click

from bench import client, open_loop, quiet, rows, server
from bench.asking import asker
from bench.slow_syncs import SlowSyncs

SYNCS_MS: Final = (0, 2, 10, 50)
CONNECTIONS: Final = 32
CPU_RATIO_MAX: Final = 1.5
PUTS_PER_SYNC_MIN: Final = 0.6 * CONNECTIONS
HANG_SECONDS: Final = 8
"""Longer than a server waits until it reports the disk."""
_READS_PER_SECOND: Final = 200
_READERS: Final = 4
_HANG_SYNC_MS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What puts and reads cost on one disk."""

    puts_per_second: float
    cpu_us: float
    puts_per_sync: float
    reads_alone: open_loop.OpenAnswered
    reads_beside: open_loop.OpenAnswered


@click.command()
@click.option("--seconds", default=5.0, show_default=True, help="Each load.")
@quiet.option
def main(seconds: float, constant_us_max: float) -> None:
    """Measure puts and reads on slow disks, and on one that hangs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        syncs = SlowSyncs(folder)
        fast: Figures | None = None
        for sync_ms in SYNCS_MS:
            quiet.require(constant_us_max)
            with _served(folder, syncs, sync_ms) as started:
                figures = _measured(started, seconds)
            fast = fast or figures
            sys.stdout.write(f"{sync_ms:3} ms: {_told(figures, fast)}\n")
            sys.stdout.flush()
        with _served(folder, syncs, _HANG_SYNC_MS) as started:
            sys.stdout.writelines(_hung(started, syncs, folder / "log"))


@contextmanager
def _served(folder: Path, syncs: SlowSyncs, sync_ms: float) -> Iterator[server.Server]:
    port = server.free_port()
    with tempfile.TemporaryDirectory(dir=folder) as data:
        command = [sys.executable, "-m", "hashrange", "serve", "--port", str(port), "--data", data]
        environment = syncs.environment(sync_ms)
        with server.running(command, port, folder / "log", environment) as started:
            rows.prepare(asker(port))
            yield started


def _measured(started: server.Server, seconds: float) -> Figures:
    reads_alone = _reads(started.port, seconds)
    before, cpu_before = _counts(started.port), server.cpu_seconds(started.pid)
    answered = _puts(started.port, seconds)
    after, cpu_after = _counts(started.port), server.cpu_seconds(started.pid)
    assert cpu_before is not None, "a slow disk needs Linux"
    assert cpu_after is not None, "a slow disk needs Linux"
    with _another_process() as pool:
        writing = pool.submit(_puts, started.port, seconds + 1)
        reads_beside = _reads(started.port, seconds)
        writing.result()
    return Figures(
        puts_per_second=answered.requests / answered.seconds,
        cpu_us=(cpu_after - cpu_before) / answered.requests * 1e6,
        puts_per_sync=(after[0] - before[0]) / max(after[1] - before[1], 1),
        reads_alone=reads_alone,
        reads_beside=reads_beside,
    )


def _told(figures: Figures, fast: Figures) -> str:
    ratio = figures.cpu_us / fast.cpu_us
    alone, beside = figures.reads_alone, figures.reads_beside
    marks = "" if figures is fast else f" ({_verdict(ratio <= CPU_RATIO_MAX)})"
    shared = "" if figures is fast else f" ({_verdict(figures.puts_per_sync >= PUTS_PER_SYNC_MIN)})"
    return (
        f"{figures.puts_per_second:7,.0f} puts/s, {figures.cpu_us:4.0f} us of CPU a put, "
        f"{ratio:.2f} of the fast disk{marks}, {figures.puts_per_sync:.1f} puts a sync{shared}; "
        f"reads p50 {alone.p50_us / 1000:.2f} and p99 {alone.p99_us / 1000:.2f} ms alone, "
        f"{beside.p50_us / 1000:.2f} and {beside.p99_us / 1000:.2f} ms beside the puts"
    )


def _verdict(holds: bool) -> str:  # noqa: FBT001 - one thing is judged
    return "as wanted" if holds else "NOT as wanted"


def _hung(started: server.Server, syncs: SlowSyncs, log: Path) -> Iterator[str]:
    """What is seen of a server while one of its syncs hangs, and afterwards."""
    _puts(started.port, 1)  # so that the server knows that this disk is slow
    with _another_process() as pool:
        with syncs.hanging():
            writing = pool.submit(_puts, started.port, 0.1)
            time.sleep(1)
            yield f"hanging: /readyz after 1 s: {_ready(started.port)}\n"
            cpu = server.cpu_seconds(started.pid)
            time.sleep(HANG_SECONDS / 2)
            spent = (server.cpu_seconds(started.pid) or 0) - (cpu or 0)
            share = spent / (HANG_SECONDS / 2)
            yield f"  CPU while {CONNECTIONS} writers wait: {share:.2%} of a core\n"
            reads = _reads(started.port, HANG_SECONDS / 2)
            p99_ms = reads.p99_us / 1000
            yield f"  reads: {reads.requests}, {reads.failed} failed, p99 {p99_ms:.2f} ms\n"
            yield f"  /readyz: {_ready(started.port)}\n"
            yield f"  writes answered meanwhile: {'some' if writing.done() else 'none'}\n"
        begun = time.perf_counter()
        answered = writing.result()
        seconds = time.perf_counter() - begun
    yield (
        f"back: {answered.requests} writes that waited are answered after {seconds:.2f} s, "
        f"{answered.failed} failed; /readyz: {_ready(started.port)}\n"
    )
    time.sleep(1)
    lines = [line for line in log.read_text("utf-8").splitlines() if "disk" in line]
    yield "log:\n" + "".join(f"  {line}\n" for line in lines)


def _another_process() -> ProcessPoolExecutor:
    """For the puts, which would delay reads that are measured in the same process."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def _puts(port: int, seconds: float) -> client.Answered:
    row = next(row for row in rows.ROWS if row.name == "put")
    load = client.Load(
        port=port, requests=rows.requests(row), seconds=seconds, connections=CONNECTIONS
    )
    return client.run_own(load)


def _reads(port: int, seconds: float) -> open_loop.OpenAnswered:
    row = next(row for row in rows.ROWS if row.name == "get")
    return open_loop.run(
        open_loop.Due(
            port=port,
            requests=rows.requests(row),
            per_second=_READS_PER_SECOND,
            seconds=seconds,
            connections=_READERS,
        )
    )


def _counts(port: int) -> tuple[float, float]:
    """Writes and syncs of a server so far."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    names = ("hashrange_engine_writes_total", "hashrange_engine_sync_duration_seconds_count")
    writes, synced = (float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE)[1]) for name in names)
    return writes, synced


def _ready(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
            return f"{answer.status} {answer.read().decode().strip()}"
    except urllib.error.HTTPError as refused:
        with refused:
            return f"{refused.code} {refused.read().decode().strip()}"


if __name__ == "__main__":
    main()
