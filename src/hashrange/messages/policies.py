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


def principal_missing() -> str:
    """A trust policy without Principal."""
    return "Missing required field Principal"


def prohibited_field(name: str) -> str:
    """An element that trust policies do not have."""
    return f"Has prohibited field {name}"


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
    """The part after the prefix: a list of no statements. DDB-TABLE-211."""
    return "Could not parse the policy: Statement is empty!"


def resource_missing() -> str:
    """The part after the prefix: a statement without Resource. DDB-TABLE-211."""
    return "Missing required field Resource"


def statement_ids_not_unique() -> str:
    """The part after the prefix: two statements have the same Sid. DDB-TABLE-356."""
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
