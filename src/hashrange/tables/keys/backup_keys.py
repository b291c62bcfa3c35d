"""Keys of backups, exports, imports and bulk operations, and of what is kept for snapshots.

The numbers of the spaces continue those in `tables.keys.system_keys` and `tables.keys.keyspace`;
space 0x0D is of all jobs between tables and S3, which the next byte distinguishes.

Table 0, the system:
  0x0C BACKUP     ARN of a backup                      its description: `tables.jobs.backups`
  0x0D JOB        0x01, ARN of an export               its description: `tables.jobs.transfers`
                  0x02, ARN of an import               its description, likewise
                  0x03, ARN of a bulk operation        its description, likewise
                  0x04, namespace, ClientToken         the export that was begun with it
                  0x05, ARN of a bulk operation, 0x00, kind of a report, 0x00, number (8)
                                                       lines of a report that is not put yet
Every other table:
  0x08 BEFORE     hash16(partition key), ordered(sort key) if there is one
                                                       the item at the moment of a snapshot,
                                                       or ABSENT
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

ABSENT: Final = b"\x00"
"""The value for an item that did not exist; stored items begin with another byte."""

_ITEMS: Final = key_spaces.ITEMS.code
_BEFORE: Final = key_spaces.BEFORE.code
_space: Final = Struct(">IB").pack
_SPACE_BYTES: Final = 5


def backup_key(arn: str) -> bytes:
    """The key of the description of a backup."""
    return key_spaces.BACKUP.prefix() + arn.encode()


def before_range(number: int) -> Range:
    """All images of a snapshot that is stored under a number."""
    return key_spaces.BEFORE.range(number)


def before_key(number: int, item: bytes) -> bytes:
    """The key of the image of an item, or a bound of a range of them, from that of the item."""
    return _space(number, _BEFORE) + item[_SPACE_BYTES:]


def moved(number: int, key: bytes) -> bytes:
    """The key of the same item in the table with another number."""
    return _space(number, _ITEMS) + key[_SPACE_BYTES:]


_JOB: Final = key_spaces.JOB.prefix()
IMPORT: Final = 2
BULK: Final = 3
_REPORT: Final = 5
_NUMBER_BYTES: Final = 8


def job_key(kind: int, arn: str) -> bytes:
    """The key of the description of a job."""
    return _JOB + bytes((kind,)) + arn.encode()


def report_range(arn: str, kind: str) -> Range:
    """The lines of a report of a bulk operation; an empty kind for those of all its reports."""
    start = _JOB + bytes((_REPORT,)) + arn.encode() + b"\x00"
    return prefix_range(start + kind.encode() + b"\x00" if kind else start)


def report_key(arn: str, kind: str, number: int) -> bytes:
    """The key of some lines of a report."""
    return report_range(arn, kind)[0] + number.to_bytes(_NUMBER_BYTES)


def reports_range() -> Range:
    """The lines of the reports of all bulk operations."""
    return prefix_range(_JOB + bytes((_REPORT,)))


_EXPORT: Final = 1
_TOKEN: Final = 4


def export_key(arn: str) -> bytes:
    """The key of the description of an export."""
    return _JOB + bytes((_EXPORT,)) + arn.encode()


def export_token_key(namespace: str, token: str) -> bytes:
    """The key of a ClientToken; `namespace` is the prefix of the names of the tables."""
    return _JOB + bytes((_TOKEN,)) + f"{namespace}:{token}".encode()


def export_tokens_range() -> Range:
    """All tokens."""
    return prefix_range(_JOB + bytes((_TOKEN,)))
