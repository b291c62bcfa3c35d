"""Texts of refused signatures, of AccessDeniedException, and of CloudTrail's LookupEvents.

Sources: of AccessDeniedException the IAM User Guide, "Troubleshoot access denied error messages"; of
signatures captures of the service, unless said otherwise, whose trailing spaces they have. The codes
of LookupEvents are those of CloudTrail's API model (2026); its texts are our own.
"""

from typing import Final

from hashrange.messages.text import Text

POLICY_NAMES: Final = {
    "identity": "identity-based policy",
    "resource": "resource-based policy",
    "boundary": "permissions boundary",
    "session": "session policy",
}
"""How a kind of policies is called in these texts."""


def not_allowed(principal: str, action: str, resource: str | None, policy: str) -> str:
    """No policy of a kind allows the action; principal and resource are ARNs.

    Services but DynamoDB and IAM name no resource where there is none. Source: records of
    CloudTrail, DAX and Application Auto Scaling (2021 to 2026).
    """
    reason = f"because no {policy} allows the {action} action"
    return f"{_not_authorized(principal, action, resource)} {reason}"


def denied(principal: str, action: str, resource: str | None, policy: str) -> str:
    """A policy of a kind denies the action explicitly; principal and resource are ARNs."""
    article = "an" if policy.startswith("i") else "a"
    reason = f"with an explicit deny in {article} {policy}"
    return f"{_not_authorized(principal, action, resource)} {reason}"


# A role of another account is passed to a service. Source: reports of users (2019 to 2025).
role_of_another_account = Text("Cross-account pass role is not allowed.")


def _not_authorized(principal: str, action: str, resource: str | None) -> str:
    text = f"User: {principal} is not authorized to perform: {action}"
    return text if resource is None else f"{text} on resource: {resource}"


# A signature in the query string and in the header.
found_both = Text("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
# No signature, in the header or in the query string.
missing_token = Text("Request is missing Authentication Token")
# A part of the header without an equal sign.
no_pair = Text("'{part}' not a valid key=value pair (missing equal-sign) in Authorization header: '{authorization}'.")
# One of Credential, Signature and SignedHeaders is missing; several are concatenated.
header_requires = Text("Authorization header requires '{parameter}' parameter. ")
# No time of signing; concatenated like `header_requires`.
header_requires_date = Text("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
# The end of a text about an incomplete header.
header_echo = Text("Authorization={authorization}")
# A parameter of the query string is missing; several are concatenated.
query_requires = Text("AWS query-string parameters must include '{parameter}'. ")
# The end of a text about an incomplete query string.
query_echo = Text("Re-examine the query-string parameters.")
# Source: ours.
query_too_long = Text("The query string must not have more than {fields_max} parameters.")
# A time of signing that is not YYYYMMDD'T'HHMMSS'Z'.
date_format = Text("Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601")
# An algorithm other than AWS4-HMAC-SHA256.
unsupported_algorithm = Text("Unsupported AWS 'algorithm': '{algorithm}' (only AWS4-HMAC-SHA256 for now). ")
# The Host header is not among the signed headers.
host_not_signed = Text("'Host' must be a 'SignedHeader' in the AWS Authorization.")
# A credential that is not keyid/date/region/service/term.
credential_elements = Text("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{credential}'")
# A region with characters that no region's name has.
region_scope = Text("Credential should be scoped to a valid region, not '{region}'. ")
# An access key that is too long or has characters that no access key has.
token_invalid = Text("The security token included in the request is invalid.")
# A session token of other servers, of another access key, or one that was changed. Without a dot at
# its end, as captured.
session_token_invalid = Text("The security token included in the request is invalid")
# The header that names the operation is not signed. Source: ours, after that of Host.
target_not_signed = Text("'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.")
# A time of signing that is too long ago; the lifetime is `15 min`, but of presigned ones.
expired = Text("Signature expired: {time} is now earlier than {earliest} ({now} - {lifetime}.)")
# A time of signing that is too far in the future.
not_yet_current = Text("Signature not yet current: {time} is still later than {latest} ({now} + {skew}.)")
# X-Amz-Expires of a presigned request. Source: Amazon S3.
expires_no_number = Text("X-Amz-Expires should be a number")
# X-Amz-Expires of a presigned request. Source: Amazon S3.
expires_negative = Text("X-Amz-Expires must be non-negative")
# X-Amz-Expires of a presigned request. Source: Amazon S3.
expires_too_long = Text("X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than {seconds_max} seconds")
# A scope of another service; concatenated with the texts about the scope that follow.
service_scope = Text("Credential should be scoped to correct service: '{service}'. ")
# A scope with another end than aws4_request; concatenated.
terminator_scope = Text("Credential should be scoped with a valid terminator: '{terminator}', not '{found}'. ")
# A scope of another day than the time of signing; concatenated.
date_scope = Text("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{found}' != '{date}', from '{time}'.")
# The session of the access key has ended.
token_expired = Text("The security token included in the request is expired")
# The signature was made with another secret key, or of another request.
mismatch = Text(
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.\n\nThe Canonical String for this request should have been\n'{canonical}'\n\nThe String-to-Sign should have been\n'{text}'\n"
)
# ThrottlingException of the setting `requests_per_second_max`. Source: ours.
too_many_requests = Text("The principal has made more than {requests_max} requests within a second")


# More than one lookup attribute.
one_attribute = Text("You can specify only one lookup attribute.")
# A key that is none, or a value without or with too many characters.
invalid_attribute = Text("The lookup attribute is not valid.")
# Any EventCategory: there are no events of Insights.
invalid_category = Text("The event category is not valid: there are no Insights events.")
# MaxResults is not from 1 to 50.
invalid_max_results = Text("The maximum number of results must be from 1 to 50.")
# StartTime after EndTime, or a time that is none.
invalid_time_range = Text("The time range is not valid.")
# A token that is none, or of a request with other parameters.
invalid_next_token = Text("The next token is not valid, or it is of a request with other parameters.")
# Two of them run already.
too_many_lookups = Text("Rate exceeded")
