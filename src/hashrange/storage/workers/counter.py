"""The commit sequence, a counter in memory that all processes of a server share."""

import mmap
import os
from typing import Final

_BYTES: Final = 8


class CommitCounter:
    """A number that is odd while a commit may become visible, and even otherwise.

    It only grows. A commit becomes visible to other processes at some moment between `begin` and
    `end`. So a reader that finds the same even number twice has missed no commit in between; a
    reader that finds an odd number cannot know. This is the counter of a seqlock (ADR 11). Reading
    it costs less than a tenth of a microsecond, beginning a transaction nearly three.

    A writer that is killed between `begin` and `end` leaves an odd number, from which the next
    writer continues. Only one process writes at a time.

    Args:
        descriptor: the shared memory, from `create_shared_memory`; it may be closed afterwards.
    """

    def __init__(self, descriptor: int) -> None:
        self._map = mmap.mmap(descriptor, _BYTES)
        # Aligned words of eight bytes are read and written atomically.
        self._cells = memoryview(self._map).cast("Q")

    def value(self) -> int:
        """The present number."""
        return self._cells[0]

    def begin(self) -> None:
        """Make the number odd: a commit may become visible from now on."""
        self._cells[0] |= 1

    def end(self) -> None:
        """Make the number even: no commit becomes visible until the next `begin`."""
        self._cells[0] += self._cells[0] & 1

    def close(self) -> None:
        """Unmap the memory."""
        self._cells.release()
        self._map.close()


def create_shared_memory() -> int:
    """The descriptor of new shared memory for a counter; child processes may inherit it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("hashrange-commits")
    else:
        import tempfile  # noqa: PLC0415 - few starts need it

        descriptor, name = tempfile.mkstemp(prefix="hashrange-")
        os.unlink(name)  # noqa: PTH108 - only the descriptor is used
    os.ftruncate(descriptor, _BYTES)
    return descriptor
