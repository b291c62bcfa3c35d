"""States of a database, kept under names: copies of its pages, to which it is put back at once.

Pages are copied, not rows: 10 MB take some 12 ms of CPU in memory and 33 on a disk. A state of a
data directory is a file beside the data file, encrypted as that is; it gets its name when it is
whole and on the disk. A load is one commit of the WAL, so that a kill leaves the data as they were
or as they are to be, and other processes that read see one or the other.
"""

from abc import abstractmethod
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import apsw

from hashrange.limits.backups import SAVED_STATE_BYTES_MAX, SAVED_STATES_MAX
from hashrange.storage.durable_files import sync_directory
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.saved_states import Check, SavedState, SavedStates, StateError, is_name
from hashrange.storage.sqlite.directory import STATES
from hashrange.storage.sqlite.page_cipher import connect, copy_to
from hashrange.storage.sqlite.read_only import ReadOnlyEngine
from hashrange.storage.sqlite.recovery import reason_of
from hashrange.storage.sqlite.schema import recognise
from hashrange.storage.sqlite.standstill import Standstill

_SUFFIX: Final = ".db"
_UNFINISHED: Final = ".new"
_MIB: Final = 1024 * 1024


class States:
    """The steps that states in memory and in files share.

    Args:
        standstill: of the engine.
    """

    def __init__(self, standstill: Standstill) -> None:
        self._standstill = standstill

    def save(self, name: str) -> None:
        """Keep the data as they are now under a name. Raises StateError, StorageError."""
        if not is_name(name):
            raise StateError(
                f"{name!r} cannot name a snapshot: a name has 1 to 64 letters, digits and _.-, and "
                "begins with a letter or a digit"
            )
        names = {state.name for state in self.all()}
        if name not in names and len(names) >= SAVED_STATES_MAX:
            raise StateError(f"there are {SAVED_STATES_MAX} snapshots: delete one")
        connection = self._standstill.source()
        size = connection.pragma("page_count") * connection.pragma("page_size")
        if size > SAVED_STATE_BYTES_MAX:
            raise StateError(
                f"the data have {size // _MIB} MiB, a snapshot at most "
                f"{SAVED_STATE_BYTES_MAX // _MIB}: use hashrange backup"
            )
        try:
            self._keep(name, connection)
        except (apsw.Error, OSError) as error:
            raise StateError(f"snapshot {name} cannot be saved: {reason_of(error)}") from error

    async def load(self, name: str, check: Check) -> None:
        """Put the data back to a state. Raises StateError, StorageError, errors of `check`."""
        try:
            with closing(self._opened(name)) as source:
                recognise(source, Path(name))
                await check(ReadOnlyEngine(source))
                self._standstill.replace(source)
        except (apsw.Error, OSError, StorageOpenError) as error:
            reason = str(error) if isinstance(error, StorageOpenError) else reason_of(error)
            raise StateError(f"snapshot {name} cannot be loaded: {reason}") from error

    @abstractmethod
    def all(self) -> list[SavedState]:
        """The states in the order of their names."""

    @abstractmethod
    def _keep(self, name: str, connection: apsw.Connection) -> None:
        """Copy the database. Raises apsw.Error, OSError."""

    @abstractmethod
    def _opened(self, name: str) -> apsw.Connection:
        """A connection to a state, which is closed after use. Raises StateError, apsw.Error."""


def _missing(name: str) -> StateError:
    return StateError(f"there is no snapshot {name}")


class StatesInMemory(States):
    """The states of a database in memory, which end with it."""

    def __init__(self, standstill: Standstill) -> None:
        super().__init__(standstill)
        self._kept: dict[str, bytes] = {}

    def all(self) -> list[SavedState]:
        """The states in the order of their names."""
        return [SavedState(name, len(pages)) for name, pages in sorted(self._kept.items())]

    def delete(self, name: str) -> None:
        """Forget a state. Raises StateError."""
        if self._kept.pop(name, None) is None:
            raise _missing(name)

    def _keep(self, name: str, connection: apsw.Connection) -> None:
        self._kept[name] = connection.serialize("main")

    def _opened(self, name: str) -> apsw.Connection:
        pages = self._kept.get(name)
        if pages is None:
            raise _missing(name)
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", pages)
        return connection


class StatesInFiles(States):
    """The states of a data file."""

    def __init__(self, standstill: Standstill) -> None:
        super().__init__(standstill)
        assert standstill.directory is not None, "a data file"
        self._directory = standstill.directory.path / STATES
        self._cipher = standstill.directory.cipher

    def all(self) -> list[SavedState]:
        """The states in the order of their names. Raises StateError."""
        try:
            paths = [path for path in self._directory.glob(f"*{_SUFFIX}") if is_name(path.stem)]
            found = [SavedState(path.stem, path.stat().st_size) for path in paths]
        except OSError as error:
            raise StateError(f"{self._directory}: {reason_of(error)}") from error
        return sorted(found, key=lambda state: state.name)

    def delete(self, name: str) -> None:
        """Forget a state. Raises StateError."""
        try:
            self._path(name).unlink()
        except FileNotFoundError as error:
            raise _missing(name) from error
        except OSError as error:
            raise StateError(f"snapshot {name} cannot be deleted: {reason_of(error)}") from error

    def _path(self, name: str) -> Path:
        if not is_name(name):
            raise _missing(name)
        return self._directory / f"{name}{_SUFFIX}"

    def _keep(self, name: str, connection: apsw.Connection) -> None:
        path = self._path(name)
        self._directory.mkdir(mode=0o700, exist_ok=True)
        unfinished = path.with_name(path.name + _UNFINISHED)
        try:
            copy_to(unfinished, connection, self._cipher)
            unfinished.replace(path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise
        sync_directory(self._directory)

    def _opened(self, name: str) -> apsw.Connection:
        path = self._path(name)
        if not path.is_file():
            raise _missing(name)
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        # Its header says WAL, as that of the data file does; there is none.
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return connect(uri, flags=flags, vfs=None, cipher=self._cipher)


def states_of(standstill: Standstill) -> SavedStates:
    """The states of an engine."""
    return (StatesInMemory if standstill.directory is None else StatesInFiles)(standstill)
