"""`hashrange dax`: the caches of DAX in front of any endpoint that speaks DynamoDB."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import hashrange
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.setting_options import Flags, options_of, texts_of
from hashrange.settings.rows import ROWS
from hashrange.settings.sources import load
from hashrange.settings.texts import CONFIG_VARIABLE, SettingError

if TYPE_CHECKING:
    from hashrange.assembly.dax_upstream import Running, Upstream
    from hashrange.settings.settings import Settings

_SHARED: Final = frozenset(
    (
        "host",
        "dax_cache_mb",
        "dax_record_ttl_ms",
        "dax_query_ttl_ms",
        "tls_cert",
        "tls_key",
        "tls_client_ca",
        "connections_max",
        "connections_per_address_max",
        "request_seconds_max",
        "idle_seconds_max",
        "drain_seconds",
        "stop_with_input",
        "log_level",
        "log_format",
        "slow_request_ms",
    )
)
_ROWS: Final = [row for row in ROWS if row.name in _SHARED]
_PORT: Final = click.IntRange(0, 65_535)
_EXAMPLES: Final = """\
\b
Examples:
  hashrange dax --upstream https://dynamodb.eu-west-1.amazonaws.com --state dax-state
  hashrange dax --upstream http://127.0.0.1:8000
The keys are those of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or those of
the profile AWS_PROFILE in AWS_SHARED_CREDENTIALS_FILE, which is read again when it changes.
"""
_BANNER: Final = """\
hashrange {version} caches {upstream}; clients of DAX can use {url}
Requests are signed with the access key {access_key} for {region}.
The signatures of clients are not verified: whoever reaches this address may do what that key \
may."""
_EXPOSED: Final = """\
--host {host} can be reached from other machines, and the signatures of clients cannot be verified \
here: whoever reaches it may do what the access key of this process may. If the network keeps \
others out, add --open-to-network"""
_OTHER_KEYS: Final = """\
AWS_PROFILE or AWS_SHARED_CREDENTIALS_FILE names it. Unset them, or set AWS_ACCESS_KEY_ID and \
AWS_SECRET_ACCESS_KEY, to use other keys"""
_KEPT: Final = "Attribute lists are kept in {path}."
_NOT_KEPT: Final = """\
Attribute lists are kept in memory only (no --state): create clients again after a restart; one \
that goes on gets a ValidationException for items that it knows by an old list."""


@click.command(epilog=_EXAMPLES)
@click.option("--upstream", metavar="URL", required=True, help="The endpoint behind the caches.")
@click.option(
    "--port", type=_PORT, default=8111, show_default=True, help="TCP port; 0 takes a free one."
)
@click.option("--region", help="Region to sign for; that of the URL or of AWS_REGION if not set.")
@click.option(
    "--state",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keeps attribute lists, which clients know for as long as they run; memory if not set.",
)
@click.option(
    "--open-to-network",
    is_flag=True,
    help="Allow a --host that other machines reach: signatures of clients are not verified.",
)
@click.option(
    "--pages-port",
    type=_PORT,
    default=None,
    help="TCP port for /metrics, /health and /readyz; 0 takes a free one. Not set: none.",
)
@options_of(_ROWS)
def dax(upstream: str, region: str | None, state: Path | None, **options: Any) -> None:
    """Cache any DynamoDB endpoint for DAX clients.

    Clients read through an item and a query cache; strongly consistent reads, writes and
    transactions go to the upstream: DynamoDB, DynamoDB Local or another server of its API.
    """
    flags: dict[str, Flags] = {row.name: options[row.name] for row in _ROWS}
    place = {"memory": "true"} if state is None else {"data": str(state)}
    port, pages_port = options["port"], options["pages_port"]
    variables = _variables(os.environ)  # noqa: TID251 - `load` reads those that are left
    try:
        settings = load({**texts_of(flags), **place, "dax_port": str(port)}, variables)
    except SettingError as error:
        raise Misuse(str(error)) from error
    if not settings.is_local and not options["open_to_network"]:
        raise Misuse(_EXPOSED.format(host=settings.host))
    _run(settings, _upstream(upstream, region), pages_port)


def _variables(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The variables without those of settings that this command does not have."""
    others = {row.variable for row in ROWS if row.name not in _SHARED} | {CONFIG_VARIABLE}
    return {name: text for name, text in environment.items() if name not in others}


def _upstream(url: str, region: str | None) -> "Upstream":
    from hashrange.access.credentials_file import CredentialsFile, CredentialsFileError
    from hashrange.assembly.dax_upstream import Upstream
    from hashrange.cli.credentials import credentials, shared_file
    from hashrange.clock import SystemClock
    from hashrange.dax.upstream.credentials import (
        CredentialsSource,
        FileCredentials,
        FixedCredentials,
    )
    from hashrange.tools.copying.endpoint import endpoint_parts, region_of

    try:
        parts = endpoint_parts(url)
    except ValueError as error:
        raise Misuse(f"--upstream: {error}") from error
    if parts.scheme not in {"http", "https"}:
        raise Misuse(f"--upstream {url}: it must begin with http:// or https://")
    variables = os.environ  # noqa: TID251 - not settings, but of all SDKs
    keys, file = credentials(region or region_of(url)), shared_file(variables)
    source: CredentialsSource = FixedCredentials(keys)
    if file is not None:
        try:
            source = FileCredentials(
                CredentialsFile(*file), keys.region, SystemClock().monotonic_ns
            )
        except CredentialsFileError as error:
            raise Refusal(f"{error}; {_OTHER_KEYS}") from error
    bundle = variables.get("AWS_CA_BUNDLE") or None
    return Upstream(parts=parts, credentials=source, ca_file=bundle)


def _run(settings: "Settings", upstream: "Upstream", pages_port: int | None) -> None:
    from hashrange.assembly.dax_upstream import serve
    from hashrange.cli.serve import explained
    from hashrange.observe import logs
    from hashrange.server.loop import run
    from hashrange.server.tls import TlsError
    from hashrange.storage.engine import StorageOpenError

    logs.configure(level=settings.log_level, as_json=logs.is_json(settings.log_format))

    def announce(running: "Running") -> None:
        click.echo("\n".join(_banner(running, settings, upstream)))

    try:
        run(serve(settings, upstream, announce, pages_port=pages_port))
    except (TlsError, StorageOpenError) as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(explained(error, settings.host, settings.dax_port)) from error


def _banner(running: "Running", settings: "Settings", upstream: "Upstream") -> Iterator[str]:
    credentials = upstream.credentials.current
    yield _BANNER.format(
        version=hashrange.__version__,
        upstream=f"{upstream.parts.scheme}://{upstream.parts.netloc}",
        url=running.url,
        access_key=credentials.access_key,
        region=credentials.region,
    )
    yield _NOT_KEPT if settings.memory else _KEPT.format(path=settings.data.absolute())
    if running.pages is not None:
        yield f"Metrics are at {running.pages}/metrics"
    yield "Ctrl-C stops it."
