"""Limits of policy documents; sizes of the caches of policies."""

from typing import Final

MANAGED_POLICY_CHARS_MAX: Final = 6_144
"""White space is not counted."""
SESSION_POLICY_CHARS_MAX: Final = 2_048
"""Of an inline session policy, white space and all."""
TRUST_POLICY_CHARS_MAX: Final = 2_048
"""Of a role, unless the quota was raised; white space is not counted."""
ROLE_POLICIES_CHARS_MAX: Final = 10_240
"""All inline policies of one role together; white space is not counted."""
GROUP_POLICIES_CHARS_MAX: Final = 5_120
"""Likewise of one group."""
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
