"""Posts of JSON to the HTTP endpoints of targets, in batches of limited number and size."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import Any, Final

import msgspec

from hashrange.background.posts import Response, in_thread, posted
from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.targets import TargetError

BATCH_CHANGES_MAX: Final = 100
BATCH_BYTES_MAX: Final = 6 * 1024**2
"""The limit of Lambda."""


async def answer_of(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float) -> bytes:
    """The body of the answer to a POST. Raises TargetError: there is none, or not of 2xx."""

    def answer() -> Response | Exception:
        try:
            return posted(url, body, headers, seconds=seconds)
        except (OSError, HTTPException) as error:
            return error

    found = await in_thread(answer, "sink")
    if isinstance(found, Exception):
        raise TargetError(f"{url} does not answer: {found}") from found
    if not found.is_success:
        raise TargetError(f"{url} answers {found.status}")
    return found.body


async def json_answer_of(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float
) -> dict[str, Any]:
    """The answer as JSON; as `answer_of`."""
    found = await answer_of(url, body, headers, seconds=seconds)
    try:
        return msgspec.json.decode(found, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise TargetError(f"{url} does not answer with JSON") from error


def batches(changes: Sequence[Change], encoded: Callable[[Change], bytes]) -> Iterator[list[bytes]]:
    """The changes, encoded, in batches of limited number and size."""
    batch: list[bytes] = []
    size = 0
    for change in changes:
        record = encoded(change)
        is_full = len(batch) == BATCH_CHANGES_MAX or size + len(record) > BATCH_BYTES_MAX
        if batch and is_full:
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += len(record)
    if batch:
        yield batch


def record_of(change: Change) -> bytes:
    """The record of a change as JSON."""
    return msgspec.json.encode(change.record)


def snapshot_end(table: str, version: int) -> bytes:
    """The record for the end of a snapshot: items of less than this version no longer exist."""
    record = {"eventName": "SNAPSHOT_END", "tableName": table, "version": str(version)}
    return msgspec.json.encode(record)
