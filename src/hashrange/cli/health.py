"""`hashrange healthcheck`: checks whether a server is ready; for containers without curl."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.refusals import Misuse, Refusal
from hashrange.settings.settings import Settings
from hashrange.settings.sources import client_endpoint, load, metrics_token
from hashrange.settings.texts import SettingError, ca_bundle

if TYPE_CHECKING:
    from ssl import SSLContext

_READY: Final = "/readyz"
CA_HELP: Final = "Certificates to trust for https; AWS_CA_BUNDLE if it is not given."
CLIENT_HELP: Final = "A certificate and its key, for a server with --tls-client-ca."
_OK: Final = 200
_EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


def server_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a server to ask: the arguments of `asked_server`."""
    for option in reversed(_SERVER_OPTIONS):
        command = option(command)
    return command


_SERVER_OPTIONS: Final = (
    click.option(
        "--endpoint",
        metavar="URL",
        help="URL of the server  [default: that of the settings, AWS_ENDPOINT_URL_DYNAMODB, or "
        "http://127.0.0.1:8000]",
    ),
    click.option("--config", metavar="FILE", help="Settings to take host and port from."),
    click.option("--ca", metavar="FILE", help=CA_HELP),
    click.option("--client-cert", metavar="FILE", help=CLIENT_HELP),
)


@click.command()
@server_options
@click.option(
    "--timeout-seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=3.0,
    show_default=True,
    help="Time limit for the answer.",
)
def healthcheck(*, timeout_seconds: float, **place: str | None) -> None:
    """Check whether a server is ready.

    Without --endpoint, host and port are read from the settings, as the server reads them. The exit
    code is 0 if the server is ready, 1 if not.

    \b
    Examples:
      hashrange healthcheck
      hashrange healthcheck --endpoint http://127.0.0.1:9000
    """  # noqa: D301 - click reads \b as an escape
    target = asked_server(**place)
    server = target.url
    try:
        status, _ = answer(target, _READY, timeout_seconds)
    except (OSError, ValueError) as error:
        raise Refusal(f"{server} does not answer: {reason_of(error)}") from error
    if status != _OK:
        raise Refusal(f"{server} is not ready: it answers {status}")
    click.echo(f"{server} is ready")


def reason_of(error: Exception) -> str:
    """The reason of a failed request, without the error number of an OSError."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server to ask.

    Attributes:
        url: its URL.
        ca: a file of certificates to trust; None for those of the system.
        own: whether `ca` is the certificate of the server itself, whose names do not matter.
        client_cert: a file of a certificate and its key to show; None for none.
        token: that of HASHRANGE_METRICS_TOKEN; None for none.
    """

    url: str
    ca: str | None = None
    own: bool = False
    client_cert: str | None = None
    token: str | None = None


def asked_server(
    *, endpoint: str | None, config: str | None, ca: str | None, client_cert: str | None
) -> Target:
    """The server that the options name, or else `own_target`. Raises Misuse."""
    target = own_target(config, ca) if endpoint is None else target_of(endpoint, ca)
    return replace(target, client_cert=client_cert, token=metrics_token())


def target_of(url: str, ca: str | None) -> Target:
    """A server by its URL; it is trusted by the file, or else by AWS_CA_BUNDLE."""
    return Target(url=url, ca=ca or ca_bundle(), token=metrics_token())


def own_target(config: str | None, ca: str | None) -> Target:
    """The server with the settings of this environment. Raises Misuse.

    Where the settings name no address, it is the one of the AWS SDKs.
    """
    try:
        settings = load({}, config=config)
    except SettingError as error:
        raise Misuse(str(error)) from error
    default = Settings()
    if (settings.host, settings.port, settings.tls_files) == (default.host, default.port, None):
        return target_of(client_endpoint(), ca)
    host = _EVERY_ADDRESS.get(settings.host, settings.host)
    address = f"{f'[{host}]' if ':' in host else host}:{settings.port}"
    if settings.tls_files is None:
        return Target(url=f"http://{address}")
    if ca is not None:
        return Target(url=f"https://{address}", ca=ca)
    return Target(url=f"https://{address}", ca=str(settings.tls_files[0]), own=True)


def answer(target: Target, path: str, timeout_seconds: float) -> tuple[int, bytes]:
    """The status and the body of a page of a server.

    Raises:
        OSError: no server answers.
        ValueError: the answer is not HTTP.
        Misuse: the URL is malformed.
    """
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import urlsplit

    url = target.url
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise Misuse(f"--endpoint: {url!r} is not a URL like http://127.0.0.1:8000")
    # urllib.request would use a proxy of the environment.
    connection = HTTPConnection(parts.hostname, parts.port, timeout=timeout_seconds)
    if parts.scheme == "https":
        connection = HTTPSConnection(
            parts.hostname, parts.port, timeout=timeout_seconds, context=_context(target)
        )
    try:
        token = {} if target.token is None else {"Authorization": f"Bearer {target.token}"}
        connection.request("GET", parts.path.rstrip("/") + path, headers=token)
        response = connection.getresponse()
        return response.status, response.read()
    except HTTPException as error:
        raise ValueError("its answer is not HTTP") from error
    finally:
        connection.close()


def _context(target: Target) -> "SSLContext":
    import ssl

    try:
        context = ssl.create_default_context(cafile=target.ca)
    except OSError as error:  # an SSLError, too
        raise Misuse(f"{target.ca}: {reason_of(error)}") from error
    if target.client_cert is not None:
        try:
            # Without a password here, OpenSSL would ask for it at the terminal.
            context.load_cert_chain(target.client_cert, password="")
        except (OSError, ValueError) as error:
            raise Misuse(f"{target.client_cert}: {reason_of(error)}") from error
    if target.own:
        # A certificate for the names of clients, from an issuer that is not in the file.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.check_hostname = False
    return context
