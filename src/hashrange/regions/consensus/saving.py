"""State that a member must persist, and the messages that wait until it has."""

from collections import deque

import msgspec

from hashrange.regions.consensus.log import Log
from hashrange.regions.consensus.messages import Entry, Message, Snapshot


class Stored(msgspec.Struct, frozen=True):
    """The persisted state of a member: all that it knows after a restart.

    `applied` is the index up to which the application has applied entries durably; the driver
    stores it with the state.
    """

    term: int = 0
    vote: str | None = None
    snapshot: Snapshot = Snapshot()
    entries: tuple[Entry, ...] = ()
    applied: int = 0


class Save(msgspec.Struct, frozen=True, kw_only=True):
    """State to persist, in the order of the numbers, each atomically.

    Entries from `first` on are replaced by `entries`, and those up to the snapshot's position are
    removed. If `is_installed`, the snapshot is another member's, and replaces the state.
    """

    number: int
    term: int
    vote: str | None
    snapshot: Snapshot
    first: int
    entries: tuple[Entry, ...]
    is_installed: bool


class Saving:
    """Collects changes until they are issued as one save, and holds messages that depend on it."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._is_due = False
        self._first: int | None = None
        self._is_installed = False
        self._issued = 0
        self._acknowledged = 0
        self._last_of: deque[tuple[int, int]] = deque()
        self._held: deque[tuple[int, str, Message]] = deque()
        self.saved_index = log.last.index
        """Entries up to it are durable."""

    def due(self) -> None:
        """The term, the vote or the snapshot has changed."""
        self._is_due = True

    def appended(self, first: int) -> None:
        """The entries from an index on are new."""
        self._is_due = True
        self._first = first if self._first is None else min(first, self._first)
        # What is there in their places is not what the log has.
        self.saved_index = min(self.saved_index, first - 1)
        self._last_of = deque((number, min(last, first - 1)) for number, last in self._last_of)

    def installed(self) -> None:
        """A snapshot has replaced the beginning of the log, or all of it."""
        self.appended(self._log.base.index + 1)
        self._is_installed = True

    def hold(self, to: str, message: Message) -> None:
        """Send a message when all that has changed so far is durable."""
        self._held.append((self._issued + self._is_due, to, message))

    def issue(self, term: int, vote: str | None, snapshot: Snapshot) -> Save | None:
        """The changes since the last save; None if there are none."""
        if not self._is_due:
            return None
        last = self._log.last.index
        first = last + 1 if self._first is None else max(self._first, self._log.base.index + 1)
        self._issued += 1
        save = Save(
            number=self._issued,
            term=term,
            vote=vote,
            snapshot=snapshot,
            first=first,
            entries=tuple(self._log.entries(first)),
            is_installed=self._is_installed,
        )
        self._is_due, self._first, self._is_installed = False, None, False
        self._last_of.append((self._issued, last))
        return save

    def acknowledge(self, number: int) -> None:
        """The save with a number is durable, and with it all before."""
        self._acknowledged = max(self._acknowledged, number)
        while self._last_of and self._last_of[0][0] <= number:
            self.saved_index = max(self.saved_index, self._last_of.popleft()[1])

    def released(self) -> list[tuple[str, Message]]:
        """The messages that need not wait any longer; each once."""
        found: list[tuple[str, Message]] = []
        while self._held and self._held[0][0] <= self._acknowledged:
            _, to, message = self._held.popleft()
            found.append((to, message))
        return found
