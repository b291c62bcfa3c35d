"""Finds principals that do what they have not done before. Pure; one pass, in bounded memory.

Two rules, on records in the order of their time:

- *many keys*: in one hour a principal names at least `keys_min` partition keys of a table, and
  more than `factor` times as many as in any earlier hour in which it named keys of that table. Its
  first such hour is compared with the earlier hours of all principals on that table; if there are
  none, nothing is said.
- *new table*: a principal whose first record is at least a day old names a table for the first
  time, or scans it for the first time.

Requests that were refused count too.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, Protocol

import msgspec

from hashrange.api.audit.events import Event
from hashrange.api.audit.selection import keys_of, tables_of
from hashrange.limits.access import AUDIT_KEYS_MAX, AUDIT_PRINCIPALS_MAX

KEYS_MIN: Final = 100
FACTOR: Final = 10.0
_LEARNING_SECONDS: Final = 24 * 60 * 60
_WINDOW_SECONDS: Final = 60 * 60
_SCAN: Final = "Scan"


class Anomaly(msgspec.Struct, frozen=True):
    """A finding.

    Attributes:
        principal: empty if it is about no principal.
        time: when it began.
        text: for people.
        rule: `new-table`, `first-scan`, `many-keys` or `key-share`.
    """

    principal: str
    table: str
    time: str
    text: str
    rule: str


class _Window:
    """The partition keys of a table that a principal named in an hour, and its highest count."""

    __slots__ = ("began", "is_reported", "keys", "most", "time")

    def __init__(self) -> None:
        self.began = 0.0
        self.time = ""
        self.keys: set[int] = set()
        self.most = 0
        self.is_reported = False


class _Known:
    """The history of one principal: since when, its tables, and its windows."""

    __slots__ = ("since", "tables", "windows")

    def __init__(self, since: float) -> None:
        self.since = since
        self.tables: set[str] = set()
        self.windows: dict[str, _Window] = {}


class Detector:
    """Follows records in the order of their time.

    Args:
        keys_min: keys in an hour below which nothing is unusual.
        factor: how many times as many keys as before are unusual.
        principals_max: principals that are followed; of each, tables.

    Attributes:
        ignored: records of principals for which there was no place.
    """

    def __init__(
        self,
        keys_min: int = KEYS_MIN,
        factor: float = FACTOR,
        principals_max: int = AUDIT_PRINCIPALS_MAX,
    ) -> None:
        self._keys_min = keys_min
        self._factor = factor
        self._principals_max = principals_max
        self._known: dict[str, _Known] = {}
        self._most: dict[str, int] = {}
        self.ignored = 0

    def see(self, event: Event) -> Iterator[Anomaly]:
        """The anomalies that a record shows."""
        principal = event.principal
        tables = tables_of(event)
        if not principal or not tables or event.management_event:
            return
        seconds = datetime.fromisoformat(event.event_time).timestamp()
        known = self._known.get(principal)
        if known is None:
            if len(self._known) >= self._principals_max:
                self.ignored += 1
                return
            known = self._known[principal] = _Known(seconds)
        is_learned = seconds - known.since >= _LEARNING_SECONDS
        for table in tables:
            for text, rule in self._new(known, table, event.event_name):
                if is_learned:
                    yield Anomaly(principal, table, event.event_time, text, rule)
        for table, key in keys_of(event):
            many = self._many(known, table, key, at=(seconds, event.event_time))
            if many is not None:
                yield Anomaly(principal, table, event.event_time, many, "many-keys")

    def end(self) -> Iterator[Anomaly]:
        """As of `Finder`: none."""
        return iter(())

    def _new(self, known: _Known, table: str, event_name: str) -> Iterator[tuple[str, str]]:
        """The first actions of a principal on a table."""
        if table not in known.tables:
            if len(known.tables) >= self._principals_max:
                return
            known.tables.add(table)
            yield f"its first {event_name} on this table", "new-table"
        elif event_name == _SCAN and f"{_SCAN} {table}" not in known.tables:
            yield "its first Scan of this table", "first-scan"
        if event_name == _SCAN:
            known.tables.add(f"{_SCAN} {table}")

    def _many(
        self, known: _Known, table: str, key: dict[str, str], *, at: tuple[float, str]
    ) -> str | None:
        if not key:
            return None
        window = known.windows.get(table)
        if window is None:
            if len(known.windows) >= self._principals_max:
                return None
            window = known.windows[table] = _Window()
        seconds, time = at
        if seconds - window.began >= _WINDOW_SECONDS:
            window.most = max(window.most, len(window.keys))
            self._most[table] = max(self._most.get(table, 0), len(window.keys))
            window.keys, window.began, window.time, window.is_reported = set(), seconds, time, False
        if len(window.keys) < AUDIT_KEYS_MAX:
            window.keys.add(hash(next(iter(key.values()))))
        before = window.most or self._most.get(table, 0)
        count = len(window.keys)
        if window.is_reported or not before:
            return None
        if count < self._keys_min or count <= self._factor * before:
            return None
        window.is_reported = True
        return f"more than {count - 1} partition keys since {window.time}; at most {before} before"


class Finder(Protocol):
    """Follows records in the order of their time."""

    def see(self, event: Event) -> Iterator[Anomaly]:
        """The anomalies that a record shows."""

    def end(self) -> Iterator[Anomaly]:
        """The anomalies that the end of the records shows."""


def anomalies(events: Iterable[Event], *finders: Finder) -> Iterator[Anomaly]:
    """The anomalies in records, which are in the order of their time."""
    for event in events:
        for finder in finders:
            yield from finder.see(event)
    for finder in finders:
        yield from finder.end()
