"""`hashrange serve`: runs the server, and prints its address and warnings when it is reachable."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import errno
import io
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import hashrange
from hashrange.cli.dynamodb_local import Line
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.setting_options import Flags, SettingsCommand, options_of, texts_of
from hashrange.console.site import console_mode
from hashrange.settings.kinds import Auth, Console, Namespaces, Throttle, Tls
from hashrange.settings.rows import ROWS
from hashrange.settings.settings import CONFIG_SENTENCE, Settings
from hashrange.settings.sources import config_text, load
from hashrange.settings.texts import CONFIG_VARIABLE, SettingError

if TYPE_CHECKING:
    from hashrange.assembly.assemble import Server

_TO_PASTE: Final = """\
To use it with the AWS SDKs and the AWS CLI, run in a shell:
  export AWS_ENDPOINT_URL_DYNAMODB={endpoint}
  export AWS_ENDPOINT_URL_DYNAMODB_STREAMS={endpoint}
{trust}  export AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1
{credentials}
Then try:
  aws dynamodb list-tables
  python3 -c "import boto3; print(boto3.client('dynamodb').list_tables()['TableNames'])"
{throttling}
Ctrl-C stops the server."""

_TRUST: Final = "  export AWS_CA_BUNDLE={path}  # trusts the server's own certificate\n"

_CREDENTIALS: Final = {
    Auth.OFF: "  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local",
    Auth.REQUIRED: """\
and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the keys of a user of this server: those
that its first start has printed, or those that `hashrange users create` prints.""",
}

_THROTTLES: Final = {
    Throttle.OFF: "Capacity is metered, not enforced; with --throttle on it is, as on AWS.",
    Throttle.ON: "Requests beyond the capacity of tables and partitions are throttled.",
}

_OPEN_HERE: Final = """\
With --auth off every user and program of this machine can read and change all tables."""

_EXPOSED: Final = """\
Signatures are not verified: whoever reaches this address can read and change all tables."""

_READABLE: Final = """\
Signatures are verified, but connections are not encrypted: whoever is on the way can read them."""

_TESTING: Final = """\
For tests (--testing): whoever reaches this address can move the clock, with POST /testing/clock."""

_UNENCRYPTED: Final = """\
Requests for encryption (SSESpecification) are accepted, but the server does not encrypt data."""

_DISTURBED: Final = """\
For tests of clients (--fault, --latency, --replica-lag): requests fail, wait or read old states."""

_FOREIGN_DATA: Final = """\
{path} is a database of DynamoDB Local, which this server does not read. To copy its tables, start \
DynamoDB Local with -dbPath {directory} -port 8001, and run:
  hashrange copy http://127.0.0.1:8001 {endpoint}"""

_EXAMPLES: Final = """\
\b
Examples:
  hashrange serve --port 9000 --data /var/lib/hashrange
  hashrange serve --memory --namespaces separate
  hashrange serve --config hashrange.toml
  hashrange serve --engine postgresql://app@db.example/app
DynamoDB Local's options are understood as well: -port, -inMemory, -dbPath, -sharedDb,
-delayTransientStatuses, -cors ORIGINS, -optimizeDbBeforeStartup, -disableTelemetry.
"""

# The output of DynamoDB Local, for scripts that wait for it.
_AS_DYNAMODB_LOCAL: Final = """\
Initializing DynamoDB Local with the following configuration:
Port:\t{port}
InMemory:\t{memory}
DbPath:\t{path}
SharedDb:\t{shared}
shouldDelayTransientStatuses:\t{delayed}
CorsParams:\t{cors}"""


@click.command(cls=SettingsCommand, epilog=_EXAMPLES)
@click.option("--config", metavar="FILE", help=f"{CONFIG_SENTENCE} [{CONFIG_VARIABLE}]")
@click.option(
    "--print-config",
    is_flag=True,
    help="Print all settings as a file for --config, with comments, and end.",
)
@options_of(ROWS)
@click.pass_obj
def serve(line: Line, /, config: str | None, *, print_config: bool, **flags: Flags) -> None:
    """Run the server until it is stopped.

    Each option can also be given as the environment variable in its brackets, or in a TOML file. An
    option wins over a variable, a variable over the file.
    """
    texts = texts_of(flags)
    try:
        settings = load(texts, config=config)
    except SettingError as error:
        raise Misuse(str(error)) from error
    if print_config:
        click.echo(config_text(settings))
        return
    _refuse_impossible_rules(settings)
    _refuse_missing_target(settings)
    _run(settings, is_dynamodb_local=line.is_dynamodb_local)


def _refuse_impossible_rules(settings: Settings) -> None:
    """Refuse rules that name operations or errors that do not exist, before a process starts."""
    if settings.fault is None and settings.latency is None:
        return
    from hashrange.assembly.assemble import disturbances
    from hashrange.clock import SystemClock

    try:
        disturbances(settings, SystemClock().monotonic_ns)
    except SettingError as error:
        raise Misuse(str(error)) from error


