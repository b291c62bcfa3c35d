"""The access log: a line of JSON for each request that is answered, in a file.

Lines wait in memory and are written by a thread some times a second, so that no request waits for
the disk. The file is opened again once another one is at its path, or none: programs that rotate
logs may rename it, or copy and truncate it, and send no signal.
"""

import asyncio
import logging
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from hashrange.api.audit.facts import error_of
from hashrange.clock import Clock
from hashrange.observe.figures import Figures
from hashrange.observe.logs import LogLimiter
from hashrange.wire.answers import named_tables
from hashrange.wire.exchange import Handler, Request, Response

WRITE_SECONDS: Final = 0.2
"""How long a line waits, if the disk is not slow."""
WAITING_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of lines that wait for the disk; further lines are dropped."""
_MODE: Final = 0o600
_NS_PER_MS: Final = 1_000_000
_MS: Final = 1000
_ERROR_STATUS: Final = 400
_AGENT_CHARS_MAX: Final = 256
_PATH_CHARS_MAX: Final = 256

_operation: Final = re.compile(rb"[^.]{0,64}\.([A-Za-z0-9]{1,64})").fullmatch
_path: Final = re.compile(rb"/service/[A-Za-z0-9]{1,64}/operation/([A-Za-z0-9]{1,64})").fullmatch
_action: Final = re.compile(rb"(?:^|&)Action=([A-Za-z0-9]{1,64})(?:&|$)").search
_key: Final = re.compile(rb"Credential=([A-Za-z0-9]{1,128})(?:/|%2F)").search

_log: Final = logging.getLogger(__name__)
_encode: Final = msgspec.json.Encoder().encode


class Line(msgspec.Struct, omit_defaults=True, kw_only=True):
    """A request. Items, queries and signatures are in no line.

    Attributes:
        ts: when it was answered, in UTC.
        address: of the client.
        operation: of an API; empty for a page, which has a path.
        tables: names or ARNs as they were sent, joined by commas.
        access_key: the id of the key that the request names, whether its signature holds or not.
        error: the code of a refusal.
        bytes_received: of the body as it was sent.
        bytes_sent: of the body before it is compressed.
    """

    ts: str
    request_id: str
    address: str = ""
    method: str
    path: str
    operation: str = ""
    tables: str = ""
    access_key: str = ""
    status: int
    error: str = ""
    duration_ms: float
    bytes_received: int
    bytes_sent: int
    user_agent: str = ""


class AccessLog:
    """Writes the file; a background task.

    Args:
        path: of the file. Raises OSError if it cannot be opened.
        clock: dates lines, and measures requests.
        identified: gives a response the id that its client sees.
        write: writes bytes to a descriptor, as `os.write`.

    Attributes:
        dropped_total: lines that were lost.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        identified: Callable[[Response], Response],
        *,
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        self._path = path
        self._clock = clock
        self._identified = identified
        self._write_some = write
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._limiter = LogLimiter(clock.monotonic_ns)
        self._writing = asyncio.Lock()
        self._descriptor = _opened(path)
        self.dropped_total = 0

    def figures(self) -> Figures:
        """Lines that were lost."""
        return {"access_log_lines_dropped_total": self.dropped_total}

    def around(self, handler: Handler) -> Handler:
        """A handler that answers as another one does, and logs the requests."""
        monotonic_ns = self._clock.monotonic_ns

        async def logged(request: Request) -> Response:
            began_ns, size = monotonic_ns(), len(request.body)
            response = self._identified(await handler(request))
            duration_ns = monotonic_ns() - began_ns
            at = utc(self._clock.now_ms())
            line = line_of(request, response, at=at, duration_ns=duration_ns, bytes_received=size)
            self._add(_encode(line) + b"\n")
            return response

        return logged

    def _add(self, line: bytes) -> None:
        if self._waiting_bytes + len(line) > WAITING_BYTES_MAX:
            self.dropped_total += 1
            return
        self._waiting.append(line)
        self._waiting_bytes += len(line)

    async def run(self) -> None:
        """Write what waits, until it is cancelled."""
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        """Write what waits now."""
        async with self._writing:
            if self._waiting:
                lines, self._waiting = self._waiting, []
                # What is being written counts until it is written: a slow disk bounds both.
                await asyncio.to_thread(self._write, b"".join(lines), len(lines))
                self._waiting_bytes = sum(map(len, self._waiting))

    def _write(self, data: bytes, lines: int) -> None:
        try:
            if not _is_at(self._descriptor, self._path):
                self._release()
                self._descriptor = _opened(self._path)
            left = data
            while left:
                left = left[self._write_some(self._descriptor, left) :]
        except OSError as error:
            self.dropped_total += lines
            if self._limiter.happened():
                _log.error("the access log cannot be written: %s", error)

    async def close(self) -> None:
        """Write what waits, and close the file; the task has ended."""
        await self.flush()
        self._release()

    def _release(self) -> None:
        """Close the file; none is open after one could not be opened."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def utc(now_ms: int) -> datetime:
    """A time in milliseconds since the epoch."""
    return datetime.fromtimestamp(now_ms / _MS, UTC)


def line_of(
    request: Request, response: Response, *, at: datetime, duration_ns: int, bytes_received: int
) -> Line:
    """The line of a request that was answered."""
    headers = request.headers
    target = headers.get(b"x-amz-target", b"")
    is_call = request.method == b"POST"
    named = (
        _operation(target) or _path(request.path) or (_action(request.body) if is_call else None)
    )
    key = _key(headers.get(b"authorization", b"")) or _key(request.query)
    is_refused = is_call and response.status >= _ERROR_STATUS
    error = response.fault or (error_of(response.status, response.body)[0] if is_refused else "")
    return Line(
        ts=f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // _MS:03}Z",
        request_id=response.request_id.decode(),
        address=request.peer.address,
        method=_text(request.method),
        path=_text(request.path[:_PATH_CHARS_MAX]),
        operation=_text(named[1]) if named else "",
        tables=named_tables(request.body) if target else "",
        access_key=_text(key[1]) if key else "",
        status=response.status,
        error=error or "",
        duration_ms=round(duration_ns / _NS_PER_MS, 3),
        bytes_received=bytes_received,
        bytes_sent=len(response.body),
        user_agent=_text(headers.get(b"user-agent", b"")[:_AGENT_CHARS_MAX]),
    )


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _MODE)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one at a path."""
    try:
        there, here = path.stat(), os.fstat(descriptor)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
