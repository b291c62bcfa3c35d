"""Limits of errors, latencies and lags that tests ask for, all our own."""

from typing import Final

REALISM_RULES_MAX: Final = 100
"""Rules of faults, and of latencies."""
LATENCY_MS_MAX: Final = 60_000
"""The longest time for which an answer is held."""
HELD_ANSWERS_MAX: Final = 10_000
"""Answers that are held at a time, of each process; further ones are sent at once."""
REPLICA_LAG_MS_MAX: Final = 60 * 60 * 1000
LAGGED_VALUES_MAX: Final = 100_000
"""Old values of items and index entries; beyond it the oldest are no longer shown."""
LAGGED_BYTES_MAX: Final = 256 * 1024**2
"""Bytes of these values."""
