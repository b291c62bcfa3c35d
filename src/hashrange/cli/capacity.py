"""`hashrange capacity`: the units of a load, and what a month of it costs."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Callable, Iterator, Mapping
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from hashrange.cli.cost_view import bill_text, price_list, prices_option
from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import Amount, never_asks
from hashrange.cli.live_load import interval_option
from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.capacity.costs.usage import Usage

_Command = TypeVar("_Command", bound=Callable[..., Any])
_KB: Final = 1024
_DAY_HOURS: Final = 24
_ITEM_KB_MAX: Final = 400
_GSI_MAX: Final = 20
_FEATURES: Final = (
    *("storage", "backup", "restore", "export", "incremental_export", "import", "egress"),
    *("dax_nodes", "vector_writes", "vector_searches"),
)
"""Options of what costs something without a load."""
_LOAD: Final = ("item_size", "reads", "writes", "gsi_count", "gsi_item_size")
"""Options of a load, which --from has."""


def _option(flag: str, kind: Any, text: str, metavar: str = "N") -> Any:
    return click.option(flag, type=kind, metavar=metavar, help=text)


_LOAD_OPTIONS: Final = (
    _option(
        "--item-size", Amount(0, _ITEM_KB_MAX, above=True), "Size of an item  [default: 1]", "KB"
    ),
    _option("--reads", Amount(), "Items read in a second  [default: 0]"),
    _option("--writes", Amount(), "Items written in a second  [default: 0]"),
    click.option(
        "--consistency",
        type=click.Choice(["eventual", "strong", "transactional"]),
        default="eventual",
        show_default=True,
        help="Of reads; transactional doubles the units of writes too.",
    ),
    _option("--gsi-count", click.IntRange(0, _GSI_MAX), "Global indexes that each write changes"),
    _option(
        "--gsi-item-size",
        Amount(0, _ITEM_KB_MAX, above=True),
        "Size of an entry of an index  [default: that of the item]",
        "KB",
    ),
    _option("--hours-a-day", Amount(0, 24, above=True), "Hours of the load  [default: 24]", "H"),
    _option("--peak", Amount(1, 1e6), "Highest rate, as a multiple of the load  [default: 1]", "X"),
)
_FEATURE_OPTIONS: Final = (
    _option("--storage", Amount(), "Storage of the table and its indexes", "GB"),
    click.option("--pitr", is_flag=True, help="Point-in-time recovery."),
    click.option("--streams", is_flag=True, help="A stream with one consumer that is not Lambda."),
    _option("--replicas", click.IntRange(0, 30), "Other regions with a replica"),
    _option("--backup", Amount(), "On-demand backups that are kept", "GB"),
    _option("--restore", Amount(), "Restored in a month", "GB"),
    _option("--export", Amount(), "Exported to S3 in a month", "GB"),
    _option("--incremental-export", Amount(), "Exported incrementally in a month", "GB"),
    _option("--import", Amount(), "Imported from S3 in a month, uncompressed", "GB"),
    _option("--egress", Amount(), "Sent to the internet in a month", "GB"),
    _option("--dax-nodes", click.IntRange(0, 11), "Nodes of DAX"),
    click.option(
        "--dax-node-type",
        metavar="TYPE",
        default="dax.t3.small",
        show_default=True,
        help="Their type, with a price in the file of prices.",
    ),
    _option("--vector-writes", Amount(), "Written to vector indexes in a month", "GB"),
    _option("--vector-searches", Amount(), "Read by searches of vectors in a month", "GB"),
    click.option("--free-tier", is_flag=True, help="Subtract the free tier of an account."),
)


def _with_options(command: _Command) -> _Command:
    for option in reversed((*_LOAD_OPTIONS, *_FEATURE_OPTIONS)):
        command = option(command)
    return command


@click.command()
@_with_options
@click.option(
    "--from",
    "source",
    metavar="TABLE|metrics|FILE",
    help="Take the load from a table of a live server, from all its tables (metrics), from a model "
    "or from a workload of `hashrange simulate` (a file).",
)
@interval_option
@prices_option
@endpoint_options
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def capacity(
    *,
    source: str | None,
    interval: float,
    price_file: Path | None,
    address: Address,
    as_json: bool,
    **options: Any,
) -> None:
    """Show the capacity units of a load, and what a month costs.

    Prices each way of paying: on demand, provisioned with and without auto scaling, reserved for a
    year and for three, and Standard-IA; with storage, backups, streams, replicas and the rest.
    Names the cheapest, and the rate from which provisioned capacity costs less. A month has 730
    hours. docs/costs.md has the prices with their sources.

    \b
    Examples:
      hashrange capacity --item-size 2 --reads 500 --writes 100 --gsi-count 1 --storage 50
      hashrange capacity --reads 80 --writes 20 --consistency strong --hours-a-day 10 --peak 3
      hashrange capacity --from orders --endpoint http://127.0.0.1:8000 --pitr
      hashrange capacity --from workload.toml --json
    """  # noqa: D301 - click reads \b as an escape
    import msgspec

    from hashrange.capacity.costs.bill import monthly_bill
    from hashrange.capacity.prices import prices_of

    listed = price_list(price_file)
    usage, arithmetic = _usage(source, address, interval, options)
    usage = _with_features(usage, options)
    bill = monthly_bill(
        usage,
        prices_of(listed),
        dax={name: price.usd for name, price in listed.dax.items()},
        free=listed.free if options["free_tier"] else None,
    )
    if as_json:
        shown = {
            "read_units": ceil(usage.read_units),
            "write_units": ceil(usage.write_units + usage.index_write_units),
            "table_write_units": usage.write_units,
            "index_write_units": usage.index_write_units,
            "consistency": options["consistency"],
            "arithmetic": arithmetic,
            **msgspec.to_builtins(bill),
            "monthly": {**bill.monthly, "cheapest": bill.cheapest, "prices": listed},
            "prices": listed,
        }
        click.echo(msgspec.json.encode(shown))
    else:
        click.echo("\n".join([*_units_text(usage, arithmetic), "", *bill_text(bill, listed)]))


def _usage(
    source: str | None, address: Address, interval: float, options: Mapping[str, Any]
) -> "tuple[Usage, list[str]]":
    """The load of the options or of --from, and how it was computed. Raises Misuse."""
    from hashrange.capacity.costs.usage import Usage
    from hashrange.tools.costs.load import Load, load_units

    given = [name for name in _LOAD if options[name] is not None]
    if source is not None:
        if given:
            raise Misuse(f"--{given[0].replace('_', '-')}: --from has the load")
        from hashrange.cli.load_sources import usage_from

        return usage_from(source, address, interval)
    if not given and not any(options[name] for name in _FEATURES):
        raise Misuse("give --reads or --writes, or --from TABLE; see hashrange capacity --help")
    entry_kb = options["gsi_item_size"]
    load = Load(
        item_bytes=_bytes(options["item_size"] or 1.0),
        reads=options["reads"] or 0.0,
        writes=options["writes"] or 0.0,
        consistency=options["consistency"],
        index_count=options["gsi_count"] or 0,
        index_item_bytes=None if entry_kb is None else _bytes(entry_kb),
    )
    found = load_units(load)
    usage = Usage(
        read_units=found.read_units,
        write_units=found.write_units,
        index_write_units=found.index_write_units,
    )
    return usage, found.arithmetic


def _with_features(usage: "Usage", options: Mapping[str, Any]) -> "Usage":
    """The usage with the features that are given; those that are not stay as they are."""
    import msgspec

    from hashrange.capacity.costs.usage import stream_reads

    peak, nodes = options["peak"], options["dax_nodes"]
    named = {
        "hours_a_day": options["hours_a_day"],
        "read_peak": peak,
        "write_peak": peak,
        "storage_gb": options["storage"],
        "pitr": options["pitr"] or None,
        "replicas": options["replicas"],
        "backup_gb": options["backup"],
        "restore_gb": options["restore"],
        "export_gb": options["export"],
        "incremental_export_gb": options["incremental_export"],
        "import_gb": options["import"],
        "egress_gb": options["egress"],
        "dax_nodes": {options["dax_node_type"]: nodes} if nodes else None,
        "vector_write_gb": options["vector_writes"],
        "vector_search_gb": options["vector_searches"],
    }
    changes = {name: value for name, value in named.items() if value is not None}
    found = msgspec.structs.replace(usage, **changes)
    if options["streams"]:
        found = msgspec.structs.replace(found, stream_reads=stream_reads(found))
    return found


def _units_text(usage: "Usage", arithmetic: list[str]) -> Iterator[str]:
    yield from arithmetic
    writes = usage.write_units + usage.index_write_units
    yield f"{usage.read_units:,g} read units and {writes:,g} write units a second"
    if max(usage.read_peak, usage.write_peak) > 1:
        reads, writes = usage.read_units * usage.read_peak, writes * usage.write_peak
        yield f"At the peak: {reads:,g} and {writes:,g}"
    if usage.hours_a_day < _DAY_HOURS:
        yield f"{usage.hours_a_day:g} hours a day: {usage.load_hours:,g} hours in a month"


def _bytes(kb: float) -> int:
    return max(1, ceil(kb * _KB))
