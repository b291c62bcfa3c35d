"""A page that costs more than a request: it is made at most once a second, and copied meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from hashrange.limits.server import COMPRESSED_ANSWER_BYTES_MIN, PAGE_SECONDS_MIN
from hashrange.server.compression import accepted, compressed
from hashrange.wire.exchange import Request, Response

_NS_MIN: Final = PAGE_SECONDS_MIN * 1_000_000_000


class CopiedPage:
    """Answers the requests for one page, which is the same for everybody.

    Args:
        make: makes the page.
        content_type: of the page.
        monotonic_ns: the clock.
    """

    def __init__(
        self,
        make: Callable[[], Awaitable[bytes]],
        content_type: bytes,
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._make = make
        self._content_type = content_type
        self._monotonic_ns = monotonic_ns
        self._old_from_ns = 0
        self._copies: dict[bytes | None, Response] = {}
        self._making: asyncio.Future[None] | None = None

    async def answer(self, request: Request) -> Response:
        """The page, in an encoding that the client accepts. Raises what `make` raises."""
        while not self._copies or self._monotonic_ns() >= self._old_from_ns:
            if self._making is None:
                await self._renew()
            else:
                await self._making
        encoding = accepted(request.headers.get(b"accept-encoding", b"identity"))
        return self._copies.get(encoding) or self._encoded(encoding)

    async def _renew(self) -> None:
        making = self._making = asyncio.get_running_loop().create_future()
        try:
            body = await self._make()
            self._copies = {None: Response(200, body, self._content_type)}
            self._old_from_ns = self._monotonic_ns() + _NS_MIN
        finally:
            self._making = None
            making.set_result(None)

    def _encoded(self, encoding: bytes | None) -> Response:
        plain = self._copies[None]
        if encoding is None or len(plain.body) <= COMPRESSED_ANSWER_BYTES_MIN:
            return plain
        headers = ((b"Content-Encoding", encoding),)
        body = compressed(plain.body, encoding)
        found = self._copies[encoding] = Response(200, body, self._content_type, headers)
        return found
