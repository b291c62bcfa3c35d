"""`hashrange archive query|restore|report|compact`: items that `serve --archive` has stored."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.refusals import Misuse
from hashrange.cli.scan_options import scan_failures
from hashrange.cli.seeding import Progress, progress_of, quiet_option
from hashrange.cli.sql import sql, stored_objects, stored_source
from hashrange.settings.archives import CLASSES

if TYPE_CHECKING:
    from hashrange.tools.archives.restoring import RestoreChoices
    from hashrange.tools.archives.savings import Savings
    from hashrange.tools.sql.archives import Archive

_DAYS_MAX: Final = 36_500
_source_option: Final = click.option(
    "--from",
    "source",
    metavar="ARCHIVE",
    required=True,
    help="A directory, or a bucket: s3://NAME or https://HOST/NAME.",
)
_prefix_option: Final = click.option(
    "--prefix", metavar="PREFIX", default="", help="Of the keys in a bucket."
)


@click.group()
def archive() -> None:
    """Query and restore items that expired.

    The archive is that of hashrange serve --archive.
    """


archive.add_command(sql, "query")


@archive.command()
@click.argument("table")
@_source_option
@_prefix_option
@click.option(
    "--where",
    metavar="SQL",
    help="A condition on the attributes, and on _time, the time of the deletion.",
)
@click.option("--all", "is_all", is_flag=True, help="Restore all items of the archive.")
@click.option("--to", "target", metavar="TABLE", help="Another table that gets the items.")
@click.option("--overwrite", is_flag=True, help="Replace items that are in the table.")
@click.option(
    "--days",
    type=click.IntRange(1, _DAYS_MAX),
    help="Let the items expire again after so many days  [default: never]",
)
@click.option("--keep-expiry", is_flag=True, help="Leave the time to live as it was: in the past.")
@quiet_option
@endpoint_options
def restore(*, address: Address, quiet: bool, **options: Any) -> None:
    """Put expired items back into TABLE.

    Of each key the newest state is restored. Items that are in the table stay as they are, unless
    --overwrite is given: they are newer. The attribute of time to live is removed, so that the
    items do not expire at once. A restore that was interrupted can be repeated.

    \b
    Examples:
      hashrange archive restore orders --from archive --where "pk = 'c1' AND sk BETWEEN 3 AND 9"
      hashrange archive restore orders --from s3://old --where "_time > '2026-11-01'" --days 30
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run
    from hashrange.tools.archives.restoring import RestoreChoices

    if (options["where"] is None) is not options["is_all"]:
        raise Misuse("give either --where, or --all")
    if options["keep_expiry"] and options["days"] is not None:
        raise Misuse("give either --days, or --keep-expiry")
    choices = RestoreChoices(
        table=options["table"],
        target=options["target"] or options["table"],
        where=options["where"],
        overwrites=options["overwrite"],
        keeps_expiry=options["keep_expiry"],
        days=options["days"],
    )
    with scan_failures(), progress_of(quiet=quiet) as progress:
        restored = _restored(
            options["source"], options["prefix"], address, choices=choices, progress=progress
        )
        run(restored)


async def _restored(
    source: str, prefix: str, address: Address, *, choices: "RestoreChoices", progress: Progress
) -> None:
    from hashrange.clock import SystemClock
    from hashrange.tools.archives.restoring import CONNECTIONS, Restore
    from hashrange.tools.sql.database import SqlOptions
    from hashrange.tools.sql.session import Session

    with _folder() as folder:
        archived = await _opened(source, prefix, folder / "stored")
        session = Session(archived, folder, SqlOptions(), moment=None, note=progress.note)
        async with reached_at(address, connections=CONNECTIONS) as place:
            with contextlib.closing(session.database):
                work = Restore(
                    session, place, choices, clock=SystemClock(), on_items=progress.moved
                )
                found = await work.run()
        if work.expiry is not None:
            becomes = "removed" if choices.days is None else f"in {choices.days} days"
            progress.note(f"{work.expiry}, the time to live of the items, is {becomes}")
    text = f"{choices.target}: {found.written:,} items restored"
    progress.ends(f"{text}, {found.there:,} were there and stay as they are")


@archive.command()
@_source_option
@_prefix_option
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
@click.option(
    "--gb-month",
    type=click.FloatRange(0),
    help="Price of the bucket in USD for a GB in a month  [default: 0.023, of S3 Standard]",
)
def report(*, source: str, prefix: str, is_json: bool, gb_month: float | None) -> None:
    """Show what the archive of each table holds and saves.

    \b
    Example:
      hashrange archive report --from archive
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run

    with scan_failures():
        found = run(_savings(source, prefix, gb_month))
    if is_json:
        click.echo(json.dumps([_row(each) for each in found], indent=2))
        return
    for each in found:
        click.echo(
            f"{each.table}: {each.items:,} items of {each.first} to {each.last}\n"
            f"  in the table  {each.item_bytes:,} bytes, ${each.table_usd_month:,.4f} a month\n"
            f"  in the bucket {each.stored_bytes:,} bytes, ${each.archive_usd_month:,.4f} a month\n"
            f"  saved         ${each.saved_usd_month:,.4f} a month"
        )


@archive.command()
@_source_option
@_prefix_option
@click.option(
    "--class",
    "storage_class",
    type=click.Choice(CLASSES),
    help="Class of the new objects in S3  [default: of the bucket]",
)
@quiet_option
def compact(*, source: str, prefix: str, storage_class: str | None, quiet: bool) -> None:
    """Make one object of the small objects of each table and date.

    The new object is stored and read again before the others are deleted. It can be interrupted and
    repeated, beside a server and queries: they count each deletion once.

    \b
    Example:
      hashrange archive compact --from s3://old?region=eu-west-1 --class STANDARD_IA
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.server.loop import run

    with scan_failures(), progress_of(quiet=quiet) as progress:
        run(_compacted(source, prefix, storage_class, progress))


async def _compacted(
    source: str, prefix: str, storage_class: str | None, progress: Progress
) -> None:
    from hashrange.tools.archives.compacting import compact as compacted
    from hashrange.tools.scanning.expressions import InputError

    count = 0
    with _folder() as folder:
        bucket, objects = await stored_objects(source, prefix, storage_class)
        if not objects:
            raise InputError(f"{source} holds no archive")
        async for each in compacted(bucket, objects, folder):
            progress.note(
                f"{each.table}: {each.objects:,} objects of {each.date} became one, "
                f"with {each.rows:,} items"
            )
            count += each.objects
    progress.ends(f"{count:,} objects were compacted")


async def _savings(source: str, prefix: str, gb_month: float | None) -> "list[Savings]":
    from hashrange.tools.archives.savings import S3_GB_MONTH, savings_of

    with _folder() as folder:
        archived = await _opened(source, prefix, folder / "stored")
        return await savings_of(archived, S3_GB_MONTH if gb_month is None else gb_month)


def _row(each: "Savings") -> dict[str, object]:
    import msgspec

    return {**msgspec.structs.asdict(each), "saved_usd_month": each.saved_usd_month}


async def _opened(source: str, prefix: str, folder: Path) -> "Archive":
    """The archive at a place. Raises InputError, CopyError."""
    from hashrange.tools.scanning.expressions import InputError
    from hashrange.tools.sql.archives import Archive

    found = await stored_source(source, prefix, folder)
    if not isinstance(found, Archive):
        raise InputError(f"{source} holds no archive")
    return found


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="hashrange-archive-") as folder:
        yield Path(folder)
