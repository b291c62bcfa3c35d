"""The credentials that requests to the upstream are signed with, and how they are renewed.

Those of a shared credentials file are temporary where a program writes the file again and again:
it is read when it has changed, and when the upstream refuses what was read.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Protocol

from hashrange.access.credentials_file import CredentialsFile, CredentialsFileError
from hashrange.access.signatures.signing import Credentials
from hashrange.limits.dax import UPSTREAM_CREDENTIALS_AGAIN_SECONDS

_AGAIN_NS: Final = int(UPSTREAM_CREDENTIALS_AGAIN_SECONDS * 1_000_000_000)

_log: Final = logging.getLogger(__name__)


class CredentialsSource(Protocol):
    """Where the credentials come from."""

    @property
    def current(self) -> Credentials:
        """Credentials to sign the next request with."""

    async def look(self) -> None:
        """Take others if there are; to be called now and then."""

    async def renewed(self, refused: Credentials) -> bool:
        """Whether `current` differs from credentials that the upstream has refused."""


class FixedCredentials:
    """Credentials of this process's environment, which nobody can change from outside."""

    def __init__(self, current: Credentials) -> None:
        self.current = current

    async def look(self) -> None:
        """There are no others."""

    async def renewed(self, _refused: Credentials) -> bool:
        """There are no others."""
        return False


class FileCredentials:
    """Credentials of a file, read again; while it cannot be used those read before stay.

    Args:
        file: the file.
        region: to sign for.
        monotonic_ns: the clock.

    Attributes:
        current: what was read last.

    Raises:
        CredentialsFileError: it has none now.
    """

    def __init__(self, file: CredentialsFile, region: str, monotonic_ns: Callable[[], int]) -> None:
        self._file = file
        self._region = region
        self._monotonic_ns = monotonic_ns
        # The state of before the reading: what is written in between is read the next time.
        self._state: tuple[int, ...] | None = file.state()
        self.current = file.read(region)
        self._again_ns = monotonic_ns()
        self._reported = ""
        self._reading = asyncio.Lock()

    async def look(self) -> None:
        """Read the file if it has changed."""
        async with self._reading:
            await self._take(is_refused=False)

    async def renewed(self, refused: Credentials) -> bool:
        """As `CredentialsSource.renewed`; reads the file once in some seconds at most."""
        async with self._reading:
            if self.current == refused and self._monotonic_ns() >= self._again_ns:
                self._again_ns = self._monotonic_ns() + _AGAIN_NS
                await self._take(is_refused=True)
            return self.current != refused

    async def _take(self, *, is_refused: bool) -> None:
        """Read beside the loop, since the file may be on a disk that hangs."""
        try:
            state = await asyncio.to_thread(self._file.state)
            if state == self._state and not is_refused:
                return
            self._state = state
            found = await asyncio.to_thread(self._file.read, self._region)
        except CredentialsFileError as error:
            if str(error) != self._reported:
                self._reported = str(error)
                _log.warning("%s; those read before are used", error)
            return
        self._reported = ""
        if found != self.current:
            self.current = found
            _log.info("requests are signed with the access key %s from now on", found.access_key)