def _refuse_missing_target(settings: Settings) -> None:
    """Refuse a directory of backups that does not exist, or a bucket without the package for it.

    Later, when a disk is gone, a server goes on without backups, and logs it.
    """
    place = settings.backup_to
    if place is None:
        return
    if "://" not in place:
        if not Path(place).expanduser().is_dir():
            raise Refusal(f"--backup-to: there is no directory {place}")
        return
    from hashrange.backups.objects.bucket import BucketError
    from hashrange.backups.objects.buckets import Buckets
    from hashrange.clock import SystemClock
    from hashrange.optional_packages import MissingPackageError

    try:
        Buckets.of(f"backups={place}", new_id=SystemClock().new_uuid).check()
    except (BucketError, MissingPackageError) as error:
        raise Refusal(f"--backup-to: {error}") from error


def _run(settings: Settings, *, is_dynamodb_local: bool) -> None:
    from hashrange.assembly import assemble
    from hashrange.background.triggers.errors import TriggerError
    from hashrange.observe import logs
    from hashrange.server.loop import run
    from hashrange.server.tls import TlsError
    from hashrange.storage.engine import StorageOpenError

    logs.configure(level=settings.log_level, as_json=logs.is_json(settings.log_format))

    def announce(endpoint: str) -> None:
        lines = list(_banner(endpoint, settings))
        if is_dynamodb_local:
            lines.append(_as_dynamodb_local(endpoint, settings))
        click.echo("\n".join(lines))
        if settings.stop_with_input:
            _end_output()

    try:
        run(assemble.serve(settings, announce, _server(settings)))
    except TlsError as error:
        raise Refusal(str(error)) from error
    except SettingError as error:
        raise Misuse(str(error)) from error
    except TriggerError as error:
        raise Misuse(f"--triggers {error}") from error
    except StorageOpenError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(explained(error, settings.host, settings.port)) from error


def _end_output() -> None:
    """Redirect stdout to stderr.

    The parent process has read the address and may read no more: functions of triggers that print
    must not block on a full pipe.
    """
    sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):  # closed, or replaced by a test
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)


def _server(settings: Settings) -> "Server | None":
    """The function that runs a server of several processes; None for one process."""
    if settings.workers is None:
        return None
    from hashrange.assembly.workers.supervisor import supervised

    return supervised


def _banner(endpoint: str, settings: Settings) -> Iterator[str]:
    from hashrange.assembly.engines.kinds import kind_of

    yield f"hashrange {hashrange.__version__} listens on {endpoint}"
    # Clients cannot connect to the address that means "every address" on all systems.
    reachable = endpoint.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    kind = kind_of(settings.engine)
    yield kind.described(settings)
    if not (settings.memory or kind.schemes):
        for path in of_dynamodb_local(settings.data):
            yield _FOREIGN_DATA.format(path=path, directory=path.parent, endpoint=reachable)
    if console_mode(settings) is not Console.OFF:
        yield f"The console for browsers is at {reachable}/_console/"
    yield from _warnings(settings)
    trust = ""
    if settings.tls is Tls.SELF_SIGNED and settings.tls_files is not None:
        trust = _TRUST.format(path=settings.tls_files[0].absolute())
    throttling = _THROTTLES[settings.throttle]
    credentials = _CREDENTIALS[settings.auth]
    yield _TO_PASTE.format(
        endpoint=reachable, trust=trust, credentials=credentials, throttling=throttling
    )


def _warnings(settings: Settings) -> Iterator[str]:
    """Warnings to an operator about these settings."""
    if settings.namespaces is Namespaces.SEPARATE:
        yield "Each account and region has tables of its own; a 12-digit access key is the account."
    if settings.accept_encryption_requests:
        yield _UNENCRYPTED
    if not (settings.fault is settings.latency is settings.replica_lag is None):
        yield _DISTURBED
    if settings.auth is Auth.OFF:
        yield _OPEN_HERE if settings.is_local else _EXPOSED
    if settings.auth is Auth.REQUIRED and settings.tls_files is None and not settings.is_local:
        yield _READABLE
    if settings.testing:
        yield _TESTING


def of_dynamodb_local(directory: Path) -> list[Path]:
    """Files of DynamoDB Local: `shared-local-instance.db`, or `ACCESSKEY_REGION.db`."""
    return sorted({*directory.glob("shared-local-instance.db"), *directory.glob("*_*.db")})


def _as_dynamodb_local(endpoint: str, settings: Settings) -> str:
    return _AS_DYNAMODB_LOCAL.format(
        port=endpoint.rpartition(":")[2],
        memory=str(settings.memory).lower(),
        path="null" if settings.memory else settings.data,
        shared=str(settings.namespaces is Namespaces.SHARED).lower(),
        delayed=str(settings.delay_transient_statuses).lower(),
        cors=settings.allowed_origins,
    )


def explained(error: OSError, host: str, port: int | None) -> str:
    """Why an address cannot be listened on, for the operator."""
    address = f"{host} port {port}"
    if isinstance(error, socket.gaierror):
        return f"--host {host}: {error.strerror}"
    match error.errno:
        case errno.EADDRINUSE:
            return f"{address} is in use; choose another port with --port, 0 for a free one"
        case errno.EADDRNOTAVAIL:
            return f"--host {host} is not an address of this machine"
        case errno.EACCES if error.filename is None:
            return f"no permission to listen on {address}; use a port from 1024 on"
        case _:
            where = "" if error.filename is None else f"{error.filename}: "
            return f"{where}{error.strerror or error}"
