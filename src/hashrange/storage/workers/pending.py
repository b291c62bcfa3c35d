"""The changes that this worker has proposed to the writer and that are not final yet.

Later writes to the same keys are decided on these expected values; otherwise a frequently written
item would get only one write for each commit. The writer compares the values anyway: if an earlier
proposal fails, the later one gets a conflict.
"""

from asyncio import Future, get_running_loop
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from hashrange.storage.engine import Changes


class _Change(msgspec.Struct, frozen=True, eq=False):
    waiter: Future[Any]
    value: bytes | None = None
    is_known: bool = True
    """Whether `value` is the expected one; not for what the writer decides."""


class PendingChanges:
    """The last pending change of each key."""

    def __init__(self) -> None:
        self._changes: dict[bytes, _Change] = {}

    def has_none_of(self, keys: Sequence[bytes]) -> bool:
        """Whether no change of these keys is pending."""
        return self._changes.keys().isdisjoint(keys)

    def expected(
        self, keys: Sequence[bytes], values: list[bytes | None]
    ) -> tuple[list[bytes | None], list[Future[Any]]]:
        """The values with pending changes applied, and the waiters of these changes.

        No waiters if no key has a pending change.
        """
        pending = self._changes
        expected, waiters = list(values), []
        for position, key in enumerate(keys):
            change = pending.get(key)
            if change is not None and not change.waiter.done():
                expected[position] = change.value
                waiters.append(change.waiter)
        return expected, waiters

    def add(self, keys: Sequence[bytes], changes: Changes[Any], waiter: Future[Any]) -> list[bytes]:
        """Add the changes of a proposal to keys that it has read, until its waiter is done.

        Returns:
            The changed keys, for `remove`.
        """
        puts, deletes = changes.puts, changes.deletes
        changed = [key for key in keys if key in puts or key in deletes]
        for key in changed:
            self._changes[key] = _Change(waiter, puts.get(key))
        return changed

    def add_unknown(self, keys: Sequence[bytes], waiter: Future[Any]) -> None:
        """Add changes of keys that the writer decides, until the waiter is done."""
        for key in keys:
            self._changes[key] = _Change(waiter, is_known=False)

    def unknown(self, keys: Sequence[bytes]) -> list[Future[Any]]:
        """The waiters of pending changes of these keys that the writer decides."""
        found = [change for key in keys if (change := self._changes.get(key)) is not None]
        return [each.waiter for each in found if not (each.is_known or each.waiter.done())]

    def remove(self, changed: Sequence[bytes], waiter: Future[Any]) -> None:
        """Remove the changes of a proposal whose outcome is known."""
        for key in changed:
            change = self._changes.get(key)
            if change is not None and change.waiter is waiter:
                del self._changes[key]


async def wait_until_done(waiters: Sequence[Future[Any]]) -> None:
    """Wait until all futures are done; their results are ignored, and they are not cancelled."""
    for waiter in waiters:
        if not waiter.done():
            done: Future[None] = get_running_loop().create_future()
            waiter.add_done_callback(partial(_finish, done))
            await done


def _finish(done: Future[None], _waiter: Future[Any]) -> None:
    if not done.done():
        done.set_result(None)
