"""The frame of `hashrange top --since`: the load of a time that is over."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from hashrange.cli.endpoints import address_of
from hashrange.cli.health import Target
from hashrange.cli.refusals import Refusal
from hashrange.cli.seeding import failures
from hashrange.cli.top_view import ROWS_MAX, columns, milliseconds, safe
from hashrange.clock import SystemClock
from hashrange.server.loop import run
from hashrange.tools.design.apis import services_at
from hashrange.tools.doctor.past_load import past_load

if TYPE_CHECKING:
    from hashrange.tools.doctor.past_load import PastLoad


def past_of(server: Target, seconds: int) -> "PastLoad":
    """The load of a server in the last seconds. Raises Refusal."""
    with failures():
        return run(_asked(server, seconds))


async def _asked(server: Target, seconds: int) -> "PastLoad":
    clock, address = SystemClock(), address_of(server.url)
    async with services_at(address.url, address.credentials, clock) as services:
        found = await past_load(services, clock.now_ms() / 1000, seconds)
    if found is None:
        raise Refusal(f"{server.url} answers no metrics of CloudWatch")
    return found


def past_view(past: "PastLoad") -> RenderableType:
    """Operations, and tables with their indexes."""
    operations = columns("Operation", "requests", "requests/s", "average", "highest")
    for operation in past.operations[:ROWS_MAX]:
        operations.add_row(
            safe(operation.name),
            f"{operation.requests:,.0f}",
            f"{operation.requests / past.seconds:,.2f}",
            milliseconds(operation.average_ms),
            milliseconds(operation.highest_ms),
        )
    places = columns("Table", "read units/s", "write units/s", "throttled reads", "and writes")
    for place in past.places[:ROWS_MAX]:
        places.add_row(
            safe(place.name),
            f"{place.read_units:,.2f}",
            f"{place.write_units:,.2f}",
            f"{place.throttled_reads:,.0f}",
            f"{place.throttled_writes:,.0f}",
        )
    if not past.operations and not past.places:
        return Text("Nothing happened in this time.")
    return Group(operations, places)
