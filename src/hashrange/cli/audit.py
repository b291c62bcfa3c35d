"""`hashrange audit`: reads, checks and searches the audit log of a server."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.encryption_keys import key_of, key_options
from hashrange.cli.refusals import REFUSED, Misuse

if TYPE_CHECKING:
    from hashrange.api.audit.events import Event

_DIRECTORY = click.argument(
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIRECTORY",
)


_UNANCHORED: Final = 3
"""Exit code of `verify` if all that is not proved is after the last head."""


@click.group()
def audit() -> None:
    """Read, check and search the audit log in a directory.

    \b
    Examples:
      hashrange audit query audit-log --table orders --key customer-17
      hashrange audit verify audit-log --data hashrange-data
      hashrange audit anomalies audit-log
    """  # noqa: D301 - click reads \b as an escape


@audit.command()
@_DIRECTORY
@click.option("--principal", metavar="NAME", help="ARN, name, session name or access key.")
@click.option("--table", metavar="NAME", help="Name of a table.")
@click.option("--key", metavar="VALUE", help="Value of a key attribute.")
@click.option("--event", "event_name", metavar="NAME", help="Name of an operation, as PutItem.")
@click.option("--from", "since", metavar="TIME", help="Earliest time, as 2026-11-22T10:00:00Z.")
@click.option("--to", "until", metavar="TIME", help="Latest time.")
@click.option("--refused", is_flag=True, help="Only requests that were refused.")
@click.option("--json", "as_json", is_flag=True, help="Print the records as they are.")
def query(
    directory: Path, since: str | None, until: str | None, *, as_json: bool, **selected: object
) -> None:
    """Print the records that have all of what the options name, oldest first."""
    import msgspec

    from hashrange.api.audit.selection import Selection

    selection = msgspec.convert(
        {**selected, "since": _time(since, "--from"), "until": _time(until, "--to")}, Selection
    )
    for line, event in _events(directory):
        if selection.has(event):
            click.echo(line if as_json else _row(event))


@audit.command()
@click.argument(
    "directories",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIRECTORY...",
    nargs=-1,
    required=True,
)
@click.option("--data", metavar="PLACE", help="Data directory or postgresql://… of the server.")
@key_options
@click.pass_context
def verify(
    context: click.Context, /, directories: tuple[Path, ...], data: str | None, **options: Any
) -> None:
    """Check that no record was changed, removed, added or reordered.

    With --data the records are compared with the heads that the database keeps, so that a cut end
    and removed files are noticed too; a data directory must not be in use by a server. Each chain
    of the database must be in one of the directories: name those of all servers that share it.

    \b
    Exit codes:
      0  the log is sound
      1  a chain is broken or missing
      2  something cannot be read
      3  the log is sound but for records after the last head, which prove nothing
    """  # noqa: D301 - click reads \b as an escape
    import asyncio
    from itertools import islice

    from hashrange.api.audit.anchors import Anchor, stored_anchors
    from hashrange.api.audit.verification import FINDINGS_MAX, Coverage, findings
    from hashrange.assembly.engines.kinds import kind_of
    from hashrange.storage.engine import StorageError, StorageOpenError

    async def read() -> dict[str, Anchor] | None:
        if data is None:
            return None
        async with kind_of(data).opened_to_verify(data, key) as (engine, _):
            return await stored_anchors(engine)

    coverage = Coverage()
    key = key_of(options)
    try:
        anchors = asyncio.run(read())
        texts = list(islice(findings(directories, anchors, coverage), FINDINGS_MAX))
    except (StorageOpenError, StorageError, OSError) as error:
        raise Misuse(str(error)) from error
    for text in texts:
        click.echo(text)
    chains = f"{coverage.chains} of {coverage.expected} chains"
    counted = f"{' '.join(map(str, directories))}: {coverage.records} records in {chains}"
    if texts:
        click.echo(f"{counted}, not sound")
        context.exit(REFUSED)
    if data is None:
        click.echo(f"{counted}, sound; its heads were not checked: no --data")
    elif coverage.unanchored:
        click.echo(f"{counted}, sound but for {coverage.unanchored} records after the last head")
        context.exit(_UNANCHORED)
    else:
        click.echo(f"{counted}, sound")


@audit.command()
@_DIRECTORY
@click.option(
    "--keys",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Partition keys in an hour below which nothing is unusual.",
)
@click.option(
    "--factor",
    type=click.FloatRange(min=1),
    default=10.0,
    show_default=True,
    help="How many times as many keys, or as high a share, as before are unusual.",
)
@click.option("--json", "as_json", is_flag=True, help="Print an object of JSON a line.")
def anomalies(directory: Path, keys: int, factor: float, *, as_json: bool) -> None:
    """Print what is unusual: many keys, a table or a Scan that is new, a key that grows hot.

    Compares each principal, and each key of a table, with the earlier hours in the log: its data
    events must be there.
    """
    import msgspec

    from hashrange.api.audit.anomalies import Detector
    from hashrange.api.audit.anomalies import anomalies as found_in
    from hashrange.api.audit.key_shares import KeyShares

    detector = Detector(keys, factor)
    events = (event for _, event in _events(directory))
    for found in found_in(events, detector, KeyShares(factor=factor)):
        if as_json:
            click.echo(msgspec.json.encode(found))
        else:
            click.echo(f"{found.time} {found.principal or '-'} {found.table}: {found.text}")
    if detector.ignored:
        click.echo(f"{detector.ignored} records of further principals were not looked at", err=True)


def _events(directory: Path) -> Iterator[tuple[bytes, "Event"]]:
    """The records of a directory with their lines. Raises Misuse."""
    from hashrange.api.audit.events import decode
    from hashrange.api.audit.reading import forward
    from hashrange.wire.codec import DECODE_ERRORS

    try:
        for line in forward(directory):
            try:
                yield line, decode(line)
            except DECODE_ERRORS:
                continue  # `verify` reports it
    except OSError as error:
        raise Misuse(str(error)) from error


def _time(text: str | None, option: str) -> str | None:
    """A time as records have it."""
    from datetime import UTC, datetime

    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise Misuse(f"{option}: {text!r} is not a time as 2026-11-22T10:00:00Z") from error
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _row(event: "Event") -> str:
    from hashrange.api.audit.selection import keys_of, tables_of

    parts = [event.event_time, event.event_name, event.principal or "-", ",".join(tables_of(event))]
    keys = ["/".join(key.values()) for _, key in keys_of(event)]
    shown = [*parts, ",".join(keys), event.error_code or ""]
    return "\t".join(each.replace("\t", " ").replace("\n", " ") for each in shown).rstrip()
