"""Keys of imports and bulk operations.

The numbers of the spaces continue those in `tables.keys.system_keys`; space 0x0D is of all jobs
between tables and S3, which the next byte distinguishes (`export_keys` has 0x01 and 0x04).

Table 0, the system:
  0x0D JOB        0x02, ARN of an import               its description: `tables.jobs.import_jobs`
                  0x03, ARN of a bulk operation        its description, likewise
                  0x05, ARN of a bulk operation, 0x00, kind of a report, 0x00, number (8)
                                                       lines of a report that is not put yet
"""

from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

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
