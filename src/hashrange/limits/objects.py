"""Limits of objects in buckets, with their units in their names; S3's, unless said otherwise."""

from typing import Final

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
