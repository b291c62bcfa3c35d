"""The data directory: made if missing, locked while an engine has it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from hashrange.storage.durable_files import DIRECTORY_MODE, FILE_MODE, sync_directory
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.holder import Holder
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.sqlite.presence import Presence

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# All begin with our name: a directory that holds somebody else's files keeps them.
DATA_FILE: Final = "hashrange.db"
LOCK_FILE: Final = "hashrange.lock"
RESERVE_FILE: Final = "hashrange.reserve"
DAMAGE_FILE: Final = "hashrange.damage"
"""The places at which data were found damaged, for the next server."""
STATES: Final = "hashrange.snapshots"
"""The directory of saved states."""
VECTORS: Final = "hashrange.vectors"
"""The directory of vectors that searches have read; nothing is lost with it."""

_LOCKED_BYTE: Final = 1 << 30
"""Windows locks forbid reading: the lock lies far behind the text that names the holder."""


class InUseError(StorageOpenError):
    """Another process has the data directory."""


class DataDirectory:
    """A directory that this engine alone has, until `release`.

    The lock belongs to the open file, not to the process: a second engine of the same process is
    kept out as well, and a killed process leaves no lock behind. The file stays; to delete it
    would let two engines hold locks on two files of the same name.

    Args:
        path: of the directory.
        descriptor: of the lock, which may be inherited: then others hold the directory as well.
        presence: of the files, if others have opened them before.
        cipher: of the data file; None if it is not encrypted.
        before: how the last process left the directory.

    Attributes:
        presence: of the lock and the data file; None until there is a data file.
    """

    def __init__(
        self,
        path: Path,
        descriptor: int,
        presence: Presence | None = None,
        cipher: PageCipher | None = None,
        *,
        before: Holder | None = None,
    ) -> None:
        self.path = path
        self._before = before or Holder()
        self.cipher = cipher
        self.descriptor = descriptor
        self.presence = presence

    @classmethod
    def take(cls, path: Path) -> Self:
        """Make the directory if it is missing (its parent must exist) and lock it.

        Raises StorageOpenError: in use, not a directory, no such parent, not writable, full.
        """
        try:
            _make(path)
            descriptor = os.open(path / LOCK_FILE, os.O_RDWR | os.O_CREAT, FILE_MODE)
        except OSError as error:
            raise _unopened(path, error) from error
        try:
            lock_file(descriptor)
        except OSError as error:
            raise _in_use(path, descriptor) from error
        try:
            before = Holder.read(descriptor)
            replace(before, pid=str(os.getpid())).write(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise _unopened(path, error) from error
        return cls(path, descriptor, before=before)

    def make_data_file(self) -> Path:
        """The path of the data file, which exists afterwards and, if new, is empty and private.

        It is made here and not by SQLite for its mode, which the WAL takes over. Where others have
        opened the files before, they must be there as they were.

        Raises StorageOpenError: it cannot be made, or one of it and its WAL is gone alone.
        """
        path = self.path / DATA_FILE
        if self.presence is not None:
            fault = self.presence.fault()
            if fault is not None:
                raise StorageOpenError(fault)
            return path
        self._refuse_orphaned_wal(path)
        self.refuse_other_wal()
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
            self.note_files()
        except OSError as error:
            raise StorageOpenError(f"cannot open data file {path}: {error.strerror}") from error
        return path

    def note_files(self) -> None:
        """Keep which files there are, from now on: the data file is made, or another one.

        Raises OSError.
        """
        self.presence = Presence.of(self.path / LOCK_FILE, self.path / DATA_FILE)

    @staticmethod
    def _refuse_orphaned_wal(path: Path) -> None:
        # SQLite deletes a WAL whose database is new, and with it writes that were answered.
        wal = path.with_name(f"{path.name}-wal")
        if not path.exists() and wal.exists() and wal.stat().st_size > 0:
            raise StorageOpenError(
                f"{path} is missing, but {wal.name} beside it holds writes: put the file back, or "
                f"move {wal.name} away to begin with no data"
            )

    def refuse_other_wal(self) -> None:
        """See that the WAL is that of the data file, as the last process left both.

        Raises StorageOpenError: it is missing, or another one.
        """
        self._before.refuse_other_wal(self.path / DATA_FILE, LOCK_FILE)

    def note_serving(self, wal: int | None) -> None:
        """Keep that commits may be in the WAL alone, which exists, and its identity if it is known.

        Raises OSError.
        """
        sync_directory(self.path)  # or a power cut could leave the note, and not the WAL
        self._note(Holder.read(self.descriptor).serving(wal))

    def note_stopped(self) -> None:
        """Keep that the data file has all, before the WAL is removed. Raises OSError."""
        self._note(Holder.read(self.descriptor).stopped())

    def forget_wal(self) -> None:
        """Keep that it is not known which WAL belongs to the data file. Raises OSError."""
        self._note(Holder(pid=str(os.getpid())))

    def _note(self, holder: Holder) -> None:
        try:
            holder.write(self.descriptor)
        except OSError:  # a full disk: nothing is known, and nothing is refused
            os.ftruncate(self.descriptor, 0)
        os.fsync(self.descriptor)

    def data_bytes(self) -> int:
        """Size of the data file; 0 if it is not known."""
        return self._size(DATA_FILE)

    def wal_bytes(self) -> int:
        """Size of the file of the write-ahead log; 0 if it is not known."""
        return self._size(f"{DATA_FILE}-wal")

    def _size(self, name: str) -> int:
        try:
            return (self.path / name).stat().st_size
        except OSError:
            return 0

    def release(self) -> None:
        """Let others have the directory."""
        os.close(self.descriptor)


@contextmanager
def held_to_read(path: Path) -> Iterator[Holder]:
    """Keep servers out of a directory, and change nothing in it.

    The value is how the last process left it.

    Without the file of the lock there is no server: that is the first file that one makes.

    Raises StorageOpenError: in use, or it cannot be read.
    """
    try:
        descriptor = os.open(path / LOCK_FILE, os.O_RDONLY)
    except FileNotFoundError:
        yield Holder()
        return
    except OSError as error:
        raise _unopened(path, error) from error
    try:
        lock_file(descriptor, shared=True)
    except (BlockingIOError, PermissionError) as error:  # the latter on Windows
        raise _in_use(path, descriptor) from error
    except OSError as error:
        os.close(descriptor)
        raise _unopened(path, error) from error
    try:
        yield Holder.read(descriptor)
    finally:
        os.close(descriptor)


def _in_use(path: Path, descriptor: int) -> InUseError:
    """The error for a directory whose lock others have; closes the descriptor."""
    holder = Holder.read(descriptor)
    os.close(descriptor)
    by = f" by process {holder.pid}" if holder.pid else ""
    return InUseError(f"data directory {path} is in use{by}")


def _unopened(path: Path, error: OSError) -> StorageOpenError:
    return StorageOpenError(f"cannot open data directory {path.absolute()}: {error.strerror}")


def _make(path: Path) -> None:
    if path.is_dir():
        return
    if path.exists():
        raise StorageOpenError(f"cannot open data directory {path.absolute()}: it is a file")
    path.mkdir(mode=DIRECTORY_MODE)
    sync_directory(path.parent)


if sys.platform == "win32":

    def lock_file(descriptor: int, *, shared: bool = False) -> None:  # noqa: ARG001 - POSIX has it
        """Lock an open file. Raises OSError: others have locked it."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

else:

    def lock_file(descriptor: int, *, shared: bool = False) -> None:
        """Lock an open file. Raises OSError: others have locked it."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)


def holds_data(directory: Path) -> bool:
    """Whether a directory has a data file of hashrange."""
    return (directory / DATA_FILE).is_file()


def is_in_use(directory: Path) -> bool:
    """Whether a server or a command has a data directory.

    Raises StorageOpenError: that cannot be known, as without file descriptors.
    """
    try:
        with held_to_read(directory):
            return False
    except InUseError:
        return True
