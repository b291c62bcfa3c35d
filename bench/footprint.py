"""The time of imports, of the start of a server, and of a table for each test; memory too."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from bench import server
from bench.asking import Answer, Ask, encoded, headers, target_header

CYCLES: Final = 50
_IMPORTS: Final = 7
_IMPORT: Final = (
    "import time; began = time.perf_counter(); import hashrange; print(time.perf_counter() - began)"
)
_KEY: Final = {"p": {"S": "a"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """In milliseconds and megabytes; CPU time and memory are None where there is no /proc."""

    import_ms: float
    start_ms: float
    start_cpu_ms: float | None
    cycles_ms: float
    cycles_cpu_ms: float | None
    idle_mb: float | None


_GOALS: Final = {"import_ms": 50, "start_ms": 300, "cycles_ms": 1000, "idle_mb": 60}


def footprint(running: server.Server) -> Footprint:
    """The footprint of a server that was just started."""
    idle_mb = server.memory_mb(running.pid)
    started = server.cpu_seconds(running.pid)
    cycles_ms = _cycles_ms(running.port)
    ended = server.cpu_seconds(running.pid)
    known = started is not None and ended is not None
    return Footprint(
        import_ms=_import_ms(),
        start_ms=running.start_ms,
        start_cpu_ms=started * 1000 if known else None,
        cycles_ms=cycles_ms,
        cycles_cpu_ms=(ended - started) * 1000 if known else None,
        idle_mb=idle_mb,
    )


def _import_ms() -> float:
    """The fastest of several imports, each in a new process; the first reads from the disk."""
    command = [sys.executable, "-c", _IMPORT]
    times = [subprocess.check_output(command, text=True) for _ in range(_IMPORTS)]
    return min(map(float, times)) * 1000


def _cycles_ms(port: int) -> float:
    """Create a table, put, get and delete the table, as each test of a suite does."""
    with _connected(port) as ask:
        began = time.perf_counter()
        for number in range(CYCLES):
            _cycle(ask, f"cycle-{number}")
        return (time.perf_counter() - began) * 1000


def _cycle(ask: Ask, name: str) -> None:
    table = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    ask("CreateTable", table)
    ask("PutItem", {"TableName": name, "Item": {**_KEY, "v": {"S": "v" * 200}}})
    found = ask("GetItem", {"TableName": name, "Key": _KEY})
    assert found["Item"]["v"] == {"S": "v" * 200}, found
    ask("DeleteTable", {"TableName": name})


@contextmanager
def _connected(port: int) -> Iterator[Ask]:
    """Requests over one connection, as an SDK sends them."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(target: str, body: Answer) -> Answer:
        sent = {**headers(), "X-Amz-Target": target_header(target)}
        connection.request("POST", "/", encoded(body), sent)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == http.HTTPStatus.OK, text
        return json.loads(text)

    try:
        yield ask
    finally:
        connection.close()


def told(found: Footprint) -> str:
    """The figures as text, with their goals; CPU time is that of the server."""
    cycles = f"{CYCLES} times create, put, get, delete table"
    return "\n".join(
        f"{name:42}{figure:6.0f} {unit} (goal {goal})"
        + ("" if cpu is None else f", {cpu:.0f} ms of CPU")
        for name, figure, cpu, unit, goal in (
            ("import hashrange", found.import_ms, None, "ms", _GOALS["import_ms"]),
            ("start to first answer", found.start_ms, found.start_cpu_ms, "ms", _GOALS["start_ms"]),
            (cycles, found.cycles_ms, found.cycles_cpu_ms, "ms", _GOALS["cycles_ms"]),
            ("idle memory", found.idle_mb, None, "MB", _GOALS["idle_mb"]),
        )
        if figure is not None
    )
