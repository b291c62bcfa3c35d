"""The supervisor's handle of a reader or the writer."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.assembly.workers.control import Control, Message, Ready, Refused, Role, Stop
from hashrange.assembly.workers.descriptors import SocketKind, send_socket
from hashrange.storage.engine import StorageOpenError

_REAP_SECONDS: Final = 0.005
"""Interval in which a process that has closed its sockets is polled for its exit code."""
_REAP_LOOKS_MAX: Final = 1000
"""Polls after which the process is killed."""
_AGAIN_SECONDS: Final = 0.05
"""Pause before a link is sent again to a process whose channel is full."""


class Worker:
    """A running process.

    Attributes:
        role: reader or writer.
        process: the child process.
        channel: the socket over which sockets are sent to it.
        ready: done when it serves; StorageOpenError if it cannot.
        ended: done with its exit code.

    Args:
        role: reader or writer.
        shared: descriptors that it inherits after its two sockets.
    """

    def __init__(self, role: Role, shared: Sequence[int]) -> None:
        loop = asyncio.get_running_loop()
        self.role = role
        self.ready: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[int] = loop.create_future()
        self._control: Control | None = None
        self._reaper: asyncio.Task[None] | None = None
        self._receive: Callable[[Message], None] = _nothing
        self._end, other_end = socket.socketpair()
        self.channel, other_channel = socket.socketpair()
        self.channel.settimeout(0)
        with other_end, other_channel:
            inherited = (other_end.fileno(), other_channel.fileno(), *shared)
            self.process = subprocess.Popen(  # noqa: S603 - our own program, and no shell
                command(role, inherited),
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                pass_fds=inherited,
            )

    async def connect(self, receive: Callable[["Worker", Message], None]) -> None:
        """Open the control stream; `receive` gets all messages but Ready and Refused."""
        self._receive = lambda message: receive(self, message)
        self._control = await Control.on(self._end, self._take, self._lost)

    def send(self, message: Message) -> None:
        """Send a message; no effect if the process has ended."""
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
        self.channel.close()
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
            self.ready.exception()  # keeps asyncio from logging it if nothing awaits `ready`
        self.ended.set_result(code)

    @property
    def serves(self) -> bool:
        """Whether it is ready and has not ended."""
        return self.ready.done() and self.ready.exception() is None and self.channel.fileno() >= 0

    def link(self, connected: socket.socket) -> None:
        """Send it one end of a connection between a reader and the writer."""
        try:
            is_sent = send_socket(self.channel, SocketKind.LINK, connected)
        except OSError:
            connected.close()  # the process has just ended
            return
        if not is_sent:
            asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self.link, connected)

    async def stop(self, seconds_max: float) -> None:
        """Ask it to drain and end; kill it if it has not ended within the time limit."""
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
        """Kill the process, if it has not ended."""
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)


def command(role: Role, descriptors: Sequence[int]) -> list[str]:
    """The command line of a process that inherits the descriptors."""
    # -P: a file of the current directory must not shadow a module.
    numbers = map(str, descriptors)
    return [sys.executable, "-P", "-m", "hashrange", "worker", role, ",".join(numbers)]


def _nothing(_message: Message) -> None:
    pass
