"""Calls between servers: bytes to the server of a region, and bytes back.

Nothing is said of their order: a call may arrive twice, late, or not at all, and its answer may be
lost. Who calls must bear that.
"""

from typing import Final, Protocol

BODY_BYTES_MAX: Final = 8 * 1024 * 1024
"""Of a call or of its answer, as sent."""
CALL_SECONDS_MAX: Final = 15.0
"""A call without an answer for so long has failed."""


class PeerError(Exception):
    """A call has no answer; it may have been acted on. The text is one line for the operator."""


class PeerAwayError(PeerError):
    """The server cannot be reached, or does not answer in time: the call may succeed later."""


class PeerRefusedError(PeerError):
    """The server has answered that it does not accept the call, or the answer is not its own."""


class Calls(Protocol):
    """Sends calls to the servers of other regions."""

    async def call(self, sender: str, receiver: str, verb: str, body: bytes) -> bytes:
        """Send one call, and wait for its answer.

        Args:
            sender: the region that calls, one of this server.
            receiver: the region that is called, one of another server.
            verb: what is asked for: a name that the receiver's `PeerEndpoint` has.
            body: at most `BODY_BYTES_MAX` bytes.

        Raises:
            PeerAwayError: no answer came.
            PeerRefusedError: the call or its answer is refused.
        """
