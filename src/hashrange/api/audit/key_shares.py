"""Finds partition keys whose share of a table's traffic jumps. Pure; in bounded memory.

An hour of a table with at least `requests_min` accesses by key is judged when it is over. A key is
unusual if it had a tenth of them or more, and more than `factor` times its highest share in earlier
hours that were judged. A key whose earlier share is not known is compared with the highest share
that any key had. The first such hour is not judged.

Source of the counters: J. Misra, D. Gries, "Finding repeated elements", 1982.
"""

import heapq
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from hashrange.api.audit.anomalies import FACTOR, Anomaly
from hashrange.api.audit.events import Event
from hashrange.api.audit.selection import keys_of
from hashrange.limits.access import AUDIT_PRINCIPALS_MAX

REQUESTS_MIN: Final = 100
SHARE_MIN: Final = 0.1
COUNTERS_MAX: Final = 10_000
"""Keys that are counted in an hour; with more, counts are too low by a ten-thousandth at most."""
SHARES_KEPT: Final = 1000
_WINDOW_SECONDS: Final = 60 * 60
_KEY_CHARS_MAX: Final = 100


class _Table:
    """The accesses of a table in an hour, and the highest shares of its keys before."""

    __slots__ = ("began", "counts", "shares", "time", "total")

    def __init__(self, began: float, time: str) -> None:
        self.shares: dict[str, float] = {}
        self.start(began, time)

    def start(self, began: float, time: str) -> None:
        self.began, self.time = began, time
        self.counts: dict[str, int] = {}
        self.total = 0

    def count(self, key: str) -> None:
        self.total += 1
        if key in self.counts or len(self.counts) < COUNTERS_MAX:
            self.counts[key] = self.counts.get(key, 0) + 1
        else:
            self.counts = {each: n - 1 for each, n in self.counts.items() if n > 1}


class KeyShares:
    """Follows records in the order of their time.

    Args:
        requests_min: accesses in an hour below which it is not judged.
        factor: how many times the share before is unusual.
    """

    def __init__(self, requests_min: int = REQUESTS_MIN, factor: float = FACTOR) -> None:
        self._requests_min = requests_min
        self._factor = factor
        self._tables: dict[str, _Table] = {}

    def see(self, event: Event) -> Iterator[Anomaly]:
        """The anomalies of hours that are over when a record comes."""
        if event.management_event:
            return
        for name, key in keys_of(event):
            if not key:
                continue
            seconds = datetime.fromisoformat(event.event_time).timestamp()
            table = self._tables.get(name)
            if table is None:
                if len(self._tables) >= AUDIT_PRINCIPALS_MAX:
                    continue
                table = self._tables[name] = _Table(seconds, event.event_time)
            elif seconds - table.began >= _WINDOW_SECONDS:
                yield from self._judged(name, table)
                table.start(seconds, event.event_time)
            table.count(str(next(iter(key.values()))))

    def end(self) -> Iterator[Anomaly]:
        """The anomalies of the last hours, at the end of the records."""
        for name, table in self._tables.items():
            yield from self._judged(name, table)

    def _judged(self, name: str, table: _Table) -> Iterator[Anomaly]:
        if table.total < self._requests_min:
            return
        found = {key: count / table.total for key, count in table.counts.items()}
        highest = max(table.shares.values(), default=0.0)
        for key, share in found.items():
            before = table.shares.get(key, highest)
            if before and share >= SHARE_MIN and share > self._factor * before:
                text = (
                    f"the partition key {key[:_KEY_CHARS_MAX]!r} had {share:.0%} of "
                    f"{table.total:,} accesses since {table.time}; at most {before:.1%} before"
                )
                yield Anomaly("", name, table.time, text, "key-share")
        for key, share in found.items():
            table.shares[key] = max(share, table.shares.get(key, 0.0))
        if len(table.shares) > SHARES_KEPT:
            kept = heapq.nlargest(SHARES_KEPT, table.shares, key=table.shares.__getitem__)
            table.shares = {key: table.shares[key] for key in kept}
