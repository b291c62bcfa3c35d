"""Other endpoints that the console shows: the server asks them, with its own credentials."""

import ssl
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.signatures.signing import Credentials as Keys
from hashrange.api.pipeline.operation import Caller
from hashrange.api.pipeline.service_authorization import Authorizer, Requirement
from hashrange.clock import Clock
from hashrange.console.calls import operation_name
from hashrange.dax.upstream.client import Client, Sent
from hashrange.dax.upstream.credentials import FixedCredentials
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.server import CONSOLE_ENDPOINT_SECONDS_MAX
from hashrange.messages import server as messages
from hashrange.messages.server import operation_not_supported
from hashrange.model.operations import is_read_only
from hashrange.wire.exchange import Request, Response
from hashrange.wire.targets import operation_of

_ACTION: Final = "hashrange:UseConsoleEndpoint"


class OtherEndpoints:
    """Performs requests on the endpoints of `--console-endpoint`.

    Args:
        urls: by name.
        keys: those of the server's environment.
        clock: time, and randomness of pauses.
    """

    def __init__(self, urls: Mapping[str, str], keys: Keys, clock: Clock) -> None:
        self.urls = urls
        self._keys = keys
        self._clock = clock
        self._clients: dict[str, Client] = {}
        self._authorizer = Authorizer(clock.now_ms)

    async def perform(self, name: str, request: Request, caller: Caller) -> Response:
        """The answer of an endpoint to the request of a page.

        Raises:
            DynamoError: there is no such endpoint, the caller may not use it, it refuses or does
                not answer.
        """
        if name not in self.urls:
            raise invalid(messages.no_such_endpoint(name), bare=True)
        requirement = Requirement(_ACTION, GovernedResource("*", caller.account))
        if self._authorizer.refusal(requirement, caller) is not None:
            raise DynamoError(Fault.ACCESS_DENIED, messages.endpoint_denied())
        operation = operation_name(request)
        if operation_of(request.headers.get(b"x-amz-target")) is None:
            raise DynamoError(Fault.UNKNOWN_OPERATION, operation_not_supported(operation))
        reads = is_read_only(operation)
        sent = Sent(operation=operation, body=request.body, is_repeatable=reads)
        return Response(200, await self._client(name).call(sent))

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.close()

    def _client(self, name: str) -> Client:
        client = self._clients.get(name)
        if client is None:
            parts = urlsplit(self.urls[name])
            context = ssl.create_default_context() if parts.scheme == "https" else None
            credentials, seconds = FixedCredentials(self._keys), CONSOLE_ENDPOINT_SECONDS_MAX
            client = Client(parts, credentials, self._clock, context, seconds_max=seconds)
            self._clients[name] = client
        return client
