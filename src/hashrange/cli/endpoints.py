"""The options --endpoint, --profile and --region, and the connection that they describe.

Every command that sends requests has these options, so that it works against this server, AWS, and
any other server of the API.
"""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import functools
import os
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.access.signatures.signing import Credentials
    from hashrange.tools.copying.endpoint import Endpoint, Retries

AWS: Final = "aws"
"""As --endpoint: the endpoint of AWS in the region."""
CONNECTIONS: Final = 8

endpoint_option: Final = click.option(
    "--endpoint",
    metavar="URL",
    help=f"URL of the server, or {AWS}  [default: AWS_ENDPOINT_URL_DYNAMODB, or "
    "http://127.0.0.1:8000]",
)


@dataclass(frozen=True, slots=True)
class Address:
    """A server and the credentials of requests to it.

    Attributes:
        url: scheme, host and port.
        credentials: keys and the region.
    """

    url: str
    credentials: "Credentials"


def endpoint_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the three options; the command receives them as one `Address`, named `address`."""

    @endpoint_option
    @click.option(
        "--profile",
        metavar="NAME",
        help="Profile of the shared AWS files: keys, region, endpoint  [default: AWS_PROFILE, for "
        "an endpoint of AWS]",
    )
    @click.option("--region", metavar="NAME", help="Region of the requests  [default: AWS_REGION]")
    @functools.wraps(command)
    def with_address(
        *args: Any, endpoint: str | None, profile: str | None, region: str | None, **options: Any
    ) -> Any:
        return command(*args, address=address_of(endpoint, profile, region), **options)

    return with_address


def address_of(
    endpoint: str | None,
    profile: str | None = None,
    region: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Address:
    """The server that the options name. Raises Misuse.

    Args:
        endpoint: a URL, `AWS`, or None for the endpoint of the profile or the environment.
        profile: a profile of the shared AWS files. Without it the variables of the environment are
            used; an endpoint of AWS also takes AWS_PROFILE. No other server gets a person's keys
            unless the profile is named.
        region: the region of requests; None for that of the URL, profile or environment.
        environment: the variables; those of the process if None.
    """
    from hashrange.cli.credentials import ProfileError, credentials, profile_keys
    from hashrange.tools.copying.endpoint import region_of

    if environment is None:
        environment = os.environ  # noqa: TID251 - not settings of the server, but of all SDKs
    is_aws = endpoint == AWS or (endpoint is not None and region_of(url_of(endpoint)) is not None)
    if profile is None and is_aws and not environment.get("AWS_ACCESS_KEY_ID"):
        profile = environment.get("AWS_PROFILE") or None
    try:
        keys = None if profile is None else profile_keys(profile, environment)
    except ProfileError as error:
        raise Misuse(f"--profile: {error}") from error
    if endpoint is None and keys is not None:
        endpoint = keys.endpoint
    configured = keys.region if keys is not None else None
    found = credentials(region or configured, environment)
    if endpoint == AWS:
        endpoint = f"https://dynamodb.{found.region}.amazonaws.com"
    url = url_of(endpoint)
    signer = credentials(region or region_of(url) or configured, environment)
    return Address(url, signer if keys is None else keys.signer(signer.region))


def url_of(endpoint: str | None) -> str:
    """The URL of the server: that of the option, or the default. Raises Misuse."""
    from hashrange.settings.sources import client_endpoint
    from hashrange.tools.copying.endpoint import ENDPOINTS, endpoint_parts

    url = client_endpoint() if endpoint is None else endpoint
    try:
        endpoint_parts(url)
    except ValueError as error:
        raise Misuse(f"--endpoint: {error}") from error
    if not url.startswith(ENDPOINTS):
        raise Misuse(f"--endpoint: {url!r} is not a URL like http://127.0.0.1:8000")
    return url


@contextlib.asynccontextmanager
async def reached_at(
    address: Address, *, connections: int = CONNECTIONS, retries: "Retries | None" = None
) -> "AsyncIterator[Endpoint]":
    """A connection pool of the server; `retries` None for those of all operations."""
    from hashrange.clock import SystemClock
    from hashrange.tools.copying.endpoint import Retries, connected

    async with connected(
        address.url,
        address.credentials,
        SystemClock(),
        connections=connections,
        retries=retries or Retries(),
    ) as place:
        yield place
