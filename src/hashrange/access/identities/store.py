"""Keeps identities in the engine, and the roster of this process up to date.

Every change increments the revision in its own write, so all changes of all processes are in one
order, and a change is decided on a roster that has seen all before it.
"""

from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

import msgspec

from hashrange.access.identities.entities import Entity
from hashrange.access.identities.roster import Roster, encoded
from hashrange.limits.access import IDENTITY_CHANGES_MAX
from hashrange.storage.engine import Changes, ContendedError, Engine
from hashrange.tables.keys.identity_keys import CHANGES_KEY, REVISION_KEY, entities_range
from hashrange.tables.keys.key_ranges import pairs

T = TypeVar("T")

TRIES_MAX: Final = 100
"""Attempts of a change, each of which another change was faster than."""
_NUMBER_BYTES: Final = 8

_decode_changes: Final = msgspec.msgpack.Decoder(list[tuple[int, bytes]]).decode
_encode: Final = msgspec.msgpack.Encoder().encode


class Edit(msgspec.Struct, Generic[T], frozen=True):
    """A decision: an answer, and the entities that it puts and deletes."""

    answer: T
    puts: Sequence[Entity] = ()
    deletes: Sequence[Entity] = ()


class IdentityStore:
    """The identities of an engine, as this process knows and changes them.

    Attributes:
        roster: all identities, of the last `refresh`.
        epoch: grows with each change of the roster.

    Args:
        engine: holds the rows.
    """

    def __init__(self, engine: Engine) -> None:
        self.roster = Roster()
        self.epoch = 0
        self._engine = engine

    async def refresh(self) -> None:
        """See all changes that were durable before the call. Raises StorageError.

        Costs the read of one key, unless there is a change.
        """
        (revision,) = await self._engine.read([REVISION_KEY])
        while _number(revision) > self.roster.revision:
            revision = await self._catch_up()

    async def _catch_up(self) -> bytes | None:
        """Apply the newest changes; returns the revision as it was read at the end."""
        known = self.roster.revision
        revision, changes = await self._engine.read([REVISION_KEY, CHANGES_KEY])
        keys = _touched_since(known, changes)
        if keys is None:
            return await self._read_all()
        now, *rows = await self._engine.read([REVISION_KEY, *keys])
        if now == revision:
            self._apply(list(zip(keys, rows, strict=True)), _number(now))
        return now

    async def _read_all(self) -> bytes | None:
        (before,) = await self._engine.read([REVISION_KEY])
        rows = [row async for row in pairs(self._engine, entities_range())]
        (after,) = await self._engine.read([REVISION_KEY])
        if before == after and _number(after) > self.roster.revision:
            roster = Roster()
            roster.apply(rows, _number(after))
            self.roster = roster
            self.epoch += 1
        return after

    def _apply(self, rows: Sequence[tuple[bytes, bytes | None]], revision: int) -> None:
        """Apply rows of a revision, unless a later one is known by now."""
        if revision > self.roster.revision:
            self.roster.apply(rows, revision)
            self.epoch += 1

    async def change(self, decide: Callable[[Roster], Edit[T]]) -> T:
        """Decide on the newest roster and apply the decision, all or nothing.

        Args:
            decide: pure, and may run several times; an error that it raises changes nothing.

        Raises:
            StorageError: the outcome is unknown, or nothing was tried.
            ContendedError: in each attempt, another change was faster.
        """
        for _ in range(TRIES_MAX):
            await self.refresh()
            roster = self.roster
            known = roster.revision
            edit = decide(roster)
            if not edit.puts and not edit.deletes:
                return edit.answer
            puts = {each.row_key: encoded(each) for each in edit.puts}
            deletes = [each.row_key for each in edit.deletes if each.row_key not in puts]
            rows = [*puts.items(), *((key, None) for key in deletes)]

            def commit(stored: list[bytes | None]) -> Changes[bool]:
                revision, changes = stored
                if _number(revision) != known:  # noqa: B023 - used within the iteration
                    return Changes(answer=False)
                following = _stored(known + 1)  # noqa: B023
                touched = _with_touched(changes, known + 1, [key for key, _ in rows])  # noqa: B023
                written = {REVISION_KEY: following, CHANGES_KEY: touched, **puts}  # noqa: B023
                return Changes(answer=True, puts=written, deletes=deletes)  # noqa: B023

            if await self._engine.write([REVISION_KEY, CHANGES_KEY], commit):
                if self.roster.revision == known:
                    self._apply(rows, known + 1)
                return edit.answer
        raise ContendedError("other changes of identities were faster in every attempt")


def _touched_since(revision: int, changes: bytes | None) -> list[bytes] | None:
    """The keys that changes after a revision have touched; None if some are not listed."""
    listed = [] if changes is None else _decode_changes(changes)
    if not listed or listed[0][0] > revision + 1:
        return None
    return list(dict.fromkeys(key for number, key in listed if number > revision))


def _with_touched(changes: bytes | None, revision: int, keys: Sequence[bytes]) -> bytes:
    """The list with the keys of one more revision; the oldest revisions leave it whole."""
    listed = [] if changes is None else _decode_changes(changes)
    listed += [(revision, key) for key in keys]
    if len(listed) > IDENTITY_CHANGES_MAX:
        oldest = listed[-IDENTITY_CHANGES_MAX - 1][0]
        listed = [each for each in listed if each[0] > oldest]
    return _encode(listed)


def _number(stored: bytes | None) -> int:
    return 0 if stored is None else int.from_bytes(stored, "big")


def _stored(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big")
