"""Messages between the members of groups: within this server, and to those of other regions.

What waits for a region is sent in one call, for all groups together. A message may be lost: the
members bear that.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.consensus import LETTER_BYTES_MAX, LETTER_SECONDS_MAX, MAIL_BYTES_MAX
from hashrange.regions.consensus.messages import Message, decoded, encoded
from hashrange.regions.peers.calls import Calls, PeerError
from hashrange.regions.peers.packing import MessageError, packed, unpacked
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.strong.ending import ended

CONSENSUS: Final = "consensus"
"""The verb of `Letter`."""
_PAUSE_SECONDS: Final = 0.1
"""After a call that has failed."""

_log: Final = logging.getLogger(__name__)


class Letter(msgspec.Struct, frozen=True):
    """Messages to the members of a region, each with the id of its group."""

    messages: tuple[tuple[str, bytes], ...]


Receiver: TypeAlias = Callable[[str, str, str, Message], None]
"""Takes a message: the group, the regions that it is from and to. It may drop the message."""


class _Box:
    """What waits for one region; the oldest messages are dropped beyond a bound."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._size = 0
        self.is_due = asyncio.Event()

    def put(self, group: str, message: bytes) -> None:
        self._waiting.append((group, message))
        self._size += len(message)
        while self._size > MAIL_BYTES_MAX and len(self._waiting) > 1:
            self._size -= len(self._waiting.popleft()[1])
        self.is_due.set()

    def clear(self) -> None:
        self._waiting.clear()
        self._size = 0

    def take(self) -> Letter | None:
        """As many messages as go into one call; None if there are none."""
        taken: list[tuple[str, bytes]] = []
        size = 0
        while self._waiting and (not taken or size + len(self._waiting[0][1]) < LETTER_BYTES_MAX):
            taken.append(self._waiting.popleft())
            size += len(taken[-1][1])
        self._size -= size
        return Letter(tuple(taken)) if taken else None


class Mail:
    """Sends and receives.

    Args:
        calls: to the servers of other regions; None without any.
        own: the regions of this server.
        cuts: regions that do not reach each other now; None if all do.

    Attributes:
        receiver: takes messages; to be set before the first.
        sent_total: messages to other servers.
    """

    def __init__(
        self, calls: Calls | None, own: Collection[str], cuts: Callable[[], Cuts | None]
    ) -> None:
        self.receiver: Receiver = _dropped
        self.sent_total = 0
        self._calls = calls
        self._own = frozenset(own)
        self._cuts = cuts
        self._boxes: dict[tuple[str, str], _Box] = {}
        self._senders: list[asyncio.Task[None]] = []

    def send(self, group: str, sender: str, to: str, message: Message) -> None:
        """Send a message to a member of a group, now or never."""
        cuts = self._cuts()
        if cuts is not None and cuts.between(sender, to):
            return
        if to in self._own:
            loop = asyncio.get_running_loop()
            loop.call_soon(self.receiver, group, sender, to, message)
        elif self._calls is not None:
            box = self._boxes.get((sender, to))
            if box is None:
                box = self._boxes[sender, to] = _Box()
                sending = self._send_all(self._calls, sender, to, box)
                self._senders.append(asyncio.create_task(sending))
            box.put(group, encoded(message))

    async def received(self, sender: str, receiver: str, body: bytes) -> bytes:
        """Answer a call of the verb. Raises MessageError."""
        cuts = self._cuts()
        if cuts is not None and cuts.between(sender, receiver):
            return b""
        try:
            found = [(group, decoded(data)) for group, data in unpacked(body, Letter).messages]
        except ValueError as error:
            raise MessageError(f"no messages of a group: {error}") from error
        for group, message in found:
            self.receiver(group, sender, receiver, message)
        return b""

    async def close(self) -> None:
        """End what sends."""
        senders, self._senders = self._senders, []
        self._boxes.clear()
        await ended(senders)

    async def _send_all(self, calls: Calls, sender: str, to: str, box: _Box) -> None:
        is_away = False
        while True:
            await box.is_due.wait()
            box.is_due.clear()
            while (letter := box.take()) is not None:
                try:
                    call = calls.call(sender, to, CONSENSUS, packed(letter))
                    async with asyncio.timeout(LETTER_SECONDS_MAX):
                        await call
                except (PeerError, TimeoutError) as error:
                    if not is_away:
                        why = str(error) or "no answer in time"
                        _log.warning("messages of strong tables do not reach %s: %s", to, why)
                    is_away = True
                    box.clear()  # they are out of date
                    await asyncio.sleep(_PAUSE_SECONDS)
                else:
                    self.sent_total += len(letter.messages)
                    if is_away:
                        _log.info("messages of strong tables reach %s again", to)
                    is_away = False


def _dropped(_group: str, _sender: str, _receiver: str, _message: Message) -> None:
    pass
