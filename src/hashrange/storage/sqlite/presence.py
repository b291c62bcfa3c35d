"""Whether the files that an engine has open still stand where it opened them."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Self, TypeAlias

FileId: TypeAlias = tuple[int, int]
"""Device and inode."""

LOOK_SECONDS: Final = 0.5
"""Between two looks while nobody writes."""


class Presence:
    """The identities of files, by path.

    A file that is removed stays usable for those who have it open, so no read or write fails: what
    they write is lost when they end. The files are looked at by path and never opened, for to close
    a file ends the locks that SQLite has on it.

    Args:
        files: the identities that they must have.
    """

    def __init__(self, files: Mapping[str, FileId]) -> None:
        self.files = files

    @classmethod
    def of(cls, *paths: Path) -> Self:
        """Of files as they are now. Raises OSError."""
        return cls({str(path): id_of(path) for path in paths})

    def fault(self) -> str | None:
        """Which file is not there, or is another one; None if all are as they were."""
        for name, expected in self.files.items():
            try:
                found = id_of(name)
            except (FileNotFoundError, NotADirectoryError):
                path = Path(name)
                gone = path if path.parent.is_dir() else path.parent
                return f"{gone} was removed or moved while the server used it"
            except OSError:
                continue  # it is not known: what is open may be all right
            if found != expected:
                return f"{name} was replaced by another file while the server used it"
        return None


def id_of(path: str | Path) -> FileId:
    """Of a file as it is now. Raises OSError."""
    found = os.stat(path)  # noqa: PTH116 - `Path.stat` takes a third more
    return found.st_dev, found.st_ino


class PresenceWatch:
    """Looks from time to time, for a server that nobody writes to.

    Args:
        look: notes what has changed.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self._look()
            await asyncio.sleep(LOOK_SECONDS)
