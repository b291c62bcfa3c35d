"""Command lines of hashrange as processes, without the 0.3 s of CPU that a start of Python takes.

They are forks of one process that has imported the server (`fork_server.py`). What is tested of a
start itself is in tests/unit/test_process.py and tests/workers.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[1]
PIPE, STDOUT = subprocess.PIPE, subprocess.STDOUT
ENVIRONMENT = dict(os.environ)
"""That of the run of tests, before a test changed it."""


class ForkedProcess:
    """A fork that runs a command line: as `subprocess.Popen`, what the tests use of it."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        stdout: int = PIPE,
        stderr: int | None = None,
    ) -> None:
        self.args = arguments
        self.returncode: int | None = None
        request = {
            "arguments": arguments,
            "environment": dict(environment),
            "folder": str(Path.cwd()),
        }
        with contextlib.ExitStack() as sent:
            ends = _Ends(sent)
            self.stdout, output = ends.of(stdout, 1)
            self.stderr, errors = (None, output) if stderr == STDOUT else ends.of(stderr, 2)
            replies, reply = ends.pipe()
            file = sent.enter_context(tempfile.TemporaryFile())
            file.write(json.dumps(request).encode())
            file.seek(0)
            descriptors = [file.fileno(), output, errors, reply]
            socket.send_fds(_fork_server(), [b"x"], descriptors)
        self._replies = replies
        self.pid = int(self._replies.readline())

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; -9 after a kill. Raises TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._replies], [], [], timeout)[0]:
                assert timeout is not None, "it has ended"
                raise subprocess.TimeoutExpired(self.args, timeout)
            self.returncode = int(self._replies.readline())
            self._replies.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()


class _Ends:
    """Descriptors for a fork; what it writes to is closed here with the stack."""

    def __init__(self, sent: contextlib.ExitStack) -> None:
        self._sent = sent

    def pipe(self) -> tuple[IO[str], int]:
        reading, writing = os.pipe()
        self._sent.callback(os.close, writing)
        return os.fdopen(reading, encoding="utf-8"), writing

    def of(self, stream: int | None, own: int) -> tuple[IO[str] | None, int]:
        """A pipe, a descriptor, or that of this process."""
        if stream == PIPE:
            return self.pipe()
        return None, own if stream is None else stream


def process_of(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    stdout: int = PIPE,
    stderr: int | None = None,
) -> "subprocess.Popen[str] | ForkedProcess":
    """`hashrange` with these arguments: a fork, or a start of Python where that is needed."""
    variables = os.environ if environment is None else environment
    if hasattr(os, "fork") and _read_at_start(variables) == _read_at_start(ENVIRONMENT):
        return ForkedProcess(arguments, environment=variables, stdout=stdout, stderr=stderr)
    return subprocess.Popen(
        [sys.executable, "-m", "hashrange", *arguments],
        env=dict(variables),
        stdout=stdout,
        stderr=stderr,
        text=True,
    )


def _read_at_start(variables: Mapping[str, str]) -> dict[str, str]:
    """What Python and SQLite read when they start, and a fork therefore never sees."""
    names = ("PYTHON", "TMPDIR", "SQLITE_")
    return {name: text for name, text in variables.items() if name.startswith(names)}


@cache
def _fork_server() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            cwd=ROOT,
            env=ENVIRONMENT,
        )

    def end() -> None:
        ours.close()
        process.wait(seconds(30))

    atexit.register(end)
    return ours
