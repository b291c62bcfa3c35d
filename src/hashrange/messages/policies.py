"""Texts about policy documents.

Source of those of IAM: its MalformedPolicyDocument errors, as users and tests of other projects
recorded them. Source of those of DynamoDB: errors of PutResourcePolicy in issues of 2025 and 2026;
the ones of IAM behind its prefix are our choice.
"""

from collections.abc import Iterable
from typing import Final

_INVALID: Final = "One or more parameter values were invalid: "


def syntax_errors() -> str:
    """The document is not JSON, or not of the form of a policy."""
    return "Syntax errors in policy."


def old_version() -> str:
    """A managed policy of version 2008-10-17, or without one."""
    return "Policy document must be version 2012-10-17 or greater."


def failed_legacy_parsing() -> str:
    """An effect, a date or an ARN that is not written as it must be."""
    return "The policy failed legacy parsing"


def sids_not_unique() -> str:
    """Two statements have the same Sid."""
    return "Statement IDs (SID) in a single policy must be unique."


def sid_not_alphanumeric() -> str:
    """A Sid in a policy of a user or role. Source: cfn-lint#708 and #1376 (2019 to 2025)."""
    return (
        "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular "
        "expression [0-9A-Za-z]*"
    )


def no_actions() -> str:
    """A statement has neither Action nor NotAction, or an empty one."""
    return "Policy statement must contain actions."


def no_resources() -> str:
    """A statement has neither Resource nor NotResource, or an empty one."""
    return "Policy statement must contain resources."


def not_an_arn(resource: str) -> str:
    """A resource that has no colon."""
    return f'Resource {resource} must be in ARN format or "*".'


def invalid_partition(partition: str, rest: str) -> str:
    """An ARN that does not begin with `arn:aws`."""
    return f'Partition "{partition}" is not valid for resource "arn:{partition}:{rest}".'


def vendor_not_qualified() -> str:
    """The service of an ARN is absent or has wildcards."""
    return "Resource vendor must be fully qualified and cannot contain regexes."


def region_in_identity(arn: str) -> str:
    """The ARN of a user or role names a region."""
    return f"IAM resource {arn} cannot contain region information."


def region_in_bucket(arn: str) -> str:
    """The ARN of a bucket names a region."""
    return f"Resource {arn} can not contain region information."


def identity_path(kinds: Iterable[str]) -> str:
    """The ARN of IAM is none of its kinds of resources, such as `user/`."""
    return f'IAM resource path must either be "*", root, or start with {", ".join(kinds)}.'


def not_an_assumption() -> str:
    """An action in a trust policy that has nothing to do with assuming a role."""
    return "AssumeRole policy may only specify STS AssumeRole actions."


def action_without_vendor() -> str:
    """An action without a colon."""
    return "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."


def action_with_colons() -> str:
    """An action with several colons."""
    return "Actions/Condition can contain only one colon."


def invalid_vendor(vendor: str) -> str:
    """The service of an action has characters that no service has."""
    return f"Vendor {vendor} is not valid"


def principal_not_allowed() -> str:
    """Principal or NotPrincipal in a policy of an identity or a session."""
    return "Policy document should not specify a principal."


def required_field(name: str) -> str:
    """An element that is missing in a statement of a trust policy or a resource policy."""
    return f"Missing required field {name}"


def prohibited_field(name: str) -> str:
    """An element that trust policies and resource policies do not have."""
    return f"Has prohibited field {name}"


def trust_principal_star() -> str:
    """A trust policy with a Principal of `*`. Source: the AWS CDK's tests of AnyPrincipal."""
    return 'AssumeRolepolicy contained an invalid principal: "STAR":"*".'


def trust_principal_invalid(kind: str, name: str) -> str:
    """A principal of a trust policy that is none; kinds are `AWS`, `SERVICE`, `FEDERATED`.

    Source: reports of users (2017 to 2026); of federated principals our guess by the others.
    """
    return f'Invalid principal in policy: "{kind}":"{name}"'


def trust_version_invalid() -> str:
    """A trust policy of no known version. Source: versitygw's account of IAM (2026), as below."""
    return "The policy must contain a valid version string"


def trust_effect_invalid(effect: str) -> str:
    """A trust policy whose effect is neither Allow nor Deny."""
    return f"Invalid effect: {effect}"


def trust_excludes_principals(effect: str) -> str:
    """NotPrincipal in a trust policy."""
    if effect == "Allow":
        return "Allow with NotPrincipal is not allowed."
    return "AssumeRole policy must not contain NotPrincipal field."


def trust_excludes_resources() -> str:
    """NotResource in a trust policy."""
    return "AssumeRole policy must not contain resources."


def invalid_document(reason: str) -> str:
    """ValidationException of PutResourcePolicy and CreateTable."""
    return f"{_INVALID}Invalid policy document: {reason}"


def invalid_principal() -> str:
    """ValidationException of PutResourcePolicy: a principal that is malformed or does not exist."""
    return f"{_INVALID}Invalid principal in policy document."


def invalid_service_principal() -> str:
    """The part after the prefix: a service that DynamoDB does not let in."""
    return "Policy contains invalid service principal"


def invalid_action_names(actions: Iterable[str]) -> str:
    """The part after the prefix: actions that a policy of this resource cannot allow."""
    listed = ", ".join(f'"{action}"' for action in actions)
    return f"The following action names are invalid: {listed}"


def invalid_json() -> str:
    """The part after the prefix: a text that is not JSON. DDB-TABLE-211."""
    return "This policy contains invalid Json"


def statement_is_empty() -> str:
    """A list of no statements, also in a trust policy. DDB-TABLE-211."""
    return "Could not parse the policy: Statement is empty!"


def statement_ids_not_unique() -> str:
    """Two statements have the same Sid, also in a trust policy. DDB-TABLE-356."""
    return "The Statement Ids in the policy are not unique"


def relative_id_invalid(relative: str, arn: str) -> str:
    """The part after the prefix: a stream's ARN in a table's policy, or the reverse.

    DDB-TABLE-211 and 212, whose record of the text ends within the ARN.
    """
    return f'The relative-id "{relative}" is invalid for ARN "{arn}"'


def policy_too_large(bytes_max: int) -> str:
    """ValidationException of PutResourcePolicy. DDB-TABLE-211."""
    return f"{_INVALID}Maximum policy size of {bytes_max} bytes exceeded"


def public_policy() -> str:
    """ValidationException of Block Public Access. DDB-TABLE-352 and 356."""
    return (
        "Resource-based policy grants unbounded access in one or more elements. "
        "Please revise the policy to ensure least-privilege form of access"
    )
