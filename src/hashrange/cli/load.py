"""`hashrange load TABLE FILE`: puts the items of a file into a table."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.refusals import Misuse
from hashrange.cli.seeding import (
    CSV,
    STANDARD,
    failures,
    progress_of,
    quiet_option,
)

if TYPE_CHECKING:
    from hashrange.cli.seeding import Progress
    from hashrange.tools.copying.item_lines import KnownTypes
    from hashrange.tools.copying.seed_files import LineItem

_KEYS_MAX: Final = 2


@click.command()
@click.argument("table")
@click.argument("file")
@endpoint_options
@click.option(
    "--types",
    metavar="NAME=TYPE,...",
    multiple=True,
    help="Types of attributes: S, N, B, BOOL, SS, NS, BS, L, M; repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "csv"]),
    help="Format of FILE  [default: csv if its name ends in .csv, else json]",
)
@click.option(
    "--create",
    metavar="NAME:TYPE[,NAME:TYPE]",
    help="Create the table if it does not exist, with this partition key and sort key.",
)
@quiet_option
def load(
    table: str,
    file: str,
    *,
    address: Address,
    quiet: bool,
    **options: Any,
) -> None:
    """Put the items in FILE into TABLE; - reads standard input.

    FILE has one JSON object a line: DynamoDB JSON, {"id": {"S": "1"}}, the form of exports,
    {"Item": {...}}, or plain JSON, {"id": "1"}; or it is CSV with a header. Plain JSON has the
    types of JSON. Types of CSV columns are guessed from the first 1,000 rows: N, BOOL or S. An
    empty cell is no attribute; cells of sets, lists and maps are JSON. Attributes of keys and
    indexes have the types of the table.

    An item replaces the item with the same key, as PutItem does. A line that cannot be put ends the
    command, with its number. The exit code is 0 if all items are in the table, 1 if not, 2 if the
    arguments cannot be used. Requests are signed as by `hashrange copy`.

    \b
    Examples:
      hashrange load orders orders.jsonl --create customer:S,placed:S
      hashrange load stock stock.csv --types sku=S,tags=SS
      zcat export/*.json.gz | hashrange load music - --endpoint http://127.0.0.1:9000
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run

    types, key, form = _types(options["types"]), _key(options["create"]), options["form"]
    as_csv = form == "csv" or (form is None and file.lower().endswith(CSV))
    with failures(), _opened(file) as source, progress_of(quiet=quiet) as progress:
        seed = _Seed(table, file, source, as_csv=as_csv)
        items = run(_loaded(seed, address, types=types, create=key, progress=progress))
        progress.ends(f"{table}: {items:,} items loaded from {_named(file)}")


class _Seed:
    """A file of items for a table."""

    def __init__(self, table: str, file: str, source: BinaryIO, *, as_csv: bool) -> None:
        self.table = table
        self.name = _named(file)
        self._source = source
        self._as_csv = as_csv

    def items(self, known_types: "KnownTypes", progress: "Progress") -> "Iterator[LineItem]":
        from hashrange.tools.copying.seed_files import CsvFile, items_of_json

        if not self._as_csv:
            return items_of_json(self._source, self.name, known_types)
        rows = CsvFile(self._source, self.name, known_types)
        if rows.columns.guesses:
            pairs = ",".join(f"{name}={kind}" for name, kind in rows.columns.guesses.items())
            progress.note(f"{self.name}: types guessed: {pairs} (--types says otherwise)")
        return rows.items()


async def _loaded(
    seed: _Seed,
    address: Address,
    *,
    types: dict[str, str],
    create: list[tuple[str, str]],
    progress: "Progress",
) -> int:
    import asyncio

    from hashrange.tools.copying.item_lines import KnownTypes
    from hashrange.tools.copying.seeding import Loader, ensure_table, key_of, types_of

    async with reached_at(address) as place:
        named = place.named(seed.table)
        shown = await ensure_table(place, named, create, asyncio.sleep)
        fixed = types_of(shown)
        for name, kind in types.items():
            if fixed.get(name, kind) != kind:
                text = f"--types {name}={kind}: keys and indexes of {seed.table} have it as"
                raise Misuse(f"{text} {fixed[name]}")
        known_types = KnownTypes([name for name, _ in key_of(shown)], fixed, types)
        filling = Loader(place, named, known_types, seed.name, pause=asyncio.sleep)
        await filling.run(seed.items(known_types, progress), progress.moved)
        return filling.items


def _types(texts: tuple[str, ...]) -> dict[str, str]:
    from hashrange.tools.copying.item_lines import KINDS

    types: dict[str, str] = {}
    for text in ",".join(texts).split(",") if texts else ():
        name, _, kind = text.rpartition("=")
        if not name or kind not in KINDS:
            raise Misuse(f"--types: {text!r} is not NAME=TYPE with a type of {', '.join(KINDS)}")
        if types.setdefault(name, kind) != kind:
            raise Misuse(f"--types: {name} has two types")
    return types


def _key(text: str | None) -> list[tuple[str, str]]:
    from hashrange.model.data_types import KEY_TYPES

    key: list[tuple[str, str]] = []
    for part in [] if text is None else text.split(","):
        name, _, kind = part.rpartition(":")
        if not name or kind not in KEY_TYPES:
            raise Misuse(f"--create: {part!r} is not NAME:TYPE with a type of S, N or B")
        key.append((name, kind))
    if len(key) > _KEYS_MAX:
        raise Misuse("--create: a key has one or two attributes")
    return key


def _named(file: str) -> str:
    return "standard input" if file == STANDARD else file


@contextlib.contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        source = Path(file).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise Misuse(f"{file}: {error.strerror}") from error
    with source:
        yield source
