"""Imports and bulk operations: quotas of the service, unless said otherwise."""

from typing import Final

IMPORT_OBJECTS_MAX: Final = 50_000
IMPORTS_MAX: Final = 50
"""Imports, and bulk operations, that are in progress."""
IMPORT_HEADERS_MAX: Final = 255
IMPORT_TOKEN_MS: Final = 8 * 60 * 60 * 1000
"""For how long a ClientToken is remembered."""
IMPORT_PIECE_BYTES: Final = 64 * 1024
"""Our own: decompressed at a time."""
IMPORT_RECORD_BYTES_MAX: Final = 16 * 1024 * 1024
"""Our own: of a line, or of a row of CSV."""
IMPORT_GROUP_RECORDS: Final = 256
"""Our own: objects of one line that are cut apart at a time."""
IMPORT_GROUP_TOKENS: Final = 8192
"""Our own: strings and braces that are looked at meanwhile, some milliseconds of work."""
IMPORT_ERRORS_LOGGED_MAX: Final = 10_000
"""Our own: refused records of one import in the log of errors."""
SORT_PIECE_RECORDS: Final = 16_384
"""Our own: records that are sorted in memory at a time."""
SORT_PIECE_BYTES: Final = 8 * 1024 * 1024
SORT_RUNS_MAX: Final = 256
"""Our own: sorted runs that are merged at a time."""
SORT_BLOCK_BYTES: Final = 64 * 1024
"""Our own: read of a run at a time."""
SPOOL_FREE_BYTES_MIN: Final = 256 * 1024 * 1024
"""Our own: left free on the disk of files of the sorter."""
IMPORT_ATTEMPTS_MAX: Final = 3
"""Our own: times that an import or bulk operation is begun again because the storage failed."""
IMPORT_KEPT_MS: Final = 90 * 24 * 60 * 60 * 1000
"""For how long imports and bulk operations are listed after their end."""
S3_PREFIX_CHARS_MAX: Final = 1024
JOBS_PAGE: Final = 10
"""Exports, imports or bulk operations in a page of a list, unless the request says how many."""
REPORT_RECORDS_MAX: Final = 100_000
"""Our own: records in one report of a bulk operation, about."""
JOBS_KEPT_MAX: Final = 1000
"""Our own: imports, and bulk operations, that are listed after their end."""
