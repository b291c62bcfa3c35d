"""The load of a live server, for the commands that take it with --from."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.endpoints import Address, reached_at
from hashrange.cli.files import Amount
from hashrange.cli.health import target_of
from hashrange.cli.refusals import Misuse
from hashrange.cli.seeding import failures
from hashrange.cli.top import snapshot_of

if TYPE_CHECKING:
    from hashrange.capacity.costs.usage import Usage
    from hashrange.observe.snapshot import Snapshot
    from hashrange.tools.copying.place import Place, TableRef

interval_option: Final = click.option(
    "--interval",
    metavar="SECONDS",
    type=Amount(0.1, 3600),
    default=10.0,
    show_default=True,
    help="How long --from watches the server.",
)


def live_workload(address: Address, table: str, interval: float) -> str:
    """A workload file taken from a table. Raises Misuse, Refusal."""
    from hashrange.capacity.costs.live_workload import counted_names, measured_load, workload_text
    from hashrange.server.loop import run

    with failures():
        (shown,), _recovery = run(_described(address, [table]))
    before, after = _snapshots(address, interval)
    load = measured_load(before, after, counted_names(shown))
    return workload_text(shown, load, after.hot_keys)


def live_usage_of(address: Address, table: str | None, interval: float) -> "tuple[Usage, str]":
    """The usage of a table, or of all tables if it is None, and what was watched.

    Raises Misuse, Refusal.
    """
    from hashrange.capacity.costs.live_workload import counted_names, live_usage, measured_load
    from hashrange.server.loop import run

    with failures():
        described, recovery = run(_described(address, None if table is None else [table]))
    before, after = _snapshots(address, interval)
    names = None if table is None else counted_names(described[0])
    load = measured_load(before, after, names)
    of = f"table {table}" if table is not None else f"{len(described)} tables"
    text = (
        f"{of} of {address.url}, watched for {load.seconds:.0f} s: {load.read_units:,.4g} read and "
        f"{load.write_units:,.4g} write units a second, with those of indexes"
    )
    return live_usage(load, described, recovery=recovery), text


async def _described(
    address: Address, names: list[str] | None
) -> tuple[list[dict[str, Any]], bool]:
    """The descriptions of tables, of all if the names are None, and whether one has recovery."""
    from hashrange.tools.copying.tables import describe_table

    async with reached_at(address) as place:
        tables = await place.tables() if names is None else [place.named(name) for name in names]
        found, recovery = [], False
        for table in tables:
            shown = await describe_table(place, table)
            if shown is None:
                raise Misuse(f"{place.shown} has no table {table.name}")
            found.append(shown)
            recovery = recovery or await _recovery_is_on(place, table)
        return found, recovery


async def _recovery_is_on(place: "Place", table: "TableRef") -> bool:
    """Whether point-in-time recovery is on; not if the server has no such operation."""
    from hashrange.tools.copying.place import RefusedError, ask

    try:
        answer = await ask(
            place, table.caller, "DescribeContinuousBackups", {"TableName": table.name}
        )
    except RefusedError:
        return False
    recovery = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    return bool(recovery.get("PointInTimeRecoveryStatus") == "ENABLED")


def _snapshots(address: Address, interval: float) -> "tuple[Snapshot, Snapshot]":
    target = target_of(address.url, None)
    before = snapshot_of(target)
    wait(address.url, interval)
    return before, snapshot_of(target)


def wait(url: str, interval: float) -> None:
    """Wait for seconds between two looks at a server; on a terminal it is said for how long."""
    if sys.stderr.isatty():
        click.echo(f"watching {url} for {interval:g} s", err=True)
    time.sleep(interval)
