"""Tables of another endpoint as a target: each item has the version of its last change."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from hashrange.access.signatures.signing import Credentials
from hashrange.clock import Clock
from hashrange.tools.copying.definitions import definition_of, without_encryption
from hashrange.tools.copying.endpoint import Endpoint, connected
from hashrange.tools.copying.place import CopyError, RefusedError, TableRef, ask
from hashrange.tools.copying.tables import create_table, describe_table
from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.targets import write_newest

VERSION: Final = "_version"
"""The attribute with the version."""
CONNECTIONS: Final = 16
_OLDER: Final = "attribute_not_exists(#v) OR #v < :v"
_IS_NEWER: Final = "ConditionalCheckFailedException"


class Tables:
    """Puts and deletes items in tables of the same names, on the condition that they are older.

    A change that comes again finds its own version and does nothing. One that comes again after the
    item was deleted puts the item, and is followed by the deletion again.
    """

    def __init__(self, url: str, credentials: Credentials, clock: Clock) -> None:
        self._url = url
        self._credentials = credentials
        self._clock = clock
        self._endpoint: Endpoint | None = None
        self._keys: dict[str, list[str]] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Connect to the endpoint."""
        async with connected(
            self._url, self._credentials, self._clock, connections=CONNECTIONS
        ) as self._endpoint:
            yield

    @property
    def _place(self) -> Endpoint:
        assert self._endpoint is not None, "it is open"
        return self._endpoint

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:
        """Create the table, without secondary indexes, if there is none. Raises CopyError."""
        ref = self._place.named(table)
        keys = self._keys[table] = [each["AttributeName"] for each in shown["KeySchema"]]
        existing = await describe_table(self._place, ref)
        if existing is None:
            definition = without_encryption(definition_of(_without_indexes(shown), (), {}))
            await create_table(self._place, ref, definition, asyncio.sleep)
        elif [each["AttributeName"] for each in existing["KeySchema"]] != keys:
            raise CopyError(f"{self._place.shown}: table {table} has another key")

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Write the last of the changes of each item."""
        await write_newest(changes, self._write, CONNECTIONS)

    async def _write(self, change: Change) -> None:
        ref = self._place.named(change.table)
        if change.new is None:
            request: dict[str, Any] = {"Key": change.keys}
            operation = "DeleteItem"
        else:
            item = {**change.new, VERSION: {"N": str(change.version)}}
            request, operation = {"Item": item}, "PutItem"
        await self._if_older(ref, operation, request, change.version)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Delete the items of less than this version."""
        ref = self._place.named(table)
        if not version:
            return
        key = self._keys[table]
        names = {f"#k{number}": name for number, name in enumerate(key)}
        request: dict[str, Any] = {
            "TableName": table,
            "ConsistentRead": True,
            "FilterExpression": "#v < :v",
            "ProjectionExpression": ", ".join(names),
            "ExpressionAttributeNames": {"#v": VERSION, **names},
            "ExpressionAttributeValues": {":v": {"N": str(version)}},
        }
        while True:
            page = await ask(self._place, ref.caller, "Scan", request)
            for item in page["Items"]:
                await self._if_older(ref, "DeleteItem", {"Key": item}, version)
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    async def _if_older(
        self, ref: TableRef, operation: str, request: Mapping[str, Any], version: int
    ) -> None:
        conditional = {
            "TableName": ref.name,
            **request,
            "ConditionExpression": _OLDER,
            "ExpressionAttributeNames": {"#v": VERSION},
            "ExpressionAttributeValues": {":v": {"N": str(version)}},
        }
        try:
            await ask(self._place, ref.caller, operation, conditional)
        except RefusedError as error:
            if error.code != _IS_NEWER:
                raise


def _without_indexes(shown: Mapping[str, Any]) -> dict[str, Any]:
    left = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
    return {member: value for member, value in shown.items() if member not in left}
