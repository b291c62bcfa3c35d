"""A SQLite VFS on real files whose power can be cut, and which fails when it is told to.

The real files always hold what the operating system would show; the `Disk` beside them knows what
would survive. Locks and the index of the WAL are those of `unix-excl`, on the heap.
"""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import apsw

from tests.power.disk import Disk, Truncate, Write

CREATE = apsw.SQLITE_OPEN_CREATE
JOURNALS = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to go wrong.

    Args:
        calls_until_cut: calls that change the disk; the one after them meets the cut.
        fault_odds: of each such call, to fail and the power to stay.
    """

    calls_until_cut: int
    fault_odds: float = 0.0


class PowerVfs(apsw.VFS):
    """The VFS. Register it once, `plug_in` a disk for each life."""

    BASE = "unix-excl"

    def __init__(self, name: str) -> None:
        super().__init__(name, self.BASE)
        self.name = name
        self.disk = Disk({})
        self.rng = Random(0)
        self.plan = Plan(calls_until_cut=0)
        self.calls = 0

    def plug_in(self, disk: Disk, rng: Random, plan: Plan) -> None:
        """Begin a life."""
        self.disk, self.rng, self.plan, self.calls = disk, rng, plan, 0

    @property
    def is_off(self) -> bool:
        """Whether the power is cut."""
        return self.calls > self.plan.calls_until_cut

    def pull(self) -> None:
        """Cut the power now."""
        self.calls = self.plan.calls_until_cut + 1

    def call(self, fault: int) -> None:
        """Count a call that changes the disk; raises if the power is, or goes, off, or by chance.

        Args:
            fault: SQLite's code for such a call that failed.
        """
        self.calls += 1
        if self.is_off:
            raise apsw.exception_for(fault)
        if self.plan.fault_odds and self.rng.random() < self.plan.fault_odds:
            raise apsw.exception_for(fault)

    def xOpen(self, name, flags):  # noqa: N802 - SQLite's name
        if self.is_off:
            raise apsw.CantOpenError
        return PowerFile(self, name, flags)

    def xDelete(self, filename, syncdir):  # noqa: N802
        self.call(apsw.SQLITE_IOERR_DELETE)
        super().xDelete(filename, syncdir)
        self.disk.delete(Path(filename).name)
        if syncdir:
            self.disk.sync_names()


class PowerFile(apsw.VFSFile):
    """A file of the VFS."""

    def __init__(self, vfs: PowerVfs, name, flags) -> None:
        super().__init__(vfs.BASE, name, flags)
        self._vfs = vfs
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._file = vfs.disk.open(Path(path).name)
        # As SQLite does on Unix: the first sync of a journal that it may have made is one of the
        # directory as well.
        self._names_too = bool(flags[0] & CREATE and flags[0] & JOURNALS)

    def xWrite(self, content, offset):  # noqa: N802
        full = self._vfs.rng.random() < 0.5 if self._vfs.plan.fault_odds else False
        change = Write(offset=offset, content=bytes(content))
        try:
            self._vfs.call(apsw.SQLITE_FULL if full else apsw.SQLITE_IOERR_WRITE)
        except apsw.Error:
            if self._vfs.is_off or self._vfs.rng.random() < 0.5:
                self._file.pending.append(change)  # it failed, and yet it may arrive
                super().xWrite(content, offset)
            raise
        self._file.pending.append(change)
        super().xWrite(content, offset)

    def xTruncate(self, size):  # noqa: N802
        self._vfs.call(apsw.SQLITE_IOERR_TRUNCATE)
        self._file.pending.append(Truncate(size=size))
        super().xTruncate(size)

    def xSync(self, flags):  # noqa: N802
        try:
            self._vfs.call(apsw.SQLITE_IOERR_FSYNC)
        except apsw.Error:
            if not self._vfs.is_off:
                self._lose()
            raise
        self._file.sync()
        if self._names_too:
            self._vfs.disk.sync_names()
            self._names_too = False

    def _lose(self) -> None:
        """A failed sync: what was on its way counts as written, and no later sync brings it back.

        The operating system shows it for as long as it keeps the pages, which may be not at all.
        """
        self._file.lose(self._vfs.rng)
        if self._vfs.rng.random() < 0.5:
            super().xWrite(bytes(self._file.durable), 0)
            super().xTruncate(len(self._file.durable))
