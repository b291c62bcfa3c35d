"""The limit of a process's address space, `ulimit -v`.

Beyond it allocations fail, and msgspec 0.22 does not survive that: it ends the process. So the
memory of requests is bounded before.
"""

import mmap
import sys
from pathlib import Path


def free_address_space() -> int | None:
    """The bytes that this process may still map; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - does not exist on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # not on Linux
        pages = 0
    return max(limit - pages * mmap.PAGESIZE, 0)
