"""Describes, creates, configures and deletes tables, in any place."""

from typing import Any, Final

from hashrange.tools.copying.definitions import (
    Definition,
    creation,
    definition_of,
    differences,
    has_same_keys,
    steps_left,
)
from hashrange.tools.copying.place import CopyError, Pause, Place, RefusedError, TableRef, ask

_NOT_FOUND: Final = "ResourceNotFoundException"
_UNKNOWN: Final = "UnknownOperationException"
POLL_SECONDS: Final = 1.0
POLLS_MAX: Final = 3600
"""An hour in all: services take minutes for tables with many indexes."""


async def describe_table(place: Place, table: TableRef) -> dict[str, Any] | None:
    """The description of a table by DescribeTable; None if there is no table."""
    try:
        answer = await ask(place, table.caller, "DescribeTable", {"TableName": table.name})
    except RefusedError as error:
        if error.code == _NOT_FOUND:
            return None
        raise
    shown: dict[str, Any] = answer["Table"]
    return shown


async def definition_of_table(place: Place, table: TableRef, shown: dict[str, Any]) -> Definition:
    """The definition of a table, from its description `shown`, its tags and its time to live."""
    tags: list[dict[str, str]] = []
    request = {"ResourceArn": shown["TableArn"]}
    try:
        while True:  # a table has at most 50 tags
            answer = await ask(place, table.caller, "ListTagsOfResource", request)
            tags += answer.get("Tags") or ()
            if not answer.get("NextToken"):
                break
            request["NextToken"] = answer["NextToken"]
    except RefusedError as error:
        # Some servers have no tags; missing tags are then reported as a difference.
        if error.code != _UNKNOWN:
            raise
    name = {"TableName": table.name}
    answer = await ask(place, table.caller, "DescribeTimeToLive", name)
    return definition_of(shown, tags, answer["TimeToLiveDescription"])


async def create_table(
    place: Place, table: TableRef, wanted: Definition, pause: Pause
) -> dict[str, Any]:
    """Create a table without stream, time to live and deletion protection; its description.

    After a lost response or a kill the table may exist already; it must have the same keys and be
    empty. Raises CopyError.
    """
    shown = await describe_table(place, table)
    if shown is None:
        await ask(place, table.caller, "CreateTable", creation(table.name, wanted))
    elif not has_same_keys(wanted, definition_of(shown, (), {})) or not await _is_empty(
        place, table
    ):
        raise CopyError(f"{place.shown} has a table {table.name} that this copy did not create")
    return await wait_until_active(place, table, pause)


async def _is_empty(place: Place, table: TableRef) -> bool:
    request = {"TableName": table.name, "Limit": 1, "ConsistentRead": True}
    answer = await ask(place, table.caller, "Scan", request)
    return not answer["Items"] and "LastEvaluatedKey" not in answer


async def wait_until_active(place: Place, table: TableRef, pause: Pause) -> dict[str, Any]:
    """Wait until the table and its indexes are active; the description. Raises CopyError."""
    for _ in range(POLLS_MAX):
        shown = await describe_table(place, table)
        if shown is not None and _is_active(shown):
            return shown
        await pause(POLL_SECONDS)
    raise CopyError(f"{place.shown}: table {table.name} did not become active in time")


def _is_active(shown: dict[str, Any]) -> bool:
    kinds = ("GlobalSecondaryIndexes", "VectorIndexes")
    indexes = [index for kind in kinds for index in shown.get(kind) or ()]
    statuses = [shown["TableStatus"], *(index["IndexStatus"] for index in indexes)]
    return all(status == "ACTIVE" for status in statuses)


async def delete_table(place: Place, table: TableRef, pause: Pause) -> None:
    """Delete the table and wait until it is gone. Raises CopyError."""
    await ask(place, table.caller, "DeleteTable", {"TableName": table.name})
    for _ in range(POLLS_MAX):
        if await describe_table(place, table) is None:
            return
        await pause(POLL_SECONDS)
    raise CopyError(f"{place.shown}: table {table.name} was not deleted in time")


async def finish_table(
    place: Place, table: TableRef, wanted: Definition, pause: Pause
) -> list[str]:
    """Apply the settings of `steps_left`; the differences that remain. Raises CopyError.

    Settings that an interrupted copy has already applied are skipped.
    """
    shown = await wait_until_active(place, table, pause)
    for operation, request in steps_left(
        table.name, wanted, await definition_of_table(place, table, shown)
    ):
        await ask(place, table.caller, operation, request)
        shown = await wait_until_active(place, table, pause)
    return differences(wanted, await definition_of_table(place, table, shown))
