"""What this reader has asked the writer to change, and does not know yet: the next decide on it.

Without it a hot item would take one write a commit, for each would wait for the one before. So a
work decides on what those before it will leave. The writer compares all the same: if one before it
does not happen, what it rests on is not there, and it loses.
"""

from asyncio import Future, get_running_loop
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from hashrange.storage.engine import Changes


class _Change(msgspec.Struct, frozen=True, eq=False):
    value: bytes | None
    waiter: Future[Any]


class Pending:
    """The last change of each key that is under way."""

    def __init__(self) -> None:
        self._changes: dict[bytes, _Change] = {}

    def over(
        self, keys: Sequence[bytes], values: list[bytes | None]
    ) -> tuple[list[bytes | None], list[Future[Any]]]:
        """The values as they will be, and what must come true for it; nothing, if they are so."""
        changes = self._changes
        if changes.keys().isdisjoint(keys):
            return values, []
        future, waiters = list(values), []
        for position, key in enumerate(keys):
            change = changes.get(key)
            if change is not None and not change.waiter.done():
                future[position] = change.value
                waiters.append(change.waiter)
        return future, waiters

    def add(self, keys: Sequence[bytes], changes: Changes[Any], waiter: Future[Any]) -> list[bytes]:
        """What a work changes of the keys that it has read is under way until the waiter is done.

        Returns:
            What to `remove` then.
        """
        puts, deletes = changes.puts, changes.deletes
        changed = [key for key in keys if key in puts or key in deletes]
        for key in changed:
            self._changes[key] = _Change(puts.get(key), waiter)
        return changed

    def remove(self, changed: Sequence[bytes], waiter: Future[Any]) -> None:
        """It is known what became of them."""
        for key in changed:
            change = self._changes.get(key)
            if change is not None and change.waiter is waiter:
                del self._changes[key]


async def settled(waiters: Sequence[Future[Any]]) -> None:
    """Wait until all are done, whatever became of them; their own waiters are left alone."""
    for waiter in waiters:
        if not waiter.done():
            done: Future[None] = get_running_loop().create_future()
            waiter.add_done_callback(partial(_tell, done))
            await done


def _tell(done: Future[None], _waiter: Future[Any]) -> None:
    if not done.done():
        done.set_result(None)
