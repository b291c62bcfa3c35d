"""A service beside DynamoDB on the port: from a request to its answer.

protocol → operation → request → policies → constraints → run → protocol. The policies of the caller
must allow the service's name and that of the operation on the resource that the request names.
"""

import logging
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.api.steps.storage_faults import no_read_lease
from hashrange.errors import ApiError, DynamoError
from hashrange.storage.engine import NoReadLeaseError
from hashrange.wire.exchange import Request, Response
from hashrange.wire.service import Service, ServiceProtocol, before_name, execute

_QUERY_MODE: Final = b"x-amzn-query-mode"
"""Of clients that know the errors of a service by the codes of the query protocol."""
_QUERY_ERROR: Final = b"x-amzn-query-error"
_SERVER_ERRORS: Final = 500

_log: Final = logging.getLogger(__name__)


class Backend(Protocol):
    """The data of a service in a process."""

    def context(self, caller: Caller) -> Any:
        """The context of a request. Raises ApiError."""

    async def requirements(
        self, action: str, typed: Any, caller: Caller, context: Any
    ) -> Iterable[Requirement]:
        """The requirements of a request on the caller's policies. Raises ApiError.

        Args:
            action: of the operation, with the service.
            typed: the request.
            caller: of a verified signature.
            context: of the request.
        """


class ServiceApi:
    """Answers the requests of a service; see `hashrange.api.apis.Api`.

    Args:
        service: the row.
        backend: its data.
        authorizer: decides for callers of verified signatures.
        new_request_id: draws ids of requests.
    """

    def __init__(
        self,
        service: Service,
        backend: Backend,
        authorizer: Authorizer,
        new_request_id: Callable[[], str],
    ) -> None:
        self.service = service
        self._backend = backend
        self._authorizer = authorizer
        self._new_request_id = new_request_id

    @property
    def name(self) -> str:
        """The name of the service."""
        return self.service.name

    @property
    def data_operations(self) -> frozenset[str]:
        """Operations that the audit log does not record."""
        return self.service.data_operations

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request. Refusals are answers too; 500 is a defect or a storage failure."""
        service = self.service
        protocol, request_id = self._begun(request)
        shows_code = request.headers.get(_QUERY_MODE) == b"true"
        try:
            name, payload = protocol.call(request)
            body = protocol.answer(
                name, await self._perform(name, payload, protocol, caller), request_id
            )
            return _response(protocol, 200, body, request_id)
        except ApiError as error:
            refusal = error
        except DynamoError as error:
            refusal = service.of_fault(error)
        except NoReadLeaseError:
            refusal = service.of_fault(no_read_lease())
        except Exception:  # noqa: BLE001 - every failure gets an answer
            _log.exception("a request to %s failed", service.name)
            refusal = service.internal
        return _refusal(protocol, refusal, request_id, shows_code=shows_code)

    def refuse(self, request: Request, error: DynamoError) -> Response:
        """The answer to a request that the server refused before `respond`."""
        protocol, request_id = self._begun(request)
        shows_code = request.headers.get(_QUERY_MODE) == b"true"
        refusal = self.service.of_fault(error)
        return _refusal(protocol, refusal, request_id, shows_code=shows_code)

    async def _perform(
        self, name: str, payload: Any, protocol: ServiceProtocol, caller: Caller
    ) -> object:
        service = self.service
        operation = service.operations().get(name)
        if operation is None:
            raise service.unknown(name)
        typed = protocol.read(name, operation, payload)
        context = self._backend.context(caller)
        if caller.subject is not None:
            action = service.action(name)
            for each in await self._backend.requirements(action, typed, caller, context):
                text = self._authorizer.refusal(each, caller)
                if text is not None:
                    raise service.denied(text)
        return await execute(operation, typed, context)

    def _begun(self, request: Request) -> tuple[ServiceProtocol, str]:
        """The protocol of a request, and the id that its answer has."""
        protocol = _protocol_of(request, self.service)
        return protocol, self._new_request_id() if protocol.sends_request_id else ""


def _protocol_of(request: Request, service: Service) -> ServiceProtocol:
    """The protocol of the content type, of those of the path; or else the first that may be it."""
    path, headers = before_name(request.path), request.headers
    protocols = (*service.protocols, *service.further())
    at_path = [each for each in protocols if each.path == path]
    essence = headers.get(b"content-type", b"").partition(b";")[0].strip()
    named = (each for each in at_path if each.content_type == essence)
    has_target = b"x-amz-target" in headers
    possible = (each for each in at_path if (each.target is not None) == has_target)
    return next(named, None) or next(possible, at_path[0])


def _refusal(
    protocol: ServiceProtocol, error: ApiError, request_id: str, *, shows_code: bool
) -> Response:
    """The answer with a refusal; for clients of the query protocol's codes with that code."""
    body, fault = protocol.refusal(error, request_id), error.code.rpartition("#")[2]
    response = _response(protocol, error.status, body, request_id)
    response = msgspec.structs.replace(response, fault=fault)
    if not shows_code:
        return response
    kind = "Sender" if error.status < _SERVER_ERRORS else "Receiver"
    code = (_QUERY_ERROR, f"{error.code};{kind}".encode())
    return msgspec.structs.replace(response, headers=(*response.headers, code))


def _response(protocol: ServiceProtocol, status: int, body: bytes, request_id: str) -> Response:
    return Response(
        status, body, protocol.answer_type, protocol.answer_headers, request_id.encode()
    )
