"""Texts of STS's errors.

Source: errors of STS as users and tests of other projects recorded them, unless said otherwise.
"""

from hashrange.messages.text import Text

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
