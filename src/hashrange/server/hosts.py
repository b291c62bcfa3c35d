"""The names by which clients may address the server: a protection from DNS rebinding.

A web page can let its own name stand for 127.0.0.1. For the browser the server then has the origin
of the page, so neither CORS nor the Origin header stops it; but the header Host is the page's name.
"""

import re
from ipaddress import ip_address
from typing import Final

from hashrange.errors import DynamoError, Fault
from hashrange.messages.server import host_not_allowed
from hashrange.settings.kinds import ANY
from hashrange.wire.answers import encode_error
from hashrange.wire.exchange import Handler, Request, Response

CONTAINER_NAMES: Final = frozenset(
    ("hashrange", "dynamodb", "dynamodb-local", "host.docker.internal")
)
"""Names of the server in the networks of containers. They are allowed if it listens on every
address, as its image does; no page of the internet has one of them."""
_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
_NAME_CHARS_MAX: Final = 253
"""Of a name of DNS."""

_parts: Final = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::[0-9]*)?").fullmatch
# Also those of accounts, and of streams.
_is_endpoint: Final = re.compile(
    r"(?:streams\.|[0-9]{12}\.)?(?:streams-)?(?:dynamodb|dynamodb-fips|ddb|ddb-fips)"
    r"\.[a-z]+(?:-[a-z]+)+-[0-9]+\.(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws|api\.amazonwebservices\.com\.cn)"
).fullmatch


class Hosts:
    """The names that are allowed in the header Host.

    Args:
        listed: the setting `hosts`.
        listens_on: the setting `host`.
    """

    def __init__(self, listed: str | None, listens_on: str) -> None:
        entries = [] if listed is None else listed.split(",")
        self._has_any = ANY in entries
        contained = CONTAINER_NAMES if listens_on in _EVERY_ADDRESS else ()
        self._names = {"localhost", listens_on.lower(), *contained, *entries}
        self._endings = tuple(each[1:] for each in entries if each.startswith("*."))

    def refusal(self, host: bytes) -> DynamoError | None:
        """The error for a request with this Host; None if it is allowed.

        Browsers always send a name: a request without one is not a page's.
        """
        if self._has_any or not host:
            return None
        text = host.decode("latin-1")
        match = _parts(text)
        if match is not None and self._allows(match[1].lower().removesuffix(".")):
            return None
        return DynamoError(Fault.FORBIDDEN, host_not_allowed(text[:_NAME_CHARS_MAX]))

    def _allows(self, name: str) -> bool:
        return (
            name in self._names
            or _is_address(name)
            or (self._endings != () and name.endswith(self._endings))
            or _is_endpoint(name) is not None
        )

    def guard(self, handler: Handler) -> Handler:
        """A handler that refuses requests with other names."""

        async def respond(request: Request) -> Response:
            error = self.refusal(request.headers.get(b"host", b""))
            if error is None:
                return await handler(request)
            return Response(error.fault.status, encode_error(error))

        return respond


ANY_HOST: Final = Hosts(ANY, ANY)
"""Allows every name."""


def _is_address(name: str) -> bool:
    """Whether it is an IP address, which no DNS resolves."""
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
