"""The items that differ between two tables, whatever the order in which they are read.

Keys and digests of one table are kept in a temporary file while the other is read, so memory does
not grow with the tables. What seems to differ is read once more from both, so that writes that come
to both in the meantime are no differences.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import apsw
import msgspec

from hashrange.clock import Clock
from hashrange.storage.sqlite.page_cipher import connect
from hashrange.tools.copying.comparing import KEYS_MAX, items_of_keys
from hashrange.tools.copying.digests import digest_of, text_of
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import Pause
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.scanning.jobs import Job, Totals, new_checkpoint
from hashrange.tools.scanning.pacing import Pacer
from hashrange.tools.scanning.segments import (
    Scanner,
    ScanPage,
    ScanRequest,
    ScanTarget,
    chosen_parallel,
    chosen_segments,
)

_DIGEST_BYTES: Final = 16
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode

Item = dict[str, Any]


class Side(msgspec.Struct, frozen=True):
    """A table in a place."""

    place: Endpoint
    target: ScanTarget


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item that differs.

    Attributes:
        difference: `only_in_a`, `only_in_b` or `changed`.
        key: in DynamoDB-JSON.
        attributes: the names of the attributes that differ, of a changed item.
        a: the item in A, in DynamoDB-JSON; None if there is none.
        b: the item in B.
    """

    difference: str
    key: Item
    attributes: Sequence[str] = ()
    a: Item | None = None
    b: Item | None = None


class Diff:
    """Compares two tables.

    Args:
        a: one table.
        b: the other table.
        clock: time and randomness.
        ignored: attributes that are not compared.
        pause: waits before retries.
        rate_limit: read units a second of each table; None for no limit.

    Attributes:
        totals: what was read of both tables; `items` are those that differ.

    Raises:
        InputError: the tables have different keys, or a key attribute would be ignored.
    """

    def __init__(
        self,
        a: Side,
        b: Side,
        clock: Clock,
        *,
        ignored: Sequence[str],
        pause: Pause,
        rate_limit: float | None = None,
    ) -> None:
        if a.target.key_names != b.target.key_names:
            keys = [", ".join(side.target.key_names) for side in (a, b)]
            raise InputError(f"the tables have different keys: {keys[0]}, and {keys[1]}")
        if keys := [name for name in a.target.key_names if name in ignored]:
            raise InputError(f"--ignore {keys[0]}: it is a key attribute")
        self._a, self._b = a, b
        self._clock = clock
        self._ignored = ignored
        self._pause = pause
        self._rate_limit = rate_limit
        self.totals = Totals()

    async def run(
        self,
        on_difference: Callable[[Difference], None],
        on_totals: Callable[[Totals], None] = lambda _: None,
    ) -> int:
        """Compare all items; the number of those that differ. Raises CopyError."""
        with _digests() as kept:

            async def keep(_: int, page: ScanPage) -> bool:
                kept.add([self._key_and_digest(_decode(item)) for item in page.items])
                return True

            async def compare(_: int, page: ScanPage) -> bool:
                found = [self._key_and_digest(_decode(item)) for item in page.items]
                await self._report(kept.differing(found), on_difference)
                return True

            await self._read(self._a, keep, on_totals)
            await self._read(self._b, compare, on_totals)
            for keys in kept.left(KEYS_MAX):
                await self._report(keys, on_difference)
        return self.totals.items

    async def _read(self, side: Side, on_page: Any, on_totals: Callable[[Totals], None]) -> None:
        checkpoint = new_checkpoint({}, chosen_segments(side.target.size_bytes))
        checkpoint.totals = self.totals
        parallel = chosen_parallel(len(checkpoint.segments))
        pacer = Pacer(
            self._clock, parallel=parallel, units_a_second=self._rate_limit, pause=self._pause
        )
        request = ScanRequest(target=side.target, consistent=True, units_a_page=self._rate_limit)
        job = Job(checkpoint, self._clock, on_totals=on_totals)
        await job.run(Scanner(side.place, request, pacer), on_page, parallel=parallel)

    def _key_and_digest(self, item: Item) -> tuple[bytes, bytes]:
        key = text_of({name: item[name] for name in self._a.target.key_names})
        return key, digest_of(self._compared(item)).to_bytes(_DIGEST_BYTES)

    def _compared(self, item: Item) -> Item:
        return {name: value for name, value in item.items() if name not in self._ignored}

    async def _report(
        self, keys: Sequence[bytes], on_difference: Callable[[Difference], None]
    ) -> None:
        """Report the items with these keys that differ now."""
        for start in range(0, len(keys), KEYS_MAX):
            chunk = [_decode(key) for key in keys[start : start + KEYS_MAX]]
            found = [
                await items_of_keys(side.place, side.target.table, chunk, self._pause)
                for side in (self._a, self._b)
            ]
            for key in chunk:
                a, b = (items.get(text_of(key).decode()) for items in found)
                difference = self._difference(key, a, b)
                if difference is not None:
                    self.totals.items += 1
                    on_difference(difference)

    def _difference(self, key: Item, a: Item | None, b: Item | None) -> Difference | None:
        if a is None or b is None:
            if a is b:
                return None
            return Difference("only_in_b" if a is None else "only_in_a", key, a=a, b=b)
        names = [
            name
            for name in sorted({*a, *b}.difference(self._ignored))
            if not _are_equal(a.get(name), b.get(name))
        ]
        return Difference("changed", key, names, a, b) if names else None


def _are_equal(one: Item | None, other: Item | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == other or text_of({"value": one}) == text_of({"value": other})


class _Digests:
    """Keys and digests, in a temporary file of SQLite."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("CREATE TABLE digests (key BLOB PRIMARY KEY, digest BLOB) WITHOUT ROWID")

    def add(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO digests VALUES (?, ?)", rows)

    def differing(self, rows: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
        """Keys that are missing here or have another digest; those that are here are removed."""
        differing = []
        for key, digest in rows:
            removed = self._connection.execute(
                "DELETE FROM digests WHERE key = ? RETURNING digest", (key,)
            ).fetchall()
            if not removed or removed[0][0] != digest:
                differing.append(key)
        return differing

    def left(self, count: int) -> Iterator[list[bytes]]:
        """The keys that were not removed, in lists of at most `count`."""
        rows = self._connection.execute("SELECT key FROM digests ORDER BY key")
        keys: list[bytes] = []
        for (key,) in rows:
            keys.append(key)
            if len(keys) == count:
                yield keys
                keys = []
        if keys:
            yield keys


@contextlib.contextmanager
def _digests() -> Iterator[_Digests]:
    # Without a name it is a file that SQLite deletes when it is closed.
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = connect("", flags=flags, vfs=None, cipher=None)
    try:
        yield _Digests(connection)
    finally:
        connection.close()
