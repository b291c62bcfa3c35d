"""Sends calls to other servers over HTTP/1.1, on connections that are kept."""

import asyncio
import contextlib
import hmac
import ssl
from collections.abc import Callable, Mapping
from typing import Final

from hashrange.observe.figures import Figures
from hashrange.regions.peers import signing
from hashrange.regions.peers.calls import (
    BODY_BYTES_MAX,
    CALL_SECONDS_MAX,
    PeerAwayError,
    PeerRefusedError,
)
from hashrange.settings.peers import PeerAddress

PATH: Final = "/replication/v1"
_IDLE_MAX: Final = 4
"""Connections to a server that are kept for the next calls."""
_HEAD_BYTES_MAX: Final = 16 * 1024
_REFUSED: Final = frozenset((400, 403, 404))
_OK: Final = 200


class _Connection:
    """One connection; a call at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.is_kept = True

    async def exchange(
        self, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; the status, the headers by lower-case names, and the body."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST {PATH} HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode("latin-1") + body)
        await self._writer.drain()
        start, *fields = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in fields if line)
        found = {name.lower(): value.strip() for name, _, value in pairs}
        length = int(found.get("content-length", ""))
        if not 0 <= length <= BODY_BYTES_MAX:
            raise ValueError("an answer that is too long")
        self.is_kept = found.get("connection", "").lower() != "close"
        return int(start.split()[1]), found, await self._reader.readexactly(length)

    def close(self) -> None:
        """Close it at once."""
        self._writer.close()

    async def closed(self) -> None:
        """Close it, and wait until it is."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


class HttpCalls:
    """Calls of the servers of other regions.

    Args:
        places: the servers, by region.
        secret: the key that all share; None on one machine.
        context: verifies certificates; None if no server has TLS.
        now_ms: the clock.
    """

    def __init__(
        self,
        places: Mapping[str, PeerAddress],
        secret: str | None,
        context: ssl.SSLContext | None,
        now_ms: Callable[[], int],
    ) -> None:
        self._places = places
        self._secret = secret
        self._context = context
        self._now_ms = now_ms
        self._idle: dict[str, list[_Connection]] = {region: [] for region in places}
        self._sent_bytes = self._received_bytes = self._calls = self._failures = 0

    def figures(self) -> Figures:
        """Figures for metrics."""
        return {
            "peer_calls_total": self._calls,
            "peer_call_failures_total": self._failures,
            "peer_sent_bytes_total": self._sent_bytes,
            "peer_received_bytes_total": self._received_bytes,
        }

    async def call(self, sender: str, receiver: str, verb: str, body: bytes) -> bytes:
        """As `Calls.call`."""
        place = self._places[receiver]
        head = signing.Call(place.authority, sender, receiver, verb)
        headers = signing.headers_of(head, body, self._secret, self._now_ms())
        self._calls += 1
        try:
            # A task of its own, since the handlers of requests run in none.
            exchange = self._exchange_in_time(place, headers, body)
            status, fields, answer = await asyncio.get_running_loop().create_task(exchange)
        except (OSError, EOFError, ValueError, LookupError, asyncio.LimitOverrunError) as error:
            self._failures += 1
            why = str(error) or type(error).__name__
            raise PeerAwayError(f"{receiver} at {place.authority}: {why}") from error
        self._sent_bytes += len(body)
        self._received_bytes += len(answer)
        if status != _OK:
            self._failures += 1
            text = (
                f"{receiver} at {place.authority}: {status} {answer[:200].decode(errors='replace')}"
            )
            raise PeerRefusedError(text) if status in _REFUSED else PeerAwayError(text)
        if self._secret is not None:
            expected = signing.proof(headers["Authorization"], answer, self._secret)
            given = fields.get(signing.PROOF.lower(), "")
            if not hmac.compare_digest(expected.encode(), given.encode("latin-1", "replace")):
                self._failures += 1
                raise PeerRefusedError(f"{receiver} at {place.authority}: not signed by a peer")
        return answer

    async def close(self) -> None:
        """Close the connections that are kept."""
        for idle in self._idle.values():
            while idle:
                await idle.pop().closed()

    async def _exchange_in_time(
        self, place: PeerAddress, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        async with asyncio.timeout(CALL_SECONDS_MAX):
            return await self._exchange(place, headers, body)

    async def _exchange(
        self, place: PeerAddress, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        idle = self._idle[place.region]
        while idle:
            # The server may have closed it; the call is then sent again, which calls must bear.
            with contextlib.suppress(OSError, EOFError):
                return await self._on(idle.pop(), place, headers, body)
        reader, writer = await asyncio.open_connection(
            place.host,
            place.port,
            ssl=self._context if place.is_secure else None,
            limit=_HEAD_BYTES_MAX,
        )
        return await self._on(_Connection(reader, writer), place, headers, body)

    async def _on(
        self, connection: _Connection, place: PeerAddress, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        idle, is_done = self._idle[place.region], False
        try:
            answer = await connection.exchange(headers, body)
            is_done = True
        finally:
            if is_done and connection.is_kept and len(idle) < _IDLE_MAX:
                idle.append(connection)
            else:
                connection.close()
        return answer
