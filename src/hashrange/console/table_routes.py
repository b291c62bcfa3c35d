"""Routes about one table: its capacity, its costs, its triggers, and simulations of it."""

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from hashrange.api.pipeline.operation import Caller
from hashrange.capacity.prices import Prices, listed, prices_of
from hashrange.capacity.simulation.workload import WorkloadError
from hashrange.console.described import described, visible_tables
from hashrange.console.estimates import CostsOf, WhatIf, bill_of, outcomes
from hashrange.console.heat import Heat, keys_of, may_see_items, minutes_of, triggers_of, units_now
from hashrange.console.sessions import Session
from hashrange.errors import invalid
from hashrange.limits.console import CONSOLE_REQUEST_BYTES_MAX, CONSOLE_TABLES_MAX
from hashrange.messages.requests import console as messages
from hashrange.model.namespaces import namespace_prefix, stored_name_of
from hashrange.wire.answers import JSON, encode
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Request, Response

if TYPE_CHECKING:
    from hashrange.console.routes import Console

R = TypeVar("R")


class _Named(msgspec.Struct, frozen=True, rename="pascal"):
    table_name: str


class _Names(msgspec.Struct, frozen=True, rename="pascal"):
    table_names: Annotated[list[str], Meta(max_length=CONSOLE_TABLES_MAX)]


class _Table(msgspec.Struct, frozen=True):
    """A table that a caller may describe, by stored name, as DescribeTable shows it."""

    caller: Caller
    name: str
    shown: dict[str, Any]


async def capacity(console: "Console", request: Request, session: Session | None) -> Response:
    """Partitions, the last hour, and the hottest keys of a table."""
    asked = decoded(request, _Named)
    table = await _table(console, request, session, asked.table_name)
    report, minutes = await console.keeper.now(with_keys=True)
    keys = keys_of(report, table.name)
    if keys["keys"] == "shown" and not await may_see_items(
        console.pipeline, table.caller, asked.table_name
    ):
        keys = {"keys": "denied"}
    found = Heat(
        at_ms=console.now_ms(),
        throttles=console.capacity.throttles,
        places=await console.capacity.of_table(table.name),
        minutes=minutes_of(minutes, table.name),
        **keys,
    )
    return Response(200, encode(found), JSON)


async def costs(console: "Console", request: Request, session: Session | None) -> Response:
    """The bill of a month of a load of a table."""
    asked = decoded(request, CostsOf)
    table = await _table(console, request, session, asked.table_name)
    return Response(200, encode(bill_of(asked, table.shown, _prices())), JSON)


async def what_if(console: "Console", request: Request, session: Session | None) -> Response:
    """Simulations of a load of a table on other designs."""
    asked = decoded(request, WhatIf)
    table = await _table(console, request, session, asked.table_name)
    async with console.simulating:
        try:
            found = await asyncio.to_thread(outcomes, asked, table.shown, _prices())
        except WorkloadError as error:
            raise invalid(messages.no_simulation(str(error)), bare=True) from error
    return Response(200, encode({"designs": found}), JSON)


async def stream(console: "Console", request: Request, session: Session | None) -> Response:
    """The triggers of a table."""
    table = await _table(console, request, session, decoded(request, _Named).table_name)
    report, _ = await console.keeper.now(with_keys=False)
    return Response(200, encode({"triggers": triggers_of(report, table.name)}), JSON)


async def units(console: "Console", request: Request, session: Session | None) -> Response:
    """The units that tables consume now, if the caller may describe them."""
    asked, caller = decoded(request, _Names), console.caller(request, session)
    tables = await visible_tables(console.pipeline, caller, asked.table_names)
    _, minutes = await console.keeper.now(with_keys=False)
    prefix = namespace_prefix(caller.account, caller.region) if console.separate else ""
    found = {each.name: units_now(minutes, prefix + each.name) for each in tables}
    return Response(200, encode({"tables": found}), JSON)


async def _table(
    console: "Console", request: Request, session: Session | None, name: str
) -> _Table:
    caller = console.caller(request, session)
    shown = await described(console.pipeline, caller, name)
    stored = stored_name_of(shown["TableArn"], separate=console.separate)
    return _Table(caller, stored, shown)


def decoded(request: Request, kind: type[R], bytes_max: int = CONSOLE_REQUEST_BYTES_MAX) -> R:
    """The body of a request. Raises DynamoError."""
    if len(request.body) > bytes_max:
        raise invalid(messages.unreadable_request("it is too long"), bare=True)
    try:
        return msgspec.json.decode(request.body, type=kind)
    except DECODE_ERRORS as error:
        raise invalid(messages.unreadable_request(str(error)), bare=True) from error


@cache
def _prices() -> Prices:
    return prices_of(listed())
