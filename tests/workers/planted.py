"""The real server with workers, but that its process that writes has faults, as a test says.

`python -m tests.workers.planted serve --workers 2 …` is `hashrange serve`: only the command of its
processes is another one, and the counter of commits that the process that writes moves.
"""

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from hashrange.assembly.engines import processes
from hashrange.assembly.workers import heartbeats, worker
from hashrange.assembly.workers.control import Role
from hashrange.cli.commands import main
from hashrange.storage.workers.snapshot import CommitCounter
from tests.workers.processes import WorkedServer

VARIABLE: Final = "PLANTED_FAULTS"
"""Of the environment, which nothing but this module reads."""
KILL_SECONDS_MAX: Final = 0.003
"""About as long as a commit takes."""
ROOT: Final = Path(__file__).parents[2]


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """What goes wrong in the process that writes; shares are of its commits."""

    sleeps: float = 0.0
    """Share after which it sleeps: the commit is visible, and the counter does not say so yet."""
    sleep_seconds: float = 0.003
    is_late: bool = False
    """It moves the counter after the commit only, and never makes it odd."""
    kills_before: float = 0.0
    """Share before which it is killed, when the counter is odd."""
    kills_within: float = 0.0
    """Share in which it is killed, at any moment of COMMIT and of what follows."""
    kills_after: float = 0.0
    """Share after which it is killed, before the counter is even again."""
    commits_min: int = 30
    """Before it is killed: it must serve for a while."""
    heartbeat_seconds: float = heartbeats.INTERVAL_SECONDS
    """Between two heartbeats that the supervisor sends to readers."""


class PlantedCounter(CommitCounter):
    """The counter of a process with faults."""

    faults = Faults()

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self._commits = 0

    def begin(self) -> None:
        if not self.faults.is_late:
            super().begin()
        if self._happens(self.faults.kills_before):
            _kill()
        if self._happens(self.faults.kills_within):
            threading.Timer(random.uniform(0, KILL_SECONDS_MAX), _kill).start()

    def end(self) -> None:
        self._commits += 1
        if self._happens(self.faults.kills_after):
            _kill()
        if random.random() < self.faults.sleeps:
            time.sleep(self.faults.sleep_seconds)
        if self.faults.is_late:
            self._cells[0] += 2
        else:
            super().end()

    def _happens(self, share: float) -> bool:
        return self._commits >= self.faults.commits_min and random.random() < share


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class PlantedServer(WorkedServer):
    """A server with two workers, and with faults."""

    module = "tests.workers.planted"

    def __init__(self, directory: Path, faults: Faults, *options: str) -> None:
        described = msgspec.json.encode(faults).decode()
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: described}
        super().__init__(directory, *options)


def _command(role: Role, descriptors: Sequence[int]) -> list[str]:
    numbers = ",".join(map(str, descriptors))
    return [sys.executable, "-P", "-m", "tests.workers.planted", "worker", role, numbers]


def _run() -> None:
    PlantedCounter.faults = msgspec.json.decode(os.environ[VARIABLE], type=Faults)
    worker.command = _command
    heartbeats.INTERVAL_SECONDS = PlantedCounter.faults.heartbeat_seconds  # type: ignore[misc]
    if sys.argv[1:3] == ["worker", Role.WRITER]:
        assert processes.CommitCounter is CommitCounter, "of another module"
        processes.CommitCounter = PlantedCounter  # type: ignore[misc]
    main()


if __name__ == "__main__":
    _run()
