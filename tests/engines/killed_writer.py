"""A process that writes and is killed in a commit: `python -m tests.engines.killed_writer`.

Arguments: the data directory, the descriptor of the counter, the point (`begin` or `end` of the
counter) at which it is killed. It writes the value 1, prints a line, waits for one, writes 2.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hashrange.assembly.engines.trials.subject import change
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import SHARED_VFS, Tuning
from hashrange.storage.workers.snapshot import CommitCounter
from tests.pace import seconds

ROOT = Path(__file__).parents[2]
KEY = b"k"


class FatalCounter(CommitCounter):
    """Kills its process at a point, once that is set."""

    point: str | None = None

    def begin(self) -> None:
        super().begin()
        self._reached("begin")

    def end(self) -> None:
        self._reached("end")
        super().end()

    def _reached(self, point: str) -> None:
        if point == self.point:
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def begun(directory: Path, descriptor: int, point: str) -> Iterator[subprocess.Popen[str]]:
    """The process, which has written 1."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(directory), str(descriptor), point],
        cwd=ROOT,
        pass_fds=[descriptor],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        yield process


def killed(process: subprocess.Popen[str]) -> None:
    """Let it write 2, and be killed."""
    process.communicate("go on\n", timeout=seconds(60))
    assert process.returncode == -signal.SIGKILL


async def _write(directory: Path, descriptor: int, point: str) -> None:
    counter = FatalCounter(descriptor)
    engine = SqliteEngine.open(directory, tuning=Tuning(vfs=SHARED_VFS, commits=counter))
    await change(engine, puts={KEY: b"1"})
    print("written", flush=True)  # noqa: T201 - what the test waits for
    sys.stdin.readline()
    counter.point = point
    await change(engine, puts={KEY: b"2"})


if __name__ == "__main__":
    asyncio.run(_write(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
