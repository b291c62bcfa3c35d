"""A SQLite VFS whose calls fail when, and as, a test says; and a disk of limited size."""

from collections.abc import Callable
from pathlib import Path

import apsw

Fault = Callable[[str, str], int | None]
"""From the name of the call and that of the file to SQLite's code of the failure, or None."""


def no_fault(_call: str, _file: str) -> int | None:
    """Nothing fails."""
    return None


class FaultyVfs(apsw.VFS):
    """The VFS. Until `fault` or `quota_bytes` is set it does what the real one does."""

    BASE = "unix-excl"

    def __init__(self, name: str) -> None:
        super().__init__(name, self.BASE)
        self.name = name
        self.fault: Fault = no_fault
        self.quota_bytes: int | None = None
        """That all files of a directory may take up together."""
        self.calls: list[tuple[str, str]] = []
        """Made so far: the name of the call and that of the file."""

    def call(self, call: str, file: str) -> None:
        self.calls.append((call, file))
        code = self.fault(call, file)
        if code is not None:
            raise apsw.exception_for(code)

    def free_bytes(self, directory: Path) -> int:
        """As `Tuning.free_bytes`."""
        used = sum(path.stat().st_size for path in directory.iterdir())
        return 1 << 40 if self.quota_bytes is None else max(0, self.quota_bytes - used)

    def xOpen(self, name, flags):  # noqa: N802 - SQLite's name
        return FaultyFile(self, name, flags)


class FaultyFile(apsw.VFSFile):
    """A file of the VFS."""

    def __init__(self, vfs: FaultyVfs, name, flags) -> None:
        self._path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        self._vfs = vfs
        vfs.call("open", self._path.name)
        super().__init__(vfs.BASE, name, flags)

    def xRead(self, amount, offset):  # noqa: N802
        self._vfs.call("read", self._path.name)
        return super().xRead(amount, offset)

    def xWrite(self, content, offset):  # noqa: N802
        self._vfs.call("write", self._path.name)
        growth = offset + len(content) - self._path.stat().st_size
        if growth > 0 and growth > self._vfs.free_bytes(self._path.parent):
            raise apsw.FullError
        super().xWrite(content, offset)

    def xSync(self, flags):  # noqa: N802
        self._vfs.call("sync", self._path.name)
        super().xSync(flags)
