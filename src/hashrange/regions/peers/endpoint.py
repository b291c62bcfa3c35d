"""The endpoint of peers: verifies the calls of other servers, and finds the handler of a verb."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final, TypeAlias

import msgspec

from hashrange.regions.peers import signing
from hashrange.regions.peers.calls import BODY_BYTES_MAX, MessageError
from hashrange.storage.engine import StorageError

CallHandler: TypeAlias = Callable[[str, str, bytes], Awaitable[bytes]]
"""Handles the calls of a verb: the region that calls, the region that is called, the body.

It raises MessageError if the body is not understood, and StorageError.
"""
_LOOPBACK: Final = ("127.", "::1")


class Refusal(msgspec.Struct, frozen=True):
    """A call that is not answered: the status of HTTP, and a text for the other operator."""

    status: int
    text: str


class PeerEndpoint:
    """Verifies and answers the calls of peers.

    Args:
        own: the regions of this server.
        peers: the regions of others.
        secret: the key that all share; None if only this machine may call.
        now_ms: the clock.

    Attributes:
        verbs: the handler of each verb; to be filled before the first call.
    """

    def __init__(
        self,
        own: Collection[str],
        peers: Collection[str],
        secret: str | None,
        now_ms: Callable[[], int],
    ) -> None:
        self.verbs: dict[str, CallHandler] = {}
        self._own = frozenset(own)
        self._peers = frozenset(peers)
        self._secret = secret
        self._now_ms = now_ms

    async def answer(
        self, headers: Mapping[bytes, bytes], body: bytes, address: str
    ) -> tuple[bytes, str] | Refusal:
        """The answer to a call and its proof, which is empty without a secret; or a refusal."""
        call = signing.call_of(headers)
        if (refusal := self._refusal(headers, body, address)) is not None:
            return refusal
        verb = self.verbs.get(call.verb)
        if verb is None or len(body) > BODY_BYTES_MAX:
            return Refusal(400, "the call is not known, or too long")
        try:
            answer = await verb(call.sender, call.receiver, body)
        except MessageError as error:
            return Refusal(400, str(error))
        except StorageError as error:
            return Refusal(503, f"storage failed: {error}")
        if self._secret is None:
            return answer, ""
        given = headers.get(b"authorization", b"").decode("latin-1")
        return answer, signing.proof(given, answer, self._secret)

    def _refusal(self, headers: Mapping[bytes, bytes], body: bytes, address: str) -> Refusal | None:
        text = None
        if self._secret is not None:
            text = signing.refusal(headers, body, self._secret, self._now_ms())
        elif not address.startswith(_LOOPBACK):
            text = "without --peer-key-file only this machine may call"
        call = signing.call_of(headers)
        if text is None and (call.sender not in self._peers or call.receiver not in self._own):
            text = "one of the regions is not that of a peer, or of this server"
        return None if text is None else Refusal(403, text)
