"""Limits of backups, exports, imports and bulk operations, and of the objects that they use."""

from typing import Final

# Backups.
BACKUPS_PAGE_MAX: Final = 100
RECOVERY_DAYS_MAX: Final = 35  # of point-in-time recovery; also its default
JOB_ARN_CHARS_MIN: Final = 37
"""ARNs of backups, exports, imports and bulk operations."""
JOB_ARN_CHARS_MAX: Final = 1024
SAVED_STATES_MAX: Final = 64
"""Our own: snapshots of a whole server (`hashrange snapshot`)."""
SAVED_STATE_BYTES_MAX: Final = 1024**3
"""Our own: of one of them; the server answers nothing while it copies them."""
BACKUP_CHUNK_BYTES: Final = 256 * 1024
"""Our own: parts of a data file that a backup stores, or finds stored."""
ROW_CHUNK_BYTES_MIN: Final = 64 * 1024
ROW_CHUNK_BYTES_MORE: Final = 128 * 1024
"""Our own: chunks of rows have this much more than the least, on average."""
ROW_CHUNK_BYTES_MAX: Final = 1024**2
"""Our own: only a single row makes a larger chunk."""
STORED_ROW_BYTES_MAX: Final = 64 * 1024**2
"""Our own: of a row of a database; ten times what any row has."""
STORED_CHUNK_BYTES_MAX: Final = 2 * BACKUP_CHUNK_BYTES
"""Our own: of their objects."""
MANIFEST_BYTES_MAX: Final = 512 * 1024**2
"""Our own: of a backup of some 2 TB."""
KEPT_BYTES_MAX: Final = 16 * 1024**2
"""Our own: of the names of the backups that a clean-up has kept, some 300,000."""
FROZEN_WAL_BYTES_MAX: Final = 4 * 1024**3
"""Our own: of the write-ahead log while a backup is made; a longer one ends the backup."""

# Exports to S3.
EXPORTS_MAX: Final = 300
"""In progress at the same time."""
EXPORT_WINDOW_MS_MIN: Final = 15 * 60 * 1000
"""Of an incremental export."""
EXPORT_WINDOW_MS_MAX: Final = 24 * 60 * 60 * 1000
EXPORT_TOKEN_MS: Final = 8 * 60 * 60 * 1000
"""How long a ClientToken is remembered."""
EXPORT_KEPT_MS: Final = 90 * 24 * 60 * 60 * 1000
"""How long an export is described."""
EXPORT_BILLED_BYTES_MIN: Final = 10_000_000
"""Of an incremental export."""
EXPORT_FILE_BYTES_MAX: Final = 64 * 1024 * 1024
"""Our own: of one data file before compression. After a kill, an export goes on with a file."""
EXPORT_CHUNK_BYTES: Final = 512 * 1024
"""Our own: of lines that are compressed at a time, in a thread."""
EXPORT_GZIP_LEVEL: Final = 1
"""Our own: half of the time of level 6, for a fifth more bytes."""

# Archives; all are our own.
ARCHIVE_PART_BYTES: Final = 16 * 1024 * 1024
"""Of the rows of an object as JSON; more would be parted otherwise, so it does not change."""
ARCHIVE_MEMORY: Final = "256MB"
"""Of DuckDB, when it writes an object."""

# Imports and bulk operations: quotas of the service, unless said otherwise.
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
JOBS_PAGE: Final = 10
"""Exports, imports or bulk operations in a page of a list, unless the request says how many."""
REPORT_RECORDS_MAX: Final = 100_000
"""Our own: records in one report of a bulk operation, about."""
JOBS_KEPT_MAX: Final = 1000
"""Our own: imports, and bulk operations, that are listed after their end."""

# Objects in buckets: S3's, unless said otherwise.
BUCKETS_MAX: Final = 100
"""Our own: buckets that one server knows."""
OBJECT_KEY_BYTES_MAX: Final = 1024
OBJECT_KEY_PART_BYTES_MAX: Final = 255
"""Of file systems: a name in a directory."""
OBJECT_PART_BYTES: Final = 8 * 1024 * 1024
"""Our own: of one part of an upload, which is kept in memory."""
OBJECT_PARTS_AT_A_TIME_MAX: Final = 2
"""Our own: parts of one object that are uploaded at the same time."""
OBJECT_CHUNK_BYTES: Final = 1024 * 1024
"""Our own: bytes of an object that are read or written at a time."""
OBJECT_LIST_PAGE_MAX: Final = 1000
OBJECT_UPLOAD_SECONDS_MAX: Final = 24 * 60 * 60
"""Our own: files of uploads that nobody has written to for so long are removed."""
S3_RETRIES_MAX: Final = 5
"""Our own: of one request to an API of S3."""
S3_RETRY_SECONDS_MAX: Final = 30
S3_CONNECT_SECONDS_MAX: Final = 5
S3_REQUEST_SECONDS_MAX: Final = 120
