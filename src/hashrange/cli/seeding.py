"""Options, connection and errors that `hashrange load` and `hashrange dump` share."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.cli.seed_progress import Progress
    from hashrange.copying.endpoint import Endpoint

STANDARD: Final = "-"
"""The name of standard input or standard output."""
CSV: Final = ".csv"
_CONNECTIONS: Final = 8

endpoint_option: Final = click.option(
    "--endpoint",
    metavar="URL",
    help="URL of the server  [default: AWS_ENDPOINT_URL_DYNAMODB, or http://127.0.0.1:8000]",
)
quiet_option: Final = click.option("--quiet", is_flag=True, help="Print errors only.")


@contextlib.asynccontextmanager
async def reached_at(url: str) -> "AsyncIterator[Endpoint]":
    """A connection pool of the server, with the credentials of the environment."""
    from hashrange.cli.credentials import credentials
    from hashrange.clock import SystemClock
    from hashrange.copying.endpoint import connected, region_of

    signer = credentials(region_of(url))
    async with connected(url, signer, SystemClock(), connections=_CONNECTIONS) as place:
        yield place


def url_of(endpoint: str | None) -> str:
    """The URL of the server: that of the option, or the default. Raises Misuse."""
    from hashrange.copying.endpoint import ENDPOINTS, endpoint_parts
    from hashrange.settings.sources import client_endpoint

    url = client_endpoint() if endpoint is None else endpoint
    try:
        endpoint_parts(url)
    except ValueError as error:
        raise Misuse(f"--endpoint: {error}") from error
    if not url.startswith(ENDPOINTS):
        raise Misuse(f"--endpoint: {url!r} is not a URL like http://127.0.0.1:8000")
    return url


@contextlib.contextmanager
def progress_of(*, quiet: bool) -> "Iterator[Progress]":
    """The progress of a command, on stderr."""
    from hashrange.cli.seed_progress import Progress
    from hashrange.clock import SystemClock

    progress = Progress(SystemClock().monotonic_ns, is_quiet=quiet, is_live=sys.stderr.isatty())
    try:
        yield progress
    finally:
        progress.close()


@contextlib.contextmanager
def failures() -> Iterator[None]:
    """Raise errors within the context as Refusal, which is printed as one line."""
    from hashrange.copying.place import CopyError

    try:
        yield
    except BrokenPipeError as error:
        # The reader has closed the pipe; the interpreter must not flush to it when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Refusal("standard output was closed") from error
    except (CopyError, OSError) as error:
        raise Refusal(str(error)) from error
    except KeyboardInterrupt as error:
        raise Refusal("stopped") from error
