"""Version, CPU time and memory of the process, under the usual names of Prometheus exporters."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_RESIDENT: Final = 1
"""Index of the resident pages among the numbers of `statm`."""


@cache
def program_version() -> str:
    """The version of hashrange that is installed."""
    # Takes 10 ms to import, which only a scrape needs.
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version("hashrange")


def process_figures() -> Mapping[str, float]:
    """CPU seconds of the process; resident bytes too, on systems with /proc."""
    times = os.times()
    figures = {"process_cpu_seconds_total": times.user + times.system}
    try:
        pages = int(_STATM.read_text("ascii").split()[_RESIDENT])
    except OSError:
        return figures
    return {**figures, "process_resident_memory_bytes": float(pages * os.sysconf("SC_PAGE_SIZE"))}
