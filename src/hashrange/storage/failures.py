"""Failures of work that a background task does again and again, in the log."""

import contextlib
import logging
from collections.abc import Iterator

from hashrange.storage.engine import StorageUnavailableError


class Failures:
    """Logs one line when work begins to fail, and one when it is done again.

    An engine that is not available has logged so itself: such failures have no line here.

    Args:
        log: of the task.
        work: what fails, for the text.
    """

    def __init__(self, log: logging.Logger, work: str) -> None:
        self._log = log
        self._work = work
        self._count = 0

    @contextlib.contextmanager
    def suppressed(self, *kinds: type[Exception]) -> Iterator[None]:
        """Do the work once; errors of these kinds end it."""
        try:
            yield
        except kinds as error:
            self.failed(error)
        else:
            self.done()

    def failed(self, error: Exception) -> None:
        """Note that the work has failed."""
        self._log.debug("%s failed", self._work, exc_info=error)
        if any(isinstance(e, StorageUnavailableError) for e in (error, error.__cause__)):
            return
        self._count += 1
        if self._count == 1:
            reason = str(error) or type(error).__name__
            self._log.warning("%s failed: %s", self._work, reason)

    def done(self) -> None:
        """Note that the work was done."""
        if self._count:
            self._log.warning("%s succeeds again, after %d failures", self._work, self._count)
            self._count = 0
