"""The files of a directory of audit logs: their names, their order, and which may be removed.

A file is named for the time of its beginning, its chain and its number in the chain. The file that
a process writes is locked by it, so that others do not remove it; a killed process leaves none
locked.
"""

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hashrange.limits.access import AUDIT_LINE_BYTES_MAX

if sys.platform != "win32":
    import fcntl

_is_name: Final = re.compile(r"audit-([0-9]{13})-([0-9a-f]{16})-([0-9]{6})\.jsonl").fullmatch
MODE: Final = 0o600
DIRECTORY_MODE: Final = 0o700
_NUMBERS: Final = 1_000_000
_LINE_BREAK: Final = b"\n"


class AuditFile(msgspec.Struct, frozen=True, order=True):
    """A file of a chain; ordered by the time of its beginning.

    Attributes:
        began_ms: milliseconds since the epoch.
        chain: the id of its chain.
        number: from 1 on, in its chain.
    """

    began_ms: int
    chain: str
    number: int

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"audit-{self.began_ms:013}-{self.chain}-{self.number % _NUMBERS:06}.jsonl"


def files_in(directory: Path) -> list[AuditFile]:
    """The files of a directory, oldest first. Raises OSError.

    What has the name of a file and is none is left out: whoever opens a FIFO waits for ever.
    """
    found: list[AuditFile] = []
    for path in directory.iterdir():
        match = _is_name(path.name)
        if match is not None and path.is_file():
            began, chain, number = match.groups()
            found.append(AuditFile(int(began), chain, int(number)))
    return sorted(found)


def chains_of(files: Sequence[AuditFile]) -> dict[str, list[AuditFile]]:
    """The files of each chain, in the order of their numbers."""
    chains: dict[str, list[AuditFile]] = {}
    for each in sorted(files, key=lambda file: (file.number, file.began_ms)):
        chains.setdefault(each.chain, []).append(each)
    return chains


def created(path: Path) -> int:
    """Create a file for appending, locked by this process; returns the descriptor.

    Raises OSError.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), MODE)
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return descriptor


def is_being_written(path: Path) -> bool:
    """Whether a process has the file open to write it; False on Windows, which locks by itself."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def surplus(directory: Path, files_max: int) -> list[AuditFile]:
    """The oldest files beyond a number, without those that are being written. Raises OSError."""
    files = files_in(directory)
    beyond = files[: max(len(files) - files_max, 0)]
    return [each for each in beyond if not is_being_written(directory / each.name)]


def last_line(path: Path) -> bytes | None:
    """The last whole line of a file; None if it has none. Raises OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = max(size - 2 * AUDIT_LINE_BYTES_MAX, 0)
        file.seek(start)
        whole, _, _ = file.read().rpartition(_LINE_BREAK)
    return whole.rpartition(_LINE_BREAK)[2] or None


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file, without line breaks; the last one may be cut. Raises OSError.

    A line that is too long for a record is given in pieces.
    """
    with path.open("rb") as file:
        while line := file.readline(AUDIT_LINE_BYTES_MAX):
            yield line


def remove(path: Path) -> None:
    """Remove a file, if it is there and nothing holds it."""
    with contextlib.suppress(OSError):
        path.unlink()
