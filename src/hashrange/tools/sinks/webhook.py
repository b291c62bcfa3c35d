"""An HTTP endpoint as a target: a POST for each batch, as Lambda's events are."""

import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import Any, Final

import msgspec

from hashrange.background.posts import Response, in_thread, posted
from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.targets import TargetError

BATCH_CHANGES_MAX: Final = 100
BATCH_BYTES_MAX: Final = 6 * 1024**2
"""The limit of Lambda."""
SECONDS: Final = 30.0


class Webhook:
    """Posts batches of changes: `{"Records": […]}`.

    Args:
        url: of the endpoint.
        headers: further headers, such as those of credentials.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = {**headers, "Content-Type": "application/json"}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Nothing: each batch has a connection of its own."""
        yield

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:
        """As of `Target`."""

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Post the changes in batches, one after the other."""
        for batch in batches(changes):
            await self._post(batch)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Post a record of its own: an endpoint has to remove older items by itself."""
        record = {"eventName": "SNAPSHOT_END", "tableName": table, "version": str(version)}
        await self._post([msgspec.json.encode(record)])

    async def _post(self, batch: Sequence[bytes]) -> None:
        body = b'{"Records":[%b]}' % b",".join(batch)
        answer = await in_thread(lambda: self._answer(body), "sink")
        if isinstance(answer, Exception):
            raise TargetError(f"{self._url} does not answer: {answer}") from answer
        if not answer.is_success:
            raise TargetError(f"{self._url} answers {answer.status}")

    def _answer(self, body: bytes) -> Response | Exception:
        try:
            return posted(self._url, body, self._headers, seconds=SECONDS)
        except (OSError, HTTPException) as error:
            return error


def batches(changes: Sequence[Change]) -> Iterator[list[bytes]]:
    """The records as JSON, in batches of limited number and size."""
    batch: list[bytes] = []
    size = 0
    for change in changes:
        record = msgspec.json.encode(change.record)
        is_full = len(batch) == BATCH_CHANGES_MAX or size + len(record) > BATCH_BYTES_MAX
        if batch and is_full:
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += len(record)
    if batch:
        yield batch
