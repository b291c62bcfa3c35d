"""Starts servers for benchmarks, and measures their start, CPU time and memory."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_START_SECONDS_MAX: Final = 60
_END_SECONDS: Final = 10
_SETTLE_LOOKS: Final = 50
_SETTLE_SECONDS: Final = 0.1
_QUIET_SHARE: Final = 0.3
"""Share of a core below which a server counts as idle."""
_LISTENS: Final = re.compile(r"http://127\.0\.0\.1:(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server that answers."""

    pid: int
    port: int
    start_ms: float
    """Seconds from the start of the process to its complete first answer."""


@contextmanager
def started(
    arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """`python ARGUMENTS`, which must print its endpoint; stopped at the end.

    The environment is added to that of this process.
    """
    begun = time.perf_counter()
    command = [sys.executable, *arguments]
    surroundings = os.environ | (environment or {})
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings) as process:
        try:
            port = _port(process)
            _first_answer(port)
            start_ms = (time.perf_counter() - begun) * 1000
            yield Server(pid=process.pid, port=port, start_ms=start_ms)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


@contextmanager
def running(
    command: Sequence[str], port: int, log: Path, environment: Mapping[str, str]
) -> Iterator[Server]:
    """Run any server that will listen on this port of the loopback; it is stopped, or killed.

    It has a session of its own, so that its child processes end with it, and Ctrl-C does not reach
    it directly. Raises RuntimeError if it does not start.
    """
    begun = time.perf_counter()
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env={**os.environ, **environment},
            start_new_session=True,
        ) as process,
    ):
        try:
            _await_answer(process, port, log)
            start_ms = (time.perf_counter() - begun) * 1000
            yield Server(pid=process.pid, port=port, start_ms=start_ms)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _await_answer(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.perf_counter() + _START_SECONDS_MAX
    while time.perf_counter() < until:
        if process.poll() is not None:
            raise RuntimeError(f"it ended: {log.read_text('utf-8', 'replace')[-300:]}")
        try:
            _first_answer(port)
        except (OSError, http.client.HTTPException):
            time.sleep(0.01)
        else:
            return
    raise RuntimeError(f"it did not answer in {_START_SECONDS_MAX} s")


def free_port() -> int:
    """A free port of the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := _LISTENS.search(line):
            return int(found[1])
    raise RuntimeError("the server ended before it listened")


def _first_answer(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/")
    connection.getresponse().read()
    connection.close()


def cpu_seconds(pid: int) -> float | None:
    """User and system time of the process and its children; None where there is no /proc."""
    if not _PROC.is_dir():
        return None
    ticks = sum(_ticks(each) for each in _family(pid))
    return ticks / os.sysconf("SC_CLK_TCK")


def settle(pid: int) -> None:
    """Wait, up to a limit, until the server is idle after the clients have disconnected."""
    before = cpu_seconds(pid)
    for _ in range(_SETTLE_LOOKS):
        time.sleep(_SETTLE_SECONDS)
        now = cpu_seconds(pid)
        if before is None or now is None or now - before <= _SETTLE_SECONDS * _QUIET_SHARE:
            return
        before = now


def memory_mb(pid: int) -> float | None:
    """Resident memory of the process and its children; None where there is no /proc."""
    if not _PROC.is_dir():
        return None
    return sum(_resident_kb(each) for each in _family(pid)) / 1024


def _family(pid: int) -> list[int]:
    family = [pid]
    for parent in family:
        for thread in (_PROC / str(parent) / "task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended meanwhile
                family.extend(int(child) for child in (thread / "children").read_text().split())
    return family


def _ticks(pid: int) -> int:
    # The name in the second field may hold spaces and brackets; it ends with the last bracket.
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _resident_kb(pid: int) -> int:
    status = (_PROC / str(pid) / "status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE)[1])


def fsync_ms_p50(folder: Path, times: int = 200) -> float:
    """The time of an fsync after appending 4 KiB, as to a write-ahead log."""
    sync = getattr(os, "fdatasync", os.fsync)
    taken = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(times):
            file.write(b"\0" * 4096)
            begun = time.perf_counter()
            sync(file.fileno())
            taken.append(time.perf_counter() - begun)
    (folder / "fsync").unlink()
    return sorted(taken)[len(taken) // 2] * 1000
