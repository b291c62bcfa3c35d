"""Which keys of objects a directory can hold, and as which files.

A key is a path within the directory: every part of it is the name of a file or directory. Keys
that S3 would have, and that are no such path, are refused.
"""

from collections.abc import Sequence
from typing import Final

from hashrange.backups.objects.bucket import BucketError, Failure
from hashrange.limits.backups import OBJECT_KEY_BYTES_MAX, OBJECT_KEY_PART_BYTES_MAX

UPLOADS: Final = ".hashrange-uploads"
"""The directory of objects that are being written; no key begins with it."""
_RESERVED: Final = frozenset({"", ".", ".."})


def parts_of(key: str) -> Sequence[str]:
    """The names of directories and file that a key stands for. Raises BucketError."""
    try:
        data = key.encode()
    except UnicodeEncodeError as error:
        raise _invalid(key, "it is not UTF-8") from error
    if len(data) > OBJECT_KEY_BYTES_MAX:
        text = f"a key has at most {OBJECT_KEY_BYTES_MAX} bytes"
        raise BucketError(Failure.KEY_TOO_LONG, text)
    parts = key.split("/")
    if not _RESERVED.isdisjoint(parts):
        raise _invalid(key, "a directory has no names that are empty, . or ..")
    if any(character in key for character in "\0\\"):
        raise _invalid(key, "a directory has no names with NUL or a backslash")
    if max(len(part.encode()) for part in parts) > OBJECT_KEY_PART_BYTES_MAX:
        raise _invalid(key, f"names in a directory have at most {OBJECT_KEY_PART_BYTES_MAX} bytes")
    if parts[0] == UPLOADS:
        raise _invalid(key, f"{UPLOADS} is for objects that are being written")
    return parts


def _invalid(key: str, why: str) -> BucketError:
    return BucketError(Failure.INVALID_KEY, f"the key {key!r} cannot be in a directory: {why}")
