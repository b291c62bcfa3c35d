"""Making sure that what a WAL file shows is what a WAL file holds."""

from pathlib import Path
from typing import Final

import apsw

_CHUNK_BYTES: Final = 64 * 1024
"""SQLite's own files take less than 128 KiB at a time."""


def renew(data_file: Path, *, vfs: str | None) -> bool:
    """Write all bytes of the WAL over themselves and sync them; False if there are none.

    After a failed sync the operating system may show frames that are not on disk and that no later
    sync will put there, as their pages count as clean. To copy such frames to the data file is not
    safe: a power cut halfway leaves pages in it whose companions nobody has. Written again, they
    are as good as any, and a cut meanwhile leaves a WAL with a shorter valid part.

    The file must be locked against other processes, and must be opened anew afterwards. Raises
    apsw.Error.
    """
    path = data_file.with_name(data_file.name + "-wal")
    if not path.exists() or not path.stat().st_size:
        return False
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_WAL
    file = apsw.VFSFile(vfs or "", str(path), [flags, 0])
    try:
        size = file.xFileSize()
        for offset in range(0, size, _CHUNK_BYTES):
            chunk = file.xRead(min(_CHUNK_BYTES, size - offset), offset)
            file.xWrite(chunk, offset)
        file.xSync(apsw.SQLITE_SYNC_FULL)
    finally:
        file.xClose()
    return True
