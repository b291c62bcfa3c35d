"""Limits of the audit log.

The sizes of members and the events of a LookupEvents are CloudTrail's; all others are our own.
"""

from typing import Final

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
