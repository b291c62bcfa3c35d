"""A write in the queue of an engine, from its call to its answer, and why it may be refused."""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NoReturn, Protocol, TypeAlias

import msgspec

from hashrange.clock import Clock
from hashrange.observe.logs import LogLimiter
from hashrange.storage.engine import Changes, Fences, StorageBusyError


class Waiter(Protocol):
    """Is notified that the outcome of a write is final; for example, a future of the event loop."""

    def done(self) -> bool:
        """Whether it was notified, or is cancelled."""

    def set_result(self, answered: int | None, /) -> None:
        """The outcome is final; with the number of writes that are answered now, if it is known."""


class PendingWrite(msgspec.Struct, eq=False):
    """One write in a queue; mutable, since its outcome is filled in."""

    keys: Sequence[bytes]
    decide: Callable[[list[bytes | None]], Changes[Any]]
    fences: Fences
    waiter: Waiter
    """Resolved when the outcome is final, with `answer` or `error` set before."""
    answer: Any = None
    error: Exception | None = None

    def taken_error(self) -> Exception:
        """The error, which this forgets: its traceback refers to this.

        A cycle would stay in memory until the next garbage collection, which is rare.
        """
        error, self.error = self.error, None
        assert error is not None, "the write has failed"
        return error


Appended: TypeAlias = Callable[[Collection[bytes]], None]
"""Called with the logs, if any, to which writes of this process have appended records that can be
read now.

It is called in the event loop. An engine need not call it, and other processes may have appended
records, too.
"""


def ignore_appended(_logs: Collection[bytes]) -> None:
    """Nobody wants to know."""


TRIES_MAX: Final = 64
"""Attempts of one write. With two servers on one key, every third comparison failed, so this many
failures in a row mean a fault or overload."""
BACK_OFF_SECONDS_MAX: Final = 0.01
"""The longest delay before a retry; reached after ten attempts."""
_GROWING_TRIES: Final = 10
_RANDOM_BYTES: Final = 4


async def back_off(clock: Clock, tries: int) -> None:
    """Sleep for a random time, so that writes in conflict are not retried at the same moment.

    Args:
        clock: for randomness.
        tries: the number of failed attempts.
    """
    share = int.from_bytes(clock.random_bytes(_RANDOM_BYTES)) / 2 ** (8 * _RANDOM_BYTES)
    growth = min(tries, _GROWING_TRIES) / _GROWING_TRIES
    await asyncio.sleep(share * growth * BACK_OFF_SECONDS_MAX)


_log: Final = logging.getLogger(__name__)


class Refusals:
    """Refuses writes, counts them, and logs them once a second.

    Args:
        monotonic_ns: the clock of the log limit.

    Attributes:
        total: the number of writes refused so far.
    """

    def __init__(self, monotonic_ns: Callable[[], int]) -> None:
        self.total = 0
        self._log_limiter = LogLimiter(monotonic_ns)

    def refuse(self, waiting: int) -> NoReturn:
        """Refuse one write, with `waiting` writes in the queue. Raises StorageBusyError."""
        self.total += 1
        if count := self._log_limiter.happened():
            _log.warning("overload: %d writes refused, %d writes queued", count, waiting)
        raise StorageBusyError("too many writes are queued")
