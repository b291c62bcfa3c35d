"""The entries of a strong table: writes of items, and which of them take effect.

A region decides a write on its own state, after a linearizable read has made sure that the state is
the newest, and proposes the outcome. The entry takes effect if nobody has written the item between
that state and the entry's place in the log. All members see this in the same way, so none has to be
asked: of two regions that write an item at the same time, the second in the log is refused.

An entry that is in the log twice takes effect once at most: the first has written the item since.
"""

from collections import deque
from collections.abc import Iterable
from enum import Enum
from typing import Final

import msgspec

from hashrange.limits.consensus import RECENT_WRITES


class Write(msgspec.Struct, frozen=True, array_like=True):
    """A write of an item, as an entry has it.

    `incarnation` and `number` show the process that has proposed it which of its writes it is.
    `seen` is the index of the last entry in the state on which it was decided, `time_us` the time
    then, in microseconds since the epoch, by the clock of the region.
    """

    incarnation: int
    number: int
    region: str
    key: bytes
    item: bytes | None
    """The item after it; None deletes it."""
    seen: int
    time_us: int = 0


class Outcome(Enum):
    """The outcome of a write.

    After CONFLICT the client learns that another region writes the item. After STALE the region
    decides again: it has itself written the item, or its state was too old to decide.
    """

    APPLIED = "APPLIED"
    CONFLICT = "CONFLICT"
    STALE = "STALE"


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Write).decode
_decode_rows: Final = msgspec.msgpack.Decoder(list[tuple[int, str, bytes]]).decode


def write_data(write: Write) -> bytes:
    """The data of an entry."""
    return _encode(write)


def write_of(data: bytes) -> Write:
    """The write in the data of an entry. Raises ValueError."""
    return _decode(data)


class Recent:
    """The last write of each item that was written in the last `RECENT_WRITES` entries.

    It is part of the state: equal at all members after the same entries.
    """

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[int, str]] = {}
        self._rows: deque[tuple[int, str, bytes]] = deque()

    def judge(self, index: int, write: Write) -> Outcome:
        """The outcome of the write in the next entry; it is noted if it is applied.

        Args:
            index: of the entry; they come in order.
            write: the write in it.
        """
        while self._rows and self._rows[0][0] <= index - RECENT_WRITES:
            first, _, key = self._rows.popleft()
            if self._last[key][0] == first:
                del self._last[key]
        last, region = self._last.get(write.key, (0, ""))
        if last > write.seen:
            return Outcome.STALE if region == write.region else Outcome.CONFLICT
        if write.seen < index - RECENT_WRITES:
            return Outcome.STALE
        self._last[write.key] = index, write.region
        self._rows.append((index, write.region, write.key))
        return Outcome.APPLIED

    def dump(self) -> bytes:
        """The form for snapshots and restarts."""
        return _encode([*self._rows])

    def load(self, data: bytes) -> None:
        """Go on from another member's state, or an earlier one. Raises ValueError."""
        self.take(_decode_rows(data))

    def take(self, rows: Iterable[tuple[int, str, bytes]]) -> None:
        """Go on from these writes: of each the index, the region and the key, in order."""
        self._rows = deque(rows)
        self._last = {key: (index, region) for index, region, key in self._rows}
