"""The command line: `hashrange serve`, `hashrange verify DIRECTORY`.

It turns what went wrong at the start into one line for people. What a command needs is imported
when the command runs, so that `--help` and the server's first answer come at once.
"""

# ruff: noqa: PLC0415 - imports inside of commands: see above
import errno
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import click

import hashrange
from hashrange import settings as table

_REFUSED: Final = 1
_MISUSED: Final = 2

_TO_PASTE: Final = """\
Paste into a shell, and every AWS SDK and the AWS CLI talk to it:
  export AWS_ENDPOINT_URL_DYNAMODB={endpoint}
  export AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1
  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
Then try:
  aws dynamodb list-tables
  python3 -c "import boto3; print(boto3.client('dynamodb').list_tables()['TableNames'])"
Provisioned throughput is metered but not enforced: nothing is throttled.
Ctrl-C stops the server."""

_EXPOSED: Final = """\
Signatures are not verified: whoever reaches this address can read and change all tables."""


class _Refusal(click.ClickException):
    """One line to stderr, and an exit code."""

    exit_code = _REFUSED

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line alone, without the usage."""
        click.echo(f"hashrange: {self.format_message()}", file=file, err=file is None)


class _Misuse(_Refusal):
    """The command cannot even try."""

    exit_code = _MISUSED


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(hashrange.__version__, "-V", "--version", message="hashrange %(version)s")
def commands() -> None:
    """A database server that speaks the Amazon DynamoDB API."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; ends the process."""
    if not __debug__:
        # Asserts are part of the design: they stop the server before it stores what cannot be.
        click.echo("hashrange: asserts are off; run python without -O and PYTHONOPTIMIZE", err=True)
        sys.exit(_MISUSED)
    commands.main(args=arguments, prog_name="hashrange")


def _options(command: Callable[..., None]) -> Callable[..., None]:
    # In reverse, as decorators stack: --help lists them in the order of the table.
    for row in reversed(table.ROWS):
        flag, default = row.flag, str(row.default)
        metavar = None if row.kind.switch else row.kind.form.replace(" ", "")
        if row.kind.switch:
            flag, default = f"{flag}/--no-{flag[2:]}", default.lower()
        described = f"{row.sentence} [{row.variable}; {default}]"
        option = click.option(flag, row.name, default=None, metavar=metavar, help=described)
        command = option(command)
    return command


@commands.command()
@_options
def serve(**flags: str | bool | None) -> None:
    """Run the server until it is told to stop.

    Each option can also be given as the environment variable in its brackets; the option wins.
    """
    texts = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in flags.items()
        if value is not None
    }
    try:
        settings = table.load(texts)
    except table.SettingError as error:
        raise _Misuse(str(error)) from error
    _run(settings)


def _run(settings: table.Settings) -> None:
    from hashrange import assemble
    from hashrange.observe import logs
    from hashrange.server.loop import run
    from hashrange.storage.engine import StorageOpenError

    # Lines for people at a terminal, JSON for what collects logs.
    logs.configure(level=settings.log_level, as_json=not sys.stderr.isatty())

    def announce(endpoint: str) -> None:
        click.echo(_greeting(endpoint, settings))

    try:
        run(assemble.serve(settings, announce))
    except StorageOpenError as error:
        raise _Refusal(str(error)) from error
    except OSError as error:
        raise _Refusal(_explained(error, settings)) from error


def _greeting(endpoint: str, settings: table.Settings) -> str:
    kept = f"in {settings.data.absolute()}, durability {settings.durability}"
    if settings.memory:
        kept = "only in memory: they end with the server"
    lines = [f"hashrange {hashrange.__version__} listens on {endpoint}", f"The data are {kept}."]
    if not (settings.host in {"localhost", "::1"} or settings.host.startswith("127.")):
        lines.append(_EXPOSED)
    # Clients cannot connect to the address that means "every address" on all systems.
    reachable = endpoint.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    lines.append(_TO_PASTE.format(endpoint=reachable))
    return "\n".join(lines)


def _explained(error: OSError, settings: table.Settings) -> str:
    address = f"{settings.host} port {settings.port}"
    if isinstance(error, socket.gaierror):
        return f"--host {settings.host}: {error.strerror}"
    match error.errno:
        case errno.EADDRINUSE:
            return f"{address} is in use; choose another port with --port, 0 for a free one"
        case errno.EADDRNOTAVAIL:
            return f"--host {settings.host} is not an address of this machine"
        case errno.EACCES if error.filename is None:
            return f"{address} may not be used by this user; ports from 1024 on may"
        case _:
            where = "" if error.filename is None else f"{error.filename}: "
            return f"{where}{error.strerror or error}"


@commands.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
def verify(directory: Path) -> None:
    """Check the data in DIRECTORY and print what is wrong, a line each.

    The exit code is 0 for sound data, 1 for findings, 2 if the data cannot be opened.
    """
    from hashrange import assemble
    from hashrange.storage.engine import StorageOpenError

    try:
        findings = assemble.verify(directory)
    except (StorageOpenError, OSError) as error:
        raise _Misuse(str(error)) from error
    for finding in findings:
        click.echo(finding)
    if findings:
        sys.exit(_REFUSED)
    click.echo(f"{directory}: sound")
