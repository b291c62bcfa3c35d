"""An HTTP endpoint as a target: a POST for each batch, as Lambda's events are."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.posting import answer_of, batches, record_of, snapshot_end

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
        for batch in batches(changes, record_of):
            await self._post(batch)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Post a record of its own: an endpoint has to remove older items by itself."""
        await self._post([snapshot_end(table, version)])

    async def _post(self, batch: Sequence[bytes]) -> None:
        body = b'{"Records":[%b]}' % b",".join(batch)
        await answer_of(self._url, body, self._headers, seconds=SECONDS)
