"""Keys of exports.

The numbers of the spaces continue those in `tables.keys.system_keys`; space 0x0D is of all jobs
between tables and S3, which the next byte distinguishes.

Table 0, the system:
  0x0D JOB        0x01, ARN of an export               its description: `tables.jobs.export_jobs`
                  0x04, namespace, ClientToken         the export that was begun with it
"""

from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

_EXPORT: Final = 1
_TOKEN: Final = 4
_JOB: Final = key_spaces.JOB.prefix()


def export_key(arn: str) -> bytes:
    """The key of the description of an export."""
    return _JOB + bytes((_EXPORT,)) + arn.encode()


def export_token_key(namespace: str, token: str) -> bytes:
    """The key of a ClientToken; `namespace` is the prefix of the names of the tables."""
    return _JOB + bytes((_TOKEN,)) + f"{namespace}:{token}".encode()


def export_tokens_range() -> Range:
    """All tokens."""
    return prefix_range(_JOB + bytes((_TOKEN,)))
