"""IAM and STS as services: their protocols, their errors, their operations."""

from typing import Any, Final

import msgspec

from hashrange.api.iam import (
    access_keys,
    attachments,
    inline_policies,
    managed_policies,
    roles,
    simulations,
    sts,
    tags,
    unbuilt,
    users,
)
from hashrange.api.iam.errors import Code, QueryError, of_fault
from hashrange.api.steps.operation import Caller
from hashrange.errors import ApiError
from hashrange.messages import identities as messages
from hashrange.messages.server import internal_server_error
from hashrange.wire.query_protocol import QueryProtocol
from hashrange.wire.service import AnyServiceOperation, Service

_IAM_OPERATIONS: Final = {
    **users.OPERATIONS,
    **access_keys.OPERATIONS,
    **roles.OPERATIONS,
    **managed_policies.OPERATIONS,
    **attachments.OPERATIONS,
    **inline_policies.OPERATIONS,
    **tags.OPERATIONS,
    **simulations.OPERATIONS,
    **unbuilt.OPERATIONS,
}


def _service(name: str, version: str, operations: dict[str, AnyServiceOperation]) -> Service:
    namespace = f"https://{name}.amazonaws.com/doc/{version}/"

    def unknown(operation: str) -> ApiError:
        return QueryError(Code.INVALID_ACTION, messages.operation_unknown(operation, version))

    return Service(
        name=name,
        version=version,
        protocols=(QueryProtocol(namespace=namespace, version=version),),
        operations=lambda: operations,
        unknown=unknown,
        denied=lambda text: QueryError(Code.ACCESS_DENIED, text),
        of_fault=of_fault,
        internal=QueryError(Code.INTERNAL_FAILURE, internal_server_error()),
    )


IAM: Final = _service("iam", "2010-05-08", _IAM_OPERATIONS)
STS: Final = _service("sts", "2011-06-15", sts.OPERATIONS)


class NoIdentities:
    """The backend of a server that does not verify signatures, and so has no identities."""

    def context(self, caller: Caller) -> Caller:
        """The caller."""
        return caller

    async def requirements(self, *_request: Any) -> tuple[()]:
        """None."""
        return ()


def without_identities(service: Service) -> Service:
    """A service on a server without identities: STS names the caller, other requests fail."""
    operations = sts.WITHOUT_IDENTITIES if service is STS else {}

    def unknown(_operation: str) -> ApiError:
        return QueryError(Code.ACCESS_DENIED, messages.needs_authentication())

    return msgspec.structs.replace(service, operations=lambda: operations, unknown=unknown)
