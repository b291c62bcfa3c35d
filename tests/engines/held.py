"""Calls beside the loop that end when a test says so, and writes beside them."""

import asyncio

from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.disk_thread import Call, Then, raised_by
from hashrange.storage.sqlite.engine import SqliteEngine


class Held:
    """Calls beside the loop that end when a test says so."""

    def __init__(self) -> None:
        self.held: tuple[Call, Then] | None = None
        self._error: BaseException | None = None

    def run(self, call: Call, then: Then, _loop: asyncio.AbstractEventLoop) -> None:
        assert self.held is None, "one at a time"
        self.held = call, then

    def end(self, error: BaseException | None = None) -> None:
        (call, then), self.held = self.held, None
        self._error = error or raised_by(call)
        then(self._error)

    def wait(self) -> BaseException | None:
        if self.held is not None:
            call, _ = self.held
            self.held, self._error = None, raised_by(call)
        return self._error

    def close(self) -> None:
        self.wait()


def put(engine: SqliteEngine, key: bytes, value: bytes, fences=None) -> asyncio.Task:
    changes = Changes(answer=value, puts={key: value})
    write = engine.write([key], lambda _: changes, fences=fences or {})
    return asyncio.get_running_loop().create_task(write)
