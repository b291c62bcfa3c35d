"""Operations of IAM that this server lacks: reads find nothing, the rest is refused.

Terraform and the AWS CLI ask for these before they delete a user or a role, and to find out which
account they talk to.
"""

from collections.abc import Callable
from typing import Any, Final

from hashrange.access.identities.store import Edit
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import role_of, role_resource, user_of, user_resource
from hashrange.api.iam.operation import IdentityContext, Result, anything
from hashrange.api.iam.rows import operation
from hashrange.messages import identities as messages
from hashrange.wire.service import AnyServiceOperation, by_name


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


OPERATIONS: Final = by_name(
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
