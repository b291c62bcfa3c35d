"""Each workload on every peer, one peer at a time.

The peers take turns within a workload, so that what else the machine does meanwhile, and how fast
its disk is, is much the same for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench import client, open_loop, rows, server
from bench.asking import Ask, RefusedError, Sent, asker
from bench.peers.running import TEXT_MAX, Row, Subject, Tell
from bench.peers.workloads import OPEN_LOOP, Workload

OPEN_SHARE: Final = 0.7
"""Of the highest rate of the closed loops."""
_LEAST: Final = 1.0
"""A second, of a server that answered nothing in time."""
WARM_SECONDS: Final = 1.0
WARM_CONNECTIONS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How long and how wide the loads are."""

    seconds: float
    connections: Sequence[int]
    workloads: Sequence[Workload]


def measure(workload: Workload, subjects: Sequence[Subject], shape: Shape, tell: Tell) -> None:
    """Add the rows of a workload to what is known of each peer: its figures, or its refusal."""
    tell(f"\n{workload.name}")
    requests = workload.requests()
    able = [each for each in subjects if is_able(each, workload, tell)]
    for subject in able:
        closed(subject, requests, WARM_SECONDS, WARM_CONNECTIONS)
    for connections in shape.connections:
        for subject in able:
            row = closed(subject, requests, shape.seconds, connections)
            _add(subject, workload, row, tell)
    if workload.name in OPEN_LOOP:
        for subject in able:
            row = _open(subject, requests, shape.seconds, _most(subject, workload))
            _add(subject, workload, row, tell)


def is_able(subject: Subject, workload: Workload, tell: Tell) -> bool:
    """Whether the peer does this workload and answers rightly; if not, why is among its rows."""
    if not subject.is_database:
        return True
    refusal = _refusal(workload, asker(subject.server.port))
    if refusal is None:
        return True
    tell(f"  {subject.peer.name:22}{refusal}")
    subject.about["rows"].append({"workload": workload.name, "refused": refusal})
    return False


def _add(subject: Subject, workload: Workload, row: Row, tell: Tell) -> None:
    tell(f"  {subject.peer.name:22}{told(row)}")
    subject.about["rows"].append({"workload": workload.name, **row})


def _most(subject: Subject, workload: Workload) -> Row:
    """The closed loop with the highest rate."""
    of_workload = [row for row in subject.about["rows"] if row["workload"] == workload.name]
    return max(of_workload, key=lambda row: row["requests_per_second"])


def _refusal(workload: Workload, ask: Ask) -> str | None:
    """Why the peer does not do this workload; None if its answers are right."""
    try:
        if workload.prepare is not None:
            workload.prepare(ask)
        for row in workload.proofs:
            rows.prove(ask, row)
    except RefusedError as error:
        return f"refused: {error}"[:TEXT_MAX]
    except (AssertionError, KeyError, ValueError, TypeError) as error:
        return f"wrong answer: {error!r}"[:TEXT_MAX]
    except OSError as error:
        return f"no answer: {error!r}"[:TEXT_MAX]
    return None


def closed(subject: Subject, requests: Sequence[Sent], seconds: float, connections: int) -> Row:
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


def _open(subject: Subject, requests: Sequence[Sent], seconds: float, most: Row) -> Row:
    """Requests fall due at a share of the highest rate that the closed loops reached."""
    due = open_loop.Due(
        port=subject.server.port,
        requests=requests,
        per_second=max(_LEAST, most["requests_per_second"]) * OPEN_SHARE,
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
        f"{loop:>5}{row['requests_per_second']:>10,.0f}/s"
        f"{row['p50_ms']:>10.2f}{row['p99_ms']:>10.2f} ms{cpu:>9} us{failed}"
    )
