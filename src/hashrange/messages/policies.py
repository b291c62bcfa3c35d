"""Texts about policy documents, their checks, and the policies of tables and streams.

Source of those of IAM: its MalformedPolicyDocument errors, as users and tests of other projects
recorded them. Source of those of DynamoDB: errors of PutResourcePolicy in issues of 2025 and 2026;
the ones of IAM behind its prefix are our choice. Those with a number DDB-TABLE were measured by
users, October 2026.
"""

from collections.abc import Iterable
from typing import Final

from hashrange.messages.text import Text

_INVALID: Final = "One or more parameter values were invalid: "

# The document is not JSON, or not of the form of a policy.
syntax_errors = Text("Syntax errors in policy.")
# A managed policy of version 2008-10-17, or without one.
old_version = Text("Policy document must be version 2012-10-17 or greater.")
# An effect, a date or an ARN that is not written as it must be.
failed_legacy_parsing = Text("The policy failed legacy parsing")
# Two statements have the same Sid.
sids_not_unique = Text("Statement IDs (SID) in a single policy must be unique.")
# A Sid in a policy of a user or role. Source: cfn-lint#708 and #1376 (2019 to 2025).
sid_not_alphanumeric = Text("Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*")
# A statement has neither Action nor NotAction, or an empty one.
no_actions = Text("Policy statement must contain actions.")
# A statement has neither Resource nor NotResource, or an empty one.
no_resources = Text("Policy statement must contain resources.")
# A resource that has no colon.
not_an_arn = Text('Resource {resource} must be in ARN format or "*".')
# An ARN that does not begin with `arn:aws`.
invalid_partition = Text('Partition "{partition}" is not valid for resource "arn:{partition}:{rest}".')
# The service of an ARN is absent or has wildcards.
vendor_not_qualified = Text("Resource vendor must be fully qualified and cannot contain regexes.")
# The ARN of a user or role names a region.
region_in_identity = Text("IAM resource {arn} cannot contain region information.")
# The ARN of a bucket names a region.
region_in_bucket = Text("Resource {arn} can not contain region information.")
# The ARN of IAM is none of its kinds of resources, such as `user/`.
identity_path = Text('IAM resource path must either be "*", root, or start with {kinds}.')
# An action in a trust policy that has nothing to do with assuming a role.
not_an_assumption = Text("AssumeRole policy may only specify STS AssumeRole actions.")
# An action without a colon.
action_without_vendor = Text("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.")
# An action with several colons.
action_with_colons = Text("Actions/Condition can contain only one colon.")
# A condition key of a trust policy with several colons. Source: terraform-aws-eks#1084.
condition_with_colons = Text("Condition can contain only one colon.")
# The service of an action has characters that no service has.
invalid_vendor = Text("Vendor {vendor} is not valid")
# Principal or NotPrincipal in a policy of an identity or a session.
principal_not_allowed = Text("Policy document should not specify a principal.")
# An element that is missing in a statement of a trust policy or a resource policy.
required_field = Text("Missing required field {name}")
# An element that trust policies and resource policies do not have.
prohibited_field = Text("Has prohibited field {name}")
# A trust policy with a Principal of `*`. Source: the AWS CDK's tests of AnyPrincipal.
trust_principal_star = Text('AssumeRolepolicy contained an invalid principal: "STAR":"*".')
# A principal of a trust policy that is none; kinds are `AWS`, `SERVICE`, `FEDERATED`. Source:
# reports of users (2017 to 2026); of federated principals our guess by the others.
trust_principal_invalid = Text('Invalid principal in policy: "{kind}":"{name}"')
# A trust policy of no known version. Source: versitygw's account of IAM (2026), as below.
trust_version_invalid = Text("The policy must contain a valid version string")
# A trust policy whose effect is neither Allow nor Deny.
trust_effect_invalid = Text("Invalid effect: {effect}")


def trust_excludes_principals(effect: str) -> str:
    """NotPrincipal in a trust policy."""
    if effect == "Allow":
        return "Allow with NotPrincipal is not allowed."
    return "AssumeRole policy must not contain NotPrincipal field."


# NotResource in a trust policy.
trust_excludes_resources = Text("AssumeRole policy must not contain resources.")
# ValidationException of PutResourcePolicy and CreateTable.
invalid_document = Text(_INVALID + "Invalid policy document: {reason}")
# ValidationException of PutResourcePolicy: a principal that is malformed or does not exist.
invalid_principal = Text(_INVALID + "Invalid principal in policy document.")
# The part after the prefix: a service that DynamoDB does not let in.
invalid_service_principal = Text("Policy contains invalid service principal")


def invalid_action_names(actions: Iterable[str]) -> str:
    """The part after the prefix: actions that a policy of this resource cannot allow."""
    listed = ", ".join(f'"{action}"' for action in actions)
    return f"The following action names are invalid: {listed}"


