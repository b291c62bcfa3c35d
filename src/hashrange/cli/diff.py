"""`hashrange diff A B`: the items that differ between two tables."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hashrange.cli.endpoints import Address, address_of, endpoint_options, reached_at
from hashrange.cli.files import Amount, never_asks
from hashrange.cli.refusals import REFUSED
from hashrange.cli.scan_options import json_option, scan_failures
from hashrange.cli.scan_progress import ScanProgress, scan_progress
from hashrange.cli.seeding import quiet_option

if TYPE_CHECKING:
    from hashrange.tools.scanning.diff import Difference, Item, Side
    from hashrange.tools.scanning.moments import TableAddress


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--ignore", metavar="ATTRIBUTE", multiple=True, help="Do not compare it; repeatable.")
@click.option(
    "--rate-limit",
    metavar="UNITS",
    type=Amount(above=True),
    help="Read units a second of each table, at most.",
)
@json_option
@quiet_option
@never_asks
@endpoint_options
@click.pass_context
def diff(
    context: click.Context,
    /,
    a: str,
    b: str,
    *,
    address: Address,
    quiet: bool,
    **options: Any,
) -> None:
    """Show the items that differ between the tables A and B.

    Each is TABLE, at the endpoint of the options, or http://HOST:PORT/TABLE. TABLE@TIME, as
    orders@2026-11-27T10:00:00Z, or TABLE@latest, is its state at a moment: point-in-time recovery
    restores it as another table, which is deleted at the end, and which AWS charges for.

    A line begins with - if the item is in A only, with + if in B only, with ~ if attributes differ.
    All items are read, strongly consistent. The exit code is 0 if no item differs, 1 if some do or
    the command failed, 2 if the arguments cannot be used.

    \b
    Examples:
      hashrange diff orders orders-copy
      hashrange diff orders orders@2026-11-27T10:00:00Z --json
      hashrange diff orders https://dynamodb.eu-west-1.amazonaws.com/orders --ignore updated
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run
    from hashrange.tools.scanning.moments import table_address

    with scan_failures(), scan_progress(quiet=quiet) as progress:
        comparison = _Comparison(address, options, progress)
        found = run(comparison.run([table_address(a), table_address(b)]))
        progress.note(f"{found:,} items differ" if found else "no item differs")
    if found:
        context.exit(REFUSED)


class _Comparison:
    def __init__(self, address: Address, options: dict[str, Any], progress: ScanProgress) -> None:
        self._address = address
        self._ignored: Sequence[str] = options["ignore"]
        self._rate_limit: float | None = options["rate_limit"]
        self._progress = progress
        self._as_json: bool = options["as_json"]

    async def run(self, tables: "Sequence[TableAddress]") -> int:
        import asyncio

        from hashrange.clock import SystemClock
        from hashrange.tools.scanning.diff import Diff

        async with contextlib.AsyncExitStack() as stack:
            a, b = [await self._side(stack, each) for each in tables]
            differing = Diff(
                a,
                b,
                SystemClock(),
                ignored=self._ignored,
                pause=asyncio.sleep,
                rate_limit=self._rate_limit,
            )
            label = f"{a.target.table.name}, {b.target.table.name}"
            self._progress.begins(label, a.target.items + b.target.items)
            return await differing.run(self._show, self._progress.moved)

    async def _side(self, stack: contextlib.AsyncExitStack, table: "TableAddress") -> "Side":
        import asyncio

        from hashrange.clock import SystemClock
        from hashrange.tools.scanning.diff import Side
        from hashrange.tools.scanning.moments import restored
        from hashrange.tools.scanning.segments import PARALLEL_MAX, scan_target

        address = self._address if table.url is None else address_of(table.url)
        place = await stack.enter_async_context(reached_at(address, connections=PARALLEL_MAX))
        new_id = SystemClock().random_bytes(4).hex()
        restoring = restored(place, table, new_id, pause=asyncio.sleep, note=self._progress.note)
        name = await stack.enter_async_context(restoring)
        return Side(place, await scan_target(place, name))

    def _show(self, difference: "Difference") -> None:
        import msgspec

        if self._as_json:
            click.echo(msgspec.json.encode(difference).decode())
            return
        sign = {"only_in_a": "-", "only_in_b": "+", "changed": "~"}[difference.difference]
        key = _text(difference.key)
        if difference.a is None or difference.b is None:
            click.echo(f"{sign} {key}")
            return
        changes = [
            f"{name}: {_value(difference.a, name)} -> {_value(difference.b, name)}"
            for name in difference.attributes
        ]
        click.echo(f"{sign} {key} {'; '.join(changes)}")


def _text(item: "Item") -> str:
    from hashrange.tools.copying.item_lines import plain_json_of

    return plain_json_of(item, keeps_types=False).decode()


def _value(item: "Item", name: str) -> str:
    if name not in item:
        return "nothing"
    import msgspec

    return msgspec.json.encode(item[name]).decode()
