"""Reports of records that were given up: lines of JSON in Lambda's form."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.background.triggers.batches import GivenUp
from hashrange.background.triggers.events import event_of
from hashrange.model.log import Shard
from hashrange.tables.streams.finding import TableStream
from hashrange.tables.streams.names import shard_id_of

_VERSION: Final = "1.0"
_OK: Final = 200
_ERROR: Final = "Unhandled"
_LATEST: Final = "$LATEST"


class FailureContext(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of records that were given up, and the time."""

    stream: TableStream
    shard: Shard
    destination: str
    request_id: str
    now_ms: int


def failure_record(given_up: GivenUp, context: FailureContext) -> dict[str, Any]:
    """The record that Lambda sends to an on-failure destination in S3, with `payload`."""
    first, last = given_up.entries[0], given_up.entries[-1]
    response: dict[str, Any] = {
        "statusCode": _OK,
        "executedVersion": _LATEST,
        "functionError": None if given_up.is_answered else _ERROR,
        "reason": given_up.reason,
    }
    return {
        "requestContext": {
            "requestId": context.request_id,
            "functionArn": context.destination,
            "condition": given_up.condition.value,
            "approximateInvokeCount": given_up.calls,
        },
        # Records that were too old before they were sent have no response.
        **({"responseContext": response} if given_up.reason else {}),
        "version": _VERSION,
        "timestamp": _time(context.now_ms, "milliseconds"),
        "DDBStreamBatchInfo": {
            "shardId": shard_id_of(context.shard),
            "startSequenceNumber": first.sequence_number,
            "endSequenceNumber": last.sequence_number,
            "approximateArrivalOfFirstRecord": _time(first.time_ms, "seconds"),
            "approximateArrivalOfLastRecord": _time(last.time_ms, "seconds"),
            "batchSize": len(given_up.entries),
            "streamArn": context.stream.arn,
        },
        "payload": event_of(given_up.entries).decode(),
    }


def append_line(path: Path, record: dict[str, Any]) -> None:
    """Append a line of JSON to a file and sync it. Raises OSError."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(record) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _time(time_ms: int, precision: str) -> str:
    at = datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec=precision)
    return at.replace("+00:00", "Z")
