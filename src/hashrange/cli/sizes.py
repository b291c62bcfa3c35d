"""`hashrange sizes TABLE`: the sizes of items and of partition keys."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import never_asks
from hashrange.cli.printable import printable
from hashrange.cli.scan_options import (
    json_option,
    options_of,
    pace_options,
    read_options,
    run_at,
    scan_failures,
    table_argument,
)
from hashrange.cli.scan_progress import ScanProgress, scan_progress, summary
from hashrange.cli.seeding import quiet_option

if TYPE_CHECKING:
    from hashrange.observe.snapshot import KeyCount
    from hashrange.tools.copying.endpoint import Endpoint
    from hashrange.tools.scanning.scan import ScanOptions
    from hashrange.tools.scanning.sizes import Collection, Distribution, Sizes

_BAR_CHARS: Final = 30
_KEY_CHARS_MAX: Final = 60
_POWERS: Final = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"), (1, "B"))


def lines(sizes: "Sizes", hottest: "Sequence[KeyCount] | None") -> Iterator[str]:
    """The lines of the report."""
    items = sizes.items
    yield f"{items.count:,} items, {items.total:,} bytes, {sizes.partition_key_items.count:,} keys"
    yield ""
    yield from _histogram("Bytes of items", items, shown=size_text)
    yield from _histogram("Items of partition keys", sizes.partition_key_items, shown=_count)
    yield from _histogram("Bytes of partition keys", sizes.partition_key_bytes, shown=size_text)
    yield "Largest items:"
    for item in sizes.largest_items:
        yield f"  {item.bytes:>12,} B  {_key(item.key)}"
    yield from _collections("Partition keys with the most bytes:", sizes.largest_partition_keys)
    yield from _collections("Partition keys with the most items:", sizes.fullest_partition_keys)
    if hottest:
        yield "Partition keys with the most requests (sampled):"
        for each in hottest:
            yield f"  {each.count:>12,}    {_shortened(each.key)}"


def _histogram(title: str, distribution: "Distribution", *, shown: Any) -> Iterator[str]:
    each = distribution
    figures = (("mean", each.mean), ("p50", each.p50), ("p90", each.p90), ("p99", each.p99))
    texts = [f"{name} {shown(round(value))}" for name, value in figures]
    yield f"{title}: {', '.join(texts)}, max {shown(each.most)}"
    highest = max((found.count for found in each.bins), default=1)
    for found in each.bins:
        bar = "#" * max(1, round(found.count / highest * _BAR_CHARS))
        span = f"{shown(found.least)} to {shown(found.most)}"
        yield f"  {span:>18} {found.count:>12,}  {bar}"
    yield ""


def _collections(title: str, found: "Sequence[Collection]") -> Iterator[str]:
    yield title
    for each in found:
        yield f"  {each.bytes:>12,} B  {each.items:>10,} items  {_key(each.key)}"


def size_text(size: int) -> str:
    """A number of bytes in the largest unit of which there is one, as in 1.5 KB."""
    least, unit = next((pair for pair in _POWERS if size >= pair[0]), (1, "B"))
    return f"{size:,} B" if least == 1 else f"{size / least:,.1f} {unit}"


def _count(count: int) -> str:
    return f"{count:,}"


def _key(key: Any) -> str:
    return _shortened(msgspec.json.encode(key).decode())


def _shortened(text: str) -> str:
    """One line without signs that could move the cursor."""
    shown = printable(text)
    return shown if len(shown) <= _KEY_CHARS_MAX else f"{shown[:_KEY_CHARS_MAX]}…"


@click.command()
@table_argument
@read_options
@pace_options
@json_option
@quiet_option
@never_asks
@endpoint_options
def sizes(*, table: str, address: Address, as_json: bool, quiet: bool, **options: Any) -> None:
    """Show the sizes of items and partition keys.

    All items are read. Sizes are in bytes as DynamoDB counts them for units and for the limit of
    400 KB. A server of hashrange also knows its hottest partition keys, by sampled requests.

    \b
    Examples:
      hashrange sizes orders
      hashrange sizes orders --index by-customer --json
    """  # noqa: D301 - click reads \b as an escape
    with scan_failures(), scan_progress(quiet=quiet) as progress:
        chosen = options_of(table, options)
        found = run_at(address, lambda place: _sized(place, chosen, progress))
        hottest = _hottest(address, table if chosen.index is None else f"{table}/{chosen.index}")
        if as_json:
            click.echo(_json(table, found, hottest))
            return

        for line in lines(found, hottest):
            click.echo(line)
        progress.note(f"{table}: {summary(found.totals)}")


async def _sized(place: "Endpoint", options: "ScanOptions", progress: ScanProgress) -> "Sizes":
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.segments import scan_target
    from hashrange.tools.scanning.sizes import sizes_of

    target = await scan_target(place, options.table, options.index)
    progress.begins(options.table, target.items)
    return await sizes_of(place, options, SystemClock(), progress.moved)


def _hottest(address: Address, name: str) -> "list[KeyCount] | None":
    """The partition keys that a server of hashrange has sampled most; None of other servers."""
    from hashrange.cli.health import Target
    from hashrange.cli.refusals import Refusal
    from hashrange.cli.top import snapshot_of
    from hashrange.tools.copying.endpoint import region_of

    if region_of(address.url) is not None:
        return None
    try:
        snapshot = snapshot_of(Target(url=address.url))
    except Refusal:
        return None
    if snapshot.hot_keys is None:
        return None
    found = [each for each in snapshot.hot_keys.keys if name == each.table.rpartition(":")[2]]
    # Accounts may have tables of the same name, and it is not known which of them this is.
    return found if len({each.table for each in found}) <= 1 else None


def _json(table: str, found: "Sizes", hottest: "list[KeyCount] | None") -> str:
    import msgspec

    members: dict[str, Any] = {
        name: getattr(found, name) for name in found.__struct_fields__ if name != "totals"
    }
    if hottest is not None:
        members["hottest_partition_keys"] = [
            {"key": each.key, "requests_sampled": each.count} for each in hottest
        ]
    figures = {name: getattr(found.totals, name) for name in ("scanned", "units", "seconds")}
    return msgspec.json.encode({"table": table, **members, **figures}).decode()
