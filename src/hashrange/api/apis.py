"""Other AWS APIs on the port of the database.

APIs of JSON have a prefix of X-Amz-Target of their own. APIs of forms (the query protocol) share
one path and one content type, so the credential scope of the signature distinguishes them. APIs of
Smithy's RPC protocols have paths of their own.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

import msgspec

from hashrange.access.signatures.sigv4 import caller as caller_of
from hashrange.api.steps.operation import Caller
from hashrange.errors import DynamoError
from hashrange.wire.exchange import Request, Response
from hashrange.wire.service import FORM, ROOT, Service, before_name


class Api(Protocol):
    """One API beside DynamoDB's."""

    @property
    def name(self) -> str:
        """Of the service, in scopes of signatures."""

    @property
    def data_operations(self) -> frozenset[str]:
        """Operations that the audit log does not record: `Service.data_operations`."""

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request of an authenticated caller; refusals are answers too."""

    def refuse(self, request: Request, error: DynamoError) -> Response:
        """The answer to a request that was refused before `respond`: by host name or signature."""


class LateApi:
    """An API that is made, and its modules imported, with its first request.

    Args:
        name: of its service.
        make: makes it.
        data_operations: of its service.
    """

    def __init__(
        self, name: str, make: Callable[[], Api], data_operations: frozenset[str] = frozenset()
    ) -> None:
        self.name = name
        self.data_operations = data_operations
        self._make = make
        self._made: Api | None = None

    async def respond(self, request: Request, caller: Caller) -> Response:
        """As of `Api`."""
        return await self._api().respond(request, caller)

    def refuse(self, request: Request, error: DynamoError) -> Response:
        """As of `Api`."""
        return self._api().refuse(request, error)

    def _api(self) -> Api:
        if self._made is None:
            self._made = self._make()
        return self._made


class Apis(msgspec.Struct, frozen=True):
    """The APIs beside DynamoDB's.

    Attributes:
        by_target: those of JSON, by what precedes the last dot of X-Amz-Target.
        by_scope: those of forms, by the service in the credential scope, such as `sts`.
        by_path: those of paths, by what precedes the name of the operation.
    """

    by_target: Mapping[bytes, Api] = MappingProxyType({})
    by_scope: Mapping[str, Api] = MappingProxyType({})
    by_path: Mapping[bytes, Api] = MappingProxyType({})

    def find(self, request: Request) -> Api | None:
        """The API of a request; None for DynamoDB, and for what nothing serves."""
        headers = request.headers
        if request.path != ROOT:
            return self.by_path.get(before_name(request.path))
        target = headers.get(b"x-amz-target")
        if target is not None:
            return self.by_target.get(target.rpartition(b".")[0])
        if not self.by_scope or not headers.get(b"content-type", b"").startswith(FORM):
            return None
        try:
            scope = caller_of(headers, request.query).scope
        except DynamoError:
            return None
        return self.by_scope.get(scope.service)

    def also(self, *several: tuple[Service, Api]) -> "Apis":
        """These APIs and those of other services, by their protocols."""
        by_target: dict[bytes, Api] = {**self.by_target}
        by_scope: dict[str, Api] = {**self.by_scope}
        by_path: dict[bytes, Api] = {**self.by_path}
        for service, each in several:
            for protocol in service.protocols:
                if protocol.target is not None:
                    by_target[protocol.target] = each
                else:
                    by_scope[each.name] = each
            if service.has_forms:
                by_scope[each.name] = each
            if service.path is not None:
                by_path[service.path] = each
        return Apis(by_target, by_scope, by_path)

    def service_of(self, request: Request) -> str | None:
        """The service that a request of another API with a target must be signed for."""
        api = self.by_target.get(request.headers.get(b"x-amz-target", b"").rpartition(b".")[0])
        return None if api is None else api.name


NO_APIS: Final = Apis()