# The part after the prefix: a text that is not JSON. DDB-TABLE-211.
invalid_json = Text("This policy contains invalid Json")
# A list of no statements, also in a trust policy. DDB-TABLE-211.
statement_is_empty = Text("Could not parse the policy: Statement is empty!")
# Two statements have the same Sid, also in a trust policy. DDB-TABLE-356.
statement_ids_not_unique = Text("The Statement Ids in the policy are not unique")
# The part after the prefix: a stream's ARN in a table's policy, or the reverse. DDB-TABLE-211 and
# 212, whose record of the text ends within the ARN.
relative_id_invalid = Text('The relative-id "{relative}" is invalid for ARN "{arn}"')
# ValidationException of PutResourcePolicy. DDB-TABLE-211.
policy_too_large = Text(_INVALID + "Maximum policy size of {bytes_max} bytes exceeded")
# ValidationException of Block Public Access. DDB-TABLE-352 and 356.
public_policy = Text("Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access")


# A key that may have several values is compared as one value.
needs_quantifier = Text("{key} may have several values in a request: compare it with ForAllValues or ForAnyValue")


def keys_absent(effect: str) -> str:
    """Actions whose requests have no partition key values."""
    return f"dynamodb:LeadingKeys does not confine these actions: {_absent(effect)}"


def attributes_absent(effect: str) -> str:
    """Actions whose requests name no attributes."""
    return f"dynamodb:Attributes does not confine these actions: {_absent(effect)}"


def _absent(effect: str) -> str:
    if effect == "Allow":
        return "their requests may lack the key, and the condition then holds"
    return "their requests may lack the key, and the statement then does not deny them"


# Reads without a projection.
whole_items_read = Text("dynamodb:Attributes does not confine these reads: without a projection they show whole items; allow them if dynamodb:Select is SPECIFIC_ATTRIBUTES")
# Writes that answer with items.
whole_items_returned = Text("dynamodb:Attributes does not confine what these writes return: allow them if dynamodb:ReturnValues is NONE, UPDATED_OLD or UPDATED_NEW")
# An action that no service on the port has, or a pattern that matches none.
unknown_actions = Text("This server has no such actions, so the statement says nothing of them")
# A resource of S3 in a statement on actions of DynamoDB.
resource_of_other_service = Text("No action of the statement has a resource like {resource}")
# A name that was misspelled, or another account or region.
resource_of_no_table = Text("No table that exists is {resource}")
# A key that no request has.
unknown_key = Text("No request has the condition key {key}")
# A key of other actions.
key_of_other_actions = Text("No action of the statement has the condition key {key}")
# Allow with NotAction.
allows_all_but = Text("NotAction allows every other action, also those of other services")
# Allow with an action * on the resource *.
allows_everything = Text("The statement allows these actions on everything, without a condition")
# Allow with NotResource.
allows_all_resources_but = Text("NotResource allows the actions on every other resource, also on those that will be made")
# Principal * in the policy of a table or stream.
allows_everyone = Text("Principal * allows it to everyone, without a condition")


_NOT_FOUND: Final = "Resource-based policy not found for the provided ResourceArn: "

# ResourceNotFoundException. DDB-TABLE-212.
stream_not_found = Text("Requested resource not found: Stream: {label} not found for Table: {table}")
# PolicyNotFoundException. Verified.
policy_not_found = Text(_NOT_FOUND + "{arn}", 280)
# PolicyNotFoundException: NO_POLICY was expected. Verified.
policy_exists = Text(_NOT_FOUND + "Requested policy update expecting none to be present for {slot}, but a policy exists with revision id {revision}.", 280)
# PolicyNotFoundException: another revision was expected. Verified.
other_revision = Text(_NOT_FOUND + "Requested update for policy with revision id {expected}, but the policy associated to target {slot} has revision id {revision}.", 280)
# PolicyNotFoundException: a revision was expected, and there is no policy. DDB-TABLE-205, whose
# record of the text ends before the last words.
no_policy_of_revision = Text(_NOT_FOUND + "Requested update for policy with revision id {expected}, but {slot} has no associated policy.")
# ResourceInUseException right after a change. DDB-TABLE-206.
update_pending = Text("Attempt to change a resource which is still in use: {kind} is pending previous resource-based policy update: {name}")
# ThrottlingException until some seconds after a change. DDB-TABLE-206.
changed_just_now = Text("Resource-based policy for {slot} modified within the previous {pause_ms} milliseconds. Please try again after {until}.")
# AccessDeniedException without ConfirmRemoveSelfResourceAccess. DDB-TABLE-210.
locks_out_author = Text("The new resource policy will not allow you to update the resource policy in the future.")
