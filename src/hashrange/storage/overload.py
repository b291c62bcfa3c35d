"""What happens to a write when too many wait already."""

import logging
from collections.abc import Callable
from typing import Final, NoReturn

from hashrange.observe.log_limiter import LogLimiter
from hashrange.storage.engine import StorageBusyError

_log: Final = logging.getLogger(__name__)


class Refusals:
    """Refuses writes, counts them, and logs them once a second.

    Args:
        monotonic_ns: the clock.

    Attributes:
        total: writes refused.
    """

    def __init__(self, monotonic_ns: Callable[[], int]) -> None:
        self.total = 0
        self._seldom = LogLimiter(monotonic_ns)

    def refuse(self, waiting: int) -> NoReturn:
        """Refuse one write, as so many wait. Raises StorageBusyError."""
        self.total += 1
        if count := self._seldom.happened():
            _log.warning("overload: %d writes refused, %d writes queued", count, waiting)
        raise StorageBusyError("too many writes are queued")
