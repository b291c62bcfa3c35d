"""Messages between the members of groups: within this server, and to those of other regions.

The outbox of a region has the messages of all groups to it, and is sent in one call. A message may
be lost: the protocol of the groups allows that.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.limits.consensus import ENVELOPE_BYTES_MAX, ENVELOPE_SECONDS_MAX, OUTBOX_BYTES_MAX
from hashrange.regions.consensus.messages import Message, decoded, encoded
from hashrange.regions.peers.calls import Calls, MessageError, PeerError, packed, unpacked
from hashrange.regions.replication.cuts import Cuts

_AGAIN_SECONDS: Final = 1.0


async def ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they have ended, whatever they raise.

    Again and again: `asyncio.wait_for` can swallow a cancellation before Python 3.12.
    """
    left = set(tasks)
    while left:
        for each in left:
            each.cancel()
        done, left = await asyncio.wait(left, timeout=_AGAIN_SECONDS)
        for each in done:
            if not each.cancelled():
                each.exception()


CONSENSUS: Final = "consensus"
"""The verb of `Envelope`."""
_PAUSE_SECONDS: Final = 0.1
"""After a call that has failed."""

_log: Final = logging.getLogger(__name__)


class Envelope(msgspec.Struct, frozen=True):
    """Messages to the members of a region, each with the id of its group."""

    messages: tuple[tuple[str, bytes], ...]


Receiver: TypeAlias = Callable[[str, str, str, Message], None]
"""Takes a message: the group, the regions that it is from and to. It may drop the message."""


class _Outbox:
    """Messages to one region; the oldest are dropped beyond a bound."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._size = 0
        self.is_due = asyncio.Event()

    def put(self, group: str, message: bytes) -> None:
        self._waiting.append((group, message))
        self._size += len(message)
        while self._size > OUTBOX_BYTES_MAX and len(self._waiting) > 1:
            self._size -= len(self._waiting.popleft()[1])
        self.is_due.set()

    def clear(self) -> None:
        self._waiting.clear()
        self._size = 0

    def take(self) -> Envelope | None:
        """As many messages as go into one call; None if there are none."""
        taken: list[tuple[str, bytes]] = []
        size = 0
        while self._waiting and (not taken or size + len(self._waiting[0][1]) < ENVELOPE_BYTES_MAX):
            taken.append(self._waiting.popleft())
            size += len(taken[-1][1])
        self._size -= size
        return Envelope(tuple(taken)) if taken else None


class Transport:
    """Sends and receives the messages of groups.

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
        self._outboxes: dict[tuple[str, str], _Outbox] = {}
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
            outbox = self._outboxes.get((sender, to))
            if outbox is None:
                outbox = self._outboxes[sender, to] = _Outbox()
                sending = self._send_all(self._calls, sender, to, outbox)
                self._senders.append(asyncio.create_task(sending))
            outbox.put(group, encoded(message))

    async def received(self, sender: str, receiver: str, body: bytes) -> bytes:
        """Answer a call of the verb. Raises MessageError."""
        cuts = self._cuts()
        if cuts is not None and cuts.between(sender, receiver):
            return b""
        try:
            found = [(group, decoded(data)) for group, data in unpacked(body, Envelope).messages]
        except ValueError as error:
            raise MessageError(f"no messages of a group: {error}") from error
        for group, message in found:
            self.receiver(group, sender, receiver, message)
        return b""

    async def close(self) -> None:
        """End what sends."""
        senders, self._senders = self._senders, []
        self._outboxes.clear()
        await ended(senders)

    async def _send_all(self, calls: Calls, sender: str, to: str, outbox: _Outbox) -> None:
        is_away = False
        while True:
            await outbox.is_due.wait()
            outbox.is_due.clear()
            while (envelope := outbox.take()) is not None:
                try:
                    call = calls.call(sender, to, CONSENSUS, packed(envelope))
                    async with asyncio.timeout(ENVELOPE_SECONDS_MAX):
                        await call
                except (PeerError, TimeoutError) as error:
                    if not is_away:
                        why = str(error) or "no answer in time"
                        _log.warning("messages of strong tables do not reach %s: %s", to, why)
                    is_away = True
                    outbox.clear()  # they are out of date
                    await asyncio.sleep(_PAUSE_SECONDS)
                else:
                    self.sent_total += len(envelope.messages)
                    if is_away:
                        _log.info("messages of strong tables reach %s again", to)
                    is_away = False


def _dropped(_group: str, _sender: str, _receiver: str, _message: Message) -> None:
    pass
