"""Warnings about a partition key that takes more than half of a partition that is short of units.

More partitions do not help such a key: it is what a designer has to know first. The warning names
its hash and not the key, which is data; hashrange top and contributor insights show keys.
"""

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Final

from hashrange.capacity.heat import COOLED_MS, HASH_BYTES, Heat
from hashrange.capacity.resources import TableCapacity
from hashrange.limits.tables import HOT_KEY_WARNINGS_MAX
from hashrange.limits.tables import PARTITION_READ_UNITS_MAX as READS
from hashrange.limits.tables import PARTITION_WRITE_UNITS_MAX as WRITES

SAMPLES_MIN: Final = 20
"""Samples that a warning needs: ten seconds of requests."""
AGAIN_MS: Final = 10 * 60_000
"""A partition is warned of once in this time."""
_HALF: Final = 0.5
_PER_CENT: Final = 100

_log: Final = logging.getLogger(__name__)


def hot_key(heat: Heat, now_ms: float) -> tuple[bytes, float] | None:
    """The partition hash of a key with more than half of the requests, and its share. Pure."""
    positions = heat.positions
    if len(positions) < SAMPLES_MIN or not 0 <= now_ms - heat.last_ms < COOLED_MS:
        return None
    counts = Counter(position[:HASH_BYTES] for position in positions)
    ((found, requests),) = counts.most_common(1)
    share = requests / len(positions)
    return (found, share) if share > _HALF else None


class HotKeyWarnings:
    """Writes the warnings of one process to the log."""

    def __init__(self) -> None:
        self._warned: dict[tuple[str, int], float] = {}

    def look(self, capacity: TableCapacity, now_ms: float) -> None:
        """Warn of the partitions of a table; of each once in ten minutes."""
        for name, number, (found, share) in _hot(capacity, now_ms):
            last_ms = self._warned.get((name, number))
            if last_ms is not None and 0 <= now_ms - last_ms < AGAIN_MS:
                continue
            if len(self._warned) >= HOT_KEY_WARNINGS_MAX:
                self._warned.clear()
            self._warned[name, number] = now_ms
            _log.warning(
                "%s: one partition key takes %.0f %% of the requests of partition %d, which is "
                "short of units (hash %s). No number of partitions gives a key more than %d read "
                "and %d write units a second; hashrange top and contributor insights show keys",
                *(name, share * _PER_CENT, number, found.hex(), READS, WRITES),
            )


def _hot(capacity: TableCapacity, now_ms: float) -> Iterator[tuple[str, int, tuple[bytes, float]]]:
    """Tables or indexes with partitions that one key takes, and that key."""
    for resource in capacity.resources():
        name = resource.table if resource.index is None else f"{resource.table}/{resource.index}"
        for partition in resource.partitions:
            found = hot_key(partition.heat, now_ms)
            if found is not None:
                yield name, partition.number, found
