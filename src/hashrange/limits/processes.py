"""Limits of processes and engines, all our own."""

from typing import Final

WAITING_WRITES_MAX: Final = 10_000
"""Writes in the queue of an engine: half a second of work on a slow disk; further writes are
refused and may be retried."""
WORKERS_MAX: Final = 64
"""Processes that answer requests; one writer cannot keep so many busy."""
