"""`hashrange verify DIRECTORY|URL`: checks stored data for inconsistencies."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from pathlib import Path
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

    Prints a line for each inconsistency, and repairs nothing. A server may use DIRECTORY and go on:
    it is asked, by a file in DIRECTORY, and verifies the data itself, while requests come first.
    Without a server DIRECTORY is opened read-only. No server may use a database meanwhile. The exit
    code is 0 for sound data, 1 for inconsistencies, 2 if the data could not be verified.

    \b
    Example:
      hashrange verify hashrange-data
      hashrange verify postgresql://app@db.example/app
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.assembly import verifying
    from hashrange.assembly.engines.kinds import kind_of
    from hashrange.server.loop import run
    from hashrange.storage.engine import StorageError, StorageOpenError

    try:
        kind = kind_of(place)
    except ValueError as error:
        raise Misuse(f"{error}; to check the data of a server, name its data directory") from error
    try:
        if verifying.is_served(place):
            findings = run(verifying.verified_by_server(Path(place)))
        else:
            findings = verifying.verify(place, key_of(options))
    except (StorageOpenError, StorageError, OSError) as error:
        raise Misuse(str(error)) from error
    for finding in findings:
        click.echo(finding)
    if findings:
        context.exit(REFUSED)
    click.echo(f"{kind.shown(place)}: sound")
