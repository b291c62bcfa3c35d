"""The credentials that requests to the upstream are signed with, and how they are renewed.

Those of a shared credentials file are temporary where a program writes the file again and again:
it is read when it has changed, and when the upstream refuses what was read.
"""

import asyncio
import configparser
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import msgspec

from hashrange.access.signatures.signing import Credentials
from hashrange.limits.dax import (
    UPSTREAM_CREDENTIALS_AGAIN_SECONDS,
    UPSTREAM_CREDENTIALS_BYTES_MAX,
)

_AGAIN_NS: Final = int(UPSTREAM_CREDENTIALS_AGAIN_SECONDS * 1_000_000_000)

_log: Final = logging.getLogger(__name__)


class CredentialsFileError(Exception):
    """The file has no credentials that can be used. The text names it and no secret."""


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


class CredentialsFile(msgspec.Struct, frozen=True):
    """A profile of a file in the form of AWS's tools."""

    path: Path
    profile: str

    def state(self) -> tuple[int, ...]:
        """Differs when the file was written or replaced. Raises CredentialsFileError."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise self._unusable(error.strerror or type(error).__name__) from error
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self, region: str) -> Credentials:
        """The credentials. Raises CredentialsFileError."""
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(self._text())
            section = parser[self.profile]
        except KeyError as error:
            raise self._unusable("it has no such profile") from error
        except configparser.Error as error:
            # The error's own text has lines of the file.
            raise self._unusable(f"it is damaged: {type(error).__name__}") from error
        keys = [section.get(f"aws_{each}", "") for each in ("access_key_id", "secret_access_key")]
        token = section.get("aws_session_token") or None
        if not all(keys):
            raise self._unusable("the profile has no keys")
        if not all(map(_is_plain, [*keys, token or "x"])):
            raise self._unusable("a key has characters that no key has")
        access_key, secret_key = keys
        return Credentials(
            access_key=access_key, secret_key=secret_key, session_token=token, region=region
        )

    def _text(self) -> str:
        try:
            with self.path.open("rb") as file:
                content = file.read(UPSTREAM_CREDENTIALS_BYTES_MAX + 1)
            text = content.decode()
        except OSError as error:
            raise self._unusable(error.strerror or type(error).__name__) from error
        except UnicodeDecodeError as error:
            raise self._unusable("it is not UTF-8") from error
        if len(content) > UPSTREAM_CREDENTIALS_BYTES_MAX:
            raise self._unusable(f"it has more than {UPSTREAM_CREDENTIALS_BYTES_MAX} bytes")
        return text

    def _unusable(self, reason: str) -> CredentialsFileError:
        return CredentialsFileError(
            f"no credentials of the profile {self.profile} in {self.path}: {reason}"
        )


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


def _is_plain(text: str) -> bool:
    """Whether it can be sent in a header as it is."""
    return text.isascii() and text.isprintable() and " " not in text
