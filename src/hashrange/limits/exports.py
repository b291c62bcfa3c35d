"""Limits of exports to S3."""

from typing import Final

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
S3_PREFIX_CHARS_MAX: Final = 1024
