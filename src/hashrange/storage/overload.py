"""Refuses writes when the queue of an engine is full."""

import logging
from collections.abc import Callable
from typing import Final, NoReturn

from hashrange.observe.log_limiter import LogLimiter
from hashrange.storage.engine import StorageBusyError

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
