"""Works of one server that meet on a key follow each other, instead of losing to each other."""

from asyncio import Future, get_running_loop
from collections import deque
from collections.abc import Sequence


class KeyQueues:
    """A queue for each key that is being written.

    A key has one owner at a time, who hands it to the next when done. Who meets nobody pays for a
    look into a dict and makes no future.
    """

    def __init__(self) -> None:
        self._waiting: dict[bytes, deque[Future[None]]] = {}

    async def enter(self, keys: Sequence[bytes]) -> Sequence[bytes]:
        """Wait until nobody else works on any of the keys; all take them in one order.

        Returns:
            What to `leave` with, whatever happens.
        """
        ordered = keys if len(keys) <= 1 else sorted(set(keys))
        waiting = self._waiting
        for position, key in enumerate(ordered):
            queue = waiting.get(key)
            if queue is None:
                waiting[key] = deque()
                continue
            turn = get_running_loop().create_future()
            queue.append(turn)
            try:
                await turn
            except BaseException:
                owned = turn.done() and not turn.cancelled()
                self.leave(ordered[: position + owned])
                raise
        return ordered

    def leave(self, keys: Sequence[bytes]) -> None:
        """Hand each key to who waits for it longest."""
        for key in keys:
            queue = self._waiting[key]
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)
                    break
            else:
                del self._waiting[key]
