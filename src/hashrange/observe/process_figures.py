"""The process: its program, and what it uses under the names that all exporters have for it."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_RESIDENT: Final = 1
"""Position among the numbers of `statm`."""


@cache
def program_version() -> str:
    """Of the program, as it was installed."""
    # Costs 10 ms to import, which a server that nobody scrapes need not pay.
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version("hashrange")


def process_figures() -> Mapping[str, float]:
    """CPU time; resident memory where there is a /proc."""
    times = os.times()
    figures = {"process_cpu_seconds_total": times.user + times.system}
    try:
        pages = int(_STATM.read_text("ascii").split()[_RESIDENT])
    except OSError:
        return figures
    return {**figures, "process_resident_memory_bytes": float(pages * os.sysconf("SC_PAGE_SIZE"))}
