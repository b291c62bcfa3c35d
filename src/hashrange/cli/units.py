"""`hashrange units ITEM.json`: the size of an item, and the units of operations on it."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.files import never_asks, text_of
from hashrange.cli.printable import printable
from hashrange.cli.refusals import Misuse
from hashrange.cli.seeding import failures

if TYPE_CHECKING:
    from hashrange.tools.costs.item_units import IndexParts, ItemUnits, Projection

_WIDTH: Final = 36
_ALL: Final = "ALL"
_INCLUDE: Final = "INCLUDE"
_PROJECTIONS: Final[dict[str, "Projection"]] = {
    _ALL: "ALL",
    "KEYS_ONLY": "KEYS_ONLY",
    _INCLUDE: "INCLUDE",
}


@click.command()
@click.argument("item", metavar="ITEM.json", type=click.Path(path_type=Path))
@click.option(
    "--gsi",
    "gsis",
    metavar="NAME:KEY[:TYPE][:KEY[:TYPE]][:PROJECTION]",
    multiple=True,
    help="A global index, as by-state:state:S:placed:S:KEYS_ONLY, or …:INCLUDE:a,b; repeatable.",
)
@click.option(
    "--key",
    "keys",
    metavar="NAME[,NAME]",
    help="The key attributes of the table, which each entry of an index has.",
)
@click.option("--table", metavar="TABLE", help="Take the key and all indexes from a table.")
@endpoint_options
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def units(
    item: Path,
    *,
    gsis: tuple[str, ...],
    keys: str | None,
    table: str | None,
    address: Address,
    as_json: bool,
) -> None:
    """Show the size and the capacity units of an item.

    The item is one object in DynamoDB's JSON, {"id": {"S": "1"}}, or in plain JSON, {"id": "1"}; -
    reads standard input. The size is counted to the byte, as DynamoDB does.

    \b
    Examples:
      hashrange units order.json
      hashrange units order.json --gsi by-state:state:S:placed:S:KEYS_ONLY --key id
      hashrange units order.json --table orders
      echo '{"id": "1", "total": 12.5}' | hashrange units - --json
    """  # noqa: D301 - click reads \b as an escape
    import msgspec

    from hashrange.errors import DynamoError
    from hashrange.tools.copying.item_lines import ItemError
    from hashrange.tools.costs.item_units import item_of, units_of_item

    if table is not None and (gsis or keys):
        raise Misuse("--table has the key and the indexes: leave out --gsi and --key")
    indexes = [_index(text) for text in gsis]
    table_keys = [] if keys is None else [name for name in keys.split(",") if name]
    if not table_keys and any(each.projection != _ALL for each in indexes):
        raise Misuse("--gsi: for KEYS_ONLY and INCLUDE give the key of the table too, as --key id")
    try:
        found = item_of(text_of(item))
        if table is not None:
            indexes, table_keys = _of_table(address, table)
        result = units_of_item(found, indexes, table_keys)
    except (ItemError, DynamoError) as error:
        raise Misuse(f"{item}: {error}") from error
    click.echo(msgspec.json.encode(result) if as_json else "\n".join(_text(result)))


def _index(text: str) -> "IndexParts":
    """An index from the value of --gsi. Raises Misuse."""
    from hashrange.model.data_types import KEY_TYPES
    from hashrange.tools.costs.item_units import IndexParts

    name, *parts = text.split(":")
    included: list[str] = []
    if len(parts) > 1 and parts[-2] == _INCLUDE:
        included = [each for each in parts.pop().split(",") if each]
    projection = _PROJECTIONS[parts.pop()] if parts and parts[-1] in _PROJECTIONS else _ALL
    keys = [part for part in parts if part not in KEY_TYPES]
    if not name or not keys or not all(keys):
        raise Misuse(f"--gsi: {text!r} is not like by-state:state:S:placed:S:KEYS_ONLY")
    return IndexParts(name=name, keys=keys, projection=projection, included=included)


def _of_table(address: Address, name: str) -> "tuple[list[IndexParts], list[str]]":
    from hashrange.server.loop import run
    from hashrange.tools.copying.tables import describe_table
    from hashrange.tools.costs.item_units import indexes_of

    async def described() -> "tuple[list[IndexParts], list[str]]":
        async with reached_at(address) as place:
            shown = await describe_table(place, place.named(name))
            if shown is None:
                raise Misuse(f"{place.shown} has no table {name}")
            return indexes_of(shown)

    with failures():
        return run(described())


def _text(found: "ItemUnits") -> Iterator[str]:
    limit = ": DynamoDB refuses it, the limit is 409,600" if found.is_too_large else ""
    yield f"{found.bytes:,} bytes{limit}"
    for name, size in found.attributes.items():
        yield f"  {printable(name):<{_WIDTH}}{size:>12,}"
    yield "Units:"
    for name, amount in found.operations.items():
        yield f"  {name:<{_WIDTH}}{amount:>12,g}"
    if found.indexes:
        yield "Of the writes, the entries of indexes:"
        for name, entry in found.indexes.items():
            entry_text = "no entry" if entry is None else f"{entry.write_units:,g}"
            size_text = "" if entry is None else f"  {entry.bytes:,} bytes"
            yield f"  {name:<{_WIDTH}}{entry_text:>12}{size_text}"
    yield "A read of several items by Query or Scan counts their bytes together, then rounds up."
    yield "An update costs the larger of the sizes before and after; a key of an index that changes"
    yield "costs two writes of that index."
