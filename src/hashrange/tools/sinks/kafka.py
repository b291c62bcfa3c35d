"""Topics of Kafka as a target, by the REST API v2 of Confluent's REST Proxy.

Karapace, Strimzi's bridge and Redpanda have the same API. A record has the key of its item, so all
changes of an item are in one partition, in their order.

Source: Confluent's documentation, "REST Proxy API Reference", POST /topics/(string:topic_name).
"""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.changes import Change, key_bytes
from hashrange.tools.sinks.posting import batches, json_answer_of, record_of, snapshot_end
from hashrange.tools.sinks.targets import TargetError

TOPIC_CHARS_MAX: Final = 249
SECONDS: Final = 60.0


class Kafka:
    """Sends changes to the topics that are named like their tables.

    Args:
        url: of the API.
        headers: further headers, such as those of credentials.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url.rstrip("/")
        self._headers = {
            **headers,
            "Content-Type": "application/vnd.kafka.json.v2+json",
            "Accept": "application/vnd.kafka.v2+json",
        }

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """As of `Target`: each request has a connection of its own."""
        yield

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:  # noqa: ARG002 - as of `Target`
        """Refuse a name that no topic has. Raises CopyError."""
        if len(table) > TOPIC_CHARS_MAX:
            raise CopyError(f"{table}: the name of a topic has at most {TOPIC_CHARS_MAX} letters")

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Send the changes in batches, one after the other."""
        for batch in batches(changes, _entry):
            await self._send(changes[0].table, batch)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Send a record of its own, in one of the partitions."""
        await self._send(table, [b'{"value":%b}' % snapshot_end(table, version)])

    async def _send(self, topic: str, batch: Sequence[bytes]) -> None:
        body = b'{"records":[%b]}' % b",".join(batch)
        url = f"{self._url}/topics/{topic}"
        answer = await json_answer_of(url, body, self._headers, seconds=SECONDS)
        stored = answer.get("offsets") or ()
        for each in stored:
            if each.get("error_code") is not None or each.get("offset") is None:
                raise TargetError(f"{url} did not store a record: {each.get('error')}")
        if len(stored) != len(batch):
            raise TargetError(f"{url} stored {len(stored)} of {len(batch)} records")


def _entry(change: Change) -> bytes:
    return b'{"key":%b,"value":%b}' % (key_bytes(change.keys), record_of(change))
