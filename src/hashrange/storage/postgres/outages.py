"""Outages of the database: one line in the log when one begins, and one when it ends."""

import logging
from collections.abc import Callable

from hashrange.storage.postgres.hosts import Hosts, why

_log = logging.getLogger(__name__)


class Outages:
    """Whether the database answers, and for how long it has not.

    Args:
        hosts: of the database.
        now: seconds of a monotonic clock.

    Attributes:
        is_down: the last statement failed, since the database did not answer.
        recoveries: how often it answered again.
    """

    def __init__(self, hosts: Hosts, now: Callable[[], float]) -> None:
        self.is_down = False
        self.recoveries = 0
        self._hosts = hosts
        self._now = now
        self._began = self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """The time of all outages."""
        return self._seconds + (self._now() - self._began if self.is_down else 0.0)

    def begin(self, error: BaseException) -> None:
        """Note that the database does not answer."""
        if not self.is_down:
            self.is_down = True
            self._began = self._now()
            _log.error("%s does not answer: %s", self._hosts.address.shown, why(error))

    def end(self) -> None:
        """Note that it has answered."""
        if self.is_down:
            self._seconds, self.is_down = self.seconds, False
            self.recoveries += 1
            text = "%s answers again, after %.1f seconds in all outages; the host is %s"
            _log.warning(text, self._hosts.address.shown, self._seconds, self._hosts.used)
