"""`hashrange healthcheck`: checks whether a server is ready; for containers without curl."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import Final

import click

from hashrange import settings as table
from hashrange.cli.refusals import Misuse, Refusal

_READY: Final = "/readyz"
_OK: Final = 200
_EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


@click.command()
@click.option("--url", metavar="URL", help="URL of the server, as http://127.0.0.1:8000.")
@click.option("--config", metavar="FILE", help="Settings to take host and port from.")
@click.option(
    "--timeout-seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=3.0,
    show_default=True,
    help="Time limit for the answer.",
)
def healthcheck(url: str | None, config: str | None, timeout_seconds: float) -> None:
    """Check whether a server is ready.

    Without --url, host and port are read from the settings, as the server reads them. The exit code
    is 0 if the server is ready, 1 if not.

    \b
    Examples:
      hashrange healthcheck
      hashrange healthcheck --url http://127.0.0.1:9000
    """  # noqa: D301 - click reads \b as an escape
    server = own_url(config) if url is None else url
    try:
        status, _ = answer(server, _READY, timeout_seconds)
    except (OSError, ValueError) as error:
        raise Refusal(f"{server} does not answer: {reason_of(error)}") from error
    if status != _OK:
        raise Refusal(f"{server} is not ready: it answers {status}")
    click.echo(f"{server} is ready")


def reason_of(error: Exception) -> str:
    """The reason of a failed request, without the error number of an OSError."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def own_url(config: str | None) -> str:
    """The URL of a server with the settings of this environment. Raises Misuse."""
    try:
        settings = table.load({}, config=config)
    except table.SettingError as error:
        raise Misuse(str(error)) from error
    host = _EVERY_ADDRESS.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def answer(url: str, path: str, timeout_seconds: float) -> tuple[int, bytes]:
    """The status and the body of a page of a server.

    Raises:
        OSError: no server answers.
        ValueError: the answer is not HTTP.
        Misuse: the URL is malformed.
    """
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise Misuse(f"--url: {url!r} is not a URL like http://127.0.0.1:8000")
    # urllib.request would use a proxy of the environment.
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=timeout_seconds)
    try:
        connection.request("GET", parts.path.rstrip("/") + path)
        response = connection.getresponse()
        return response.status, response.read()
    except HTTPException as error:
        raise ValueError("its answer is not HTTP") from error
    finally:
        connection.close()
