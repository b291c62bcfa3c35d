"""What the HTTP edge and those who answer say to each other: requests in, responses out."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

import msgspec

from hashrange.wire.answers import JSON_1_0

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]


class Request(msgspec.Struct):
    """One HTTP request, whole.

    `path` is raw and without the query, also of a target in absolute form; names in `headers` are
    in lower case, and values of a name that is sent more than once are joined by commas, except
    Accept-Encoding, of which the first counts, as on DynamoDB. `body` is free of chunks and of its
    Content-Encoding; where it had one, `body_sent` is the body that was signed, otherwise None.
    """

    method: bytes
    path: bytes
    query: bytes
    headers: dict[bytes, bytes]
    body: bytes
    body_sent: bytes | None = None


class Response(msgspec.Struct, frozen=True):
    """One answer. The edge adds the checksum, lengths, dates and compression.

    It adds a request id, too, unless there is one because the request was logged.
    """

    status: int
    body: bytes
    content_type: bytes = JSON_1_0
    headers: Headers = ()
    request_id: bytes = b""


Handler: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]
"""Answers one request.

Its coroutine is driven by hand: it may await futures of the running loop, but it is no Task, so
`asyncio.timeout`, `TaskGroup` and whatever else asks for the current task fail in it. It runs to
its end even if the client goes away.
"""
