"""Writes and reads of clients: a write is decided here, proposed, and waited for."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from hashrange.errors import DynamoError, Fault
from hashrange.limits.consensus import (
    REPEAT_SECONDS,
    STRONG_KEY_BYTES_MAX,
    TICK_SECONDS,
    WAIT_SECONDS_MAX,
)
from hashrange.messages.items.throttling import conflict, no_majority
from hashrange.messages.server import internal_server_error
from hashrange.regions.consensus.writes import Outcome, Write, write_data
from hashrange.regions.strong.members import GroupMember
from hashrange.regions.strong.state import MemberState
from hashrange.regions.strong.writes import entry_item, entry_key_of
from hashrange.storage.engine import Changes, KeyTooLongError
from hashrange.tables.keys.consensus_keys import applied_key, index_in
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

R = TypeVar("R")

_US: Final = 1000


class Proposals:
    """Proposals and reads of the clients of one region.

    Args:
        store: the items, and the clock.
        region: of the member.

    Attributes:
        member: as it runs now; None while it starts.
        state: that of the member.
        is_over: the member will not run again; requests are refused.
        conflicts_total: writes that were refused since another region has written the item.
    """

    def __init__(self, store: Store, region: str) -> None:
        self.member: GroupMember | None = None
        self.state: MemberState | None = None
        self.is_over = False
        self.conflicts_total = 0
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._region = region
        self._numbers = itertools.count(1)
        self._proposed: dict[tuple[int, int], asyncio.Future[Outcome]] = {}
        self._last: dict[bytes, asyncio.Future[None]] = {}
        """By the key of an item, what the next write of it waits for."""

    async def read(self) -> None:
        """As `StrongTables.read`."""
        await self._read(_now() + WAIT_SECONDS_MAX)

    async def _read(self, until: float) -> None:
        while True:
            if self.member is not None:
                reading = self.member.reading()
                try:
                    await asyncio.wait([reading], timeout=max(until - _now(), 0))
                    if reading.done() and reading.exception() is None:
                        return
                finally:
                    reading.cancel()
            if self.is_over or _now() >= until:
                raise self._unreached()
            await asyncio.sleep(TICK_SECONDS)

    def _unreached(self) -> DynamoError:
        silent = () if self.member is None else self.member.raft.silent
        return DynamoError(Fault.UNAVAILABLE, no_majority(silent))

    async def write(
        self,
        table: OpenTable,
        key: bytes,
        decide: Callable[[Sequence[bytes | None]], Changes[R]],
    ) -> R:
        """As `StrongTables.write`."""
        if len(key) > STRONG_KEY_BYTES_MAX:
            raise KeyTooLongError(STRONG_KEY_BYTES_MAX)
        until = _now() + WAIT_SECONDS_MAX
        before, done = self._last.get(key), asyncio.get_running_loop().create_future()
        self._last[key] = done
        try:
            if before is not None:
                await asyncio.wait([before], timeout=WAIT_SECONDS_MAX)
                if not before.done():
                    raise self._unreached()
            return await self._write(table, key, decide, until)
        finally:
            self._release(key, before, done)

    def _release(
        self, key: bytes, before: asyncio.Future[None] | None, done: asyncio.Future[None]
    ) -> None:
        """Let the next write of an item go on, after all before it."""
        if before is not None and not before.done():
            before.add_done_callback(lambda _: self._release(key, None, done))
            return
        done.set_result(None)
        if self._last.get(key) is done:
            del self._last[key]

    async def _write(
        self,
        table: OpenTable,
        key: bytes,
        decide: Callable[[Sequence[bytes | None]], Changes[R]],
        until: float,
    ) -> R:
        engine, entry_key = self._engine, entry_key_of(table, key)
        while True:
            await self._read(until)
            stored, applied = await engine.read(
                (key, applied_key(table.number)), fences=table.fences
            )
            changes = decide((stored,))
            if key not in changes.puts and key not in changes.deletes:
                return changes.answer
            state = self.state
            if state is None:
                continue
            write = Write(
                incarnation=state.incarnation,
                number=next(self._numbers),
                region=self._region,
                key=entry_key,
                item=entry_item(key, changes),
                seen=index_in(applied),
                time_us=self._now_ms() * _US,
            )
            outcome = await self._outcome(write, until)
            if outcome is Outcome.APPLIED:
                return changes.answer
            if outcome is Outcome.CONFLICT:
                self.conflicts_total += 1
                raise DynamoError(Fault.REPLICATED_WRITE_CONFLICT, conflict())

    async def _outcome(self, write: Write, until: float) -> Outcome:
        """Propose a write, and wait for what becomes of it."""
        name, data = (write.incarnation, write.number), write_data(write)
        proposed_to: tuple[MemberState | None, int] | None = None
        decided: asyncio.Future[Outcome]
        decided = self._proposed[name] = asyncio.get_running_loop().create_future()
        try:
            while True:
                seconds = TICK_SECONDS
                if self.member is not None and self.member.propose(data):
                    proposed_to, seconds = proposed_to or self._continuity(), REPEAT_SECONDS
                await asyncio.wait([decided], timeout=max(min(seconds, until - _now()), 0))
                if decided.done():
                    outcome = decided.result()
                    # If the member went on behind entries that it did not judge, this write may be
                    # one of them, and what was judged is the same write once more.
                    if outcome is Outcome.APPLIED or proposed_to == self._continuity():
                        return outcome
                    raise DynamoError(Fault.INTERNAL, internal_server_error())
                if self.is_over or _now() >= until:
                    # What was proposed may take effect later.
                    if proposed_to is not None:
                        raise DynamoError(Fault.INTERNAL, internal_server_error())
                    raise self._unreached()
        finally:
            del self._proposed[name]

    def _continuity(self) -> tuple[MemberState | None, int]:
        """Equal as long as each entry is judged one by one."""
        return self.state, 0 if self.state is None else self.state.copies_total

    def resolve(self, write: Write, outcome: Outcome) -> None:
        """Resolve a proposed write, if it is one of this region, with its outcome."""
        decided = self._proposed.get((write.incarnation, write.number))
        if write.region == self._region and decided is not None and not decided.done():
            decided.set_result(outcome)


def _now() -> float:
    return asyncio.get_running_loop().time()
