"""OpenSearch or Elasticsearch as a target: its bulk API, with versions of our own.

A document has the version of its change (`version_type` external), so the engine ignores one that
comes again. Its id is the key of the item.
"""

import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.tools.copying.item_lines import plain_json_of
from hashrange.tools.sinks.changes import EPOCH, Change, document_id
from hashrange.tools.sinks.posting import json_answer_of
from hashrange.tools.sinks.targets import TargetError, refuse_same_name

BATCH_BYTES_MAX: Final = 5 * 1024**2
SECONDS: Final = 60.0
_ID_BYTES_MAX: Final = 512
"""The limit of both engines."""
_CONFLICT: Final = 409
"""A newer version is there."""
_NOT_FOUND: Final = 404
_SHARDS: Final = 10**9
_RECORDS: Final = 10**15
_RECORD_BITS: Final = 36
_SHARD_BITS: Final = 20
_EPOCH_MAX: Final = 126
_SUCCESS: Final = 2
SNAPSHOT: Final = "@snapshot"
"""The field with the number of the snapshot, by which documents of earlier ones are found."""


def document_version(version: int) -> int:
    """A version below 2**63 in the same order. Raises TargetError: it does not fit.

    Sequence numbers of this server are the number of a shard and that of a record in it.
    """
    epoch, number = divmod(version, EPOCH)
    shard, record = divmod(number, _RECORDS)
    shard = shard - _SHARDS if number else 0
    if not (epoch <= _EPOCH_MAX and 0 <= shard < 1 << _SHARD_BITS and record < 1 << _RECORD_BITS):
        raise TargetError(f"the version {version} has no place in 63 bits")
    # External versions begin with 1.
    return (((epoch << _SHARD_BITS) | shard) << _RECORD_BITS | record) + 1


class OpenSearch:
    """Indexes items as documents of plain JSON, one index a table.

    Args:
        url: of the engine.
        headers: further headers, such as those of credentials.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url.rstrip("/")
        self._headers = headers
        self._tables: set[str] = set()

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """As of `Target`: each request has a connection of its own."""
        yield

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:  # noqa: ARG002 - as of `Target`
        """The engine makes an index with its first document. Raises CopyError: it has one."""
        refuse_same_name(table, self._tables, "an engine: use an engine")
        self._tables.add(table)

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Send the changes as bulks, one after the other."""
        for bulk in bulks(changes):
            answer = await self._post("/_bulk", bulk, "application/x-ndjson")
            for outcome in answer.get("items") or ():
                _check(outcome)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Delete the documents of earlier snapshots."""
        if not version:
            return
        query = {"query": {"range": {SNAPSHOT: {"lt": version // EPOCH}}}}
        body = msgspec.json.encode(query)
        path = f"/{index_of(table)}"
        await self._post(f"{path}/_refresh", b"")
        await self._post(f"{path}/_delete_by_query?conflicts=proceed&refresh=true", body)

    async def _post(
        self, path: str, body: bytes, content: str = "application/json"
    ) -> dict[str, Any]:
        headers = {**self._headers, "Content-Type": content}
        return await json_answer_of(self._url + path, body, headers, seconds=SECONDS)


def index_of(table: str) -> str:
    """The name of the index of a table: names of indexes have small letters."""
    return table.lower()


def bulks(changes: Sequence[Change]) -> Iterator[bytes]:
    """The bodies of bulks: two lines an item, one line a deletion."""
    bulk: list[bytes] = []
    size = 0
    for change in changes:
        lines = _lines_of(change)
        if bulk and size + len(lines) > BATCH_BYTES_MAX:
            yield b"".join(bulk)
            bulk, size = [], 0
        bulk.append(lines)
        size += len(lines)
    if bulk:
        yield b"".join(bulk)


def _lines_of(change: Change) -> bytes:
    action = {
        "_index": index_of(change.table),
        "_id": document_id(change.key, _ID_BYTES_MAX),
        "version": document_version(change.version),
        "version_type": "external",
    }
    if change.new is None:
        return msgspec.json.encode({"delete": action}) + b"\n"
    item = {**change.new, SNAPSHOT: {"N": str(change.version // EPOCH)}}
    document = plain_json_of(item, keeps_types=False)
    return msgspec.json.encode({"index": action}) + b"\n" + document + b"\n"


def _check(outcome: Mapping[str, Mapping[str, Any]]) -> None:
    ((action, result),) = outcome.items()
    status = result.get("status", 0)
    is_gone = action == "delete" and status == _NOT_FOUND
    if not (status // 100 == _SUCCESS or status == _CONFLICT or is_gone):
        error = result.get("error") or {}
        reason = error.get("reason") if isinstance(error, dict) else error
        raise TargetError(f"{action} of {result.get('_id')} answers {status}: {reason}")
