"""The text in the file of the lock: who has a data directory, and which log belongs to its data.

A log with other writes than those of the data file beside it would be copied into that file. SQLite
cannot notice that: a log has no name of its file. But the writes of one connection have one
identity, `wal_id`, in the header of each log. A server writes it here before it serves. It notes
first that it is not known, and then begins such a log: a kill in between refuses nothing later.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.wal import wal_id, wal_of

_BYTES_MAX: Final = 64
_SERVING: Final = "serving"
"""The write-ahead log may have commits that the data file has not. SQLite removes the log when it
is closed, so a missing one was taken away."""
_STOPPED: Final = "stopped"
"""The data file has all."""
_ID_DIGITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that has a directory, or had it last.

    Attributes:
        pid: its number; empty if it is not known.
        state: `serving`, `stopped`; empty if it is not known.
        wal: the identity of the log that belongs to the data file; None if it is not known.
    """

    pid: str = ""
    state: str = ""
    wal: int | None = None

    @classmethod
    def read(cls, descriptor: int) -> Self:
        """From the file of the lock. What was not written as a whole is not known. Raises OSError.

        Older builds write no identity, and never `stopped`.
        """
        os.lseek(descriptor, 0, os.SEEK_SET)
        words = os.read(descriptor, _BYTES_MAX).decode(errors="replace").split()
        pid = words[0] if words and words[0].isdecimal() else ""
        state = words[-1] if words[1:] and words[-1] in {_SERVING, _STOPPED} else ""
        return cls(pid=pid, state=state, wal=_parsed(words[1:-1]))

    def write(self, descriptor: int) -> None:
        """Put it in the file of the lock. Raises OSError."""
        # Between the process and the last word, where older builds do not look.
        wal = "" if self.wal is None else f"{self.wal:0{_ID_DIGITS}x}"
        text = " ".join(filter(None, (self.pid, wal, self.state))).encode()
        # In this order, since a file that is cut off first may find no room on a full disk.
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.ftruncate(descriptor, os.write(descriptor, text))

    def serving(self, wal: int | None) -> Self:
        """The same process, while commits may be in the log alone."""
        return type(self)(pid=self.pid, state=_SERVING, wal=wal)

    def stopped(self) -> Self:
        """The same process, when the data file has all.

        The log is kept in mind: after a power cut it may be there as it was.
        """
        return type(self)(pid=self.pid, state=_STOPPED, wal=self.wal)

    def refuse_other_wal(self, data_file: Path, lock: str) -> None:
        """See that the log beside a data file is the one that belongs to it.

        Raises StorageOpenError: it is missing, or it is another one.
        """
        wal = wal_of(data_file)
        if self.state == _SERVING and not any(wal.parent.glob(f"{wal.name}*")):
            # `FileGuard` sets it aside if the data file is replaced by that of somebody else.
            raise StorageOpenError(
                f"{wal} is missing, and the server before was not stopped: the last commits may be "
                f"in that file alone. Put it back; or restore a backup; or delete {lock} beside it "
                "to go on without those commits"
            )
        if self.wal is not None and wal_id(data_file) not in {None, self.wal}:
            raise StorageOpenError(
                f"{wal} does not belong to the data file beside it: the server before had another "
                "log. Move it away, and put back the right one if there is one; or restore a "
                f"backup; or delete {lock} beside it to take its writes all the same"
            )


def _parsed(words: list[str]) -> int | None:
    """An identity that was written as a whole; None for anything else."""
    if len(words) != 1 or len(words[0]) != _ID_DIGITS:
        return None
    try:
        return int(words[0], 16)
    except ValueError:
        return None
