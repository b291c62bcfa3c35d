"""One process of the server, as the supervisor sees it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.storage.engine import StorageOpenError
from hashrange.workers.control import Control, Message, Ready, Refused, Role, Stop
from hashrange.workers.descriptors import Kind, hand

_REAP_SECONDS: Final = 0.005
"""Between two looks whether a process that has closed its sockets is gone."""
_REAP_LOOKS_MAX: Final = 1000
_AGAIN_SECONDS: Final = 0.05
"""After which a link is handed again to one that takes nothing now."""


class Worker:
    """A process that runs, and is killed or told to stop.

    Attributes:
        ready: done when it does what it is for; StorageOpenError if it cannot.
        ended: done when it is gone; its exit code.

    Args:
        role: what it is for.
        shared: descriptors that it inherits, and is told of, after its two sockets.
    """

    def __init__(self, role: Role, shared: Sequence[int]) -> None:
        loop = asyncio.get_running_loop()
        self.role = role
        self.ready: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[int] = loop.create_future()
        self._control: Control | None = None
        self._reaper: asyncio.Task[None] | None = None
        self._receive: Callable[[Message], None] = _nothing
        self._end, theirs = socket.socketpair()
        self.handing, their_handing = socket.socketpair()
        self.handing.settimeout(0)
        with theirs, their_handing:
            inherited = (theirs.fileno(), their_handing.fileno(), *shared)
            self.process = subprocess.Popen(  # noqa: S603 - our own program, and no shell
                command(role, inherited),
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                pass_fds=inherited,
            )

    async def connect(self, receive: Callable[["Worker", Message], None]) -> None:
        """Listen to what it says; `receive` is called with all but how it begins."""
        self._receive = lambda message: receive(self, message)
        self._control = await Control.on(self._end, self._take, self._lost)

    def send(self, message: Message) -> None:
        """Say something to it, if it is still there."""
        if self._control is not None:
            self._control.send(message)

    def _take(self, message: Message) -> None:
        match message:
            case Ready():
                self.ready.set_result(None)
            case Refused(reason=reason):
                self.ready.set_exception(StorageOpenError(reason))
            case _:
                self._receive(message)

    def _lost(self) -> None:
        self.handing.close()
        self._reaper = asyncio.get_running_loop().create_task(self._reap())

    async def _reap(self) -> None:
        for _ in range(_REAP_LOOKS_MAX):
            if self.process.poll() is not None:
                break
            await asyncio.sleep(_REAP_SECONDS)
        else:
            self.kill()
        code = self.process.wait()
        if not self.ready.done():
            self.ready.set_exception(StorageOpenError(f"the {self.role} ended with code {code}"))
            self.ready.exception()  # whether or not anybody waits for it
        self.ended.set_result(code)

    @property
    def serves(self) -> bool:
        """Whether it does what it is for."""
        return self.ready.done() and self.ready.exception() is None and self.handing.fileno() >= 0

    def link(self, connected: socket.socket) -> None:
        """Hand it a link to the writer, or to a reader."""
        try:
            handed = hand(self.handing, Kind.LINK, connected)
        except OSError:
            connected.close()  # it has just ended
            return
        if not handed:
            asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self.link, connected)

    async def stop(self, seconds_max: float) -> None:
        """Let it end in order; kill it if it has not by then."""
        if self._control is None:
            self.kill()
            self.process.wait()
            return
        self.send(Stop())
        done, _ = await asyncio.wait([self.ended], timeout=seconds_max)
        if not done:
            self.kill()
            await self.ended

    def kill(self) -> None:
        """End it at once."""
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)


def command(role: Role, descriptors: Sequence[int]) -> list[str]:
    """The command line of a worker process, which inherits the file descriptors."""
    # -P: a file of the current directory must not stand in for a module.
    numbers = map(str, descriptors)
    return [sys.executable, "-P", "-m", "hashrange", "worker", role, ",".join(numbers)]


def _nothing(_message: Message) -> None:
    pass
