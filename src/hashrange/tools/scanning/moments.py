"""A table as it was at a moment: restored under another name, and deleted afterwards."""

import contextlib
import re
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import Pause, RefusedError, ask
from hashrange.tools.copying.tables import delete_table, wait_until_active
from hashrange.tools.scanning.expressions import InputError

LATEST: Final = "latest"
"""As a moment: the latest to which point-in-time recovery can restore."""
_NAME_CHARS_MAX: Final = 255
_is_address: Final = re.compile(r"(https?://[^/]+)/(.+)").fullmatch


class TableAddress(msgspec.Struct, frozen=True):
    """A table as people name it: `TABLE`, `URL/TABLE`, either with `@MOMENT` at the end.

    Attributes:
        url: the endpoint; None for that of the options.
        table: the name of the table.
        moment: the state of the table, a time or `LATEST`; None for its present state.
    """

    url: str | None
    table: str
    moment: datetime | str | None = None


def table_address(text: str) -> TableAddress:
    """The parts of a text. Raises InputError."""
    place, separator, moment = text.partition("@")
    match = _is_address(place)
    url, table = (match[1], match[2]) if match else (None, place)
    if not table or "/" in table:
        raise InputError(f"{text}: give TABLE, or http://HOST:PORT/TABLE")
    return TableAddress(url, table, _moment(moment) if separator else None)


def _moment(text: str) -> datetime | str:
    if text == LATEST:
        return LATEST
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        form = f"a time like 2026-11-27T10:00:00Z, or {LATEST}"
        raise InputError(f"@{text}: the moment is not {form}") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@contextlib.asynccontextmanager
async def restored(
    place: Endpoint,
    address: TableAddress,
    new_id: str,
    *,
    label: str = "diff",
    pause: Pause,
    note: Callable[[str], None],
) -> AsyncIterator[str]:
    """The name of the table of an address; of another moment, a restored one during the context.

    Args:
        place: holds the table.
        address: table and moment.
        new_id: makes the name of the restored table unique.
        label: the part of that name before it.
        pause: waits until the table is active.
        note: shows a line to the operator.

    Raises:
        InputError: the moment cannot be restored.
        CopyError: the restore failed.
    """
    if address.moment is None:
        yield address.table
        return
    end = f"-{label}-{new_id}"
    name = address.table[: _NAME_CHARS_MAX - len(end)] + end
    table = place.named(name)
    request: dict[str, Any] = {"SourceTableName": address.table, "TargetTableName": name}
    if isinstance(address.moment, datetime):
        request["RestoreDateTime"] = address.moment.timestamp()
    else:
        request["UseLatestRestorableTime"] = True
    note(f"restores {address.table} as {name}, which is deleted at the end")
    try:
        await ask(place, table.caller, "RestoreTableToPointInTime", request)
    except RefusedError as error:
        raise InputError(error.text or error.code) from error
    try:
        await wait_until_active(place, table, pause)
        yield name
    finally:
        await _deleted(place, name, pause, note)


async def _deleted(place: Endpoint, name: str, pause: Pause, note: Callable[[str], None]) -> None:
    table = place.named(name)
    try:
        # A table that is still being restored cannot be deleted.
        await wait_until_active(place, table, pause)
        await delete_table(place, table, pause)
    except BaseException:
        note(f"{name} was not deleted")
        raise
