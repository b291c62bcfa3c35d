"""`hashrange dump TABLE`: writes the items of a table to a file."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.masking_options import TableMasks, mask_options, masking_of
from hashrange.cli.refusals import Misuse
from hashrange.cli.scan_options import scan_failures
from hashrange.cli.seeding import CSV, STANDARD, progress_of, quiet_option

if TYPE_CHECKING:
    from msgspec import Raw

    from hashrange.cli.seeding import Progress

_SHOWN_CHARS_MAX: Final = 200


@click.command()
@click.argument("table")
@click.argument("file", default=STANDARD)
@endpoint_options
@click.option(
    "--form",
    type=click.Choice(["typed", "export", "plain"]),
    default="typed",
    show_default=True,
    help='typed = {"id": {"S": "1"}}; export = {"Item": {...}}; plain = {"id": "1"}, if no type '
    "is lost.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@mask_options
@quiet_option
def dump(
    table: str,
    file: str,
    *,
    address: Address,
    overwrite: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write the items of TABLE to FILE, one JSON object a line.

    Without FILE they are written to standard output. `hashrange load` restores the same items. FILE
    appears only when it is complete. It is not a snapshot of the table: changes made during the
    dump may or may not be in it. --mask replaces values in it, as in hashrange scan.

    \b
    Examples:
      hashrange dump orders orders.jsonl
      hashrange dump orders --form plain | jq .customer
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run

    if file != STANDARD and file.lower().endswith(CSV):
        raise Misuse(f"{file}: the output is JSON lines, not CSV; choose another name")
    if file != STANDARD and Path(file).exists() and not overwrite:
        raise Misuse(f"{file} exists; --overwrite replaces it")
    with scan_failures(), progress_of(quiet=quiet) as progress, _written(file) as target:
        form, masks = options.pop("form"), TableMasks(masking_of(options))
        lines = _Lines(target, form, masks)
        items = run(_dumped(table, lines, address, progress))
        target.flush()
    for note in masks.notes:
        progress.note(note)
    where = "standard output" if file == STANDARD else file
    progress.ends(f"{table}: {items:,} items written to {where}")


class _Lines:
    """Writes items as lines in one of the forms."""

    def __init__(self, target: BinaryIO, form: str, masks: TableMasks) -> None:
        self._target = target
        self._form = form
        self.masks = masks

    def write(self, items: "Iterable[bytes | Raw]") -> None:
        """Write items. Raises CopyError: plain JSON does not have a type of an item."""
        import msgspec

        from hashrange.tools.copying.item_lines import ItemError, plain_json_of
        from hashrange.tools.copying.place import CopyError
        from hashrange.tools.copying.seeding import line_of

        for item in items:
            line = line_of(msgspec.Raw(item))
            if self._form == "export":
                line = b'{"Item":%b}' % line
            elif self._form == "plain":
                try:
                    line = plain_json_of(msgspec.json.decode(line))
                except ItemError as error:
                    text = line.decode(errors="replace")[:_SHOWN_CHARS_MAX]
                    raise CopyError(f"{error}: {text}; --form typed writes it") from error
            self._target.write(line + b"\n")


async def _dumped(table: str, lines: _Lines, address: Address, progress: "Progress") -> int:
    from hashrange.tools.copying.place import CopyError
    from hashrange.tools.copying.seeding import key_of, pages
    from hashrange.tools.copying.tables import describe_table

    items = 0
    async with reached_at(address) as place:
        named = place.named(table)
        shown = await describe_table(place, named)
        if shown is None:
            raise CopyError(f"{place.shown} has no table {table}")
        altering, altered = lines.masks.altering, None
        if altering is not None:
            altered = altering([name for name, _ in key_of(shown)])
        async for page in pages(place, named):
            lines.write(page.items if altered is None else map(altered, page.items))
            items += len(page.items)
            progress.moved(len(page.items))
    return items


@contextlib.contextmanager
def _written(file: str) -> Iterator[BinaryIO]:
    """Write to a temporary file that gets the name at the end; a failed dump leaves no file."""
    if file == STANDARD:
        yield sys.stdout.buffer
        return
    path = Path(f"{file}.part-{os.getpid()}")
    try:
        target = path.open("xb")
    except OSError as error:
        raise Misuse(f"{file}: {error.strerror}") from error
    try:
        with target:
            yield target
        path.replace(file)
    finally:
        path.unlink(missing_ok=True)
