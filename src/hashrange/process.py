"""A server in a process of its own, for tests and programs that need a server for a while.

Not in a thread: tests that replace the clock, block sockets, trace lines or fork would affect a
server in the same process.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from types import TracebackType
from typing import IO, Final, Self

from hashrange.settings.kinds import VARIABLE_PREFIX
from hashrange.settings.rows import ROWS
from hashrange.testing_pages import ServerClock, ServerSnapshots

STOP_SECONDS_MAX: Final = 30
"""A server that has not stopped after this time is killed."""
LOG_BYTES_MAX: Final = 1024 * 1024
"""Bytes at the end of the log that `Server.log` returns."""
_ERROR_BYTES_MAX: Final = 4096
_endpoint: Final = re.compile(r" listens on (\S+)$").search


class StartError(RuntimeError):
    """A server did not start. The text is its last line on stderr."""


class Server:
    """A server that runs until `stop`, or as long as this process.

    Attributes:
        endpoint: its URL, without a slash at the end.
        port: its TCP port.
        clock: its clock, which moves if it was started with `testing=True`.
        snapshots: saves and loads its data, if it was started with `testing=True`.
    """

    def __init__(self, process: subprocess.Popen[str], log: IO[bytes], endpoint: str) -> None:
        self._process = process
        self._log = log
        self._log_text: str | None = None
        self.endpoint = endpoint
        self.port = int(endpoint.rpartition(":")[2])
        self.clock = ServerClock(endpoint)
        self.snapshots = ServerSnapshots(endpoint)

    def stop(self) -> None:
        """Answer the requests that have begun, and end the process; no effect if it has ended."""
        _end(self._process)
        if self._log_text is None:
            self._log_text = _tail(self._log, LOG_BYTES_MAX)
            self._log.close()

    def log(self) -> str:
        """The last 1 MiB of the server's log, also after `stop`.

        The output of functions of triggers is in it. `log_level="info"` adds lines below warnings.
        """
        return _tail(self._log, LOG_BYTES_MAX) if self._log_text is None else self._log_text

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def started(settings: Mapping[str, object]) -> Server:
    """Start a server, and wait until it is reachable. Raises TypeError, StartError."""
    options = _options({"drain_seconds": 1, "log_level": "warning", **settings})
    # -P: a file of the current directory must not shadow a module.
    command = [sys.executable, "-P", "-m", "hashrange", "serve", "--stop-with-input", *options]
    # A file, because a pipe would fill unless this process reads it.
    log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
    process = subprocess.Popen(  # noqa: S603 - our own program, and no shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        encoding="utf-8",
        env={**_environment(), **_secrets(settings)},
        # Ctrl-C must not reach the server, which has to answer the last requests of this process.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    assert process.stdout is not None, "asked for"
    found = _endpoint(process.stdout.readline())
    if found is None:
        _end(process)
        text = _tail(log, _ERROR_BYTES_MAX).strip()
        log.close()
        raise StartError(text or f"the server ended with code {process.returncode}")
    return Server(process, log, found[1])


def _options(settings: Mapping[str, object]) -> list[str]:
    rows = {row.name: row for row in ROWS}
    options = []
    for name, value in settings.items():
        if name not in rows:
            raise TypeError(f"there is no setting {name}; docs/settings.md has them all")
        row = rows[name]
        if row.kind.secret:
            continue
        if row.kind.switch:
            options.append(row.flag if value else f"--no-{row.flag[2:]}")
        else:
            options.append(f"{row.flag}={value}")
    return options


def _secrets(settings: Mapping[str, object]) -> dict[str, str]:
    """The variables of the settings that have no option."""
    return {
        row.variable: str(settings[row.name])
        for row in ROWS
        if row.kind.secret and row.name in settings
    }


def _environment() -> dict[str, str]:
    """The environment of this process without the variables that configure a server."""
    return {
        name: text
        for name, text in os.environ.items()  # noqa: TID251 - passed on, not read
        if not name.startswith(VARIABLE_PREFIX) and name != "PYTHONOPTIMIZE"
    }


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None, "asked for"
    assert process.stdout is not None, "asked for"
    process.stdin.close()
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def _tail(log: IO[bytes], bytes_max: int) -> str:
    size = os.fstat(log.fileno()).st_size
    start = max(0, size - bytes_max)
    if hasattr(os, "pread"):
        # The server shares the position of this descriptor, so it must not be moved.
        found = os.pread(log.fileno(), size - start, start)
    else:
        log.seek(start)
        found = log.read()
    return found.decode("utf-8", "replace")
