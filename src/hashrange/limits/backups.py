"""Limits of backups, exports and imports."""

from typing import Final

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
