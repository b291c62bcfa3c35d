"""One peer under one workload after the other."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench import client, open_loop, rows, server
from bench.asking import Ask, RefusedError, Sent, asker
from bench.peers.catalogue import CONSTANT, Peer
from bench.peers.installing import MissingError
from bench.peers.workloads import OPEN_LOOP, Workload

OPEN_SHARE: Final = 0.7
"""Of the highest rate of the closed loops."""
WARM_SECONDS: Final = 1.0
WARM_CONNECTIONS: Final = 32
_TEXT_MAX: Final = 160

Row = dict[str, Any]
"""One line of the results, as it stands in the file."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How long and how wide the loads are."""

    seconds: float
    connections: Sequence[int]
    workloads: Sequence[Workload]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """A peer that runs, and a folder for what its loads need."""

    peer: Peer
    server: server.Server
    folder: Path


def measured(peer: Peer, shape: Shape, folder: Path, tell: Tell) -> Row:
    """All that is known of a peer afterwards: its rows, or why there are none."""
    about = {"peer": peer.name, "version": peer.version, "keeps": peer.keeps}
    tell(f"\n{peer.name} {peer.version}, {peer.keeps}")
    try:
        port = server.free_port()
        started = peer.start(port, folder)
        load = [os.getloadavg()[0]]
        log = folder / "output"
        with server.running(started.command, port, log, started.environment) as running:
            subject = _Subject(peer=peer, server=running, folder=folder)
            if peer.name != CONSTANT:
                rows.prepare(asker(port))
            found = [row for each in shape.workloads for row in _rows(subject, each, shape, tell)]
            load.append(os.getloadavg()[0])
            memory_mb = server.memory_mb(running.pid)
    except (MissingError, RefusedError, AssertionError, RuntimeError, OSError) as error:
        text = " ".join(str(error).split())[:_TEXT_MAX]
        tell(f"  left out: {text}")
        return {**about, "left_out": text, "rows": []}
    figures = {"start_ms": running.start_ms, "memory_mb": memory_mb, "load": load}
    return {**about, **figures, "rows": found}


def _rows(subject: _Subject, workload: Workload, shape: Shape, tell: Tell) -> list[Row]:
    """One for each number of connections and one of the open loop, or one refusal."""
    port = subject.server.port
    if subject.peer.name != CONSTANT and (refusal := _refusal(workload, asker(port))):
        tell(f"  {workload.name:20}{refusal}")
        return [{"workload": workload.name, "refused": refusal}]
    requests = workload.requests()
    _closed(subject, requests, WARM_SECONDS, WARM_CONNECTIONS)
    found = [
        {"workload": workload.name, **_closed(subject, requests, shape.seconds, connections)}
        for connections in shape.connections
    ]
    if workload.name in OPEN_LOOP:
        most = max(found, key=lambda row: row["requests_per_second"])
        if most["requests_per_second"]:
            found.append(
                {"workload": workload.name, **_open(subject, requests, shape.seconds, most)}
            )
    for row in found:
        tell(told(row))
    return found


def _refusal(workload: Workload, ask: Ask) -> str | None:
    """Why the peer does not do this workload; None if its answers are right."""
    try:
        if workload.prepare is not None:
            workload.prepare(ask)
        for row in workload.proofs:
            rows.prove(ask, row)
    except RefusedError as error:
        return f"refused: {error}"[:_TEXT_MAX]
    except (AssertionError, KeyError, ValueError, TypeError) as error:
        return f"wrong answer: {error!r}"[:_TEXT_MAX]
    except OSError as error:
        return f"no answer: {error!r}"[:_TEXT_MAX]
    return None


def _closed(subject: _Subject, requests: Sequence[Sent], seconds: float, connections: int) -> Row:
    """Each connection sends its next request when it has the answer to its last."""
    load = client.Load(
        port=subject.server.port, requests=requests, seconds=seconds, connections=connections
    )
    server.settle(subject.server.pid)
    before = server.cpu_seconds(subject.server.pid)
    wrk = client.wrk_path() is not None
    answered = client.run_wrk(load, subject.folder) if wrk else client.run_own(load)
    return {
        "loop": "closed",
        "connections": connections,
        "requests_per_second": answered.requests / answered.seconds,
        "p50_ms": answered.p50_us / 1000,
        "p99_ms": answered.p99_us / 1000,
        "cpu_us": _cpu_us(subject.server.pid, before, answered.requests),
        "failed": answered.failed,
    }


def _open(subject: _Subject, requests: Sequence[Sent], seconds: float, most: Row) -> Row:
    """Requests fall due at 70 % of the highest rate that the closed loops reached."""
    due = open_loop.Due(
        port=subject.server.port,
        requests=requests,
        per_second=most["requests_per_second"] * OPEN_SHARE,
        seconds=seconds,
        connections=most["connections"],
    )
    server.settle(subject.server.pid)
    before = server.cpu_seconds(subject.server.pid)
    answered = open_loop.run(due)
    return {
        "loop": "open",
        "connections": due.connections,
        "due_per_second": due.per_second,
        "requests_per_second": answered.per_second,
        "p50_ms": answered.p50_us / 1000,
        "p99_ms": answered.p99_us / 1000,
        "client_late_p99_ms": answered.late_us_p99 / 1000,
        "cpu_us": _cpu_us(subject.server.pid, before, answered.requests),
        "failed": answered.failed,
    }


def _cpu_us(pid: int, before: float | None, requests: int) -> float | None:
    after = server.cpu_seconds(pid)
    if before is None or after is None or not requests:
        return None
    return (after - before) / requests * 1e6


def told(row: Row) -> str:
    """One row for people, as it was measured."""
    loop = row["connections"] if row["loop"] == "closed" else "open"
    cpu = "?" if row["cpu_us"] is None else f"{row['cpu_us']:,.0f}"
    failed = f"  {row['failed']} failed" if row["failed"] else ""
    return (
        f"  {row['workload']:20}{loop:>5}{row['requests_per_second']:>10,.0f}/s"
        f"{row['p50_ms']:>10.2f}{row['p99_ms']:>10.2f} ms{cpu:>9} us{failed}"
    )
