"""Split for heat: the positions at which to cut a hot partition so that its load is spread.

A position is the partition hash of an item collection, followed by the beginning of a sort key;
positions are ordered by their bytes. While a partition is short of units, it samples the positions
of its requests, in order of time. The samples show whether the load is on many collections, on one
collection, on one item, or on a sort key that increases with time.

DynamoDB documents that it splits for heat, isolates hot keys, splits a collection by its sort key,
and does not split if that would not help. It does not document how long a partition must be hot;
the constants here are our choice. Source: Developer Guide, "Burst and adaptive capacity" and
"Designing partition keys"; AWS Database Blog, "Scaling DynamoDB: How partitions, hot keys, and
split for heat impact performance", 2023.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

HASH_BYTES: Final = 16
"""Of a partition hash, at the beginning of each position."""
SAMPLE_MS: Final = 500
"""One request of each such period is kept, chosen at random."""
SAMPLES_MAX: Final = 256
SAMPLES_MIN: Final = 64
"""The number that a decision needs."""
COOLED_MS: Final = 60_000
"""A partition without hot requests for this time is not hot any more."""
HEATED_MS: Final = 5 * 60_000
"""A partition is split after it was hot for this time."""
RISING_SHARE: Final = 0.9
"""A sort key increases with time if this share of successive requests does not decrease it."""
_MULTIPLIER: Final = 6364136223846793005
_MODULUS: Final = 1 << 64
"""Of a linear congruential generator, of which the high bits are used."""


class Heat(msgspec.Struct):
    """Sampled requests of a partition while it is short of units.

    Attributes:
        positions: samples, oldest first; the last sample can still be replaced.
        since_ms: the time of the first sample of the current hot period.
        last_ms: the time of the last request.
        sample_ms: the time of the last sample.
        requests: requests since the last sample was taken.
        state: state of the random number generator.
    """

    positions: list[bytes] = []
    since_ms: float = 0.0
    last_ms: float = 0.0
    sample_ms: float = 0.0
    requests: int = 0
    state: int = 1

    def add(self, position: bytes, now_ms: float) -> None:
        """Record a request."""
        age = now_ms - self.last_ms if self.positions else COOLED_MS
        if not -COOLED_MS < age < COOLED_MS:
            self.positions.clear()
            self.since_ms = now_ms
        self.last_ms = now_ms
        if not self.positions or not 0 <= now_ms - self.sample_ms < SAMPLE_MS:
            if len(self.positions) >= SAMPLES_MAX:
                del self.positions[0]
            self.positions.append(position)
            self.sample_ms, self.requests = now_ms, 1
            return
        # Always taking the first request of a period would be biased if a client sends in rounds.
        self.requests += 1
        self.state = (self.state * _MULTIPLIER + 1) % _MODULUS
        if self.state * self.requests < _MODULUS:
            self.positions[-1] = position

    def is_due(self, now_ms: float) -> bool:
        """Whether the partition has been hot for HEATED_MS and is still hot."""
        return (
            self.last_ms - self.since_ms >= HEATED_MS
            and now_ms - self.last_ms < COOLED_MS
            and len(self.positions) >= SAMPLES_MIN
        )


def cuts(
    positions: Sequence[bytes], start: bytes, end: bytes, *, inside: bool
) -> tuple[bytes, ...]:
    """The positions at which to cut a partition; empty if no cut would spread the load.

    Args:
        positions: samples of requests, in order of time.
        start: the first position of the partition.
        end: the first position after the partition; empty for the last partition.
        inside: item collections may be cut: the table has a sort key and no local index.
    """
    collections = [position[:HASH_BYTES] for position in positions]
    collection, requests = Counter(collections).most_common(1)[0]
    if 2 * requests <= len(positions):
        return _median(collections, start)
    isolating = _within((collection, successor(collection)), start, end)
    if isolating or not inside:
        return isolating
    items = [position for position in positions if position[:HASH_BYTES] == collection]
    item, requests = Counter(items).most_common(1)[0]
    if 2 * requests > len(items):
        if len(item) == HASH_BYTES:
            return ()
        return _within((item, item + b"\0"), start, end)
    return () if _is_rising(items) else _median(items, start)


def successor(value: bytes) -> bytes:
    """The next value of the same length; empty if there is none."""
    number = int.from_bytes(value, "big") + 1
    return b"" if number >> (8 * len(value)) else number.to_bytes(len(value), "big")


def _median(positions: Sequence[bytes], start: bytes) -> tuple[bytes, ...]:
    """The cut that divides the requests most evenly."""
    ordered = sorted(positions)
    middle = len(ordered) / 2
    counts = Counter(ordered)
    best, distance, before = b"", middle, 0
    for position, count in counts.items():
        if position > start and abs(before - middle) < distance:
            best, distance = position, abs(before - middle)
        before += count
    return (best,) if best else ()


def _within(found: Sequence[bytes], start: bytes, end: bytes) -> tuple[bytes, ...]:
    return tuple(cut for cut in found if cut and cut > start and (not end or cut < end))


def _is_rising(items: Sequence[bytes]) -> bool:
    steps = len(items) - 1
    rising = sum(later >= earlier for earlier, later in pairwise(items))
    return rising >= RISING_SHARE * steps
