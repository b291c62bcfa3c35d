"""The APIs that make a table with its settings, at one endpoint or at those of AWS."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from hashrange.access.signatures.signing import Credentials
from hashrange.clock import Clock
from hashrange.tools.copying.endpoint import DYNAMODB, Api, Endpoint, connected, region_of
from hashrange.tools.copying.place import TableRef, ask
from hashrange.tools.design.steps import Service, Step

_CONNECTIONS: Final = 2


class _Row(msgspec.Struct, frozen=True):
    """An API, the name that its requests are signed for, and its host on AWS."""

    api: Api
    signed: str
    host: str


_ROWS: Final[Mapping[Service, _Row]] = {
    "dynamodb": _Row(DYNAMODB, "dynamodb", "dynamodb"),
    "application-autoscaling": _Row(
        Api("application/x-amz-json-1.1", "AnyScaleFrontendService"),
        "application-autoscaling",
        "application-autoscaling",
    ),
    "cloudwatch": _Row(
        Api("application/x-amz-json-1.0", "GraniteServiceVersion20100801"),
        "monitoring",
        "monitoring",
    ),
}


class Services:
    """The APIs by name; each has connections of its own.

    Attributes:
        place: DynamoDB.
    """

    def __init__(self, endpoints: Mapping[Service, Endpoint]) -> None:
        self._endpoints = endpoints
        self.place = endpoints["dynamodb"]

    def named(self, table: str) -> TableRef:
        """A reference to a table."""
        return self.place.named(table)

    async def send(self, step: Step) -> dict[str, Any]:
        """The answer to a request. Raises CopyError, RefusedError, NoApiError."""
        endpoint = self._endpoints[step.service]
        return await ask(endpoint, endpoint.named("").caller, step.operation, step.request)


@contextlib.asynccontextmanager
async def services_at(url: str, credentials: Credentials, clock: Clock) -> AsyncIterator[Services]:
    """The APIs of an endpoint, whose connections are closed at the end."""
    async with contextlib.AsyncExitStack() as stack:
        endpoints: dict[Service, Endpoint] = {}
        for service, row in _ROWS.items():
            endpoints[service] = await stack.enter_async_context(
                connected(
                    url if service == "dynamodb" else url_of_service(url, row.host),
                    dataclasses.replace(credentials, service=row.signed),
                    clock,
                    connections=_CONNECTIONS,
                    api=row.api,
                )
            )
        yield Services(endpoints)


def url_of_service(url: str, host: str) -> str:
    """The URL of another API: the host of AWS in the same region, or the same endpoint.

    Args:
        url: an endpoint of DynamoDB.
        host: the first label of the name of the API's hosts.
    """
    parts = urlsplit(url)
    region = region_of(url)
    if region is None or parts.hostname is None:
        return url
    before, _, domain = parts.hostname.partition(f".{region}.")
    fips = "-fips" if before.endswith("-fips") else ""
    return f"{parts.scheme}://{host}{fips}.{region}.{domain}"
