"""Routes about one table: its capacity, its past, its triggers; and the units of several."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hashrange.api.steps.operation import Caller
from hashrange.console.context import Console, decoded, json_response
from hashrange.console.described import described, visible_tables
from hashrange.console.heat import Heat, keys_of, may_see_items, triggers_of
from hashrange.console.sessions import Session
from hashrange.console.table_history import Hours, PastTable, past_of
from hashrange.limits.server import CONSOLE_TABLES_MAX
from hashrange.model.namespaces import namespace_prefix, stored_name_of
from hashrange.observe.unit_rates import UnitRate
from hashrange.tables.series.store import SeriesStore
from hashrange.wire.exchange import Request, Response


class _Named(msgspec.Struct, frozen=True, rename="pascal"):
    table_name: str


class _Past(_Named, frozen=True, rename="pascal"):
    hours: Hours


class _Names(msgspec.Struct, frozen=True, rename="pascal"):
    table_names: Annotated[list[str], Meta(max_length=CONSOLE_TABLES_MAX)]


class DescribedTable(msgspec.Struct, frozen=True):
    """A table that a caller may describe, by stored name, as DescribeTable shows it."""

    caller: Caller
    name: str
    shown: dict[str, Any]


async def capacity(console: Console, request: Request, session: Session | None) -> Response:
    """Partitions, and the hottest keys of a table."""
    asked = decoded(request, _Named)
    table = await table_of(console, request, session, asked.table_name)
    report = await console.keeper.monitor.summed(with_keys=True)
    keys = keys_of(report, table.name)
    if keys["keys"] == "shown" and not await may_see_items(
        console.pipeline, table.caller, asked.table_name
    ):
        keys = {"keys": "denied"}
    found = Heat(
        at_ms=console.now_ms(),
        throttles=console.capacity.throttles,
        places=await console.capacity.of_table(table.name),
        **keys,
    )
    return json_response(found)


async def history(console: Console, request: Request, session: Session | None) -> Response:
    """The past of a table, from the last hour to the last week."""
    asked = decoded(request, _Past)
    table = await table_of(console, request, session, asked.table_name)
    scope, _, name = table.name.rpartition(":")
    indexes = [each["IndexName"] for each in table.shown.get("GlobalSecondaryIndexes", ())]
    of_table = PastTable(scope=scope, name=name, indexes=indexes)
    now = console.now_ms() // 1000
    minutes = await past_of(SeriesStore(console.engine), of_table, asked.hours, now)
    return json_response({"minutes": minutes})


async def stream(console: Console, request: Request, session: Session | None) -> Response:
    """The triggers of a table."""
    table = await table_of(console, request, session, decoded(request, _Named).table_name)
    report = await console.keeper.monitor.summed(with_keys=False)
    return json_response({"triggers": triggers_of(report, table.name)})


async def units(console: Console, request: Request, session: Session | None) -> Response:
    """The units that tables consume now, if the caller may describe them."""
    asked, caller = decoded(request, _Names), console.caller(request, session)
    tables = await visible_tables(console.pipeline, caller, asked.table_names)
    rates = await console.keeper.now()
    prefix = namespace_prefix(caller.account, caller.region) if console.separate else ""
    found = {each.name: rates.get(prefix + each.name, UnitRate()) for each in tables}
    return json_response({"tables": found})


async def table_of(
    console: Console, request: Request, session: Session | None, name: str
) -> DescribedTable:
    """The table of a name. Raises DynamoError: it is missing, or may not be described."""
    caller = console.caller(request, session)
    shown = await described(console.pipeline, caller, name)
    stored = stored_name_of(shown["TableArn"], separate=console.separate)
    return DescribedTable(caller, stored, shown)
