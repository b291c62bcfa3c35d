"""IAM and STS as APIs of the server: from a form to XML."""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from hashrange.errors import DynamoError
from hashrange.iam.answers import CONTENT_TYPE, answer, error_answer
from hashrange.iam.errors import Code, QueryError, of_fault
from hashrange.iam.forms import Tree, parameters
from hashrange.iam.operation import Result
from hashrange.iam.performer import IdentityPerformer
from hashrange.iam.registry import STS, QueryService
from hashrange.iam.sts import root_identity
from hashrange.messages import identities as messages
from hashrange.messages.requests.http import internal_server_error
from hashrange.operations.pipeline.operation import Caller
from hashrange.server.exchange import Request, Response
from hashrange.storage.engine import ContendedError, StorageBusyError, StorageError

_log: Final = logging.getLogger(__name__)
_WITHOUT_IDENTITIES: Final = "GetCallerIdentity"


class QueryApi:
    """One API; see `hashrange.server.apis.Api`.

    Args:
        service: the API.
        performer: executes operations; None if signatures are not verified, so that there are no
            identities.
        new_request_id: draws ids of requests.
    """

    def __init__(
        self,
        service: QueryService,
        performer: IdentityPerformer | None,
        new_request_id: Callable[[], str],
    ) -> None:
        self._service = service
        self._performer = performer
        self._new_request_id = new_request_id

    @property
    def name(self) -> str:
        """Of the service."""
        return self._service.name

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request. Refusals are answers too; 500 is a defect or a storage failure."""
        request_id = self._new_request_id()
        try:
            tree = parameters(request.body)
            name = self._operation(tree)
            result = await self._perform(name, tree, caller)
        except QueryError as error:
            return self._refusal(error, request_id)
        except Exception:  # noqa: BLE001 - every failure gets an answer
            _log.exception("a request to %s failed", self._service.name)
            failure = QueryError(Code.INTERNAL_FAILURE, internal_server_error())
            return self._refusal(failure, request_id)
        body = answer(name, self._service.namespace, result, request_id)
        return Response(200, body, CONTENT_TYPE, request_id=request_id.encode())

    async def _perform(self, name: str, tree: Mapping[str, Tree], caller: Caller) -> Result:
        if self._performer is None or caller.subject is None:
            if (self._service, name) != (STS, _WITHOUT_IDENTITIES):
                raise QueryError(Code.ACCESS_DENIED, messages.needs_authentication())
            return root_identity(caller.account)
        try:
            return await self._performer.perform(self._service, name, tree, caller)
        except (ContendedError, StorageBusyError) as error:
            raise QueryError(Code.THROTTLING, messages.rate_exceeded()) from error
        except StorageError as error:
            _log.warning("storage failed: %s", error)
            raise QueryError(Code.UNAVAILABLE, messages.storage_failed()) from error

    def _operation(self, tree: Mapping[str, Tree]) -> str:
        """The name of the operation. Raises QueryError."""
        name, version = tree.get("Action"), tree.get("Version")
        if isinstance(name, str) and version == self._service.version:
            return name
        raise QueryError(Code.INVALID_ACTION, messages.operation_unknown(str(name), str(version)))

    def refuse(self, _request: Request, error: DynamoError) -> Response:
        """The answer to a request that the server refused before `respond`."""
        return self._refusal(of_fault(error), self._new_request_id())

    def _refusal(self, error: QueryError, request_id: str) -> Response:
        body = error_answer(error, self._service.namespace, request_id)
        return Response(error.code.status, body, CONTENT_TYPE, request_id=request_id.encode())
