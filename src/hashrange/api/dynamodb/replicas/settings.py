"""Settings that all replicas of a global table have in common.

Source: API reference; users' measurements of the service, October 2026.
"""

from collections.abc import Callable, Mapping
from typing import Literal, cast

import msgspec

from hashrange.api.dynamodb.replicas.shared import synchronised
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import SettingValue
from hashrange.model.table import Table
from hashrange.regions.replication.denials import refusal_of
from hashrange.regions.replication.groups import (
    further_entries,
    is_of_accounts,
    names_of,
    notify_changed,
    replicas_of,
    together,
)
from hashrange.regions.replication.shared_settings import settings_changed, settings_of_peer
from hashrange.regions.replication.shared_targets import local_regions, received_targets
from hashrange.tables.catalog.registers import next_version, noted_values


async def change_settings(
    name: str,
    change: Callable[[Table], Table],
    change_of_peer: Callable[[Table, Table], Table],
    context: RequestContext,
    *,
    values: Callable[[Table], Mapping[str, SettingValue]] = lambda _table: {},
) -> Table:
    """Change a table, and its other replicas in the same write.

    Args:
        name: of the table.
        change: of the table itself; pure, may run again.
        change_of_peer: of another replica, after the table as it was before; the same.
        context: of the request.
        values: of further registers that all replicas get, if there are several.

    Raises ResourceNotFoundException, and errors of the changes.
    """
    catalog = context.catalog
    opened = await catalog.open(name)
    if opened is None or not replicas_of(opened.table):
        return await catalog.change(name, change)
    _, *others = names_of(catalog, opened.table)
    before = changed = opened.table
    new = values(before)

    def own(table: Table) -> Table:
        nonlocal before, changed  # the others are changed after it, in the same decision
        before, changed = table, change(table)
        changed = settings_changed(before, synchronised(before, changed, changed), context.now_ms)
        changed = noted_values(changed, new, next_version(changed, context.now_ms))
        return changed

    def of_peer(entry: Table) -> Table:
        shared = synchronised(before, changed, change_of_peer(before, entry))
        return settings_of_peer(changed, shared)

    rows = received_targets(before, new, local_regions(before))
    rows = together(further_entries(others, of_peer), rows)
    table = await catalog.change(name, own, rows)
    await notify_changed(catalog, others)
    return table


_OF_REGIONAL = {None, "ENABLED", "DISABLED"}


def check_settings_mode(mode: str | None) -> None:
    """Refuse a mode that a table of one region cannot have. Raises ValidationException."""
    if mode not in _OF_REGIONAL:
        raise invalid(messages.settings_mode(str(mode)))


def with_settings_mode(table: Table, mode: str | None) -> Table:
    """The table with another mode; None changes nothing. Raises ValidationException."""
    if mode is None:
        return table
    if replicas_of(table):
        raise invalid(messages.settings_mode_of_replica())
    new = cast('Literal["ENABLED", "DISABLED"]', mode)
    return msgspec.structs.replace(table, settings_replication=new)


async def refuse_unreplicated(name: str, context: RequestContext) -> None:
    """Refuse to change a table of several accounts whose policies do not allow all of it.

    Raises AccessDeniedException. Source: Developer Guide, "DynamoDB global tables security".
    """
    opened = await context.catalog.open(name)
    if opened is None or not is_of_accounts(opened.table):
        return
    for member in names_of(context.catalog, opened.table):
        found = await context.catalog.whole.open(member)
        text = None if found is None else refusal_of(found.table, context.now_ms)
        if text is not None:
            raise DynamoError(Fault.ACCESS_DENIED, text)
