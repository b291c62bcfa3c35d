"""`hashrange verify DIRECTORY|URL`: checks stored data for inconsistencies."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import Any

import click

from hashrange.cli.encryption_keys import key_of, key_options
from hashrange.cli.refusals import REFUSED, Misuse


@click.command()
@click.argument("place", metavar="DIRECTORY|URL")
@key_options
@click.pass_context
def verify(context: click.Context, /, place: str, **options: Any) -> None:
    """Check the data in DIRECTORY, or in the PostgreSQL at URL.

    Prints a line for each inconsistency, and repairs nothing. No server may use the data at the
    same time; DIRECTORY is opened read-only. The exit code is 0 for sound data, 1 for
    inconsistencies, 2 if the data cannot be opened.

    \b
    Example:
      hashrange verify hashrange-data
      hashrange verify postgresql://app@db.example/app
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.assembly import assemble
    from hashrange.assembly.engines.kinds import kind_of
    from hashrange.storage.engine import StorageError, StorageOpenError

    try:
        kind = kind_of(place)
    except ValueError as error:
        stop = "to check the data of a server, stop it and name its data directory"
        raise Misuse(f"{error}; {stop}") from error
    try:
        findings = assemble.verify(place, key_of(options))
    except (StorageOpenError, StorageError, OSError) as error:
        raise Misuse(str(error)) from error
    for finding in findings:
        click.echo(finding)
    if findings:
        context.exit(REFUSED)
    click.echo(f"{kind.shown(place)}: sound")
