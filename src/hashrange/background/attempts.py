"""Counts the attempts of work that fills the disk, so that it ends and the server goes on."""

import logging
from collections import Counter
from collections.abc import Awaitable
from typing import Final

from hashrange.storage.engine import ContendedError, StorageBusyError, StorageError

ATTEMPTS_MAX: Final = 3

_log: Final = logging.getLogger(__name__)


class Attempts:
    """The attempts that failed, by the name of the work; of this process only."""

    def __init__(self) -> None:
        self._failed: Counter[str] = Counter()

    async def done(self, name: str, work: Awaitable[None]) -> bool:
        """Do work; False if that has failed too often.

        Raises StorageError: it is to be tried again. A busy storage is no failure.
        """
        try:
            await work
        except (StorageBusyError, ContendedError):
            raise
        except StorageError:
            self._failed[name] += 1
            if self._failed[name] < ATTEMPTS_MAX:
                raise
            _log.exception("%s is given up, after %d attempts", name, ATTEMPTS_MAX)
            del self._failed[name]
            return False
        self._failed.pop(name, None)
        return True
