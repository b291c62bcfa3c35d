"""Limits of identities, policies, signatures and the audit log; sizes of their caches."""

from typing import Final

# Users, roles, sessions, requests to IAM and STS: quotas of IAM, unless a limit says otherwise.
USERS_MAX: Final = 5_000
ROLES_MAX: Final = 1_000
MANAGED_POLICIES_MAX: Final = 1_500
POLICY_VERSIONS_MAX: Final = 5
USER_KEYS_MAX: Final = 2
ATTACHED_POLICIES_MAX: Final = 10
"""Managed policies of one user or role."""
SESSION_SECONDS: Final = 3_600
CHAINED_SESSION_SECONDS_MAX: Final = 3_600
"""Of a session that another session of a role has asked for."""
SESSION_TOKEN_CHARS_MAX: Final = 6_144
"""Our own: tokens travel in a header."""
SESSIONS_MAX: Final = 10_000
"""Our own: sessions whose tokens were opened, in memory."""
SESSIONS_CHARS_MAX: Final = 16_000_000
"""Our own: characters of their tokens."""
PARSED_POLICIES_MAX: Final = 10_000
"""Our own: policy documents that are kept parsed."""
PARSED_POLICIES_CHARS_MAX: Final = 8_000_000
"""Our own: characters of their texts."""
CREDENTIALS_FILE_BYTES_MAX: Final = 1024 * 1024
"""Our own: of a file in the form of AWS's tools."""
IDENTITY_CHANGES_MAX: Final = 200
"""Our own: rows in the list of the last changes; a process that missed more reads all."""
IDENTITIES_LOOK_SECONDS: Final = 0.5
"""Our own: interval in which each process looks for changes of identities by others."""
FORM_BYTES_MAX: Final = 512 * 1024
"""Our own: body of a request to IAM or STS."""
FORM_FIELDS_MAX: Final = 2_000
FORM_LEVELS_MAX: Final = 8
"""Our own: parts of the name of a field in such a body."""
FORM_LIST_MAX: Final = 1_000
SIMULATIONS_MAX: Final = 1_000
"""Our own: actions times resources of one simulation."""

# Policy documents; sizes of the caches of policies.
MANAGED_POLICY_CHARS_MAX: Final = 6_144
"""White space is not counted."""
TRUST_POLICY_CHARS_MAX: Final = 2_048
"""Of a role, unless the quota was raised; white space is not counted."""
ROLE_POLICIES_CHARS_MAX: Final = 10_240
"""All inline policies of one role together; white space is not counted."""
USER_POLICIES_CHARS_MAX: Final = 2_048
"""Likewise of one user."""
RESOURCE_POLICY_BYTES_MAX: Final = 20 * 1024
"""Of a table or stream, white space and all."""
RESOURCE_POLICY_PAUSE_MS: Final = 15_000
"""After a change, until the policy of a table or stream can be changed again."""
GOVERNED_RESOURCES_MAX: Final = 10_000
"""Tables, indexes and streams whose policies are kept parsed. Our own."""
GOVERNED_RESOURCES_CHARS_MAX: Final = 4_000_000
"""Characters of the texts in all of them. Our own."""
CONNECTIONS_KEYS_MAX: Final = 1_000
"""Condition keys of connections that are kept for a second. Our own."""
CONNECTIONS_KEYS_CHARS_MAX: Final = 1_000_000
"""Characters of the texts in all of them. Our own."""
POLICY_ADDRESSES_MAX: Final = 4_000
"""Addresses of clients that are kept as numbers, of 50 characters each. Our own."""
TABLE_ACCESSES_MAX: Final = 4_000
"""Pairs of an action and a table that are kept as objects. Our own."""
TABLE_ACCESSES_CHARS_MAX: Final = 400_000
"""Characters of their names and ARNs. Our own."""
POLICY_VERDICTS_MAX: Final = 20_000
"""Entries of compiled policies, by principal, action and resource. Our own."""
POLICY_VERDICTS_CHARS_MAX: Final = 4_000_000
"""Characters of the texts in all of them. Our own."""
POLICY_VERDICT_CHARS_MAX: Final = 100_000
"""Characters of the texts in one that is kept. Our own."""

