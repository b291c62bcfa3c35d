"""Tables as they are described, made, waited for, finished and dropped, in any place."""

from typing import Any, Final

from hashrange.copying.definitions import (
    Definition,
    creation,
    definition_of,
    differences,
    has_same_keys,
    steps_left,
)
from hashrange.copying.place import CopyError, Named, Pause, Place, RefusedError, ask

_NOT_FOUND: Final = "ResourceNotFoundException"
_UNKNOWN: Final = "UnknownOperationException"
POLL_SECONDS: Final = 1.0
POLLS_MAX: Final = 3600
"""An hour: services take minutes for tables with many indexes."""


async def described(place: Place, table: Named) -> dict[str, Any] | None:
    """The table as DescribeTable shows it, or None."""
    try:
        answer = await ask(place, table.caller, "DescribeTable", {"TableName": table.name})
    except RefusedError as error:
        if error.code == _NOT_FOUND:
            return None
        raise
    shown: dict[str, Any] = answer["Table"]
    return shown


async def defined(place: Place, table: Named, shown: dict[str, Any]) -> Definition:
    """The definition of a table that was described."""
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
        # Some servers have no tags. A table that should have had some is then told as different.
        if error.code != _UNKNOWN:
            raise
    name = {"TableName": table.name}
    answer = await ask(place, table.caller, "DescribeTimeToLive", name)
    return definition_of(shown, tags, answer["TimeToLiveDescription"])


async def made(place: Place, table: Named, wanted: Definition, pause: Pause) -> dict[str, Any]:
    """Create the table without stream, expiry and protection; the description once it is there.

    Where one is there already, as a lost answer or a kill leaves it, it must be that one: of the
    same keys, and empty. Raises CopyError.
    """
    shown = await described(place, table)
    if shown is None:
        await ask(place, table.caller, "CreateTable", creation(table.name, wanted))
    elif not has_same_keys(wanted, definition_of(shown, (), {})) or not await _is_empty(
        place, table
    ):
        raise CopyError(f"{place.shown} has a table {table.name} that this copy did not create")
    return await active(place, table, pause)


async def _is_empty(place: Place, table: Named) -> bool:
    request = {"TableName": table.name, "Limit": 1, "ConsistentRead": True}
    answer = await ask(place, table.caller, "Scan", request)
    return not answer["Items"] and "LastEvaluatedKey" not in answer


async def active(place: Place, table: Named, pause: Pause) -> dict[str, Any]:
    """The description, once nothing of the table is being made or changed. Raises CopyError."""
    for _ in range(POLLS_MAX):
        shown = await described(place, table)
        if shown is not None and _is_active(shown):
            return shown
        await pause(POLL_SECONDS)
    raise CopyError(f"{place.shown}: table {table.name} did not become active in time")


def _is_active(shown: dict[str, Any]) -> bool:
    indexes = shown.get("GlobalSecondaryIndexes") or ()
    statuses = [shown["TableStatus"], *(index["IndexStatus"] for index in indexes)]
    return all(status == "ACTIVE" for status in statuses)


async def dropped(place: Place, table: Named, pause: Pause) -> None:
    """Delete the table; back once it is gone. Raises CopyError."""
    await ask(place, table.caller, "DeleteTable", {"TableName": table.name})
    for _ in range(POLLS_MAX):
        if await described(place, table) is None:
            return
        await pause(POLL_SECONDS)
    raise CopyError(f"{place.shown}: table {table.name} was not deleted in time")


async def finished(place: Place, table: Named, wanted: Definition, pause: Pause) -> list[str]:
    """Set what comes after the items; how the table is then not as it was wanted. Raises CopyError.

    What was set before, by a copy that was stopped here, is not set again.
    """
    shown = await active(place, table, pause)
    for operation, request in steps_left(table.name, wanted, await defined(place, table, shown)):
        await ask(place, table.caller, operation, request)
        shown = await active(place, table, pause)
    return differences(wanted, await defined(place, table, shown))
