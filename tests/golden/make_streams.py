"""Makes the golden streams of a format: `python -m tests.golden.make_streams DIRECTORY`.

Run once, by the first build of that format that had streams. The directory is kept, and every later
build must read its records as they were; to make it again would prove nothing. The clock stands
still, for records of another day would be taken away.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller, TableChoices
from hashrange.clock import SystemClock
from hashrange.observe.metrics import Metrics
from hashrange.settings.kinds import Durability
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.log.conversion import Converter
from hashrange.tables.log.shards import rolled
from hashrange.tables.writing.store import Store
from tests.api.streams import changes_of, shards_of
from tests.golden.make_tables import TYPES
from tests.unit.tables.definitions import HOUR_MS, NOON_MS

CALLER = Caller("000000000000", "us-east-1", "localhost")
VIEW_TYPES = ("KEYS_ONLY", "NEW_AND_OLD_IMAGES")


class Streamed(SystemClock):
    """Operations on a directory, at noon of a certain day."""

    def __init__(self, directory: Path) -> None:
        self.time_ms = NOON_MS
        self._runner = asyncio.Runner()
        self._runner.run(self._open(directory))

    async def _open(self, directory: Path) -> None:
        self.engine = SqliteEngine.open(
            directory, durability=Durability.RELAXED, now_ms=self.now_ms, converter=Converter()
        )
        self.catalog = Catalog(self.engine)
        store = Store(self.engine, self)
        self._pipeline = Pipeline(
            store, self.catalog, Metrics().consumed, choices=TableChoices(stream_shards=2)
        )

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return self.time_ms

    def ask(self, operation: str, **request: Any) -> dict[str, Any]:
        """The answer as clients see it."""
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        answer = self.run(self._pipeline.perform(operation, typed, CALLER))
        decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
        return decoded

    def describe_stream(self, **request: Any) -> dict[str, Any]:
        return self.ask("DescribeStream", **request)

    def get_shard_iterator(self, **request: Any) -> dict[str, Any]:
        return self.ask("GetShardIterator", **request)

    def get_records(self, **request: Any) -> dict[str, Any]:
        return self.ask("GetRecords", **request)

    def run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    def close(self) -> None:
        self.engine.close()
        self._runner.close()


def fill(server: Streamed) -> None:
    """A table with two streams, the first of them disabled; values of all types; closed shards."""
    key = {"AttributeName": "pk", "AttributeType": "S"}
    server.ask(
        "CreateTable",
        TableName="Golden",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[key],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )
    for view_type in VIEW_TYPES:
        on = {"StreamEnabled": True, "StreamViewType": view_type}
        server.ask("UpdateTable", TableName="Golden", StreamSpecification=on)
        for kind, content in TYPES.items():
            item = {"pk": {"S": kind}, "value": {kind: content}, "of": {"S": view_type}}
            server.ask("PutItem", TableName="Golden", Item=item)
        server.time_ms += HOUR_MS
        now_ms = server.time_ms
        server.run(server.catalog.change("Golden", lambda table: rolled(table, now_ms, HOUR_MS)))  # noqa: B023
        for kind in ("S", "N", "L"):
            server.ask("DeleteItem", TableName="Golden", Key={"pk": {"S": kind}})
        if view_type == "KEYS_ONLY":
            off = {"StreamEnabled": False}
            server.ask("UpdateTable", TableName="Golden", StreamSpecification=off)


def content(server: Streamed) -> dict[str, Any]:
    """All that the streams tell."""
    arns = [stream["StreamArn"] for stream in server.ask("ListStreams")["Streams"]]
    return {
        arn: {
            "shards": shards_of(server, arn),  # type: ignore[arg-type] - it has what is called
            "records": changes_of(server, arn),  # type: ignore[arg-type]
        }
        for arn in arns
    }


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir()
    server = Streamed(directory)
    fill(server)
    found = content(server)
    server.close()
    for path in directory.iterdir():
        if path.name != "hashrange.db":
            path.unlink()
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
    (directory.parent / f"{directory.name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
