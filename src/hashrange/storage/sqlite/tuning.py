"""Sizes and bounds of the engine, which tests make small."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw
import msgspec

from hashrange.limits.server import WAITING_WRITES_MAX
from hashrange.storage.sqlite.checkpoint_coordinator import CommitSequence
from hashrange.storage.sqlite.disk_thread import DiskThread, DiskWorker

_KIB: Final = 1024
_MIB: Final = 1024 * 1024


SHARED_VFS: Final = "unix"
"""The VFS for a data file that other processes read too."""


def free_bytes(directory: Path) -> int:
    """Bytes that may still be written on the file system of `directory`."""
    import shutil  # noqa: PLC0415 - slow to import, and asked for on full disks

    return shutil.disk_usage(directory).free


def default_vfs() -> str | None:
    """The SQLite VFS for data files, or None for SQLite's own choice.

    `unix-excl` locks other processes out and keeps the index of the WAL on the heap: a foreign
    writer would invalidate what is kept in memory, and a `-shm` file on a full disk could not even
    be opened.
    """
    return "unix-excl" if sys.platform != "win32" and "unix-excl" in apsw.vfs_names() else None


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes and bounds of one engine. The defaults are for service, tests make them small."""

    vfs: str | None = None
    """Name of a registered SQLite VFS; None for `default_vfs`. Tests put faults there."""

    commits: CommitSequence | None = None
    """For a data file that other processes read, which takes SHARED_VFS: called before and
    after each commit, before anybody hears of it, and of checkpoints, so that they let go."""

    page_bytes: int = 4 * _KIB
    """Of a new data file. Measured with 300-byte values, 16 writes a commit: 4 KiB commits in
    0.23 ms, 8 KiB in 0.33, 16 KiB in 0.40, and reads do not differ."""

    cache_bytes: int = 16 * _MIB
    """Pages kept by each connection; grows with use."""

    mmap_bytes: int = 1 << 40
    """Of the data file, mapped into memory by the connection that writes; the file is smaller. The
    pages are the system's, which takes them back when it needs them. A page that the disk cannot
    read ends the process then, by SIGBUS."""

    group_works_max: int = 256
    """Writes in one commit: about 3 ms of work, so that requests between groups do not wait."""

    group_bytes_max: int = 4 * _MIB
    """Bytes put in one commit; the write that reaches it is the last one. About as long as
    `group_works_max` small writes."""

    sync_apart: bool = True
    """With full durability the WAL is synced after the commit and not within it, so that the loop
    need not wait for the disk; where the system has `fdatasync`, and no other process reads. Until
    then the readers' snapshot is the one before."""

    inline_sync_ns_max: int = 500_000
    """A sync that takes longer, on average, runs beside the loop. Measured: to hand it to a thread
    and to hear from it takes 0.2 ms."""

    lone_sync_ns_max: int = 1_500_000
    """One that takes no longer runs in the loop all the same while one caller writes, each write
    after the answer to the last, and nobody reads: the 0.2 ms are a share of each such write. A
    read that comes meanwhile waits for the sync."""

    aside: Callable[[], DiskWorker] = DiskThread
    """Where that is."""

    queue_works_max: int = WAITING_WRITES_MAX
    """Writes that wait for a group; more are refused."""

    checkpoint_pages: int = 1000
    """Pages of WAL after which they are copied to the data file. Measured: 12 ms for 1000 pages of
    random keys; 4000 would take 37, for up to a fifth less CPU a put."""

    wal_bytes_max: int = 16 * _MIB
    """A WAL file that a large group made larger is cut to this when it starts anew."""

    vacuum_pages_min: int = 2048
    """Free pages that the data file may keep for reuse before it gives pages back."""

    vacuum_pages_step: int = 128
    """Pages given back in one step, about a millisecond."""

    reserve_bytes: int = 8 * _MIB
    """Disk kept for the day on which the disk is full: enough to copy a WAL of `checkpoint_pages`
    and a group to the data file, and for deletes."""

    free_bytes: Callable[[Path], int] = free_bytes
    """Of the file system of a directory."""
