"""How fast this machine is, for tests that have to know: time limits, and the cost of work.

A time limit only guards against hanging. `seconds` scales it by the pace, which is measured once,
when the run begins; worker processes inherit it from the environment. Set `TESTS_PACE=5` to give
every limit five times as long.

The cost of work is compared with a loop of known work in the same process, so that it means the
same on any machine.
"""

import asyncio
import contextlib
import inspect
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest

T = TypeVar("T")

PACE_MAX = 10.0
"""A hung test has to end in the same hour, too."""
QUIET_SECONDS = 0.15
"""The trial, on a machine of 2026 that does nothing else."""
LOOP_ROUNDS = 200_000
CHEAP_CPU_SECONDS = 0.1
"""Less than this is never compared with the loop, which costs 0.03."""


def _loop() -> None:
    """Calls, small objects, and some megabytes of memory: what the tests' own work consists of."""
    made: list[dict[str, str]] = []
    for number in range(LOOP_ROUNDS):
        made.append({"N": str(number)})
        if len(made) == 20_000:
            made = []


def _trial() -> float:
    """Seconds for the loop, writes to the disk, and new processes."""
    began = time.monotonic()
    for _ in range(3):
        _loop()
        subprocess.run([sys.executable, "-S", "-c", ""], check=True)
    with tempfile.TemporaryFile() as file:
        for _ in range(20):
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
    return time.monotonic() - began


def measured() -> float:
    """The slower of two trials: the machine stalls now and then, and a limit must outlast that."""
    return min(PACE_MAX, max(1.0, max(_trial(), _trial()) / QUIET_SECONDS))


if "TESTS_PACE" not in os.environ:
    os.environ["TESTS_PACE"] = f"{measured():.2f}"

PACE = float(os.environ["TESTS_PACE"])
"""How many times slower than a quiet machine this one is; at least 1 where it was measured."""


def seconds(quiet: float) -> float:
    """A time limit, from that of a quiet machine."""
    return quiet * PACE


SECONDS_MAX = seconds(60)
"""For what must come; a failure waits so long."""


def until(look: Callable[[], T | None], *, seconds_max: float = SECONDS_MAX) -> T:
    """What `look` gives, once it gives something."""
    end = time.monotonic() + seconds_max
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    pytest.fail("it never came")


async def turns(count: int = 1) -> None:
    """The loop does what is ready, and what this makes ready, so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def loop_until(look: Callable[[], T | Awaitable[T] | None]) -> T:
    """What `look` gives, once it gives something; the loop goes on meanwhile."""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        found = look()
        if inspect.isawaitable(found):
            found = await found
        if found:
            return found
        await turns()
    pytest.fail("it never came")


def loop_cpu_seconds() -> float:
    """CPU time of the loop, here and now."""
    began = time.process_time()
    _loop()
    return time.process_time() - began


@contextlib.contextmanager
def costs_at_most(loops: float) -> Iterator[None]:
    """The block takes no more CPU time than so many loops; one takes about 0.03 s."""
    began = time.process_time()
    yield
    used = time.process_time() - began
    if used > CHEAP_CPU_SECONDS:
        # Twice: a stall in the loop would allow more, one in the block would fail it.
        loop = max(loop_cpu_seconds(), loop_cpu_seconds())
        assert used <= loops * loop, f"{used / loop:.0f} loops, of {loops:.0f} at most"
