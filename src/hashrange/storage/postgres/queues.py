"""Works of one server that meet on a key follow each other, instead of losing to each other."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager


class KeyQueues:
    """A queue for each key that is being written."""

    def __init__(self) -> None:
        self._locks: dict[bytes, asyncio.Lock] = {}
        self._users: Counter[bytes] = Counter()

    @asynccontextmanager
    async def turn(self, keys: Sequence[bytes]) -> AsyncIterator[None]:
        """Wait until nobody else works on any of the keys; all take them in one order."""
        ordered = sorted(set(keys))
        held: list[asyncio.Lock] = []
        self._users.update(ordered)
        try:
            for key in ordered:
                lock = self._locks.setdefault(key, asyncio.Lock())
                await lock.acquire()
                held.append(lock)
            yield
        finally:
            for lock in held:
                lock.release()
            for key in ordered:
                self._users[key] -= 1
                if not self._users[key]:
                    del self._users[key]
                    self._locks.pop(key, None)
