"""IAM and STS as services: their protocols, their errors, their operations."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.access.identities.store import Edit
from hashrange.api.iam import (
    access_keys,
    attachments,
    inline_policies,
    managed_policies,
    roles,
    simulations,
    sts,
    tags,
    users,
)
from hashrange.api.iam.errors import Code, QueryError, of_fault
from hashrange.api.iam.lookups import role_of, role_resource, user_of, user_resource
from hashrange.api.iam.operation import IdentityContext, Result, anything
from hashrange.api.iam.rows import operation
from hashrange.api.steps.operation import Caller
from hashrange.errors import ApiError
from hashrange.messages import identities as messages
from hashrange.messages.server import internal_server_error
from hashrange.wire.query_protocol import QueryProtocol
from hashrange.wire.service import AnyServiceOperation, Service, by_name


def _empty(
    member: str, find: Callable[[Any, IdentityContext], Any] | None = None
) -> Callable[[Any, IdentityContext], Edit[Result]]:
    def run(request: Any, context: IdentityContext) -> Edit[Result]:
        if find is not None:
            find(request, context)
        return Edit({member: [], "IsTruncated": False})

    return run


def _no_profile(request: Any, context: IdentityContext) -> Edit[Result]:
    name = user_of(request, context).name
    raise QueryError(Code.NO_SUCH_ENTITY, messages.login_profile_not_found(name))


def _of_user(name: str, member: str) -> AnyServiceOperation:
    return operation(f"iam:{name}", resource=user_resource, run=_empty(member, user_of))


_UNBUILT: Final = by_name(
    operation("iam:ListAccountAliases", resource=anything, run=_empty("AccountAliases")),
    operation("iam:ListGroups", resource=anything, run=_empty("Groups")),
    operation(
        "iam:ListInstanceProfilesForRole",
        resource=role_resource,
        run=_empty("InstanceProfiles", role_of),
    ),
    _of_user("ListGroupsForUser", "Groups"),
    _of_user("ListMFADevices", "MFADevices"),
    operation("iam:ListVirtualMFADevices", resource=anything, run=_empty("VirtualMFADevices")),
    _of_user("ListSSHPublicKeys", "SSHPublicKeys"),
    _of_user("ListSigningCertificates", "Certificates"),
    _of_user("ListServiceSpecificCredentials", "ServiceSpecificCredentials"),
    operation("iam:GetLoginProfile", resource=user_resource, run=_no_profile),
    operation("iam:DeleteLoginProfile", resource=user_resource, run=_no_profile),
)
"""Of kinds that this server lacks: reads find nothing, the rest is refused.

Terraform and the AWS CLI ask for these before they delete a user or a role, and to find out which
account they talk to.
"""


_IAM_OPERATIONS: Final = {
    **users.OPERATIONS,
    **access_keys.OPERATIONS,
    **roles.OPERATIONS,
    **managed_policies.OPERATIONS,
    **attachments.OPERATIONS,
    **inline_policies.OPERATIONS,
    **tags.OPERATIONS,
    **simulations.OPERATIONS,
    **_UNBUILT,
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
