"""Routes that estimate: the costs of a table, and simulations of it on other designs.

Imported with the first such request, since the simulation is large.
"""

import asyncio
from functools import cache

from hashrange.capacity.prices import Prices, listed, prices_of
from hashrange.capacity.simulation.workload import WorkloadError
from hashrange.console.context import Console, decoded, json_response
from hashrange.console.estimates import CostsOf, WhatIf, bill_of, outcomes
from hashrange.console.sessions import Session
from hashrange.console.table_routes import table_of
from hashrange.errors import invalid
from hashrange.messages import server as messages
from hashrange.wire.exchange import Request, Response


async def costs(console: Console, request: Request, session: Session | None) -> Response:
    """The bill of a month of a load of a table."""
    asked = decoded(request, CostsOf)
    table = await table_of(console, request, session, asked.table_name)
    return json_response(bill_of(asked, table.shown, _prices()))


async def what_if(console: Console, request: Request, session: Session | None) -> Response:
    """Simulations of a load of a table on other designs."""
    asked = decoded(request, WhatIf)
    table = await table_of(console, request, session, asked.table_name)
    async with console.simulating:
        try:
            found = await asyncio.to_thread(outcomes, asked, table.shown, _prices())
        except WorkloadError as error:
            raise invalid(messages.no_simulation(str(error)), bare=True) from error
    return json_response({"designs": found})


@cache
def _prices() -> Prices:
    return prices_of(listed())
