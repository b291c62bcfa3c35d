"""GlobalTableSettingsReplicationMode: whether replicas in other accounts may have the settings.

Source: API reference; users' measurements of the service, October 2026.
"""

from typing import Literal, cast

import msgspec

from hashrange.api.pipeline.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.table import Table
from hashrange.regions.replication.denials import refusal_of
from hashrange.regions.replication.groups import is_of_accounts, names_of, replicas_of

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
