"""Limits of users, roles, sessions, and of requests to IAM and STS.

They are quotas of IAM, unless a limit says otherwise.
"""

from typing import Final

USERS_MAX: Final = 5_000
ROLES_MAX: Final = 1_000
MANAGED_POLICIES_MAX: Final = 1_500
POLICY_VERSIONS_MAX: Final = 5
USER_KEYS_MAX: Final = 2
ATTACHED_POLICIES_MAX: Final = 10
"""Managed policies of one user or role."""
SESSION_POLICIES_MAX: Final = 10
"""ARNs of managed policies that are given for one session."""
SESSION_SECONDS_MIN: Final = 900
SESSION_SECONDS: Final = 3_600
CHAINED_SESSION_SECONDS_MAX: Final = 3_600
"""Of a session that another session of a role has asked for."""
ROLE_SESSION_SECONDS_MAX: Final = 43_200
USER_SESSION_SECONDS_MAX: Final = 129_600
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
