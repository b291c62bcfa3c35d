"""IAM: where this server differs from its model. Answers are dictionaries, which become XML."""

from typing import Final

from tests.house.structures.service import Service

ARN: Final = "[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]+"
"""By what is not in it, which takes a tenth of the time to compile."""
TAG_CHARS: Final = r"(?u:[\w .:/=+\-@\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])*"
_OPERATIONS: Final = """
    AttachRolePolicy AttachUserPolicy CreateAccessKey CreatePolicy CreatePolicyVersion CreateRole
    CreateUser DeleteAccessKey DeleteLoginProfile DeletePolicy DeletePolicyVersion DeleteRole
    DeleteRolePermissionsBoundary DeleteRolePolicy DeleteUser DeleteUserPermissionsBoundary
    DeleteUserPolicy DetachRolePolicy DetachUserPolicy GetLoginProfile GetPolicy GetPolicyVersion
    GetRole GetRolePolicy GetUser GetUserPolicy ListAccessKeys ListAccountAliases
    ListAttachedRolePolicies ListAttachedUserPolicies ListEntitiesForPolicy ListGroups
    ListGroupsForUser ListInstanceProfilesForRole ListMFADevices ListPolicies ListPolicyTags
    ListPolicyVersions ListRolePolicies ListRoleTags ListRoles ListSSHPublicKeys
    ListServiceSpecificCredentials ListSigningCertificates ListUserPolicies ListUserTags ListUsers
    ListVirtualMFADevices PutRolePermissionsBoundary PutRolePolicy PutUserPermissionsBoundary
    PutUserPolicy SetDefaultPolicyVersion SimulateCustomPolicy SimulatePrincipalPolicy TagPolicy
    TagRole TagUser UntagPolicy UntagRole UntagUser UpdateAccessKey UpdateAssumeRolePolicy
    UpdateRole UpdateRoleDescription UpdateUser
    """

IAM: Final = Service(
    module="iam",
    model="iam",
    title="IAM",
    requests=_OPERATIONS,
    # Members that are not built are refused.
    members={
        "CreateRole": """
            Path RoleName AssumeRolePolicyDocument Description MaxSessionDuration
            PermissionsBoundary Tags
            """,
        "ListEntitiesForPolicy": "PolicyArn EntityFilter PolicyUsageFilter Marker MaxItems",
        "ListServiceSpecificCredentials": "UserName Marker MaxItems",
        "SimulateCustomPolicy": """
            PolicyInputList PermissionsBoundaryPolicyInputList ActionNames ResourceArns
            ResourcePolicy ResourceOwner CallerArn ContextEntries MaxItems Marker
            """,
        "SimulatePrincipalPolicy": """
            PolicySourceArn PolicyInputList PermissionsBoundaryPolicyInputList ActionNames
            ResourceArns ResourcePolicy ResourceOwner ContextEntries MaxItems Marker
            """,
        "UpdateRole": "RoleName Description MaxSessionDuration",
    },
    checked_operations=_OPERATIONS,
    by_operation=True,
    elements=(
        "ContextEntry.ContextKeyValues",
        *(
            f"{operation}.{member}"
            for operation in ("SimulateCustomPolicy", "SimulatePrincipalPolicy")
            for member in (
                "ActionNames",
                "PermissionsBoundaryPolicyInputList",
                "PolicyInputList",
                "ResourceArns",
            )
        ),
    ),
    together=("UntagPolicy.TagKeys", "UntagRole.TagKeys", "UntagUser.TagKeys"),
    # ARNs and descriptions stand in XML. Markers are refused in other words, and keys do not
    # expire. Sizes of lists and values are our own: simulations of more take too long.
    bounds={
        "ActionNameListType": {"max": 1000},
        "ContextEntryListType": {"max": 1000},
        "ContextKeyValueListType": {"max": 1000},
        "ContextKeyValueType": {"min": 0, "max": 2048},
        "ResourceNameListType": {"max": 1000},
        "SimulateCustomPolicy.CallerArn": {"min": 20, "pattern": ARN},
        "SimulationPolicyListType": {"max": 1000},
        "arnType": {"pattern": ARN},
        "markerType": {"pattern": None},
        "policyDescriptionType": {"pattern": r"[\t\n\r -~\u00a1-\u00ff]*"},
        "policyVersionIdType": {"min": 1, "max": 32},
        "statusType": {"enum": ["Active", "Inactive"]},
    },
    own_enums=True,
    linear={"tagKeyType": TAG_CHARS, "tagValueType": TAG_CHARS},
    # Source: recordings of IAM, September 2026.
    echoed=(
        "ContextKeyTypeEnum",
        "EntityType",
        "PolicyUsageType",
        "assignmentStatusType",
        "maxItemsType",
        "policyScopeType",
        "roleMaxSessionDurationType",
        "statusType",
    ),
    refusals={
        "SimulateCustomPolicy.CallerArn": "identities.value_invalid",
        "accessKeyIdType": "identities.value_invalid",
        "arnType": "identities.value_invalid",
        "existingUserNameType": "identities.name_invalid",
        "pathPrefixType": "identities.path_invalid",
        "pathType": "identities.path_invalid",
        "policyDescriptionType": "identities.value_invalid",
        "policyDocumentType": "identities.value_invalid",
        "policyNameType": "identities.name_invalid",
        "policyPathType": "identities.path_invalid",
        "roleDescriptionType": "identities.value_invalid",
        "roleNameType": "identities.name_invalid",
        "userNameType": "identities.name_invalid",
    },
)
