"""The upstream as a source: requests of the API as JSON, and its answers."""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.upstream.client import Client, Sent
from hashrange.dax.upstream.refusals import UpstreamError
from hashrange.dax.upstream.tables import UpstreamTables
from hashrange.errors import DynamoError, Fault
from hashrange.limits.dax import (
    UPSTREAM_RECENT_BYTES_MAX,
    UPSTREAM_RECENT_MS,
    UPSTREAM_RECENT_WRITES_MAX,
)
from hashrange.messages import dax as messages
from hashrange.model.operations import is_read_only
from hashrange.wire.codec import DECODE_ERRORS

A = TypeVar("A")

_OK: Final = 200
_encode: Final = msgspec.json.Encoder().encode


class Sender:
    """Performs operations at the upstream.

    Args:
        client: sends.
        tables: the upstream's; a refusal may say that they have changed.
    """

    def __init__(self, client: Client, tables: UpstreamTables) -> None:
        self._client = client
        self._tables = tables

    async def perform(
        self, operation: str, request: Any, answer: type[A], tables: Iterable[str]
    ) -> A:
        """The answer to a request.

        Args:
            operation: its name in the API.
            request: of the type of that operation.
            answer: the type of its answer.
            tables: the names in the request.

        Raises:
            DynamoError: the upstream refuses, or does not answer.
        """
        is_repeatable = is_read_only(operation) or bool(
            getattr(request, "client_request_token", None)
        )
        sent = Sent(
            operation=operation,
            body=_encode(members(request)),
            is_repeatable=is_repeatable,
            actions=len(getattr(request, "transact_items", None) or ()),
        )
        try:
            body = await self._client.call(sent)
            return msgspec.json.decode(body, type=answer)
        except DECODE_ERRORS as error:
            text = messages.not_dynamodb(self._client.url, _OK)
            raise UpstreamError(Fault.INTERNAL, text, is_unchanged=False) from error
        except DynamoError as error:
            for name in tables:
                self._tables.note(name, error.fault)
            raise


def members(value: Any) -> Any:
    """The members of a request that were sent, under their names in the API."""
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(value)
        sent = ((each.encode_name, getattr(value, each.name)) for each in fields)
        return {name: members(member) for name, member in sent if member is not None}
    if isinstance(value, list):
        return [members(member) for member in value]
    if isinstance(value, dict) and any(
        isinstance(member, msgspec.Struct | list) for member in value.values()
    ):
        return {name: members(member) for name, member in value.items()}
    return value


class RecentWrites:
    """The keys of the writes of the last seconds, or so many of them as there is room for.

    Eventually consistent reads of the upstream may not have these writes yet.

    Args:
        now_ms: the time.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._written_ms = BoundedCache[CacheKey, int](
            entries_max=UPSTREAM_RECENT_WRITES_MAX,
            chars_max=UPSTREAM_RECENT_BYTES_MAX,
            entry_chars_max=UPSTREAM_RECENT_BYTES_MAX,
        )

    def add(self, keys: Iterable[CacheKey]) -> None:
        """Keys may have been written."""
        now_ms = self._now_ms()
        for key in keys:
            self._written_ms.keep(key, now_ms, len(key))

    def has(self, key: CacheKey) -> bool:
        """Whether a key may have been written a moment ago."""
        written_ms = self._written_ms.get(key)
        return written_ms is not None and self._now_ms() - written_ms < UPSTREAM_RECENT_MS


class UpstreamSource:
    """The upstream.

    Args:
        sender: performs operations at the upstream.
        tables: the upstream's.
        now_ms: the time.

    Attributes:
        perform: as `Sender.perform`.
        table: a table by its name or ARN as sent.
        is_recent: whether a key was written a moment ago, so that only strongly consistent reads
            see it.
        note_writes: keys may have been written.
    """

    joins_pages = True

    def __init__(self, sender: Sender, tables: UpstreamTables, now_ms: Callable[[], int]) -> None:
        recent = RecentWrites(now_ms)
        self.perform = sender.perform
        self.table = tables.get
        self.is_recent, self.note_writes = recent.has, recent.add

    def is_unchanged(self, error: BaseException) -> bool:
        """Whether the error of a write says that nothing was changed."""
        return isinstance(error, UpstreamError) and error.is_unchanged