# Signed requests; sizes of the caches of signatures.
SIGNED_HEADS_MAX: Final = 4096
"""Our own: parsed Authorization headers in the cache."""
SIGNED_HEADS_BYTES_MAX: Final = 1024 * 1024
"""Our own: all cached Authorization headers together."""
SIGNED_HEAD_BYTES_MAX: Final = 1024
"""Our own: longer Authorization headers are not cached."""
QUERY_FIELDS_MAX: Final = 64
"""Our own: parameters of a query string; a presigned request has eight."""
SIGNATURE_SKEW_SECONDS_MAX: Final = 15 * 60
"""Between the clocks of client and server."""
PRESIGNED_SECONDS_MAX: Final = 7 * 24 * 60 * 60
SIGNING_KEYS_MAX: Final = 1024
"""Our own: derived signing keys in the cache, each for an access key, a day and a region."""
SIGNING_KEYS_CHARS_MAX: Final = 256 * 1024
"""Our own: secret keys and scopes of all cached signing keys together."""
SIGNING_KEY_CHARS_MAX: Final = 1024
"""Our own: the signing keys of longer secret keys and scopes are not cached."""
VERIFIED_HEADS_BYTES_MAX: Final = 4 * 1024 * 1024
"""Our own: all cached heads of verified requests together."""
VERIFIED_HEAD_BYTES_MAX: Final = 8192
"""Our own: longer heads, such as those with a long session token, are not cached."""
FAILED_ADDRESSES_MAX: Final = 4096
"""Our own: addresses whose failed signatures are counted; the oldest are forgotten."""
FAILED_SIGNATURES_FREE: Final = 10
"""Our own: failed signatures of an address in a row that are answered at once."""
FAILED_SIGNATURES_PER_SECOND: Final = 10
"""Our own: failed signatures of an address that are answered within a second, after these."""
FAILED_SIGNATURE_SECONDS_MAX: Final = 2
"""Our own: the longest delay of the answer to a failed signature."""
FAILED_SIGNATURES_WAITING_MAX: Final = 1000
"""Our own: answers to failed signatures that are delayed at the same time; more are not."""
KNOWN_OWNERS_MAX: Final = 4096
"""Our own: pairs of an access key and an address whose principal is remembered."""
ACCESS_KEY_CHARS_MAX: Final = 128
REGION_CHARS_MAX: Final = 63
"""Our own: a region is a label of host names, whose labels have at most 63 characters."""

# The audit log. The sizes of members and the events of a LookupEvents are CloudTrail's; all others
# are our own.
AUDIT_MEMBER_BYTES_MAX: Final = 100 * 1024
"""Of requestParameters, and of responseElements; larger ones are replaced by their size."""
AUDIT_TEXT_CHARS_MAX: Final = 1024
"""Of userAgent and errorMessage; the rest of longer ones is left out."""
AUDIT_ACTIONS_MAX: Final = 100
"""Tables, actions and statements of one request; more are refused, and left out of its record."""
AUDIT_ECHO_BYTES_MAX: Final = 64 * 1024
"""Of a request whose values are looked for in the text of its refusal."""
LOOKUP_EVENTS_MAX: Final = 50
AUDIT_BACKLOG_RECORDS_MAX: Final = 20_000
"""Records that wait for the disk; further ones are dropped and counted."""
AUDIT_BACKLOG_BYTES_MAX: Final = 16 * 1024 * 1024
AUDIT_LINE_BYTES_MAX: Final = 512 * 1024
AUDIT_LOOKUP_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of files that one LookupEvents reads; it goes on with its NextToken."""
AUDIT_LOOKUPS_MAX: Final = 2  # at the same time, in each process
AUDIT_LOOKUP_FILES_MAX: Final = 4096
AUDIT_PRINCIPALS_MAX: Final = 10_000
"""Principals, and tables of one, that a search for anomalies keeps; likewise partition keys."""
AUDIT_KEYS_MAX: Final = 100_000
