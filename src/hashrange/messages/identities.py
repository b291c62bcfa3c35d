"""Texts of IAM's errors.

Source: errors of IAM as users and tests of other projects recorded them, unless said otherwise.
"""


def user_not_found(name: str) -> str:
    """NoSuchEntity."""
    return f"The user with name {name} cannot be found."


def role_not_found(name: str) -> str:
    """NoSuchEntity."""
    return f"The role with name {name} cannot be found."


def access_key_not_found(access_key: str) -> str:
    """NoSuchEntity."""
    return f"The Access Key with id {access_key} cannot be found."


def policy_not_found(arn: str) -> str:
    """NoSuchEntity: a managed policy."""
    return f"Policy {arn} was not found."


def policy_not_attachable(arn: str) -> str:
    """NoSuchEntity of AttachUserPolicy, AttachRolePolicy and ListEntitiesForPolicy."""
    return f"Policy {arn} does not exist or is not attachable."


def boundary_not_attachable(arn: str) -> str:
    """NoSuchEntity: a permissions boundary."""
    return f"Scope ARN: {arn} does not exist or is not attachable."


def policy_version_not_found(arn: str, version: str) -> str:
    """NoSuchEntity."""
    return f"Policy {arn} version {version} does not exist or is not attachable."


def inline_policy_not_found(kind: str, name: str) -> str:
    """NoSuchEntity; the kind is `user` or `role`."""
    return f"The {kind} policy with name {name} cannot be found."


def boundary_not_found(kind: str, name: str) -> str:
    """NoSuchEntity; our words."""
    return f"The {kind} with name {name} has no permissions boundary."


def login_profile_not_found(name: str) -> str:
    """NoSuchEntity: no user has a password here."""
    return f"Login Profile for User {name} cannot be found."


def user_exists(name: str) -> str:
    """EntityAlreadyExists."""
    return f"User with name {name} already exists."


def role_exists(name: str) -> str:
    """EntityAlreadyExists."""
    return f"Role with name {name} already exists."


def policy_exists(name: str) -> str:
    """EntityAlreadyExists."""
    return f"A policy called {name} already exists. Duplicate names are not allowed."


def quota_exceeded(quota: str, most: int) -> str:
    """LimitExceeded; quotas are named as `AccessKeysPerUser`."""
    return f"Cannot exceed quota for {quota}: {most}"


def inline_policies_too_large(kind: str, name: str, most: int) -> str:
    """LimitExceeded; the kind is `user` or `role`."""
    return f"Maximum policy size of {most} bytes exceeded for {kind} {name}"


def too_many_versions(most: int) -> str:
    """LimitExceeded of CreatePolicyVersion."""
    return (
        f"A managed policy can have up to {most} versions. Before you create a new version, you "
        "must delete an existing version."
    )


def has_access_keys() -> str:
    """DeleteConflict."""
    return "Cannot delete entity, must delete access keys first."


def has_attached_policies() -> str:
    """DeleteConflict."""
    return "Cannot delete entity, must detach all policies first."


def has_inline_policies() -> str:
    """DeleteConflict."""
    return "Cannot delete entity, must delete policies first."


def policy_is_attached() -> str:
    """DeleteConflict."""
    return "Cannot delete a policy attached to entities."


def policy_has_versions() -> str:
    """DeleteConflict."""
    return (
        "This policy has more than one version. Before you delete a policy, you must delete the "
        "policy's versions. The default version is deleted with the policy."
    )


def default_version() -> str:
    """DeleteConflict of DeletePolicyVersion."""
    return "Cannot delete the default version of a policy."


def invalid_principal(principal: str) -> str:
    """MalformedPolicyDocument: a trust policy names a principal that does not exist."""
    return f'Invalid principal in policy: "AWS":"{principal}"'


def name_invalid(member: str) -> str:
    """ValidationError: characters that names do not have."""
    return (
        f"The specified value for {member} is invalid. It must contain only alphanumeric "
        "characters and/or the following: +=,.@_-"
    )


def path_invalid(member: str) -> str:
    """ValidationError."""
    return (
        f"The specified value for {member} is invalid. It must begin and end with / and contain "
        "only alphanumeric characters and/or / characters."
    )


def value_invalid(member: str) -> str:
    """ValidationError: our words."""
    return f"The specified value for {member} is invalid."


def arn_invalid(arn: str) -> str:
    """ValidationError of operations on policies, InvalidInput of permissions boundaries."""
    return f"ARN {arn} is not valid."


def marker_invalid() -> str:
    """ValidationError: our words."""
    return "Invalid Marker."


def duplicate_tag_keys() -> str:
    """InvalidInput, InvalidParameterValue of STS: of users, roles and sessions."""
    return "Duplicate tag keys found. Please note that Tag keys are case insensitive."


def duplicate_policy_tag_keys() -> str:
    """InvalidInput: of policies, whose keys differ in case."""
    return "Duplicate tag keys found."


def tag_reserved() -> str:
    """InvalidInput: our words."""
    return "Tag keys must not begin with aws:"


def needs_user_name() -> str:
    """ValidationError: a caller who is no user, and names none."""
    return "Must specify userName when calling with non-User credentials"


def built_in(arn: str) -> str:
    """AccessDenied: a policy of AWS; our words."""
    return f"Policy {arn} is built in and cannot be changed."


def not_supported(name: str) -> str:
    """InvalidAction or InvalidInput: an operation or a parameter; our words."""
    return f"{name} is not supported by this server"


def operation_unknown(name: str, version: str) -> str:
    """InvalidAction."""
    return f"Could not find operation {name} for version {version}"


def no_tags() -> str:
    """InvalidInput of operations that add tags: an empty list; our words."""
    return "At least one tag is needed."


def form_malformed(reason: str) -> str:
    """MalformedQueryString: our words."""
    return f"The form cannot be read: {reason}"


def list_expected() -> str:
    """MalformedInput: what should be the index of an element is no number."""
    return "Start of list found where not expected"


def index_invalid(index: str) -> str:
    """MalformedInput: the first element of a list has the index 1."""
    return f"{index} is not a valid index"


def index_negative(index: str) -> str:
    """MalformedInput."""
    return f"Key {index} may not have a leading '-'"


def list_sparse(skipped: int) -> str:
    """MalformedInput: the indices of a list have a gap."""
    return f"Excessively sparse input would skip {skipped} list elements"


def needs_authentication() -> str:
    """AccessDenied: our words."""
    return "This server does not verify signatures, so it has no identities: --auth required does"


def invalid_action(action: str) -> str:
    """InvalidInput of the simulations."""
    return f"Invalid Action Name: {action}"


def too_many_simulations(most: int) -> str:
    """InvalidInput of the simulations: our words."""
    return f"The actions times the resources must not be more than {most}"


def rate_exceeded() -> str:
    """Throttling: the storage is busy, and the request may be sent again."""
    return "Rate exceeded"


def storage_failed() -> str:
    """ServiceUnavailable: our words."""
    return "The storage failed; the request may be sent again"
