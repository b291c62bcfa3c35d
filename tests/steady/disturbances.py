"""What disturbs the machine while the tests run."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

STOP_SECONDS_MAX = 2.0
PAUSE_SECONDS_MAX = 1.0
LIBRARY = Path(__file__).with_name("slow_sync.c")


class MissingError(Exception):
    """A program that a disturbance needs is not installed."""


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, and theirs, as Linux says."""
    found, left = [], [pid]
    while left:
        for thread in Path(f"/proc/{left.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                started = [int(word) for word in thread.read_text().split()]
                found += started
                left += started
    return found


@contextlib.contextmanager
def no_disturbance(_: int) -> Iterator[None]:
    """A machine as it is."""
    yield


@contextlib.contextmanager
def load(_: int) -> Iterator[None]:
    """Four processes that compute, and two that write to the disk."""
    if shutil.which("stress-ng") is None:
        raise MissingError("stress-ng is missing: on Debian and Ubuntu, apt install stress-ng")
    command = ["stress-ng", "--quiet", "--cpu", "4", "--io", "2"]
    with subprocess.Popen(command) as stress:
        try:
            yield
        finally:
            stress.terminate()


@contextlib.contextmanager
def stops(pid: int) -> Iterator[None]:
    """Processes that a process started are stopped, one at a time, for up to two seconds."""
    done = threading.Event()

    def stop_some() -> None:
        while not done.wait(random.uniform(0, PAUSE_SECONDS_MAX)):
            started = children_of(pid)
            if not started:
                continue
            chosen = random.choice(started)
            with contextlib.suppress(ProcessLookupError):
                os.kill(chosen, signal.SIGSTOP)
                done.wait(random.uniform(0, STOP_SECONDS_MAX))
                os.kill(chosen, signal.SIGCONT)

    thread = threading.Thread(target=stop_some)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def slow_syncs(folder: Path) -> dict[str, str]:
    """Variables of the environment under which each sync takes 50 ms longer."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise MissingError("a C compiler is missing: on Debian and Ubuntu, apt install gcc")
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / "slow_sync.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, LIBRARY, "-ldl"], check=True)
    return {"LD_PRELOAD": str(made)}


DISTURBANCES: dict[str, Callable[[int], contextlib.AbstractContextManager[None]]] = {
    "none": no_disturbance,
    "load": load,
    "stops": stops,
    "syncs": no_disturbance,
}
