"""`hashrange verify DIRECTORY`: whether what is stored fits together."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
from pathlib import Path

import click

from hashrange.cli.refusals import REFUSED, Misuse


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.pass_context
def verify(context: click.Context, directory: Path) -> None:
    """Check the data in DIRECTORY.

    Prints what is wrong, a line each, and repairs nothing. No server may use the data meanwhile.
    The exit code is 0 for sound data, 1 for findings, 2 if the data cannot be opened.

    \b
    Example:
      hashrange verify hashrange-data
    """  # noqa: D301 - click reads \b as an escape
    from hashrange import assemble
    from hashrange.storage.engine import StorageOpenError

    try:
        findings = assemble.verify(directory)
    except (StorageOpenError, OSError) as error:
        raise Misuse(str(error)) from error
    for finding in findings:
        click.echo(finding)
    if findings:
        context.exit(REFUSED)
    click.echo(f"{directory}: sound")
