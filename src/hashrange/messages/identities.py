"""Texts of errors of IAM and STS.

Source: errors as users and tests of other projects recorded them, unless said otherwise.
"""

from hashrange.messages.text import Text

# NoSuchEntity.
user_not_found = Text("The user with name {name} cannot be found.")
# NoSuchEntity.
role_not_found = Text("The role with name {name} cannot be found.")
# NoSuchEntity.
access_key_not_found = Text("The Access Key with id {access_key} cannot be found.")
# NoSuchEntity: a managed policy.
policy_not_found = Text("Policy {arn} was not found.")
# NoSuchEntity of AttachUserPolicy, AttachRolePolicy and ListEntitiesForPolicy.
policy_not_attachable = Text("Policy {arn} does not exist or is not attachable.")
# NoSuchEntity: a permissions boundary.
boundary_not_attachable = Text("Scope ARN: {arn} does not exist or is not attachable.")
# NoSuchEntity.
policy_version_not_found = Text("Policy {arn} version {version} does not exist or is not attachable.")
# NoSuchEntity; the kind is `user` or `role`.
inline_policy_not_found = Text("The {kind} policy with name {name} cannot be found.")
# NoSuchEntity; our words.
boundary_not_found = Text("The {kind} with name {name} has no permissions boundary.")
# NoSuchEntity: no user has a password here.
login_profile_not_found = Text("Login Profile for User {name} cannot be found.")
# EntityAlreadyExists.
user_exists = Text("User with name {name} already exists.")
# EntityAlreadyExists.
role_exists = Text("Role with name {name} already exists.")
# EntityAlreadyExists.
policy_exists = Text("A policy called {name} already exists. Duplicate names are not allowed.")
# LimitExceeded; quotas are named as `AccessKeysPerUser`.
quota_exceeded = Text("Cannot exceed quota for {quota}: {most}")


def inline_policies_too_large(kind: str, name: str, most: int) -> str:
    """LimitExceeded; the kind is `user` or `role`."""
    return f"Maximum policy size of {most} bytes exceeded for {kind} {name}"


# LimitExceeded of CreatePolicyVersion.
too_many_versions = Text("A managed policy can have up to {most} versions. Before you create a new version, you must delete an existing version.")
# DeleteConflict.
has_access_keys = Text("Cannot delete entity, must delete access keys first.")
# DeleteConflict.
has_attached_policies = Text("Cannot delete entity, must detach all policies first.")
# DeleteConflict.
has_inline_policies = Text("Cannot delete entity, must delete policies first.")
# DeleteConflict.
policy_is_attached = Text("Cannot delete a policy attached to entities.")
# DeleteConflict.
policy_has_versions = Text("This policy has more than one version. Before you delete a policy, you must delete the policy's versions. The default version is deleted with the policy.")
# DeleteConflict of DeletePolicyVersion.
default_version = Text("Cannot delete the default version of a policy.")
# MalformedPolicyDocument: a trust policy names a principal that does not exist.
invalid_principal = Text('Invalid principal in policy: "AWS":"{principal}"')
# ValidationError: characters that names do not have.
name_invalid = Text("The specified value for {member} is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-")
# ValidationError.
path_invalid = Text("The specified value for {member} is invalid. It must begin and end with / and contain only alphanumeric characters and/or / characters.")
# ValidationError: our words.
value_invalid = Text("The specified value for {member} is invalid.")
# ValidationError of operations on policies, InvalidInput of permissions boundaries.
arn_invalid = Text("ARN {arn} is not valid.")
# ValidationError: our words.
marker_invalid = Text("Invalid Marker.")
# InvalidInput, InvalidParameterValue of STS: of users, roles and sessions.
duplicate_tag_keys = Text("Duplicate tag keys found. Please note that Tag keys are case insensitive.")
# InvalidInput: of policies, whose keys differ in case.
duplicate_policy_tag_keys = Text("Duplicate tag keys found.")
# InvalidInput: our words.
tag_reserved = Text("Tag keys must not begin with aws:")
# ValidationError: a caller who is no user, and names none.
needs_user_name = Text("Must specify userName when calling with non-User credentials")
# AccessDenied: a policy of AWS; our words.
built_in = Text("Policy {arn} is built in and cannot be changed.")
# InvalidAction or InvalidInput: an operation or a parameter; our words.
not_supported = Text("{name} is not supported by this server")
# InvalidAction.
operation_unknown = Text("Could not find operation {name} for version {version}")
# InvalidInput of operations that add tags: an empty list; our words.
no_tags = Text("At least one tag is needed.")
# MalformedQueryString: our words.
form_malformed = Text("The form cannot be read: {reason}")
# MalformedInput: what should be the index of an element is no number.
list_expected = Text("Start of list found where not expected")
# MalformedInput: the first element of a list has the index 1.
index_invalid = Text("{index} is not a valid index")
# MalformedInput.
index_negative = Text("Key {index} may not have a leading '-'")
# MalformedInput: the indices of a list have a gap.
list_sparse = Text("Excessively sparse input would skip {skipped} list elements")
# AccessDenied: our words.
needs_authentication = Text("This server does not verify signatures, so it has no identities: --auth required does")
# InvalidInput of the simulations.
invalid_action = Text("Invalid Action Name: {action}")
# InvalidInput of the simulations: our words.
too_many_simulations = Text("The actions times the resources must not be more than {most}")
# Throttling: the storage is busy, and the request may be sent again.
rate_exceeded = Text("Rate exceeded")
# ServiceUnavailable: our words.
storage_failed = Text("The storage failed; the request may be sent again")


# AccessDenied of AssumeRole: also for roles that do not exist.
may_not = Text("User: {principal} is not authorized to perform: {action} on resource: {resource}")
# AccessDenied.
root_may_not_assume = Text("Roles may not be assumed by root accounts.")
# ValidationError.
longer_than_role = Text("The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
# ValidationError.
longer_than_chained = Text("The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining")
# AccessDenied of GetSessionToken and GetFederationToken.
sessions_may_not = Text("Cannot call {operation} with session credentials")
# PackedPolicyTooLarge.
token_too_large = Text("Packed size of session tags consumes {percent}% of allotted space.")
# InvalidParameterValue.
transitive_tag_unknown = Text("The specified transitive tag key must be included in the requested tags.")
# InvalidParameterValue: a tag that the session before has made transitive.
tags_of_session_before = Text("One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.")
# ValidationError of AssumeRole.
role_arn_invalid = Text("{arn} is invalid")
# ValidationError: our words.
bad_policy_arn = Text("Policy {arn} does not exist or is not attachable.")
# InvalidAuthorizationMessageException: denials carry none here.
no_messages = Text("Message is not valid.")
