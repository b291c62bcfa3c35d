"""What IAM has and this server does not: reads find nothing, the rest is refused.

Terraform and the AWS CLI ask for these before they delete a user or a role, and to find out which
account they talk to.
"""

from collections.abc import Callable
from typing import Any, Final

from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import role_of, role_resource, user_of, user_resource
from hashrange.iam.members import Parameters
from hashrange.iam.operation import PAGING, Operation, Result, Situation, anything
from hashrange.identities.store import Edit
from hashrange.messages import identities as messages


def _empty(
    member: str, find: Callable[[Parameters, Situation], Any] | None = None
) -> Callable[[Parameters, Situation], Edit[Result]]:
    def run(parameters: Parameters, situation: Situation) -> Edit[Result]:
        if find is not None:
            find(parameters, situation)
        return Edit({member: [], "IsTruncated": False})

    return run


def _no_profile(parameters: Parameters, situation: Situation) -> Edit[Result]:
    name = user_of(parameters, situation).name
    raise QueryError(Code.NO_SUCH_ENTITY, messages.login_profile_not_found(name))


def _of_user(member: str) -> Operation:
    return Operation(
        resource=user_resource,
        run=_empty(member, user_of),
        required=["UserName"],
        optional=PAGING,
    )


OPERATIONS: Final = {
    "ListAccountAliases": Operation(
        resource=anything, run=_empty("AccountAliases"), optional=PAGING
    ),
    "ListGroups": Operation(
        resource=anything, run=_empty("Groups"), optional=["PathPrefix", *PAGING]
    ),
    "ListInstanceProfilesForRole": Operation(
        resource=role_resource,
        run=_empty("InstanceProfiles", role_of),
        required=["RoleName"],
        optional=PAGING,
    ),
    "ListGroupsForUser": _of_user("Groups"),
    "ListMFADevices": _of_user("MFADevices"),
    "ListVirtualMFADevices": Operation(
        resource=anything,
        run=_empty("VirtualMFADevices"),
        optional=["AssignmentStatus", *PAGING],
    ),
    "ListSSHPublicKeys": _of_user("SSHPublicKeys"),
    "ListSigningCertificates": _of_user("Certificates"),
    "ListServiceSpecificCredentials": _of_user("ServiceSpecificCredentials"),
    "GetLoginProfile": Operation(resource=user_resource, run=_no_profile, required=["UserName"]),
    "DeleteLoginProfile": Operation(resource=user_resource, run=_no_profile, required=["UserName"]),
}
