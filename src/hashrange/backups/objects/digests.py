"""MD5 and ETag of an object, while it is written."""

import hashlib
from base64 import b64encode
from typing import Final

from hashrange.backups.objects.bucket import StoredObject
from hashrange.limits.backups import OBJECT_PART_BYTES


class ObjectDigest:
    """The digests of one object.

    The ETag is that of a multipart upload in parts of OBJECT_PART_BYTES: the MD5 of the MD5s of
    its parts, and their number. It shows changes of content, as MD5 does in S3, and protects
    nothing.
    """

    def __init__(self) -> None:
        self._whole: Final = hashlib.md5(usedforsecurity=False)
        self._part = self._whole
        self._parts: list[bytes] = []
        self._part_bytes = 0
        self.size_bytes = 0

    def update(self, chunk: bytes) -> None:
        """Add the next bytes of the object."""
        rest = memoryview(chunk)
        self.size_bytes += len(rest)
        while rest:
            if self._part_bytes == OBJECT_PART_BYTES:
                self._end_part()
            piece = rest[: OBJECT_PART_BYTES - self._part_bytes]
            self._part.update(piece)
            if self._part is not self._whole:
                self._whole.update(piece)
            self._part_bytes += len(piece)
            rest = rest[len(piece) :]

    def _end_part(self) -> None:
        self._parts.append(self._part.digest())
        self._part, self._part_bytes = hashlib.md5(usedforsecurity=False), 0

    def of(self, key: str) -> StoredObject:
        """The object when all of its bytes were added."""
        parts = [*self._parts, self._part.digest()]
        joined = hashlib.md5(b"".join(parts), usedforsecurity=False).hexdigest()
        return StoredObject(
            key=key,
            size_bytes=self.size_bytes,
            md5=b64encode(self._whole.digest()).decode(),
            etag=f"{joined}-{len(parts)}",
        )
