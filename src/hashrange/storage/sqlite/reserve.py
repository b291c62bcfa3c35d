"""Disk space set aside for the day on which the disk is full."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

_MODE: Final = 0o600
_BLOCK: Final = bytes(64 * 1024)
_MIB: Final = 1024 * 1024

_log: Final = logging.getLogger(__name__)


class Reserve:
    """A file that does nothing but take up space, until `release`.

    It logs once that the disk is full, and once that it has space again.

    Args:
        path: of the file.
        size_bytes: what it takes up; 0 for no reserve, which is always held.
        free_bytes: of the file system of a directory.
    """

    def __init__(self, path: Path, *, size_bytes: int, free_bytes: Callable[[Path], int]) -> None:
        self._path = path
        self._size_bytes = size_bytes
        self._free_bytes = free_bytes
        self.held = size_bytes == 0 or _size(path) == size_bytes
        self._logged_full = False

    def take(self) -> bool:
        """Whether the space is set aside, trying to if it is not.

        It asks for as much again to be free: a disk that has just room for the reserve is full.
        """
        if not self.held:
            try:
                if self._free_bytes(self._path.parent) >= 2 * self._size_bytes:
                    _fill(self._path, self._size_bytes)
                    self.held = True
            except OSError:
                self.release()
            self._log_state()
        return self.held

    def release(self) -> None:
        """Give the space back to the file system."""
        if self._size_bytes:
            self.held = False
            self._log_state()
            self._path.unlink(missing_ok=True)

    def _log_state(self) -> None:
        if self._logged_full == self.held:
            self._logged_full = not self.held
            if self.held:
                _log.warning("the disk has free space again")
            else:
                _log.warning(
                    "the disk of %s is full: until %d MiB are free, writes that need more space "
                    "are answered InternalServerError; reads and deletes go on",
                    self._path.parent,
                    2 * self._size_bytes // _MIB,
                )


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.exists() else None


def _fill(path: Path, size_bytes: int) -> None:
    """Under another name first: a reserve found later under its own name is whole."""
    unfinished = path.with_name(path.name + ".new")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
        try:
            _allocate(descriptor, size_bytes)
        finally:
            os.close(descriptor)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    unfinished.replace(path)


def _allocate(descriptor: int, size_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size_bytes)
        return
    for start in range(0, size_bytes, len(_BLOCK)):
        os.write(descriptor, _BLOCK[: size_bytes - start])
